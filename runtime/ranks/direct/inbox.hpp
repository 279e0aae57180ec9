// SPDX-License-Identifier: Apache-2.0
// The rings of notes between the ranks of a host.
#pragma once

#include <memory>
#include <vector>

#include "runtime/ranks/direct/note_ring.hpp"

namespace asterism {

/// A ring to and from each other rank of this host that takes part.
class Inboxes {
 public:
  /// Ranks together: each says whether it takes part. One without shared memory takes none.
  explicit Inboxes(bool takes_part);
  ~Inboxes();
  Inboxes(const Inboxes&) = delete;
  Inboxes& operator=(const Inboxes&) = delete;

  /// Null: no part of it, or this rank.
  [[nodiscard]] NoteRing* from(int rank) const { return from_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] NoteRing* to(int rank) const { return to_[static_cast<std::size_t>(rank)]; }

 private:
  NoteRing* map(const char* name, int flags);

  std::vector<NoteRing*> from_, to_;
  std::vector<NoteRing*> mapped_;  ///< the rings to a rank, by writer
};

}  // namespace asterism
