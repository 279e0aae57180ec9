// SPDX-License-Identifier: Apache-2.0
// Where links from fluid to solid cells cross the surface of a body.
#pragma once

#include <array>
#include <vector>

#include "io/mesh/mesh.hpp"
#include "taskflows/lbm/geometry/voxels.hpp"
#include "taskflows/lbm/problem.hpp"

namespace asterism::lbm {

/// Of each link the part before the first crossing; links without one, which rounding may leave at an edge, are left
/// out. `solid`: the voxels of the body in a domain of `cells` cubes of edge 1, `periodic`: along x, y and z.
/// Ascending.
std::vector<WallDistance> wall_distances(const mesh::TriangleMesh& body, const Voxels& solid,
                                         const std::array<int, 3>& cells, const std::array<bool, 3>& periodic);
std::vector<WallDistance> wall_distances(const Sphere& body, const Voxels& solid, const std::array<int, 3>& cells,
                                         const std::array<bool, 3>& periodic);
/// `body` reaches through the domain along its axis.
std::vector<WallDistance> wall_distances(const Cylinder& body, const Voxels& solid, const std::array<int, 3>& cells,
                                         const std::array<bool, 3>& periodic);

}  // namespace asterism::lbm
