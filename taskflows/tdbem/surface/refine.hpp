// SPDX-License-Identifier: Apache-2.0
// Finer surfaces: more unknowns where edges are long, or everywhere.
#pragma once

#include <cstdint>

#include "io/mesh/mesh.hpp"

namespace asterism::tdbem {

/// Bisects the longest edge of the surface, again and again, until there are `vertices` of them: both triangles of the
/// edge are cut in two, so the surface stays closed and oriented (longest-edge bisection, M.-C. Rivara, Int. J. Numer.
/// Methods Eng. 20 (1984); the longest edge of all is that of both its triangles, so cuts do not spread). The body
/// stays as it is, vertices keep their numbers, new ones follow. A mesh that has as many vertices stays as it is.
/// Throws Error (bad_input) if the surface is not closed.
void bisect_longest_edges(mesh::TriangleMesh& mesh, std::int32_t vertices);

/// Cuts every triangle into four at the midpoints of its edges.
void quarter_triangles(mesh::TriangleMesh& mesh);

}  // namespace asterism::tdbem
