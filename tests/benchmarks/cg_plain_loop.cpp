// SPDX-License-Identifier: Apache-2.0
// What the task flow is measured against: the same fused kernels in a plain loop on one GPU, without StarPU.
// bench_cg_plain [stencil] [iterations] [repeats] prints one JSON object.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/cg/kernels/costs.hpp"
#include "codelets/cg/kernels/kernels_cuda.hpp"
#include "taskflows/cg/matrix/matrix_block.hpp"
#include "taskflows/cg/matrix/stencil.hpp"

namespace {

template <class T>
T* device(std::size_t n) {
  void* memory = nullptr;
  ASTERISM_CHECK_CUDA(cudaMalloc(&memory, n * sizeof(T)));
  ASTERISM_CHECK_CUDA(cudaMemset(memory, 0, n * sizeof(T)));
  return static_cast<T*>(memory);
}

bool has_gpu() {
  int devices = 0;
  const bool found = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (!found) fmt::print(stderr, "bench_cg_plain: no GPU\n");
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace asterism::cg;
  if (!has_gpu()) return 1;
  const std::string name = argc > 1 ? argv[1] : "11pts-256";
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 100;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 7;
  const CsrMatrix a = assemble_stencil(parse_stencil(name));
  BlockRange whole{0, a.n, 0, a.n};
  whole.diagonals = true;  // as the program has it
  const MatrixBlock block(a, whole, Format::sell);
  std::vector<char> host(block.layout().bytes);
  block.fill(host.data(), MatrixBlock::Threads::all);
  char* blob = device<char>(host.size());
  ASTERISM_CHECK_CUDA(cudaMemcpy(blob, host.data(), host.size(), cudaMemcpyHostToDevice));
  const SellView sell = block.layout().sell(blob);

  const auto n = static_cast<std::size_t>(a.n);
  const std::vector<double> ones(n, 1.0);
  double* x = device<double>(n);
  double* r = device<double>(n);
  double* p = device<double>(n);
  double* q = device<double>(n);
  auto* state = device<State>(1);
  auto* sum = device<Sum>(1);
  auto* dots = device<Dots>(1);
  auto* history = device<HistoryEntry>(static_cast<std::size_t>(iterations));
  auto* cursor = device<cuda::HistoryCursor>(1);
  const cuda::Workspace workspace{device<Dots>(cuda::max_grid), device<unsigned>(1)};
  cudaStream_t stream = nullptr;
  ASTERISM_CHECK_CUDA(cudaStreamCreate(&stream));
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  ASTERISM_CHECK_CUDA(cudaEventCreate(&begin));
  ASTERISM_CHECK_CUDA(cudaEventCreate(&end));

  const PreconditionerView none{0, nullptr};
  cuda::Partials<Dots> all_dots;
  all_dots.at[0] = dots;
  all_dots.count = 1;
  std::vector<double> times;
  State last;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const State fresh;
    ASTERISM_CHECK_CUDA(cudaMemcpy(state, &fresh, sizeof fresh, cudaMemcpyHostToDevice));
    ASTERISM_CHECK_CUDA(cudaMemcpy(r, ones.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    ASTERISM_CHECK_CUDA(cudaMemcpy(p, ones.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    ASTERISM_CHECK_CUDA(cudaMemset(x, 0, n * sizeof(double)));
    cuda::residual_dots(a.n, r, r, dots, false, workspace, stream);
    cuda::begin(state, all_dots, stream);
    cuda::place_history(cursor, history, stream);
    ASTERISM_CHECK_CUDA(cudaEventRecord(begin, stream));
    for (int k = 0; k < iterations; ++k) {
      cuda::spmv_dot(sell, p, q, false, p, sum, workspace, stream, ProductDot::total, state);
      cuda::update_residual_and_step(a.n, state, q, r, none, r, dots, cursor, workspace, stream);
      cuda::update_direction(a.n, state, r, x, p, stream);
    }
    ASTERISM_CHECK_CUDA(cudaEventRecord(end, stream));
    ASTERISM_CHECK_CUDA(cudaEventSynchronize(end));
    float ms = 0;
    ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(static_cast<double>(ms) / iterations);
    ASTERISM_CHECK_CUDA(cudaMemcpy(&last, state, sizeof last, cudaMemcpyDeviceToHost));
  }
  // each kernel on its own
  const auto time_of = [&](auto&& launch) {
    std::vector<double> each;
    for (int k = 0; k < 20; ++k) {
      ASTERISM_CHECK_CUDA(cudaEventRecord(begin, stream));
      launch();
      ASTERISM_CHECK_CUDA(cudaEventRecord(end, stream));
      ASTERISM_CHECK_CUDA(cudaEventSynchronize(end));
      float ms = 0;
      ASTERISM_CHECK_CUDA(cudaEventElapsedTime(&ms, begin, end));
      each.push_back(ms);
    }
    std::sort(each.begin(), each.end());
    return each[each.size() / 2];
  };
  const double spmv = time_of([&] { cuda::spmv_dot(sell, p, q, false, p, sum, workspace, stream); });
  const double residual =
      time_of([&] { cuda::update_residual(a.n, state, q, r, r, none, nullptr, dots, workspace, stream); });
  const double direction = time_of([&] { cuda::update_direction(a.n, state, r, x, p, stream); });
  const auto nnz = static_cast<double>(a.nnz());
  const auto rows = static_cast<double>(a.n);
  const double product_bytes = 8.0 * static_cast<double>(block.layout().entries) +
                               4.0 * static_cast<double>(block.layout().columns_stored) + 16 * rows;
  std::sort(times.begin(), times.end());
  fmt::print(
      "{{\"program\": \"bench_cg_plain\", \"stencil\": \"{}\", \"iterations\": {}, \"ms_per_iteration\": [{}], "
      "\"median_ms\": {}, \"bytes_per_iteration\": {}, \"rr\": {}, "
      "\"kernels\": {{\"spmv_dot\": {{\"ms\": {}, \"gbytes_per_second\": {}}}, "
      "\"residual\": {{\"ms\": {}, \"gbytes_per_second\": {}}}, \"direction\": {{\"ms\": {}, \"gbytes_per_second\": "
      "{}}}}}}}\n",
      name, iterations, fmt::join(times, ", "), times[times.size() / 2], iteration_bytes(Iteration::fused, nnz, rows),
      last.rr, spmv, product_bytes / spmv * 1e-6, residual, 24 * rows / residual * 1e-6, direction,
      40 * rows / direction * 1e-6);
  return 0;
}
