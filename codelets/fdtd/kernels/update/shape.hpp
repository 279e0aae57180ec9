// SPDX-License-Identifier: Apache-2.0
// Thread blocks of the update on GPUs.
#pragma once

#include <cstdint>

namespace asterism::fdtd::cuda {

/// Thread blocks of y rows of z threads (powers of two, 256 threads at most). Each thread takes `march` cells along x
/// and keeps what the next one needs of the last; 1: one thread per cell. z = 0: as suits the cells.
struct Shape {
  std::int32_t z = 0;
  std::int32_t y = 4;
  std::int32_t march = 16;
};

}  // namespace asterism::fdtd::cuda
