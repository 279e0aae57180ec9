// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/copy.hpp"

#include <cstring>

#include "codelets/lbm/kernels/float16.hpp"

namespace asterism::lbm {
namespace {

/// `copy(row in f, row in the array)` for all rows of the box.
template <class Copy>
void rows(const Brick& brick, const Box& box, const Copy& copy) {
  const std::int64_t length = box.x1 - box.x0;
  std::int64_t next = 0;
  for (int i = 0; i < q; ++i)
    for (int z = box.z0; z < box.z1; ++z)
      for (int y = box.y0; y < box.y1; ++y, next += length) copy(brick.at(i, box.x0, y, z), next);
}

}  // namespace

namespace cpu {

template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array) {
  const auto bytes = static_cast<std::size_t>(box.x1 - box.x0) * sizeof(T);
  rows(brick, box, [&](std::int64_t in, std::int64_t out) { std::memcpy(array + out, f + in, bytes); });
}

template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f) {
  const auto bytes = static_cast<std::size_t>(box.x1 - box.x0) * sizeof(T);
  rows(brick, box, [&](std::int64_t out, std::int64_t in) { std::memcpy(f + out, array + in, bytes); });
}

template void store(const Brick&, const Box&, const float*, float*);
template void store(const Brick&, const Box&, const Float16*, Float16*);
template void store(const Brick&, const Box&, const double*, double*);
template void load(const Brick&, const Box&, const float*, float*);
template void load(const Brick&, const Box&, const Float16*, Float16*);
template void load(const Brick&, const Box&, const double*, double*);

}  // namespace cpu

}  // namespace asterism::lbm
