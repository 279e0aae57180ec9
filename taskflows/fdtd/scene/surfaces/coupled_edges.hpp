// SPDX-License-Identifier: Apache-2.0
// Surfaces that cross cells, by the whole matrix of the permittivity: surface_matrix.hpp around each node near which
// two dielectrics meet in a plane, as far as the grid can tell.
#pragma once

#include <vector>

#include "taskflows/fdtd/problem.hpp"
#include "taskflows/fdtd/scene/scene.hpp"

namespace asterism::fdtd::scene {

/// Sets Problem::smoothed and Problem::couplings of a problem that is complete but for these.
/// The plane is that of the points within a cell of the node: their share, weighted by (1 - r^2)^2, has its distance
/// and their first moment its normal, up to the points' distance of an eighth of a cell. In scenes without meshes and
/// voxels, where it is known on which side of the surface any place lies, five places on the surface itself then
/// correct it. Nodes near which the points do not look like a plane (corners, thin layers, three dielectrics), with
/// losses, poles or conductors, with ports and wires, and those on faces of the domain have no matrix: their half of an
/// edge is that of the mean of smoothing.hpp.
void smooth_by_matrices(const Scene& scene, Problem& problem);

}  // namespace asterism::fdtd::scene
