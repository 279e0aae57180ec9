// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/direct/inbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/as_size.hpp"
#include "runtime/ranks/rank_deaths.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

struct Place {
  RankProcess of;
  bool takes_part;
};

std::string name_of(const Place& reader) {
  return fmt::format("/asterism-notes-{}", reader.of.process);
}

std::size_t bytes() {
  return as_size(rank_group().ranks()) * sizeof(NoteRing);
}

}  // namespace

/// The rings to one rank; null where the system has none.
NoteRing* Inboxes::map(const char* name, int flags) {
  const int file = shm_open(name, flags, 0600);
  if (file < 0) return nullptr;
  const bool made = (flags & O_CREAT) != 0;
  void* const memory = !made || ftruncate(file, static_cast<off_t>(bytes())) == 0
                           ? mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                           : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  mapped_.push_back(static_cast<NoteRing*>(memory));
  return mapped_.back();
}

Inboxes::Inboxes(bool takes_part) : from_(as_size(rank_group().ranks())), to_(from_.size()) {
  const RankGroup& group = rank_group();
  Place mine{this_rank(), takes_part};
  const std::string name = name_of(mine);
  NoteRing* inbox = nullptr;
  if (takes_part) {
    shm_unlink(name.c_str());  // of a process with this number that was killed
    inbox = map(name.c_str(), O_CREAT | O_EXCL | O_RDWR);
    mine.takes_part = inbox != nullptr;
  }
  const std::vector<Place> places = group.all_gather(mine);
  for (int rank = 0; rank < group.ranks(); ++rank) {
    const Place& other = places[as_size(rank)];
    if (rank == group.rank() || !mine.takes_part || !other.takes_part || std::strcmp(mine.of.host, other.of.host) != 0)
      continue;
    from_[as_size(rank)] = inbox + rank;
    NoteRing* const theirs = map(name_of(other).c_str(), O_RDWR);
    if (theirs != nullptr) to_[as_size(rank)] = theirs + group.rank();
  }
  group.barrier();
  if (mine.takes_part) shm_unlink(name.c_str());
}

Inboxes::~Inboxes() {
  for (NoteRing* const rings : mapped_) munmap(rings, bytes());
}

}  // namespace asterism
