// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for M^0 on GPUs: one kernel for all iterations, nothing goes to the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "codelets/tdbem/kernels/march/partial_sums.hpp"

namespace asterism::tdbem::cuda {

/// Thread blocks for `rows` on the current device, all of which it runs at once. Throws std::invalid_argument for more
/// rows than they can hold.
template <class T>
std::int32_t solve_blocks(std::int32_t rows);
/// Doubles of device memory that solve() needs beside its workspace.
constexpr std::int64_t solve_partials(std::int32_t blocks) {
  return 6 * static_cast<std::int64_t>(blocks);
}

/// As on CPUs, all arrays in device memory; how it went is added to `tally`. The workspace is aligned to doubles. The
/// bits depend on `blocks` only. Throws std::invalid_argument when they are too few.
template <class T>
void solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, const Guess<T>& guess,
           T* a, T* workspace, double* partials, std::int32_t blocks, SolveTally* tally, std::int64_t step,
           cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
