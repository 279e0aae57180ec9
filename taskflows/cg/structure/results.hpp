// SPDX-License-Identifier: Apache-2.0
// What the displacement of a structure means: reactions, energy, stress; and the file that shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "taskflows/cg/structure/structure.hpp"

namespace asterism::cg {

/// xx, yy, zz, xy, yz, xz, the order that VTK has for symmetric tensors; Pa.
using Stress = std::array<double, 6>;

/// sqrt(((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2) / 2 + 3 (xy^2 + yz^2 + xz^2)): yield under tension at this stress.
double von_mises(const Stress& stress);

struct StructureResult {
  std::vector<double> displacement;       ///< 3 x nodes, m
  std::vector<double> reaction;           ///< 3 x nodes, N: what the supports put on the body; 0 for free unknowns
  std::vector<Resultant> reactions;       ///< of each support
  double strain_energy = 0;               ///< u . K u / 2, J
  double volume = 0;                      ///< m^3
  std::vector<Stress> stress_of_element;  ///< at the centre of each tetrahedron, which is its mean
  std::vector<Stress> stress_of_node;     ///< mean of the elements around each node, weighted by their volumes

  // equilibrium: reactions and loads as a whole cancel
  double imbalance = 0;          ///< largest component of the sum of forces over forces(), or of moments over moments()
  double allowed_imbalance = 0;  ///< what the residual of the solve and rounding explain
};

/// x: solution of the system of right_hand_side(); residual: ||b - A x||, N.
StructureResult evaluate(const Structure& structure, std::span<const double> x, double residual);

/// A node with the largest value of `value(node)`.
struct Extreme {
  double value = 0;
  std::int32_t node = 0;  ///< of the matrix
};
Extreme largest_displacement(const StructureResult& result);
Extreme largest_von_mises(const StructureResult& result);

/// VTU: the mesh in m, in the order of the gmsh file, midpoints after the corners; displacement, reaction, stress and
/// von Mises stress at nodes, stress and von Mises stress of cells, with units. Throws Error (failed, bad_input).
void write_mesh(const std::filesystem::path& path, const Structure& structure, const StructureResult& result);

}  // namespace asterism::cg
