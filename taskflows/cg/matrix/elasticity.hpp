// SPDX-License-Identifier: Apache-2.0
// Stiffness matrices of linear elasticity on tetrahedral meshes, clamped at one end: symmetric positive
// definite matrices with the size and irregularity of structural mechanics.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/gmsh_reader.hpp"

namespace asterism::cg {

enum class Element {
  p1,  ///< 4 nodes, linear: about 45 entries per row
  p2,  ///< 10 nodes (corners and edge midpoints), quadratic: about 80 entries per row, twice the order of accuracy
};

/// "p1" or "p2".
std::string name_of(Element element);

enum class Numbering {
  mesh,  ///< corners in the order of the file, then midpoints
  rcm,   ///< reverse Cuthill-McKee: neighbours close to each other
};

/// "mesh" or "rcm".
std::string name_of(Numbering numbering);

struct ElasticityOptions {
  Element element = Element::p2;
  double young = 1;                      ///< Young's modulus, > 0
  double poisson = 0.3;                  ///< Poisson's ratio, in (-1, 0.5)
  bool clamp = true;                     ///< false: the free body, singular (the six rigid motions are its null space)
  Numbering numbering = Numbering::rcm;  ///< of the nodes
};

/// What the unknowns mean: unknown 3 i + c is the displacement of node i along axis c.
struct ElasticityNodes {
  std::vector<std::array<double, 3>> position;  ///< scaled: bounding box at the origin, its longest side 1
  std::vector<std::int32_t> element;            ///< per_element nodes of each tetrahedron, in the mesh's order
  std::vector<std::uint8_t> clamped;            ///< 1 for nodes in the lowest 5 % of the longest axis, if clamp
  int per_element = 0;                          ///< 4 corners; 10 with the midpoints of `tet_edges`
};

/// Corners of the edges in the order in which their midpoints follow the corners of a P2 element.
inline constexpr std::array<std::array<int, 2>, 6> tet_edges{{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};

/// Scales, adds midpoints, numbers and clamps the nodes; the numbering is that of assemble_elasticity.
ElasticityNodes elasticity_nodes(const TetMesh& mesh, const ElasticityOptions& options);

/// Assembles A_(ai)(bj) = integral of lambda d_i N_a d_j N_b + mu d_j N_a d_i N_b + mu delta_ij grad N_a . grad N_b
/// over the scaled body. Rows and columns of clamped unknowns are eliminated: each keeps only a diagonal entry, the
/// mean diagonal of the free ones, so that n is always 3 x nodes. Exactly symmetric, and bit-identical for any
/// number of OpenMP threads. Throws Error (bad_input) for impossible options, and for a mesh with an inverted
/// tetrahedron or with a piece that the clamp does not hold.
CsrMatrix assemble_elasticity(const TetMesh& mesh, const ElasticityOptions& options);

}  // namespace asterism::cg
