// Conjugate gradients for M^0 on GPUs: one kernel for all iterations, nothing goes to the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "codelets/tdbem/solve.hpp"

namespace asterism::tdbem::cuda {

/// Thread blocks for `rows` on the current device, all of which it runs at once.
template <class T>
std::int32_t solve_blocks(std::int32_t rows);
/// Doubles of device memory that solve() needs beside its workspace.
constexpr std::int64_t solve_partials(std::int32_t blocks) {
  return 4 * static_cast<std::int64_t>(blocks);
}

/// As on CPUs, all arrays and the result in device memory. The bits depend on `blocks` only.
template <class T>
void solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, T* a, T* workspace,
           double* partials, std::int32_t blocks, Convergence* out, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
