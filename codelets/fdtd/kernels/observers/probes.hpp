// SPDX-License-Identifier: Apache-2.0
// Probes: the values of a few entries, step after step.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"

struct CUstream_st;  // what cudaStream_t points to

namespace asterism::fdtd {

/// An entry of a sub-domain.
struct ProbePlace {
  std::int64_t at = 0;  ///< Grid::at
  Field field = Field::electric;
};
/// Its place along each axis.
struct ProbeCell {
  std::int32_t i, j, k;
};
ASTERISM_HOST_DEVICE inline ProbeCell cell_of(const Grid& grid, const ProbePlace& probe) {
  const std::int64_t at = probe.at % grid.component - grid.at(0, 0, 0, 0);
  return {static_cast<std::int32_t>(at / grid.plane), static_cast<std::int32_t>(at % grid.plane / grid.pitch),
          static_cast<std::int32_t>(at % grid.plane % grid.pitch)};
}

namespace cpu {
/// row[p] = entry number p.
template <class T>
void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row);
}  // namespace cpu

namespace cuda {
/// All pointers to device memory.
template <class T>
void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row, CUstream_st* stream);
/// Only those in some boxes.
template <class T>
void record(const Grid& grid, const std::vector<Box>& boxes, std::int32_t count, const ProbePlace* places, const T* e,
            const T* h, T* row, CUstream_st* stream);
}  // namespace cuda

}  // namespace asterism::fdtd
