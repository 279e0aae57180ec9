// SPDX-License-Identifier: Apache-2.0
// Short notes from one process of a host to another, through memory that both see: one writes, one reads, none waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/ranks/direct/exported_address.hpp"

namespace asterism {

struct Note {
  enum class Kind : std::uint64_t {
    ready,  ///< the reader of a message has room for it at `place`
    done,   ///< it is there
  };
  Kind kind;
  std::int64_t tag;
  ExportedAddress place;
};

/// Begins as zeros.
class NoteRing {
 public:
  static constexpr std::size_t capacity = 512;

  /// False: it is full.
  bool put(const Note& note) {
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == capacity) return false;
    notes_[at % capacity] = note;
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  std::optional<Note> take() {
    const std::uint64_t at = read_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_acquire)) return std::nullopt;
    const Note note = notes_[at % capacity];
    read_.store(at + 1, std::memory_order_release);
    return note;
  }

 private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  alignas(64) std::atomic<std::uint64_t> written_;
  alignas(64) std::atomic<std::uint64_t> read_;
  alignas(64) Note notes_[capacity];
};

}  // namespace asterism
