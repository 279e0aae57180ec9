#include "taskflows/runtime/rank_exchange.hpp"

#include "taskflows/runtime/cluster.hpp"
#include "taskflows/runtime/error.hpp"

#ifdef ASTERISM_MPI
#include <starpu_mpi.h>
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
bool exchange_for_task(std::span<const Access> /*accesses*/, int /*rank*/, int /*priority*/) {
  return true;
}

#else

namespace {

int contiguous(starpu_data_handle_t handle, MPI_Datatype* datatype) {
  MPI_Type_contiguous(static_cast<int>(starpu_data_get_size(handle)), MPI_BYTE, datatype);
  return MPI_Type_commit(datatype);
}
void forget(MPI_Datatype* datatype) {
  MPI_Type_free(datatype);
}

// Owners are kept with the data: StarPU-MPI does not let one ask for that of a datum that it does not know.
void* mark_of(int owner) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(owner) + 1);
}
/// -1: the datum is this rank's alone.
int owner_of(starpu_data_handle_t handle) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(starpu_data_get_user_data(handle))) - 1;
}

void check(int status, const char* call) {
  if (status != 0) failed("{}: status {}", call, status);
}

}  // namespace

void share(starpu_data_handle_t handle, int owner, std::int64_t tag) {
  if (!cluster().distributed()) return;
  // pieces of an arena lie in one piece, too, and travel without being packed
  if (starpu_data_get_interface_id(handle) >= STARPU_MAX_INTERFACE_ID)
    starpu_mpi_datatype_register(handle, contiguous, forget);
  starpu_mpi_data_register(handle, tag, owner);
  starpu_data_set_user_data(handle, mark_of(owner));
}

bool exchange_for_task(std::span<const Access> accesses, int rank, int priority) {
  if (!cluster().distributed()) return true;
  Submitted& count = counts();
  ++count.walked;
  const int me = cluster().rank();
  const bool mine = rank == this_rank_runs || rank == me;
  if (mine) ++count.tasks;
  for (const Access& access : accesses) {
    const int owner = access.handle == nullptr ? -1 : owner_of(access.handle);
    if (owner < 0) continue;
    if ((access.mode & STARPU_R) != 0) {
      const starpu_mpi_tag_t tag = starpu_mpi_data_get_tag(access.handle);
      if (mine && owner != me && starpu_mpi_cached_receive_set(access.handle) == 0)
        check(starpu_mpi_irecv_detached_prio(access.handle, owner, tag, priority, MPI_COMM_WORLD, nullptr, nullptr),
              "starpu_mpi_irecv_detached");
      if (!mine && owner == me && starpu_mpi_cached_send_set(access.handle, rank) == 0) {
        check(starpu_mpi_isend_detached_prio(access.handle, rank, tag, priority, MPI_COMM_WORLD, nullptr, nullptr),
              "starpu_mpi_isend_detached");
        ++count.messages;
        count.bytes += static_cast<std::int64_t>(starpu_data_get_size(access.handle));
      }
    }
    if ((access.mode & STARPU_W) != 0) {  // copies elsewhere are of the past
      starpu_mpi_cached_send_clear(access.handle);
      starpu_mpi_cached_receive_clear(access.handle);
    }
  }
  return mine;
}

#endif

}  // namespace asterism
