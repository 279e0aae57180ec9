// SPDX-License-Identifier: Apache-2.0
#include "io/series/vtkhdf.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.hpp"
#include "io/series/hdf5_series_detail.hpp"
#include "io/text_words.hpp"

namespace asterism::output {
namespace {

constexpr const char* root = "VTKHDF";

/// f(first, count) for parts of n entries that fit into a small array.
template <class Function>
void in_parts(std::size_t n, const Function& f) {
  constexpr std::size_t most = std::size_t{1} << 18;
  for (std::size_t first = 0; first < n; first += most) f(first, std::min(most, n - first));
}

/// The numbers step * i of `n` entries.
void write_multiples(Hdf5Output& file, const std::string& dataset, std::size_t n, std::int64_t step) {
  file.create(dataset, Hdf5Number::int64, {n});
  in_parts(n, [&](std::size_t first, std::size_t count) {
    std::vector<std::int64_t> part(count);
    for (std::size_t i = 0; i < count; ++i) part[i] = step * static_cast<std::int64_t>(first + i);
    file.write_rows<std::int64_t>(dataset, first, part);
  });
}

void write_kinds(Hdf5Output& file, std::size_t n, CellKind kind) {
  file.create(VtkHdfFile::kinds, Hdf5Number::uint8, {n});
  in_parts(n, [&](std::size_t first, std::size_t count) {
    const std::vector<std::uint8_t> part(count, static_cast<std::uint8_t>(kind));
    file.write_rows<std::uint8_t>(VtkHdfFile::kinds, first, part);
  });
}

std::size_t corners_of(CellKind kind) {
  switch (kind) {
    case CellKind::vertex:
      return 1;
    case CellKind::triangle:
      return 3;
    case CellKind::tetrahedron:
      return 4;
    case CellKind::quadratic_tetrahedron:
      return 10;
  }
  return 0;
}

}  // namespace

bool is_vtkhdf(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".vtkhdf";
}

std::string VtkHdfFile::dataset(Centre centre, const std::string& name) {
  return std::string(root) + (centre == Centre::node ? "/PointData/" : "/CellData/") + name;
}

void VtkHdfFile::begin(const char* type) {
  constexpr std::array<std::int64_t, 2> version{1, 0};
  file_.attribute(root, "Version", version);
  file_.attribute(root, "Type", std::string(type));
}

void VtkHdfFile::image(const Grid& grid) {
  file_.create_group(root);
  begin("ImageData");
  std::array<std::int64_t, 6> extent{};
  std::array<double, 3> origin = grid.origin;
  for (std::size_t a = 0; a < 3; ++a) {
    extent[2 * a + 1] = grid.n[a] - 1;
    if (grid.centre == Centre::cell) origin[a] += grid.spacing[a] / 2;
  }
  constexpr std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  file_.attribute(root, "WholeExtent", extent);
  file_.attribute(root, "Origin", origin);
  file_.attribute(root, "Spacing", grid.spacing);
  file_.attribute(root, "Direction", direction);
  file_.attribute(root, "units", grid.units.length);
}

void VtkHdfFile::numbers(std::size_t points_, std::size_t cells_, std::size_t corners) {
  point_count_ = points_;
  cell_count_ = cells_;
  const auto one = [&](const char* name, std::size_t value) {
    const std::int64_t number = static_cast<std::int64_t>(value);
    file_.write<std::int64_t>(std::string(root) + "/" + name, {1}, {&number, 1});
  };
  one("NumberOfPoints", points_);
  one("NumberOfCells", cells_);
  one("NumberOfConnectivityIds", corners);
  begin("UnstructuredGrid");
}

template <class T>
void VtkHdfFile::mesh(CellKind kind, std::span<const T> places, std::span<const std::int32_t> corners,
                      const std::string& unit) {
  const std::size_t cells = corners.size() / corners_of(kind);
  numbers(places.size() / 3, cells, corners.size());
  file_.write<T>(points, {point_count_, 3}, places);
  file_.attribute(points, "units", unit);
  file_.create("VTKHDF/Connectivity", Hdf5Number::int64, {corners.size()});  // of the type of Offsets
  file_.write_rows("VTKHDF/Connectivity", 0, corners);
  write_multiples(file_, "VTKHDF/Offsets", cells + 1, static_cast<std::int64_t>(corners_of(kind)));
  write_kinds(file_, cells, kind);
}

void VtkHdfFile::vertices(std::size_t n) {
  numbers(n, n, n);
  file_.create(points, Hdf5Number::float64, {n, 3});
  write_multiples(file_, "VTKHDF/Connectivity", n, 1);
  write_multiples(file_, "VTKHDF/Offsets", n + 1, 1);
  write_kinds(file_, n, CellKind::vertex);
}

void VtkHdfFile::create(Centre centre, const std::string& name, Hdf5Number number, std::size_t components,
                        const std::string& unit) {
  std::vector<std::size_t> shape{centre == Centre::node ? point_count_ : cell_count_};
  if (components > 1) shape.push_back(components);
  file_.create(dataset(centre, name), number, shape);
  if (!unit.empty()) file_.attribute(dataset(centre, name), "units", unit);
}

template <class T>
void VtkHdfFile::write(const Grid& grid, const Field<T>& field) {
  const std::string name = dataset(Centre::node, field.name);
  detail::write_field(file_, name, grid, field);
  file_.attribute(name, "units", field.unit);
}

void VtkHdfFile::time(const SavedTime& saved, const std::string& unit) {
  file_.attribute(root, "step", saved.step);
  file_.attribute(root, "time", saved.time);
  file_.attribute(root, "time_units", unit);
}

void write_vtkhdf(const std::filesystem::path& path, const VtuContents& contents) {
  check_sizes(path, contents);
  VtkHdfFile file(path);
  file.mesh<double>(contents.mesh.kind, contents.mesh.points, contents.mesh.cell, contents.unit);
  const auto write = [&](Centre centre, const std::vector<UnitArray>& arrays, const std::vector<NumberArray>& numbers) {
    for (const UnitArray& array : arrays)
      file.write<double>(centre, array.name, static_cast<std::size_t>(array.components), array.unit, array.values);
    for (const NumberArray& array : numbers) file.write<std::int64_t>(centre, array.name, 1, "", array.values);
  };
  write(Centre::node, contents.at_nodes, contents.node_numbers);
  write(Centre::cell, contents.in_cells, contents.cell_numbers);
  file.commit();
}

template void VtkHdfFile::mesh(CellKind, std::span<const float>, std::span<const std::int32_t>, const std::string&);
template void VtkHdfFile::mesh(CellKind, std::span<const double>, std::span<const std::int32_t>, const std::string&);
template void VtkHdfFile::write(const Grid&, const Field<float>&);
template void VtkHdfFile::write(const Grid&, const Field<double>&);

}  // namespace asterism::output
