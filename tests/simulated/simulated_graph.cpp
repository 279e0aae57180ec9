// SPDX-License-Identifier: Apache-2.0
// A task graph like that of the fast multipole method, on the machine that StarPU simulates; prints the makespan in
// milliseconds, then how many P2P ran on CPUs.
//
//   simulated_graph P2P M2L BYTES [speedups known: 1, or to be measured: 0 [CPUs slower by: 1]]
//
// Every eighth M2L task waits for a P2M task, that only CPUs run, and an L2P task waits for eight M2L. Durations in
// milliseconds on a CPU and on a GPU: P2M and L2P 1; M2L 3, 1; P2P 30, 1. Each P2P reads BYTES of its own.
#include <starpu.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

bool known = true;  ///< to the scheduler; whoever runs a task has to know
int slower = 1;     ///< CPUs, at everything

template <int on_cpu, int on_gpu>
double milliseconds(starpu_task* task, starpu_perfmodel_arch* architecture, unsigned /*implementation*/) {
  if (!known && starpu_task_get_current() != task) return std::numeric_limits<double>::quiet_NaN();
  return 1000. * (architecture->devices[0].type == STARPU_CPU_WORKER ? slower * on_cpu : on_gpu);
}

void nothing(void** /*buffers*/, void* /*arguments*/) {}

std::atomic<int> on_cpus{0};
void count(void* /*argument*/) {
  if (starpu_worker_get_type(starpu_worker_get_id_check()) == STARPU_CPU_WORKER) ++on_cpus;
}

struct Operation {
  Operation(const char* name, double (*cost)(starpu_task*, starpu_perfmodel_arch*, unsigned), bool gpu) {
    model.type = STARPU_PER_ARCH;
    model.arch_cost_function = cost;
    model.symbol = name;
    starpu_codelet_init(&codelet);
    codelet.name = name;
    codelet.cpu_funcs[0] = nothing;
    if (gpu) {
      codelet.cuda_funcs[0] = reinterpret_cast<starpu_cuda_func_t>(1);  // never called
      codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
    }
    codelet.model = &model;
    codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  }
  starpu_perfmodel model{};
  starpu_codelet codelet{};
};

}  // namespace

extern "C" int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int p2p_count = std::atoi(argv[1]);
  const int m2l_count = std::atoi(argv[2]);
  const auto bytes = static_cast<std::size_t>(std::atol(argv[3]));
  known = argc < 5 || std::atoi(argv[4]) != 0;
  if (argc > 5) slower = std::atoi(argv[5]);
  static Operation p2m("sim_p2m", milliseconds<1, 1>, false);
  static Operation l2p("sim_l2p", milliseconds<1, 1>, false);
  static Operation m2l("sim_m2l", milliseconds<3, 1>, true);
  static Operation p2p("sim_p2p", milliseconds<30, 1>, true);
  if (starpu_init(nullptr) != 0) return 1;

  std::vector<starpu_data_handle_t> handles;
  const auto datum = [&](std::size_t size) {
    starpu_data_handle_t handle = nullptr;
    starpu_variable_data_register(&handle, -1, 0, size);
    handles.push_back(handle);
    return handle;
  };
  std::vector<starpu_data_handle_t> particles;
  for (int i = 0; i < p2p_count; ++i) {
    starpu_data_handle_t handle = nullptr;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(std::malloc(bytes)),
                                static_cast<uint32_t>(bytes), 1);
    particles.push_back(handle);
  }
  const double start = starpu_timing_now();
  const int groups = (m2l_count + 7) / 8;
  int near = 0;
  const auto one_p2p = [&] {
    starpu_task_insert(&p2p.codelet, STARPU_R, particles[static_cast<std::size_t>(near++)], STARPU_CALLBACK, count, 0);
  };
  for (int group = 0; group < groups; ++group) {
    const starpu_data_handle_t multipole = datum(64);
    const starpu_data_handle_t local = datum(64);
    starpu_task_insert(&p2m.codelet, STARPU_W, multipole, 0);
    std::array<starpu_data_handle_t, 8> parts{};
    for (auto& part : parts) {
      part = datum(64);
      starpu_task_insert(&m2l.codelet, STARPU_R, multipole, STARPU_W, part, 0);
    }
    starpu_task_insert(&l2p.codelet, STARPU_R, parts[0], STARPU_R, parts[1], STARPU_R, parts[2], STARPU_R, parts[3],
                       STARPU_R, parts[4], STARPU_R, parts[5], STARPU_R, parts[6], STARPU_R, parts[7], STARPU_W, local,
                       0);
    while (near < (group + 1) * p2p_count / groups) one_p2p();
  }
  while (near < p2p_count) one_p2p();
  starpu_task_wait_for_all();
  const double end = starpu_timing_now();
  for (starpu_data_handle_t handle : handles) starpu_data_unregister_no_coherency(handle);
  for (starpu_data_handle_t handle : particles) starpu_data_unregister_no_coherency(handle);
  std::printf("%.3f %d\n", (end - start) / 1000, on_cpus.load());
  starpu_shutdown();
  return 0;
}
