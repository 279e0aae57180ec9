// SPDX-License-Identifier: Apache-2.0
// A group of time steps on GPUs: asynchronous on a stream.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/march/group_march.hpp"

namespace asterism::tdbem::cuda {

/// Solutions of all steps and what they add to sums: of this group, and of the next one if the totals have both. `near`
/// has all rows, from row 0 on. The workspace of a solution of as many rows is enough; its partial sums as
/// solve_blocks() has them. Bit-identical in every run on one model of GPU. Throws std::invalid_argument for more rows
/// than it can hold, and for groups of more than max_group steps, or half as many if the next one's sums are begun.
template <class T>
void march_group(const GroupMarch<T>& march, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
