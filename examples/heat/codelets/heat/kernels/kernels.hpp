// SPDX-License-Identifier: Apache-2.0
// The mathematics of the heat equation u_t = kappa (u_xx + u_yy): explicit Euler, five-point differences.
//
//   step    v = u + rx (u_W - 2 u + u_E) + ry (u_S - 2 u + u_N),  rx = kappa dt / dx^2, ry = kappa dt / dy^2
//
// on a block of rows of the grid, x fastest. Beyond the first and last column u is 0; beyond the first and last row it
// is what the neighbouring blocks had there, or 0. Bytes and flops: costs.hpp.
#pragma once

#include <cstdint>

struct CUstream_st;  // what cudaStream_t points to

namespace asterism::heat {

struct Block {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  double rx = 0;
  double ry = 0;
};

/// u, v: rows x columns. below, above: a row of the neighbours, null: zeros. first, last: receive the rows of v that
/// neighbours need.
struct StepData {
  const double* u = nullptr;
  const double* below = nullptr;
  const double* above = nullptr;
  double* v = nullptr;
  double* first = nullptr;
  double* last = nullptr;
};

namespace cpu {
void step(const Block& block, const StepData& data);
}
namespace cuda {
/// All pointers to device memory; asynchronous on the stream.
void step(const Block& block, const StepData& data, CUstream_st* stream);
}  // namespace cuda

}  // namespace asterism::heat
