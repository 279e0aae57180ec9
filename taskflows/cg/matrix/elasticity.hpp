// SPDX-License-Identifier: Apache-2.0
// Stiffness matrices of linear elasticity on tetrahedral meshes: symmetric positive definite matrices with the size and
// irregularity of structural mechanics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/elastic_element.hpp"

namespace asterism::cg {

/// A body in finite elements: what the stiffness matrix depends on.
struct ElasticBody {
  std::string name;  ///< of its mesh
  Element element = Element::p2;
  ElasticityNodes nodes;
  std::vector<Lame> material;
  std::vector<std::int32_t> material_of;  ///< of each tetrahedron; empty: material 0
  std::vector<std::uint8_t> fixed;        ///< 1 for each of the 3 x nodes unknowns that has a given value

  [[nodiscard]] const Lame& material_at(std::size_t tetrahedron) const {
    return material[material_of.empty() ? 0 : static_cast<std::size_t>(material_of[tetrahedron])];
  }
};

/// Assembles A_(ai)(bj) = integral of lambda d_i N_a d_j N_b + mu d_j N_a d_i N_b + mu delta_ij grad N_a . grad N_b
/// over the body. Rows and columns of fixed unknowns are eliminated: each keeps only a diagonal entry, the mean
/// diagonal of the free ones, so that n is always 3 x nodes. Exactly symmetric, and bit-identical for any number of
/// OpenMP threads. Throws Error (bad_input) for a mesh with an inverted tetrahedron.
CsrMatrix assemble_elasticity(const ElasticBody& body);

/// Throws Error (bad_input) where a connected piece of the body could move as a rigid one without its fixed unknowns
/// noticing, which makes the matrix singular. `supports` says in the message what fixes them. (Pieces that are joined
/// at a single node or edge are not found: there is no cheap test for them.)
void require_held(const ElasticBody& body, const std::string& supports);

/// The body of a mesh without a model: its longest side scaled to 1, of one material, clamped where the coordinate
/// along that side is in the lowest 5 %.
struct ElasticityOptions {
  Element element = Element::p2;
  double young = 1;                      ///< Young's modulus, > 0
  double poisson = 0.3;                  ///< Poisson's ratio, in (-1, 0.5)
  bool clamp = true;                     ///< false: the free body, singular (the six rigid motions are its null space)
  Numbering numbering = Numbering::rcm;  ///< of the nodes
};

/// Throws Error (bad_input) for impossible options, and for a mesh with a piece that the clamp does not hold.
ElasticBody scaled_body(const TetMesh& mesh, const ElasticityOptions& options);
inline CsrMatrix assemble_elasticity(const TetMesh& mesh, const ElasticityOptions& options) {
  return assemble_elasticity(scaled_body(mesh, options));
}

}  // namespace asterism::cg
