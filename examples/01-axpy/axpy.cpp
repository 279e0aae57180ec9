// SPDX-License-Identifier: Apache-2.0
// Example 1: y <- a x + y as a sequential flow of tasks, in blocks. The loop says what is to be done in the order of a
// sequential program; StarPU finds from the access modes which tasks may run at the same time, and a scheduler where.
//
//   axpy [BLOCKS [ROUNDS]]    of 100,000 numbers each, default 16; how often, default 10
//   STARPU_SCHED=lws axpy     the same under another scheduler
#include <starpu.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// buffers: x (read), y (read and written); argument: a.
void axpy(void* buffers[], void* argument) {
  double a = 0;
  starpu_codelet_unpack_args(argument, &a);
  const auto* const x = reinterpret_cast<const double*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  auto* const y = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffers[1]));
  const std::size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

starpu_perfmodel measured_axpy() {
  starpu_perfmodel model{};
  model.type = STARPU_HISTORY_BASED;  // StarPU measures tasks of each size, for schedulers that want to know
  model.symbol = "axpy";
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 16;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  constexpr std::size_t block = 100000;
  if (blocks < 1 || rounds < 1) {
    std::fprintf(stderr, "axpy: expected positive numbers of blocks and rounds\n");
    return 2;
  }
  std::vector<double> x(block * blocks), y(x.size(), 0.5);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));

  if (starpu_init(nullptr) != 0) {
    std::fprintf(stderr, "axpy: StarPU does not start\n");
    return 1;
  }
  starpu_perfmodel model = measured_axpy();
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = axpy;
  codelet.cpu_funcs_name[0] = "axpy";
  codelet.nbuffers = 2;
  codelet.modes[0] = STARPU_R;
  codelet.modes[1] = STARPU_RW;
  codelet.model = &model;
  codelet.name = "axpy";

  // StarPU knows each block as a datum, where it is and who writes it
  std::vector<starpu_data_handle_t> hx(blocks), hy(blocks);
  for (int b = 0; b < blocks; ++b) {
    starpu_vector_data_register(&hx[b], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&x[b * block]), block,
                                sizeof x[0]);
    starpu_vector_data_register(&hy[b], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&y[b * block]), block,
                                sizeof y[0]);
  }

  // the flow
  for (int round = 1; round <= rounds; ++round) {
    const double a = 1.0 / round;
    for (int b = 0; b < blocks; ++b)
      if (starpu_task_insert(&codelet, STARPU_R, hx[b], STARPU_RW, hy[b], STARPU_VALUE, &a, sizeof a, STARPU_FLOPS,
                             2.0 * block, 0) != 0)
        std::abort();
  }

  for (int b = 0; b < blocks; ++b) {  // waits for the tasks of the block; y is the program's again
    starpu_data_unregister(hx[b]);
    starpu_data_unregister(hy[b]);
  }
  starpu_shutdown();

  double sum = 0;
  for (int round = 1; round <= rounds; ++round) sum += 1.0 / round;
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::fmax(error, std::abs(y[i] - (0.5 + sum * x[i])));
  std::printf("%d tasks on %zu numbers, largest error %.1e\n", blocks * rounds, y.size(), error);
  return error < 1e-14 * rounds ? 0 : 1;
}
