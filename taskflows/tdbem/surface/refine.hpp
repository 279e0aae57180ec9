// SPDX-License-Identifier: Apache-2.0
// Finer surfaces: more unknowns where edges are long, or everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/mesh/mesh.hpp"

namespace asterism::tdbem {

/// Bisects the longest edge of the surface, again and again, until there are `vertices` of them: both triangles of the
/// edge are cut in two, so the surface stays closed and oriented (longest-edge bisection, M.-C. Rivara, Int. J. Numer.
/// Methods Eng. 20 (1984); the longest edge of all is that of both its triangles, so cuts do not spread). The body
/// stays as it is, vertices keep their numbers, new ones follow. A mesh that has as many vertices stays as it is.
/// Returns for each new vertex the end of its edge with the lower number. Throws Error (bad_input) if the surface is
/// not closed.
std::vector<std::int32_t> bisect_longest_edges(mesh::TriangleMesh& mesh, std::int32_t vertices);

/// A numbering in which new vertices follow the vertex beside which they lie, as in a mesh that was made as fine as it
/// is: order[i] is the vertex at place i. `beside`: what bisect_longest_edges() returned, for `vertices` in all.
std::vector<std::int32_t> order_beside(std::span<const std::int32_t> beside, std::int32_t vertices);

/// Cuts every triangle into four at the midpoints of its edges.
void quarter_triangles(mesh::TriangleMesh& mesh);

}  // namespace asterism::tdbem
