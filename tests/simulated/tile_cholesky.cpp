// SPDX-License-Identifier: Apache-2.0
// A StarPU program that knows nothing of Asterism: tile Cholesky factorisation (Buttari, Langou, Kurzak, Dongarra,
// Parallel Computing 35, 2009) of a symmetric positive definite matrix on CPU cores, checked against A = L L^T.
//
//   tile_cholesky TILES ROWS_OF_A_TILE
#include <starpu.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Tile {
  double* a;
  int n;
  double& operator()(int i, int j) const { return a[i + static_cast<std::ptrdiff_t>(j) * n]; }
};
Tile tile(void* buffer) {
  return {reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)), static_cast<int>(STARPU_MATRIX_GET_NX(buffer))};
}

void potrf(void** buffers, void* /*arguments*/) {
  const Tile a = tile(buffers[0]);
  for (int j = 0; j < a.n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < a.n; ++i) a(i, j) -= a(i, k) * a(j, k);
    const double pivot = std::sqrt(a(j, j));
    for (int i = j; i < a.n; ++i) a(i, j) /= pivot;
    for (int i = 0; i < j; ++i) a(i, j) = 0;
  }
}

/// B := B L^-T
void trsm(void** buffers, void* /*arguments*/) {
  const Tile l = tile(buffers[0]), b = tile(buffers[1]);
  for (int j = 0; j < b.n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = 0; i < b.n; ++i) b(i, j) -= b(i, k) * l(j, k);
    for (int i = 0; i < b.n; ++i) b(i, j) /= l(j, j);
  }
}

/// C := C - A B^T
void multiply(const Tile& a, const Tile& b, const Tile& c) {
  for (int j = 0; j < c.n; ++j)
    for (int k = 0; k < c.n; ++k)
      for (int i = 0; i < c.n; ++i) c(i, j) -= a(i, k) * b(j, k);
}
void syrk(void** buffers, void* /*arguments*/) {
  multiply(tile(buffers[0]), tile(buffers[0]), tile(buffers[1]));
}
void gemm(void** buffers, void* /*arguments*/) {
  multiply(tile(buffers[0]), tile(buffers[1]), tile(buffers[2]));
}

starpu_perfmodel models[4];
starpu_codelet codelets[4];
enum Operation { factor, solve, update, product };

void set_up(Operation operation, const char* name, starpu_cpu_func_t function, int buffers) {
  models[operation].type = STARPU_HISTORY_BASED;
  models[operation].symbol = name;
  starpu_codelet& codelet = codelets[operation];
  starpu_codelet_init(&codelet);
  codelet.name = name;
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = buffers;
  for (int i = 0; i < buffers; ++i) codelet.modes[i] = i + 1 < buffers ? STARPU_R : STARPU_RW;
  codelet.model = &models[operation];
}

}  // namespace

int main(int argc, char** argv) {
  const int tiles = argc > 1 ? std::atoi(argv[1]) : 8;
  const int rows = argc > 2 ? std::atoi(argv[2]) : 64;
  if (starpu_init(nullptr) != 0) return 77;
  set_up(factor, "tile_potrf", potrf, 1);
  set_up(solve, "tile_trsm", trsm, 2);
  set_up(update, "tile_syrk", syrk, 2);
  set_up(product, "tile_gemm", gemm, 3);
  const int size = tiles * rows;
  const auto entry = [&](int i, int j) { return i == j ? 2.0 * size : std::cos(0.1 * (i + j)); };
  std::vector<std::vector<double>> storage;
  std::vector<starpu_data_handle_t> handles(static_cast<std::size_t>(tiles) * tiles);
  const auto at = [&](int i, int j) { return static_cast<std::size_t>(i) * tiles + j; };
  storage.reserve(handles.size());
  for (int i = 0; i < tiles; ++i)
    for (int j = 0; j <= i; ++j) {
      std::vector<double>& values = storage.emplace_back();
      for (int c = 0; c < rows; ++c)
        for (int r = 0; r < rows; ++r) values.push_back(entry(i * rows + r, j * rows + c));
      starpu_matrix_data_register(&handles[at(i, j)], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(values.data()),
                                  rows, rows, rows, sizeof(double));
    }
  const double cube = std::pow(rows, 3);
  for (int k = 0; k < tiles; ++k) {
    starpu_task_insert(&codelets[factor], STARPU_RW, handles[at(k, k)], STARPU_PRIORITY, 3 * (tiles - k), STARPU_FLOPS,
                       cube / 3, 0);
    for (int i = k + 1; i < tiles; ++i)
      starpu_task_insert(&codelets[solve], STARPU_R, handles[at(k, k)], STARPU_RW, handles[at(i, k)], STARPU_PRIORITY,
                         3 * (tiles - k) - i, STARPU_FLOPS, cube, 0);
    for (int i = k + 1; i < tiles; ++i) {
      for (int j = k + 1; j < i; ++j)
        starpu_task_insert(&codelets[product], STARPU_R, handles[at(i, k)], STARPU_R, handles[at(j, k)], STARPU_RW,
                           handles[at(i, j)], STARPU_FLOPS, 2 * cube, 0);
      starpu_task_insert(&codelets[update], STARPU_R, handles[at(i, k)], STARPU_RW, handles[at(i, i)], STARPU_FLOPS,
                         cube, 0);
    }
  }
  starpu_task_wait_for_all();
  for (const starpu_data_handle_t handle : handles)
    if (handle != nullptr) starpu_data_unregister(handle);
  starpu_shutdown();
  // the last row of L L^T
  double error = 0;
  const auto factor_at = [&](int i, int j) {
    return j > i ? 0
                 : storage[static_cast<std::size_t>(i / rows) * (i / rows + 1) / 2 + j / rows]
                          [static_cast<std::size_t>(j % rows) * rows + i % rows];
  };
  for (int j = 0; j < size; ++j) {
    double sum = 0;
    for (int k = 0; k <= j; ++k) sum += factor_at(size - 1, k) * factor_at(j, k);
    error = std::fmax(error, std::fabs(sum - entry(size - 1, j)));
  }
  std::printf("largest error %g\n", error);
  return error < 1e-9 * size ? 0 : 1;
}
