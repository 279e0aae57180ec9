#include "codelets/lbm/walls.hpp"

namespace asterism::lbm::cpu {

template <class T>
void reflect(Half last, const Brick& brick, const Wall* walls, std::int32_t count, T* f) {
  const Places left = places(last, brick);
  const Places taken = places(other(last), brick);
  for (std::int32_t w = 0; w < count; ++w) {
    const Reflector<T> wall = reflector<T>(walls[w]);
    const Box b = border(wall, brick);
    for (int z = b.z0; z < b.z1; ++z)
      for (int y = b.y0; y < b.y1; ++y)
        for (int x = b.x0; x < b.x1; ++x) reflect_cell(&wall, 1, 0, brick, left, taken, x, y, z, f);
  }
}

template void reflect(Half, const Brick&, const Wall*, std::int32_t, double*);
template void reflect(Half, const Brick&, const Wall*, std::int32_t, float*);

}  // namespace asterism::lbm::cpu
