// SPDX-License-Identifier: Apache-2.0
// P2P-Reduction on GPUs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "codelets/fmm/kernels/near/reduction.hpp"

namespace asterism::fmm {

namespace cuda {

/// result += near result number `set` of `sets`, over its parts; at most `parts` of them. Four arrays each, of the
/// set's number of particles and of `own`. Different parts go to different particles.
void reduce(const ReductionSet* sets, std::int32_t count, std::int32_t set, std::int32_t parts, const double* near,
            std::int64_t own, double* result, cudaStream_t stream);

}  // namespace cuda
}  // namespace asterism::fmm
