// SPDX-License-Identifier: Apache-2.0
// Windows of past values (slices.hpp) when a group of time steps is done: they move on by `group` places, and what was
// the future has values.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem {

/// The values of a group of time steps that are done: a_j^(n+g) of a wave is
/// values[wave * wave_stride + g * step_stride + j - unknown_begin].
template <class T>
struct Done {
  const T* values = nullptr;
  std::int32_t unknown_begin = 0;
  std::int64_t step_stride = 0;
  std::int64_t wave_stride = 0;
};

/// Windows to be moved on, as in Windows.
template <class T>
struct MovedWindows {
  T* values = nullptr;
  std::int32_t slice_begin = 0;
  std::int32_t slices = 0;
  std::int32_t waves = 1;
  std::int64_t wave_stride = 0;
  WindowShape shape;
};

/// The windows of some blocks of slices.
template <class T>
struct MovedBlocks {
  std::int32_t count = 0;
  MovedWindows<T> of[most_blocks_at_once];  ///< all of one shape and of as many waves
};

/// What window element m < reach + group becomes, time n + m - reach before and n + group + m - reach after the move:
/// older past, one of the values done, or the future, which is 0. `window` still holds what it held at places >= m.
template <class T>
ASTERISM_HOST_DEVICE inline T moved_on(const WindowShape& shape, const T* window, const T* done,
                                       std::int64_t step_stride, std::int32_t m) {
  const std::int32_t from = m + shape.group;
  if (from < shape.reach) return window[from];
  if (from < shape.reach + shape.group) return done[(from - shape.reach) * step_stride];
  return 0;
}

namespace cpu {

template <class T>
void move_on(const MovedWindows<T>& windows, const Done<T>& done);

}  // namespace cpu
}  // namespace asterism::tdbem
