// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/as_size.hpp"
#include "io/series/vtkhdf.hpp"
#include "taskflows/cg/structure/results.hpp"

namespace asterism::cg {
namespace {

using output::UnitArray;

/// Local nodes of a tetrahedron in VTK's order: the last two midpoints change places.
constexpr std::size_t vtk_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

output::CellMesh cells_of(const ElasticBody& body, const std::vector<std::int32_t>& mesh_node) {
  const bool linear = body.element == Element::p1;
  output::CellMesh mesh{.kind = linear ? output::CellKind::tetrahedron : output::CellKind::quadratic_tetrahedron,
                        .nodes_per_cell = body.nodes.per_element,
                        .points = {},
                        .cell = std::vector<std::int32_t>(body.nodes.element.size())};
  const std::size_t per_element = as_size(body.nodes.per_element);
  for (std::size_t k = 0; k < mesh.cell.size(); ++k) {
    const std::size_t from = k / per_element * per_element + vtk_order[k % per_element];
    mesh.cell[k] = mesh_node[as_size(body.nodes.element[from])];
  }
  for (const std::int32_t node : body.nodes.place) {
    const Vector3& x = body.nodes.position[as_size(node)];
    mesh.points.insert(mesh.points.end(), x.begin(), x.end());
  }
  return mesh;
}

/// Three values of each node, in the mesh's numbering.
UnitArray vectors(const char* name, const char* unit, const ElasticityNodes& nodes, std::span<const double> values) {
  UnitArray array{name, unit, 3, {}};
  array.values.reserve(values.size());
  for (const std::int32_t node : nodes.place) {
    const auto first = values.begin() + 3 * static_cast<std::ptrdiff_t>(node);
    array.values.insert(array.values.end(), first, first + 3);
  }
  return array;
}

void add_stress(const std::string& prefix, const std::vector<Stress>& stress, std::vector<UnitArray>& arrays) {
  UnitArray equivalent{prefix + "von_mises_stress", "Pa", 1, {}};
  UnitArray tensor{prefix + "stress", "Pa", 6, {}};
  for (const Stress& s : stress) {
    equivalent.values.push_back(von_mises(s));
    tensor.values.insert(tensor.values.end(), s.begin(), s.end());
  }
  arrays.push_back(std::move(equivalent));
  arrays.push_back(std::move(tensor));
}

}  // namespace

void write_mesh(const std::filesystem::path& path, const Structure& s, const StructureResult& result) {
  const ElasticityNodes& nodes = s.body.nodes;
  std::vector<std::int32_t> mesh_node(nodes.place.size());
  std::vector<Stress> stress;
  for (std::size_t i = 0; i < nodes.place.size(); ++i) {
    mesh_node[as_size(nodes.place[i])] = static_cast<std::int32_t>(i);
    stress.push_back(result.stress_of_node[as_size(nodes.place[i])]);
  }
  output::VtuContents contents{.mesh = cells_of(s.body, mesh_node),
                               .unit = "m",
                               .at_nodes = {},
                               .in_cells = {},
                               .node_numbers = {},
                               .cell_numbers = {}};
  contents.at_nodes.push_back(vectors("displacement", "m", nodes, result.displacement));
  add_stress("", stress, contents.at_nodes);
  contents.at_nodes.push_back(vectors("reaction", "N", nodes, result.reaction));
  add_stress("cell_", result.stress_of_element, contents.in_cells);
  std::vector<std::int64_t> numbers(nodes.place.size(), 0);
  std::copy(s.mesh.number.begin(), s.mesh.number.end(), numbers.begin());
  contents.node_numbers.push_back({"mesh_node", std::move(numbers)});
  contents.cell_numbers.push_back({"material", {s.body.material_of.begin(), s.body.material_of.end()}});
  if (output::is_vtkhdf(path))
    output::write_vtkhdf(path, contents);
  else
    output::write_vtu(path, contents);
}

}  // namespace asterism::cg
