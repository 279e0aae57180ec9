// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/communicator.hpp"

#include <algorithm>

#include "base/error.hpp"

#ifdef ASTERISM_MPI
#include <starpu_mpi.h>
#endif

namespace asterism {

#ifndef ASTERISM_MPI

Communicator::Communicator() {
  failed("a communicator of several processes: this program was built without MPI");
}
Communicator::~Communicator() = default;
void Communicator::broadcast(void* /*values*/, std::size_t /*bytes*/) const {}

#else

namespace {
/// MPI counts bytes of a message in an int.
constexpr std::size_t largest_message = std::size_t{1} << 30;
}  // namespace

Communicator::Communicator() {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  number_ = MPI_Comm_c2f(own);
}

Communicator::~Communicator() {
  MPI_Comm own = MPI_Comm_f2c(number_);
  MPI_Comm_free(&own);
}

void Communicator::broadcast(void* values, std::size_t bytes) const {
  for (std::size_t at = 0; at < bytes; at += largest_message)
    MPI_Bcast(static_cast<char*>(values) + at, static_cast<int>(std::min(largest_message, bytes - at)), MPI_BYTE, 0,
              MPI_Comm_f2c(number_));
}

#endif

}  // namespace asterism
