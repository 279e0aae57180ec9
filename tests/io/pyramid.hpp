// SPDX-License-Identifier: Apache-2.0
// A small closed surface that tests of meshes share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace asterism::mesh {

using Point = std::array<double, 3>;

/// A pyramid over a rectangle: two triangles and the base in one polygon of a file; 6 triangles, volume 2 x 3 x 5 / 3.
inline const std::vector<Point> pyramid = {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0}, {0.5, 1.25, 5}};
inline const std::vector<std::array<std::int32_t, 3>> pyramid_triangles = {{0, 3, 2}, {0, 2, 1}, {0, 1, 4},
                                                                           {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};

}  // namespace asterism::mesh
