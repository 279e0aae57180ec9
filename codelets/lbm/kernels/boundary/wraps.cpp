// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/wraps.hpp"

namespace asterism::lbm::cpu {

template <class T>
void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f) {
  for (int face = 0; face < faces; ++face) {
    const Box layer = wrapped_layer(brick, wraps, face);
    for (int z = layer.z0; z < layer.z1; ++z)
      for (int y = layer.y0; y < layer.y1; ++y)
        for (int x = layer.x0; x < layer.x1; ++x) wrap_cell(last, brick, wraps, face, x, y, z, f);
  }
}

template void wrap(Half, const Brick&, std::uint32_t, double*);
template void wrap(Half, const Brick&, std::uint32_t, float*);
template void wrap(Half, const Brick&, std::uint32_t, Float16*);

}  // namespace asterism::lbm::cpu
