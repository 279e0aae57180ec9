// SPDX-License-Identifier: Apache-2.0
// A model on its mesh: the system A x = b that it gives, and what the solution means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "taskflows/cg/structure/loads.hpp"

namespace asterism::cg {

/// Lengths in m, forces in N, stresses in Pa. Vectors of 3 x nodes values are in the order of the matrix's rows.
struct Structure {
  Model model;
  TetMesh mesh;
  ElasticBody body;
  std::vector<double> given;             ///< displacement of fixed unknowns; 0 for free ones
  std::vector<std::int32_t> support_of;  ///< the first support that fixes an unknown; -1: free
  std::vector<double> load;              ///< consistent nodal loads
  std::vector<Resultant> loads;          ///< what each load of the model amounts to
};

/// The model on a mesh that was read. Throws Error (bad_input), one line: groups that the mesh has not, tetrahedra
/// without a material or with several, supports that contradict each other or leave the body free to move, no load.
Structure make_structure(const Model& model, TetMesh mesh);
/// Reads model and mesh.
Structure open_structure(const std::filesystem::path& model);

/// b of A x = b, where A is assemble_elasticity(body): loads less what the given displacements take of them. x is 0
/// where an unknown is fixed: the displacement is x + given.
std::vector<double> right_hand_side(const Structure& structure);

/// What holds the nodes at a displacement, N: the integral of stress . grad N_a, summed over the elements of each node
/// in their order. magnitude: the sum of |force| over all elements, for the rounding of sums.
std::vector<double> nodal_forces(const ElasticBody& body, std::span<const double> displacement,
                                 double* magnitude = nullptr);

}  // namespace asterism::cg
