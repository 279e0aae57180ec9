// SPDX-License-Identifier: Apache-2.0
// VTK's unstructured grids (.vtu): cells of one kind with values at their nodes and in them, which ParaView opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace asterism::output {

/// Numbers of VTK's cell types.
enum class CellKind : std::uint8_t { vertex = 1, triangle = 5, tetrahedron = 10, quadratic_tetrahedron = 24 };

struct CellMesh {
  CellKind kind = CellKind::tetrahedron;
  int nodes_per_cell = 4;
  std::vector<double> points;      ///< 3 for each node
  std::vector<std::int32_t> cell;  ///< nodes_per_cell for each cell, in VTK's order
};

/// components values for each node or cell: 1, 3 (a vector) or 6 (a symmetric tensor: xx, yy, zz, xy, yz, xz).
struct UnitArray {
  std::string name;
  std::string unit;  ///< "Pa"; empty: none. In the file as VTK's UNITS_LABEL, and in the field data `units`.
  int components = 1;
  std::vector<double> values;
};
struct NumberArray {
  std::string name;
  std::vector<std::int64_t> values;
};

struct VtuContents {
  CellMesh mesh;
  std::string unit;  ///< of the points
  std::vector<UnitArray> at_nodes, in_cells;
  std::vector<NumberArray> node_numbers, cell_numbers;
};

/// Throws Error: bad_input when no such file can be made, failed for a full disk and for arrays of another size.
void write_vtu(const std::filesystem::path& path, const VtuContents& contents);
/// Throws Error (bad_input) unless `path` ends with .vtu or .vtkhdf and can be made.
void check_mesh_output(const std::filesystem::path& path);
/// Throws Error (failed) for arrays of another size than the mesh.
void check_sizes(const std::filesystem::path& path, const VtuContents& contents);

}  // namespace asterism::output
