// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/windows.hpp"

namespace asterism::tdbem::cpu {

template <class T>
void move_on(const MovedWindows<T>& windows, const Done<T>& done) {
  const WindowShape& shape = windows.shape;
  for (std::int32_t wave = 0; wave < windows.waves; ++wave)
    for (std::int32_t j = 0; j < windows.slices; ++j) {
      T* const window = windows.values + wave * windows.wave_stride + j * shape.stride;
      const T* const values = done.values + wave * done.wave_stride + windows.slice_begin + j - done.unknown_begin;
      for (std::int32_t m = 0; m < shape.reach + shape.group; ++m)
        window[m] = moved_on(shape, window, values, done.step_stride, m);
    }
}

template void move_on(const MovedWindows<double>&, const Done<double>&);
template void move_on(const MovedWindows<float>&, const Done<float>&);

}  // namespace asterism::tdbem::cpu
