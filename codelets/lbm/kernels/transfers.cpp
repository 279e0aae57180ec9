// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::cpu {
namespace {

/// Returns the end of what was written.
template <class T>
T* copy_row(const T* from, std::int32_t count, T* to) {
  if (count != 1) return std::copy_n(from, count, to);
  *to = *from;  // a layer across x
  return to + 1;
}

}  // namespace

template <class T>
void pack(const Brick& brick, const Transfer* transfers, std::int32_t count, const T* f, T* const* arrays) {
  for (std::int32_t t = 0; t < count; ++t) {
    const Box& b = transfers[t].box;
    T* to = arrays[t];
    for (const std::int32_t slot : transfers[t].slots)
      for (int z = b.z0; z < b.z1; ++z)
        for (int y = b.y0; y < b.y1; ++y) to = copy_row(f + brick.at(slot, b.x0, y, z), b.x1 - b.x0, to);
  }
}

template <class T>
void unpack(const Brick& brick, const Transfer* transfers, std::int32_t count, const T* const* arrays, T* f) {
  for (std::int32_t t = 0; t < count; ++t) {
    const Box& b = transfers[t].box;
    const T* from = arrays[t];
    for (const std::int32_t slot : transfers[t].slots)
      for (int z = b.z0; z < b.z1; ++z)
        for (int y = b.y0; y < b.y1; ++y, from += b.x1 - b.x0)
          copy_row(from, b.x1 - b.x0, f + brick.at(slot, b.x0, y, z));
  }
}

template void pack(const Brick&, const Transfer*, std::int32_t, const double*, double* const*);
template void pack(const Brick&, const Transfer*, std::int32_t, const float*, float* const*);
template void pack(const Brick&, const Transfer*, std::int32_t, const Float16*, Float16* const*);
template void unpack(const Brick&, const Transfer*, std::int32_t, const double* const*, double*);
template void unpack(const Brick&, const Transfer*, std::int32_t, const float* const*, float*);
template void unpack(const Brick&, const Transfer*, std::int32_t, const Float16* const*, Float16*);

}  // namespace asterism::lbm::cpu
