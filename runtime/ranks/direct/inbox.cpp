// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/direct/inbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// A rank and its machine.
struct Place {
  char host[72];
  std::int64_t process;
  bool takes_part;
};

Place this_place(bool takes_part) {
  Place place{};
  gethostname(place.host, sizeof place.host - 1);
  place.process = getpid();
  place.takes_part = takes_part;
  return place;
}

std::string name_of(const Place& reader) {
  return fmt::format("/asterism-notes-{}", reader.process);
}

std::size_t bytes() {
  return as_size(rank_group().ranks()) * sizeof(NoteRing);
}

}  // namespace

/// The rings to one rank.
void Inboxes::map(const char* name, int flags, NoteRing*& rings) {
  const int file = shm_open(name, flags, 0600);
  const bool made = (flags & O_CREAT) != 0;
  void* const memory = file >= 0 && (!made || ftruncate(file, static_cast<off_t>(bytes())) == 0)
                           ? mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                           : MAP_FAILED;
  const int reason = errno;
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) failed("shared memory {}: {}", name, std::strerror(reason));
  rings = static_cast<NoteRing*>(memory);
  mapped_.push_back(rings);
}

Inboxes::Inboxes(bool takes_part) : from_(as_size(rank_group().ranks())), to_(from_.size()) {
  const RankGroup& group = rank_group();
  const std::vector<Place> places = group.all_gather(this_place(takes_part));
  const Place& mine = places[as_size(group.rank())];
  const auto reached = [&](int rank) {
    const Place& other = places[as_size(rank)];
    return rank != group.rank() && mine.takes_part && other.takes_part && std::strcmp(mine.host, other.host) == 0;
  };
  NoteRing* inbox = nullptr;
  if (takes_part) {
    shm_unlink(name_of(mine).c_str());  // of a process with this number that was killed
    map(name_of(mine).c_str(), O_CREAT | O_EXCL | O_RDWR, inbox);
  }
  group.barrier();
  for (int rank = 0; rank < group.ranks(); ++rank) {
    if (!reached(rank)) continue;
    from_[as_size(rank)] = inbox + rank;
    NoteRing* theirs = nullptr;
    map(name_of(places[as_size(rank)]).c_str(), O_RDWR, theirs);
    to_[as_size(rank)] = theirs + group.rank();
  }
  group.barrier();
  if (takes_part) shm_unlink(name_of(mine).c_str());
}

Inboxes::~Inboxes() {
  for (NoteRing* const rings : mapped_) munmap(rings, bytes());
}

}  // namespace asterism
