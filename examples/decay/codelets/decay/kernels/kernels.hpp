// SPDX-License-Identifier: Apache-2.0
// The mathematics of the decay equation. One kernel: a time step of explicit Euler,
//
//     u(t + dt) = (1 - rate dt) u(t)
//
// on a block of points. Bytes and flops: costs.hpp.
#pragma once

#include <cstdint>

struct CUstream_st;  // what cudaStream_t points to

namespace asterism::decay {

struct Block {
  std::int32_t points = 0;
  double factor = 0;  ///< 1 - rate dt
};

/// u: points, read and written.
struct StepData {
  double* u = nullptr;
};

namespace cpu {
void step(const Block& block, const StepData& data);
}
namespace cuda {
/// All pointers to device memory; asynchronous on the stream.
void step(const Block& block, const StepData& data, CUstream_st* stream);
}  // namespace cuda

}  // namespace asterism::decay
