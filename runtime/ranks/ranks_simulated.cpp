// SPDX-License-Identifier: Apache-2.0
// Ranks of a simulated cluster (StarPU-MPI over SimGrid's SMPI). They are actors of one process, which take turns: what
// they say to each other outside of tasks is handed over in its memory and takes no time. What tasks send does, as the
// platform says; StarPU's thread does that, which alone is a process in the eyes of SMPI.
#include <simgrid/barrier.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "runtime/clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

/// Where ranks meet. Each has its own copy of all global variables, but the environment is that of the process.
struct MeetingPlace {
  explicit MeetingPlace(int ranks) : barrier(sg_barrier_init(static_cast<unsigned>(ranks))), shown(ranks) {}
  sg_bar_t barrier;
  std::vector<const void*> shown;  ///< by each rank
  int failed = 0;                  ///< ranks that cannot continue
};
constexpr const char* address_variable = "ASTERISM_RANKS_MEET_AT";

/// The one meeting place of the process, made for the first rank that asks and kept until the process ends.
MeetingPlace& meeting_place(int ranks) {
  static MeetingPlace* place = nullptr;
  if (place != nullptr) return *place;
  if (const char* address = std::getenv(address_variable)) {
    std::uintptr_t value = 0;
    std::sscanf(address, "%" SCNxPTR, &value);
    return *(place = reinterpret_cast<MeetingPlace*>(value));
  }
  place = new MeetingPlace(ranks);
  char address[32];
  std::snprintf(address, sizeof address, "%" PRIxPTR, reinterpret_cast<std::uintptr_t>(place));
  setenv(address_variable, address, 1);
  return *place;
}

/// Shows `mine` to the others while `look` looks at what they show.
template <class Look>
void meet(int rank, int ranks, const void* mine, const Look& look) {
  MeetingPlace& place = meeting_place(ranks);
  place.shown[static_cast<std::size_t>(rank)] = mine;
  sg_barrier_wait(place.barrier);
  look(place.shown);
  sg_barrier_wait(place.barrier);
}

}  // namespace

bool simulated_cluster() {
  return true;
}

const RankGroup& rank_group() {
  static const RankGroup processes;
  return processes;
}

// StarPU has started MPI before main, and ends it.
RankGroup::RankGroup() {
  rank_ = starpu_mpi_world_rank();
  ranks_ = starpu_mpi_world_size();
}

RankGroup::~RankGroup() = default;

void RankGroup::barrier() const {
  meet(rank_, ranks_, nullptr, [](const auto& /*shown*/) {});
}

void RankGroup::all_gather(const void* mine, void* all, std::size_t bytes) const {
  meet(rank_, ranks_, mine, [&](const std::vector<const void*>& shown) {
    char* to = static_cast<char*>(all);
    for (const void* of_rank : shown) to = std::copy_n(static_cast<const char*>(of_rank), bytes, to);
  });
}

void RankGroup::broadcast(void* values, std::size_t bytes, int from) const {
  meet(rank_, ranks_, values, [&](const std::vector<const void*>& shown) {
    const void* const given = shown[static_cast<std::size_t>(from)];
    if (rank_ != from) std::copy_n(static_cast<const char*>(given), bytes, static_cast<char*>(values));
  });
}

void RankGroup::exchange(const std::vector<std::span<const char>>& to,
                         const std::function<char*(int, std::size_t)>& place) const {
  meet(rank_, ranks_, &to, [&](const std::vector<const void*>& shown) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto& from = *static_cast<const std::vector<std::span<const char>>*>(shown[static_cast<std::size_t>(rank)]);
      const std::span<const char> part = from[static_cast<std::size_t>(rank_)];
      std::copy(part.begin(), part.end(), place(rank, part.size()));
    }
  });
}

void RankGroup::collect(const char* mine, std::size_t bytes,
                        const std::function<void(int, const char*, std::size_t)>& take) const {
  const std::span<const char> part(mine, bytes);
  meet(rank_, ranks_, &part, [&](const std::vector<const void*>& shown) {
    for (int rank = 0; rank < ranks_ && is_root(); ++rank) {
      const auto& of_rank = *static_cast<const std::span<const char>*>(shown[static_cast<std::size_t>(rank)]);
      take(rank, of_rank.data(), of_rank.size());
    }
  });
}

std::int64_t RankGroup::allocate_tags(std::int64_t count) const {
  return distributed() ? starpu_mpi_tags_allocate(std::max<std::int64_t>(count, 1)) : 0;
}

void RankGroup::expect_the_end() const {}

bool RankGroup::all_have_failed() const {
  MeetingPlace& place = meeting_place(ranks_);
  ++place.failed;
  starpu_sleep(1);
  return place.failed == ranks_;
}

/// All of them are this process. The one that explains comes first.
void RankGroup::abort(int exit_status) const {
  if (!is_root()) starpu_sleep(1);
  std::fflush(nullptr);
  _exit(exit_status);
}

void RankGroup::on_death(const std::string& /*advice*/) const {}

int RankGroup::start_starpu(starpu_conf& conf) const {
  return starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf);
}

void RankGroup::stop_starpu() const {
  starpu_mpi_shutdown();
}

}  // namespace asterism
