// SPDX-License-Identifier: Apache-2.0
// The D3Q19 lattice: velocities, weights, and what crosses a face. Populations are stored as f_i - w_i: what is left is
// small, so single precision keeps more digits of it (Skordos, Physical Review E 48, 1993).
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace asterism::lbm {

inline constexpr int q = 19;

/// Velocity c_i of population i: 0 rests, then pairs of opposite ones.
struct Velocity {
  int x, y, z;
};
ASTERISM_HOST_DEVICE constexpr Velocity velocity(int i) {
  constexpr Velocity c[q] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
                             {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
                             {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
  return c[i];
}
/// The i with c_i = -c_j.
ASTERISM_HOST_DEVICE constexpr int opposite(int j) {
  return j == 0 ? 0 : j % 2 == 1 ? j + 1 : j - 1;
}
/// w_i: 1/3 at rest, 1/18 along an axis, 1/36 along a diagonal.
ASTERISM_HOST_DEVICE constexpr double weight(int i) {
  return i == 0 ? 1. / 3 : i < 7 ? 1. / 18 : 1. / 36;
}

/// Faces of a cuboid: -x, +x, -y, +y, -z, +z.
inline constexpr int faces = 6;
ASTERISM_HOST_DEVICE constexpr int axis_of(int face) {
  return face / 2;
}
/// -1 or 1.
ASTERISM_HOST_DEVICE constexpr int side_of(int face) {
  return face % 2 * 2 - 1;
}
ASTERISM_HOST_DEVICE constexpr int component(const Velocity& c, int axis) {
  return axis == 0 ? c.x : axis == 1 ? c.y : c.z;
}

/// Populations that leave through a face: five of nineteen.
inline constexpr int crossing = 5;
struct Crossing {
  int population[crossing];
};
ASTERISM_HOST_DEVICE constexpr Crossing leaving(int face) {
  Crossing found{};
  int count = 0;
  for (int i = 0; i < q; ++i)
    if (component(velocity(i), axis_of(face)) == side_of(face)) found.population[count++] = i;
  return found;
}

}  // namespace asterism::lbm
