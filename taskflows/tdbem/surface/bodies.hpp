// SPDX-License-Identifier: Apache-2.0
// Bodies of which waves are known or easily imagined: spheres, ellipsoids, boxes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "io/mesh/mesh.hpp"

namespace asterism::tdbem {

/// An icosahedron, its triangles quartered `level` times, vertices on the sphere around the origin: 10 * 4^level + 2 of
/// them. Throws Error (bad_input) for levels that are negative or above 10 and radii that are not positive.
mesh::TriangleMesh icosphere(std::int32_t level, double radius);
/// An icosphere stretched to three semi-axes.
mesh::TriangleMesh ellipsoid(std::int32_t level, const std::array<double, 3>& semi_axes);

/// Around the origin, faces cut into rectangles of two triangles each: 2 (nx ny + ny nz + nz nx) + 2 vertices. Throws
/// Error (bad_input) for sides and divisions that are not positive.
mesh::TriangleMesh box(const std::array<double, 3>& sides, const std::array<std::int32_t, 3>& divisions);

/// "sphere" of radius 1, "ellipsoid" of semi-axes 1, 0.7, 0.5, "box" of sides 1.4, 1, 0.7: the coarsest of each with at
/// least as many vertices. Throws Error (bad_input) for other names.
mesh::TriangleMesh named_body(std::string_view name, std::int32_t vertices);

}  // namespace asterism::tdbem
