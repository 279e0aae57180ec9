// SPDX-License-Identifier: Apache-2.0
// Notes between two threads, as between two processes.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "runtime/ranks/direct/note_ring.hpp"

namespace asterism {
namespace {

TEST(NoteRing, CarriesNotesInTheirOrderBetweenThreads) {
  static NoteRing ring;
  constexpr std::int64_t notes = 200000;
  std::thread writer([] {
    for (std::int64_t k = 0; k < notes; ++k) {
      const Note note{k % 3 == 0 ? Note::Kind::done : Note::Kind::ready, k, {{}, 0, static_cast<std::uint64_t>(7 * k)}};
      while (!ring.put(note)) std::this_thread::yield();
    }
  });
  for (std::int64_t k = 0; k < notes;) {
    const std::optional<Note> note = ring.take();
    if (!note) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(note->tag, k);
    ASSERT_EQ(note->kind, k % 3 == 0 ? Note::Kind::done : Note::Kind::ready);
    ASSERT_EQ(note->place.offset, static_cast<std::uint64_t>(7 * k));
    ++k;
  }
  writer.join();
  EXPECT_FALSE(ring.take());
}

TEST(NoteRing, RefusesWhatItHasNoPlaceFor) {
  static NoteRing ring;
  for (std::size_t k = 0; k < NoteRing::capacity; ++k)
    EXPECT_TRUE(ring.put({Note::Kind::done, static_cast<std::int64_t>(k), {}}));
  EXPECT_FALSE(ring.put({Note::Kind::done, -1, {}}));
  EXPECT_EQ(ring.take()->tag, 0);
  EXPECT_TRUE(ring.put({Note::Kind::done, 1000, {}}));
  EXPECT_FALSE(ring.put({Note::Kind::done, -1, {}}));
}

}  // namespace
}  // namespace asterism
