// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "io/text_words.hpp"
#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

constexpr const char* point = "a point: an array of 3 numbers";
constexpr const char* length = "a positive number";

Cuboid cuboid(TomlTable& table) {
  const TomlValue high = table.get("high", point);
  const Cuboid result{table.get("low", point).vector(), high.vector()};
  for (std::size_t a = 0; a < 3; ++a) {
    if (!(result.low[a] < result.high[a])) high.refuse(fmt::format("more than `low` along {}", "xyz"[a]));
  }
  return result;
}

Ellipsoid sphere(TomlTable& table) {
  const double r = table.get("radius", length).positive();
  return {table.get("centre", point).vector(), {r, r, r}};
}

Ellipsoid ellipsoid(TomlTable& table) {
  const std::vector<TomlValue> axes = table.get("semi_axes", "3 positive numbers").elements(3, "3 positive numbers");
  return {table.get("centre", point).vector(), {axes[0].positive(), axes[1].positive(), axes[2].positive()}};
}

/// { axis, centre, height } or { from, to }.
Cylinder cylinder(TomlTable& table) {
  bool by_axis = true;
  const TomlValue first = table.one_of("axis", "from", by_axis);
  const double radius = table.get("radius", length).positive();
  if (!by_axis) {
    const TomlValue to = table.get("to", point);
    const Cylinder result{first.vector(), to.vector(), radius};
    if (result.from == result.to) to.refuse("another point than `from`");
    return result;
  }
  Cylinder result{table.get("centre", point).vector(), {}, radius};
  const double height = table.get("height", length).positive();
  result.to = result.from;
  result.from[axis(first)] -= height / 2;
  result.to[axis(first)] += height / 2;
  return result;
}

HalfSpace half_space(TomlTable& table) {
  return {table.get("point", point).vector(), direction(table.get("normal", "the direction out of it"))};
}

std::filesystem::path file(TomlTable& table, const std::filesystem::path& folder) {
  return folder / table.get("file", "a file name").text();
}

Mesh mesh_file(TomlTable& table, const std::filesystem::path& folder) {
  Mesh result{file(table, folder), 1, {}};
  if (const auto v = table.find("scale")) result.scale = v->positive();
  if (const auto v = table.find("length")) result.placement.length = v->positive();
  if (const auto v = table.find("degrees")) result.placement.degrees = v->vector();
  if (const auto v = table.find("centre")) result.placement.centre = v->vector();
  if (const auto v = table.find("translation")) result.placement.translation = v->vector();
  return result;
}

/// { 0 = "glass", 1 = "gold" } and the values that leave cells as they are.
std::vector<VoxelFile::Meaning> meanings(TomlTable& table, const Scene& scene) {
  std::vector<VoxelFile::Meaning> result;
  const auto add = [&](const TomlValue& at, std::int64_t value, std::optional<std::uint16_t> material) {
    const auto same = [&](const VoxelFile::Meaning& m) { return m.value == value; };
    if (std::any_of(result.begin(), result.end(), same)) {
      at.refuse(fmt::format("the value {} twice", value), "every value once");
    }
    result.push_back({value, material});
  };
  TomlTable names = table.get("materials", "a table of values and materials").table();
  for (const auto& [key, name] : names.entries()) {
    std::int64_t value = 0;
    if (!parse_integer(key, value)) name.refuse("the key " + in_quotes(key), "an integer as the key");
    add(name, value, material_named(name, scene));
  }
  if (const auto unchanged = table.find("unchanged")) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const TomlValue& v : unchanged->one_or_more()) add(v, v.integer(-most, most), std::nullopt);
  }
  const auto ascending = [](const VoxelFile::Meaning& a, const VoxelFile::Meaning& b) { return a.value < b.value; };
  std::sort(result.begin(), result.end(), ascending);
  return result;
}

VoxelFile voxel_file(TomlTable& table, const std::filesystem::path& folder, const Scene& scene) {
  constexpr std::int64_t farthest = 1 << 24;
  VoxelFile result{.file = file(table, folder),
                   .dataset = table.get("dataset", "the name of a dataset").text(),
                   .values = meanings(table, scene)};
  using Order = VoxelFile::Order;
  if (const auto v = table.find("order")) result.order = v->choice<Order>({{"xyz", Order::xyz}, {"zyx", Order::zyx}});
  if (const auto v = table.find("offset")) {
    const std::vector<TomlValue> numbers = v->elements(3, "an array of 3 integers");
    for (std::size_t a = 0; a < 3; ++a) {
      result.offset[a] = static_cast<std::int32_t>(numbers[a].integer(-farthest, farthest));
    }
  }
  return result;
}

enum class Shape { box, sphere, ellipsoid, cylinder, half_space, mesh, voxels };

Object object(TomlTable& table, const std::filesystem::path& folder, const Scene& scene) {
  Object result{.shape = {}, .where = table.where()};
  const Shape shape = table.get("shape", "the kind of body")
                          .choice<Shape>({{"box", Shape::box},
                                          {"sphere", Shape::sphere},
                                          {"ellipsoid", Shape::ellipsoid},
                                          {"cylinder", Shape::cylinder},
                                          {"half_space", Shape::half_space},
                                          {"mesh", Shape::mesh},
                                          {"voxels", Shape::voxels}});
  if (shape == Shape::voxels) {
    result.shape = voxel_file(table, folder, scene);
    return result;
  }
  result.material = material_named(table.get("material", "the name of a material"), scene);
  if (shape == Shape::box) result.shape = cuboid(table);
  if (shape == Shape::sphere) result.shape = sphere(table);
  if (shape == Shape::ellipsoid) result.shape = ellipsoid(table);
  if (shape == Shape::cylinder) result.shape = cylinder(table);
  if (shape == Shape::half_space) result.shape = half_space(table);
  if (shape == Shape::mesh) result.shape = mesh_file(table, folder);
  return result;
}

}  // namespace

void read_geometry(TomlTable& root, const std::filesystem::path& folder, Scene& scene) {
  for (const TomlValue& value : tables(root, "geometry")) {
    TomlTable table = value.table();
    scene.geometry.push_back(object(table, folder, scene));
    table.finish();
  }
}

}  // namespace asterism::fdtd::scene::detail
