// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/rank_exchange.hpp"

#include "base/error.hpp"
#include "runtime/ranks/direct/direct_messages.hpp"
#include "runtime/ranks/ranks.hpp"

#ifdef ASTERISM_MPI
#include <starpu_mpi.h>

#include <algorithm>
#include <vector>
#endif

namespace asterism {
namespace {
Submitted& counts() {
  static Submitted of_this_rank;
  return of_this_rank;
}
}  // namespace

Submitted submitted() {
  return counts();
}

#ifndef ASTERISM_MPI

void share(starpu_data_handle_t /*handle*/, int /*owner*/, std::int64_t /*tag*/) {}
void unshare(starpu_data_handle_t /*handle*/) {}
bool exchange_for_task(std::span<const Access> /*accesses*/, int /*rank*/, int /*priority*/, int /*worker*/) {
  return true;
}
void exchange_data(std::span<const Access> /*accesses*/, int /*rank*/, int /*priority*/, int /*worker*/) {}

#else

namespace {

int contiguous(starpu_data_handle_t handle, MPI_Datatype* datatype) {
  MPI_Type_contiguous(static_cast<int>(starpu_data_get_size(handle)), MPI_BYTE, datatype);
  return MPI_Type_commit(datatype);
}
void forget(MPI_Datatype* datatype) {
  MPI_Type_free(datatype);
}

/// What is known here of a datum that several ranks use. StarPU-MPI's own cache would free the memory of a received
/// copy at every write of its owner, and allocate it anew for the next message: 25 ms for 64 MB of pinned memory.
struct Shared {
  int owner;
  std::int64_t tag;
  bool received = false;           ///< since the last write
  std::vector<std::int32_t> sent;  ///< ranks, since the last write
};

/// Null: the datum is this rank's alone.
Shared* shared_of(starpu_data_handle_t handle) {
  return static_cast<Shared*>(starpu_data_get_user_data(handle));
}

void check(int status, const char* call) {
  if (status != 0) failed("{}: status {}", call, status);
}

void receive(starpu_data_handle_t handle, const Shared& shared, int priority, int worker) {
  if (goes_directly(shared.owner, starpu_data_get_size(handle))) {
    const bool gpu = worker >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    const int node = gpu ? static_cast<int>(starpu_worker_get_memory_node(static_cast<unsigned>(worker))) : -1;
    return receive_directly(handle, shared.owner, shared.tag, priority, node);
  }
  check(starpu_mpi_irecv_detached_prio(handle, shared.owner, shared.tag, priority, MPI_COMM_WORLD, nullptr, nullptr),
        "starpu_mpi_irecv_detached");
}

void send(starpu_data_handle_t handle, const Shared& shared, int rank, int priority) {
  Submitted& count = counts();
  ++count.messages;
  count.bytes += static_cast<std::int64_t>(starpu_data_get_size(handle));
  if (goes_directly(rank, starpu_data_get_size(handle))) return send_directly(handle, rank, shared.tag, priority);
  check(starpu_mpi_isend_detached_prio(handle, rank, shared.tag, priority, MPI_COMM_WORLD, nullptr, nullptr),
        "starpu_mpi_isend_detached");
}

}  // namespace

void share(starpu_data_handle_t handle, int owner, std::int64_t tag) {
  if (!rank_group().distributed()) return;
  // pieces of an arena lie in one piece, too, and travel without being packed
  if (starpu_data_get_interface_id(handle) >= STARPU_MAX_INTERFACE_ID)
    starpu_mpi_datatype_register(handle, contiguous, forget);
  starpu_mpi_data_register(handle, tag, owner);
  starpu_data_set_user_data(handle, new Shared{owner, tag, false, {}});
}

void unshare(starpu_data_handle_t handle) {
  delete shared_of(handle);
  starpu_data_set_user_data(handle, nullptr);
}

bool exchange_for_task(std::span<const Access> accesses, int rank, int priority, int worker) {
  if (!rank_group().distributed()) return true;
  const bool mine = rank == this_rank_runs || rank == rank_group().rank();
  ++counts().walked;
  if (mine) ++counts().tasks;
  exchange_data(accesses, rank, priority, worker);
  return mine;
}

void exchange_data(std::span<const Access> accesses, int rank, int priority, int worker) {
  if (!rank_group().distributed()) return;
  const int me = rank_group().rank();
  const bool mine = rank == this_rank_runs || rank == me;
  for (const Access& access : accesses) {
    Shared* const shared = access.handle == nullptr ? nullptr : shared_of(access.handle);
    if (shared == nullptr) continue;
    if ((access.mode & STARPU_R) != 0) {
      if (mine && shared->owner != me && !shared->received) {
        receive(access.handle, *shared, priority, worker);
        shared->received = true;
      }
      if (!mine && shared->owner == me && std::ranges::find(shared->sent, rank) == shared->sent.end()) {
        send(access.handle, *shared, rank, priority);
        shared->sent.push_back(rank);
      }
    }
    if ((access.mode & STARPU_W) != 0) {  // copies elsewhere are of the past
      shared->received = false;
      shared->sent.clear();
    }
  }
}

#endif

}  // namespace asterism
