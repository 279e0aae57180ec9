// SPDX-License-Identifier: Apache-2.0
// Example 10: a method of one's own, from the kernel to the bounds. The heat equation u_t = u_xx + u_yy on a square, u
// = 0 around it, by explicit Euler on n x n points: a kernel, a codelet, a flow of tasks in a session of Asterism, an
// answer that is verified, a recording, and how short any schedule of it could be.
//
//   heat FOLDER [SCHEDULER]    the folder gets the recording; default scheduler: lws
#include <starpu.h>

#include <algorithm>
#include <asterism/bounds.hpp>
#include <asterism/session.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

namespace {

constexpr int n = 720, blocks = 8, rows = n / blocks, steps = 60;  // a block has some rows
constexpr double r = 0.2;                                          // dt / dx^2

/// The kernel: v = u + r (u_W + u_E + u_S + u_N - 4 u) in a block; below, above: the rows next to it.
void step(const double* u, const double* below, const double* above, double* v) {
  for (int i = 0; i < rows; ++i) {
    const double* const south = i > 0 ? u + (i - 1) * n : below;
    const double* const north = i < rows - 1 ? u + (i + 1) * n : above;
    const double* const at = u + i * n;
    for (int j = 0; j < n; ++j) {
      const double west = j > 0 ? at[j - 1] : 0, east = j < n - 1 ? at[j + 1] : 0;
      v[i * n + j] = at[j] + r * (west + east + south[j] + north[j] - 4 * at[j]);
    }
  }
}

double* values(void* buffer) {
  return reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffer));
}

/// What a worker calls: u, row below, row above; v, its first row, its last row.
void step_on_core(void* buffers[], void*) {
  double* const v = values(buffers[3]);
  step(values(buffers[0]), values(buffers[1]), values(buffers[2]), v);
  std::copy_n(v, n, values(buffers[4]));
  std::copy_n(v + (rows - 1) * n, n, values(buffers[5]));
}

starpu_codelet step_codelet(starpu_perfmodel& model) {
  model.type = STARPU_HISTORY_BASED;
  model.symbol = "heat_step";
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = step_on_core;
  codelet.nbuffers = 6;
  for (int b = 0; b < 6; ++b) codelet.modes[b] = b < 3 ? STARPU_R : STARPU_W;
  codelet.model = &model;
  codelet.name = "heat_step";
  return codelet;
}

/// A block of the grid, known to StarPU: all of it, and the rows that its neighbours need.
struct Block {
  explicit Block(int rows_inside) : all(rows_inside * n), first(n), last(n) {}
  std::vector<double> all, first, last;
  starpu_data_handle_t h_all{}, h_first{}, h_last{};

  void give_to_starpu() {
    for (auto [handle, data] : {std::pair{&h_all, &all}, {&h_first, &first}, {&h_last, &last}})
      starpu_vector_data_register(handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(data->data()), data->size(),
                                  sizeof(double));
  }
  void take_back() {  // waits for its tasks
    for (starpu_data_handle_t handle : {h_all, h_first, h_last}) starpu_data_unregister(handle);
  }
};

/// sin(pi x) sin(pi y), which each step multiplies by 1 - 4 r (1 - cos(pi / (n + 1))).
double mode(int i, int j) {
  return std::sin(std::numbers::pi * (i + 1) / (n + 1)) * std::sin(std::numbers::pi * (j + 1) / (n + 1));
}

/// The largest error after all steps.
double solve() {
  std::vector<Block> u(blocks, Block(rows)), v(blocks, Block(rows));
  Block outside(1);  // zeros, beyond the first and last block
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < n; ++j) u[b].all[i * n + j] = mode(b * rows + i, j);
    std::copy_n(u[b].all.begin(), n, u[b].first.begin());
    std::copy_n(u[b].all.end() - n, n, u[b].last.begin());
    u[b].give_to_starpu();
    v[b].give_to_starpu();
  }
  outside.give_to_starpu();

  static starpu_perfmodel model{};
  static starpu_codelet codelet = step_codelet(model);
  // the flow: in the order of a sequential program; StarPU finds from the modes what may run at the same time
  for (int s = 0; s < steps; ++s) {
    for (int b = 0; b < blocks; ++b)
      if (starpu_task_insert(&codelet, STARPU_R, u[b].h_all, STARPU_R, b > 0 ? u[b - 1].h_last : outside.h_last,
                             STARPU_R, b < blocks - 1 ? u[b + 1].h_first : outside.h_first, STARPU_W, v[b].h_all,
                             STARPU_W, v[b].h_first, STARPU_W, v[b].h_last, STARPU_FLOPS, 6.0 * rows * n, 0) != 0)
        throw asterism::Error(asterism::Error::Kind::failed, "no unit can run the task");
    std::swap(u, v);
  }

  for (Block& block : u) block.take_back();
  for (Block& block : v) block.take_back();
  outside.take_back();
  const double factor = std::pow(1 - 4 * r * (1 - std::cos(std::numbers::pi / (n + 1))), steps);
  double error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      error = std::fmax(error, std::abs(u[i / rows].all[i % rows * n + j] - factor * mode(i, j)));
  return error;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw asterism::Error(asterism::Error::Kind::bad_input, "expected a folder for the recording");
  double error = 0;
  {
    asterism::SessionOptions options;
    options.gpus = 0;  // the codelet has no kernel for them
    options.scheduler = argc > 2 ? argv[2] : "lws";
    options.trace = argv[1];
    asterism::Session session(options);
    session.start();
    error = solve();
  }
  std::printf("largest error after %d steps: %.1e\n", steps, error);
  const asterism::traces::Recording recording(argv[1]);
  const asterism::bounds::Bounds bounds = asterism::bounds::compute(recording);
  std::printf("%zu tasks in %.2f ms; no schedule beats %.2f ms\n", recording.tasks().size(), recording.makespan() * 1e3,
              bounds.best * 1e3);
  for (const asterism::traces::Unit& unit : recording.units())
    std::printf("%.*s computes %.0f %% of the time\n", static_cast<int>(unit.name.size()), unit.name.data(),
                unit.computing * 100);
  return error < 1e-12 ? 0 : 1;
} catch (const asterism::Error& error) {
  std::fprintf(stderr, "heat: %s\n", error.what());
  return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
}
