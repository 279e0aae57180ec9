// SPDX-License-Identifier: Apache-2.0
// Probes: the values of a few entries, step after step.
#pragma once

#include <cstdint>

#include "codelets/fdtd/kernels/grid.hpp"

struct CUstream_st;  // what cudaStream_t points to

namespace asterism::fdtd {

/// An entry of a sub-domain.
struct ProbePlace {
  std::int64_t at = 0;  ///< Grid::at
  Field field = Field::electric;
};

namespace cpu {
/// row[p] = entry number p.
template <class T>
void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row);
}  // namespace cpu

namespace cuda {
/// All pointers to device memory.
template <class T>
void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row, CUstream_st* stream);
}  // namespace cuda

}  // namespace asterism::fdtd
