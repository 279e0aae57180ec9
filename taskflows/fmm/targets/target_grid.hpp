// SPDX-License-Identifier: Apache-2.0
// Targets on a regular grid, at whose nodes potential and field are wanted.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "io/series/grid.hpp"
#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// Whether a text asks for a grid: it begins with "grid:".
bool is_target_grid(const std::string& text);
/// Nodes along x, y and z of "grid:NXxNYxNZ", or of "grid:N". Throws Error (bad_input) naming the option --at.
std::array<std::int32_t, 3> nodes_of_grid(const std::string& text);

/// Nodes from `low` to `high`, both included; one node is in the middle. Lengths are those of the particles.
output::Grid target_grid(const std::array<std::int32_t, 3>& nodes, const std::array<double, 3>& low,
                         const std::array<double, 3>& high);
/// A part of the nodes, x fastest, with charge 1.
Particles nodes_of(const output::Grid& grid, Part part = {});

/// Writes NAME.pvd and NAME_0000000000.vti with the arrays potential and field at the nodes; each name is followed by
/// the unit in brackets, unless it is empty. Throws Error.
void write_target_grid(const std::string& path, const output::Grid& grid, const Result& result,
                       const std::string& potential_unit, const std::string& field_unit);

}  // namespace asterism::fmm
