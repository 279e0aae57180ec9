// SPDX-License-Identifier: Apache-2.0
#include "io/series/vtu_file.hpp"

#include "io/series/appended.hpp"
#include "io/series/collection.hpp"
#include "io/series/vtkhdf.hpp"

namespace asterism::output {
namespace {

void check_sizes(const std::filesystem::path& path, const std::vector<UnitArray>& arrays, std::size_t places) {
  for (const UnitArray& array : arrays) {
    const std::size_t expected = places * static_cast<std::size_t>(array.components);
    if (array.values.size() != expected)
      failed("{}: {} values of {}; expected {}", path.string(), array.values.size(), array.name, expected);
  }
}

/// Text as VTK's files have it: numbers of its characters, 0 at the end.
std::string characters(const std::string& text) {
  std::string result;
  for (const char c : text) result += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
  return result + "0\n";
}

std::string units(const VtuContents& contents) {
  std::vector<std::string> lines{"points: " + contents.unit};
  for (const auto* arrays : {&contents.at_nodes, &contents.in_cells}) {
    for (const UnitArray& array : *arrays) {
      if (!array.unit.empty()) lines.push_back(array.name + ": " + array.unit);
    }
  }
  std::string text = fmt::format(
      "<FieldData>\n<Array type=\"String\" Name=\"units\" NumberOfTuples=\"{}\" format=\"ascii\">\n", lines.size());
  for (const std::string& line : lines) text += characters(line);
  return text + "</Array>\n</FieldData>\n";
}

}  // namespace

void check_mesh_output(const std::filesystem::path& path) {
  detail::check_output(path, is_vtkhdf(path) ? ".vtkhdf" : ".vtu", "an unstructured grid");
}

void check_sizes(const std::filesystem::path& path, const VtuContents& contents) {
  const CellMesh& mesh = contents.mesh;
  check_sizes(path, contents.at_nodes, mesh.points.size() / 3);
  check_sizes(path, contents.in_cells, mesh.cell.size() / static_cast<std::size_t>(mesh.nodes_per_cell));
}

void write_vtu(const std::filesystem::path& path, const VtuContents& contents) {
  const CellMesh& mesh = contents.mesh;
  const std::size_t nodes = mesh.points.size() / 3;
  const std::size_t cells = mesh.cell.size() / static_cast<std::size_t>(mesh.nodes_per_cell);
  check_sizes(path, contents);
  std::vector<std::int64_t> ends(cells);
  for (std::size_t c = 0; c < cells; ++c) ends[c] = static_cast<std::int64_t>(c + 1) * mesh.nodes_per_cell;
  const std::vector<std::uint8_t> types(cells, static_cast<std::uint8_t>(mesh.kind));

  Appended data;
  const auto add = [&](const std::vector<UnitArray>& arrays, const std::vector<NumberArray>& numbers) {
    std::string text;
    for (const UnitArray& array : arrays)
      text += data.array<double>("Float64", array.name, array.components, array.values, array.unit);
    for (const NumberArray& array : numbers) text += data.array<std::int64_t>("Int64", array.name, 1, array.values);
    return text;
  };
  std::string head =
      fmt::format("{}<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", units(contents), nodes, cells);
  head += "<PointData>\n" + add(contents.at_nodes, contents.node_numbers) + "</PointData>\n";
  head += "<CellData>\n" + add(contents.in_cells, contents.cell_numbers) + "</CellData>\n";
  head += "<Points>\n" + data.array<double>("Float64", "Points", 3, mesh.points) + "</Points>\n<Cells>\n";
  head += data.array<std::int32_t>("Int32", "connectivity", 1, mesh.cell);
  head += data.array<std::int64_t>("Int64", "offsets", 1, ends);
  head += data.array<std::uint8_t>("UInt8", "types", 1, types);
  data.write_file(path, "UnstructuredGrid", head + "</Cells>\n</Piece>\n");
}

}  // namespace asterism::output
