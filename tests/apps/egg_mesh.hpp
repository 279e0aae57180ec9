// SPDX-License-Identifier: Apache-2.0
// An ellipsoid of three different axes as a triangle mesh, with the numbering of its rings.
#pragma once

#include <cmath>
#include <string>

namespace asterism::tests {

/// In the format OFF: two poles and nine rings of twelve vertices, semi-axes 1, 0.7 and 0.5, oriented outward.
inline std::string egg_mesh() {
  std::string off = "OFF\n";
  const int around = 12, along = 9;  // rings between two poles
  off += std::to_string(around * along + 2) + " " + std::to_string(2 * around * along) + " 0\n0 0 -0.5\n0 0 0.5\n";
  const double pi = std::acos(-1.0);
  const auto at = [&](int ring, int k) { return std::to_string(2 + ring * around + (k + around) % around); };
  for (int ring = 0; ring < along; ++ring)
    for (int k = 0; k < around; ++k) {
      const double t = pi * (ring + 1) / (along + 1), p = 2 * pi * k / around;
      off += std::to_string(std::sin(t) * std::cos(p)) + " " + std::to_string(0.7 * std::sin(t) * std::sin(p)) + " " +
             std::to_string(-0.5 * std::cos(t)) + "\n";
    }
  for (int k = 0; k < around; ++k) {
    off += "3 0 " + at(0, k + 1) + " " + at(0, k) + "\n3 1 " + at(along - 1, k) + " " + at(along - 1, k + 1) + "\n";
    for (int ring = 0; ring + 1 < along; ++ring)
      off += "3 " + at(ring, k) + " " + at(ring, k + 1) + " " + at(ring + 1, k + 1) + "\n3 " + at(ring, k) + " " +
             at(ring + 1, k + 1) + " " + at(ring + 1, k) + "\n";
  }
  return off;
}

}  // namespace asterism::tests
