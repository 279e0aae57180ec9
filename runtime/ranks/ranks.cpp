// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/ranks.hpp"

#include <starpu.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "runtime/ending/stop_signals.hpp"
#include "runtime/machine/local_units.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/rank_deaths.hpp"

#ifdef ASTERISM_MPI
#include <starpu_mpi.h>

#include <chrono>
#include <thread>
#endif

namespace asterism {
namespace {

/// How many processes the launcher says there are, and the variable that says so.
std::pair<const char*, int> launched() {
  // of Open MPI, of MPICH and others, of a step of Slurm
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* const value = std::getenv(variable); value != nullptr && std::atoi(value) > 1)
      return {variable, std::atoi(value)};
  return {"", 1};
}

}  // namespace

bool simulated_cluster() {
  return false;
}

int launched_processes() {
  return launched().second;
}

const RankGroup& rank_group() {
  static const RankGroup processes;
  return processes;
}

#ifndef ASTERISM_MPI

RankGroup::RankGroup() {
  if (const auto [variable, count] = launched(); count > 1)
    bad_input("{} processes ({}): this program was built without StarPU-MPI", count, variable);
}
RankGroup::~RankGroup() = default;
void RankGroup::barrier() const {}
std::int64_t RankGroup::allocate_tags(std::int64_t /*count*/) const {
  return 0;
}
bool RankGroup::all_have_failed() const {
  return true;
}
void RankGroup::expect_the_end() const {}
void RankGroup::abort(int exit_status) const {
  std::exit(exit_status);
}
void RankGroup::on_death(const std::string& /*advice*/) const {}
int RankGroup::start_starpu(starpu_conf& conf) const {
  return starpu_init(&conf);
}
void RankGroup::stop_starpu() const {
  starpu_shutdown();
}
void RankGroup::all_gather(const void* /*mine*/, void* /*all*/, std::size_t /*bytes*/) const {}
void RankGroup::broadcast(void* /*values*/, std::size_t /*bytes*/, int /*from*/) const {}
void RankGroup::exchange(const std::vector<std::span<const char>>& /*to*/,
                         const std::function<char*(int, std::size_t)>& /*place*/) const {}
void RankGroup::collect(const char* mine, std::size_t bytes,
                        const std::function<void(int, const char*, std::size_t)>& take) const {
  take(0, mine, bytes);
}

#else

namespace {

/// How long a rank that cannot continue waits for the others to report the same.
constexpr auto patience = std::chrono::seconds(3);
/// MPI counts bytes of a message in an int.
constexpr std::size_t largest_message = std::size_t{1} << 30;
constexpr int size_tag = 1;
constexpr int data_tag = 2;

/// The communicator for our own messages, apart from those of StarPU. An error in MPI ends the run
/// (MPI_ERRORS_ARE_FATAL).
MPI_Comm& world() {
  static MPI_Comm communicator = MPI_COMM_NULL;
  return communicator;
}
/// The communicator by which ranks that cannot continue tell the others.
MPI_Comm& failures() {
  static MPI_Comm communicator = MPI_COMM_NULL;
  return communicator;
}

/// Whether MPI was started here, and not by a program around.
bool& own_mpi() {
  static bool own = false;
  return own;
}

/// Messages on their way, until wait() or the end: what they hold has to stay.
class Sending {
 public:
  Sending(const char* data, std::size_t bytes, int to) : size_(bytes) {
    start(&size_, sizeof size_, to, size_tag);
    for (std::size_t at = 0; at < bytes; at += largest_message)
      start(data + at, std::min(largest_message, bytes - at), to, data_tag);
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  ~Sending() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  void start(const void* data, std::size_t bytes, int to, int tag) {
    MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, world(), &requests_.emplace_back());
  }

  std::uint64_t size_;
  std::vector<MPI_Request> requests_;
};

std::size_t size_from(int rank) {
  std::uint64_t size = 0;
  MPI_Recv(&size, sizeof size, MPI_BYTE, rank, size_tag, world(), MPI_STATUS_IGNORE);
  return size;
}

void receive(char* data, std::size_t bytes, int from) {
  for (std::size_t at = 0; at < bytes; at += largest_message)
    MPI_Recv(data + at, static_cast<int>(std::min(largest_message, bytes - at)), MPI_BYTE, from, data_tag, world(),
             MPI_STATUS_IGNORE);
}

}  // namespace

RankGroup::RankGroup() {
  const auto [variable, count] = launched();
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized != 0 && count > 1) failed("{} processes ({}): MPI has ended in this one", count, variable);
  if (initialized == 0 && finalized == 0) undo_default_binding(count);
  if (finalized != 0 || (count == 1 && initialized == 0)) return;
  // Open MPI polls while it waits: where cores are few, they are to go to threads that work
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (here != nullptr && 2 * std::atoi(here) > static_cast<int>(std::thread::hardware_concurrency()))
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int level = 0;
  // StarPU's thread and the main program both send
  own_mpi() = initialized == 0;
  if (own_mpi())
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Query_thread(&level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  const int found = ranks_;
  if (found == 1 && count == 1) return;  // the caller's MPI
  if (found == 1 || level < MPI_THREAD_MULTIPLE) {
    ranks_ = 1;
    if (own_mpi()) MPI_Finalize();
    if (found == 1) bad_input("{} is {}, but MPI finds one process: was it another MPI's launcher?", variable, count);
    failed("this MPI does not let several threads send: expected MPI_Init_thread with MPI_THREAD_MULTIPLE");
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &world());
  MPI_Comm_dup(MPI_COMM_WORLD, &failures());
  if (!stop_signals_are_handled()) return;  // those of a program around are its own
  end_quietly_at_signals();
  watch_others();
}

RankGroup::~RankGroup() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (ranks_ == 1 || finalized != 0) return;
  MPI_Comm_free(&world());
  MPI_Comm_free(&failures());
  if (own_mpi()) MPI_Finalize();
}

void RankGroup::barrier() const {
  if (distributed()) MPI_Barrier(world());
}

void RankGroup::all_gather(const void* mine, void* all, std::size_t bytes) const {
  MPI_Allgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, world());
}

void RankGroup::broadcast(void* values, std::size_t bytes, int from) const {
  for (std::size_t at = 0; at < bytes; at += largest_message)
    MPI_Bcast(static_cast<char*>(values) + at, static_cast<int>(std::min(largest_message, bytes - at)), MPI_BYTE, from,
              world());
}

void RankGroup::exchange(const std::vector<std::span<const char>>& to,
                         const std::function<char*(int, std::size_t)>& place) const {
  // in ranks() steps, in each of which every rank sends to one and receives from one
  for (int step = 0; step < ranks_; ++step) {
    const int next = (rank_ + step) % ranks_;
    const int before = (rank_ + ranks_ - step) % ranks_;
    const std::span<const char> out = to[static_cast<std::size_t>(next)];
    if (step == 0) {
      std::copy(out.begin(), out.end(), place(rank_, out.size()));
      continue;
    }
    const Sending sending(out.data(), out.size(), next);
    const std::size_t incoming = size_from(before);
    receive(place(before, incoming), incoming, before);
  }
}

void RankGroup::collect(const char* mine, std::size_t bytes,
                        const std::function<void(int, const char*, std::size_t)>& take) const {
  if (!is_root()) {
    const Sending sending(mine, bytes, 0);
    return;
  }
  take(0, mine, bytes);
  std::vector<char> part;
  for (int rank = 1; rank < ranks_; ++rank) {
    part.resize(size_from(rank));
    receive(part.data(), part.size(), rank);
    take(rank, part.data(), part.size());
  }
}

std::int64_t RankGroup::allocate_tags(std::int64_t count) const {
  return distributed() ? starpu_mpi_tags_allocate(std::max<std::int64_t>(count, 1)) : 0;
}

void RankGroup::expect_the_end() const {
  forget_ranks();
}

bool RankGroup::all_have_failed() const {
  static const bool all = agree_on_failure();
  return all;
}

bool RankGroup::agree_on_failure() const {
  if (!distributed()) return true;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(failures(), &request);
  const auto end = std::chrono::steady_clock::now() + patience;
  int all = 0;
  while (MPI_Test(&request, &all, MPI_STATUS_IGNORE), all == 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void RankGroup::abort(int exit_status) const {
  MPI_Abort(MPI_COMM_WORLD, exit_status);
  std::exit(exit_status);
}

void RankGroup::watch_others() const {
  for (const auto& process : all_gather(this_rank())) add_rank(process);
  tell_of_deaths(rank_);
}

void RankGroup::on_death(const std::string& advice) const {
  if (distributed()) advise(advice);
}

int RankGroup::start_starpu(starpu_conf& conf) const {
  if (!distributed()) return starpu_init(&conf);
  return starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf);
}

void RankGroup::stop_starpu() const {
  if (distributed())
    starpu_mpi_shutdown();
  else
    starpu_shutdown();
}

#endif

}  // namespace asterism
