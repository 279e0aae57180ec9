// SPDX-License-Identifier: Apache-2.0
// Two or more MPI ranks that pass a vector around, for recordings of several ranks: each rank doubles it in turn.
#include <starpu_mpi.h>

#include <cstdio>
#include <vector>

namespace {

void twice(void* buffers[], void*) {
  auto* x = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i) x[i] *= 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, nullptr) != 0) return 1;
  int rank = 0;
  int ranks = 0;
  starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
  starpu_mpi_comm_size(MPI_COMM_WORLD, &ranks);
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = twice;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  codelet.name = "twice";

  constexpr int laps = 4;
  std::vector<double> x(1 << 16, 1.0);
  starpu_data_handle_t handle = nullptr;
  starpu_vector_data_register(&handle, rank == 0 ? STARPU_MAIN_RAM : -1,
                              rank == 0 ? reinterpret_cast<uintptr_t>(x.data()) : 0, static_cast<uint32_t>(x.size()),
                              sizeof(double));
  starpu_mpi_data_register(handle, 7, 0);
  starpu_data_set_name(handle, "x");
  for (int lap = 0; lap < laps; ++lap)
    for (int who = 0; who < ranks; ++who)
      starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, handle, STARPU_EXECUTE_ON_NODE, who, 0);
  starpu_mpi_get_data_on_node(MPI_COMM_WORLD, handle, 0);
  starpu_task_wait_for_all();
  starpu_data_unregister(handle);
  starpu_mpi_shutdown();
  double expected = 1;
  for (int i = 0; i < laps * ranks; ++i) expected *= 2;
  if (rank == 0 && x.back() != expected) {
    std::fprintf(stderr, "x is %g, expected %g\n", x.back(), expected);
    return 1;
  }
  return 0;
}
