// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/structure/model.hpp"

#include <cmath>
#include <utility>

#include "io/toml_table.hpp"

namespace asterism::cg {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};

std::size_t axis_of(const TomlValue& value) {
  return value.choice<std::size_t>({{"x", 0}, {"y", 1}, {"z", 2}});
}

/// x = 0, a plane, or x = [0, 13].
std::array<double, 2> range_of(const TomlValue& value) {
  if (!value.is_array()) return {value.number(), value.number()};
  const std::vector<TomlValue> ends = value.elements(2, "a coordinate, or an array of the lowest and the highest one");
  const std::array<double, 2> range{ends[0].number(), ends[1].number()};
  if (range[0] > range[1]) value.refuse("the lowest coordinate before the highest");
  return range;
}

Cylinder cylinder_of(const TomlValue& value) {
  TomlTable table = value.table();
  Cylinder cylinder;
  cylinder.axis = axis_of(table.get("axis", "the axis that it is parallel to"));
  cylinder.centre = table.get("centre", "a point of its axis").vector();
  cylinder.radius = table.get("radius", "its radius").positive();
  table.finish();
  return cylinder;
}

Region region_of(const TomlValue& value) {
  TomlTable table = value.table();
  Region region;
  for (std::size_t a = 0; a < 3; ++a)
    if (const auto range = table.find(axes[a])) region.range[a] = range_of(*range);
  if (const auto cylinder = table.find("cylinder")) region.cylinder = cylinder_of(*cylinder);
  table.finish();
  if (!region.range[0] && !region.range[1] && !region.range[2] && !region.cylinder)
    value.refuse("an empty table", "x, y, z or cylinder");
  return region;
}

/// `group` or `where`; neither is the whole mesh.
Selection selection(TomlTable& table) {
  Selection part;
  part.place = table.where();
  const auto group = table.find("group");
  const auto where = table.find("where");
  if (group && where) where->refuse("group as well", "one of them");
  if (where) part.region = region_of(*where);
  if (!group) return part;
  if (group->is_text())
    part.name = group->text();
  else
    part.tag = group->integer(1, std::int64_t{1} << 31);
  return part;
}

std::string name_of(TomlTable& table, const Selection& part, const std::string& otherwise) {
  if (const auto name = table.find("name")) return name->text();
  return !part.name.empty() ? part.name : part.tag ? "group " + std::to_string(*part.tag) : otherwise;
}

void read_mesh(TomlTable& root, const std::filesystem::path& folder, Model& model) {
  TomlTable table = root.get("mesh", "a table").table();
  model.mesh = folder / table.get("file", "a gmsh file").text();
  if (const auto unit = table.find("unit"))
    model.unit =
        unit->choice<double>({{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"in", 0.0254}, {"ft", 0.3048}});
  if (const auto element = table.find("element"))
    model.element = element->choice<Element>({{"p1", Element::p1}, {"p2", Element::p2}});
  table.finish();
}

ModelMaterial read_material(TomlTable& table) {
  ModelMaterial material;
  material.part = selection(table);
  material.young = table.get("young", "Young's modulus in Pa").positive();
  const TomlValue poisson = table.get("poisson", "Poisson's ratio");
  material.poisson = poisson.number();
  if (!(material.poisson > -1 && material.poisson < 0.5)) poisson.refuse("a number between -1 and 0.5");
  if (const auto density = table.find("density")) material.density = density->positive();
  return material;
}

Support read_support(TomlTable& table, std::size_t index) {
  Support support;
  support.part = selection(table);
  support.name = name_of(table, support.part, "support " + std::to_string(index + 1));
  if (support.part.everything()) table.refuse("neither group nor where", "one of them");
  const auto fixed = table.find("fixed");
  const auto displacement = table.find("displacement");
  if (!fixed && !displacement) table.refuse("neither fixed nor displacement", "one of them at least");
  if (fixed) {
    constexpr const char* expected = "some of the letters x, y and z, such as \"xyz\"";
    for (const char letter : fixed->text()) {
      if (letter < 'x' || letter > 'z' || support.displacement[static_cast<std::size_t>(letter - 'x')])
        fixed->refuse(expected);
      support.displacement[static_cast<std::size_t>(letter - 'x')] = 0;
    }
  }
  if (displacement) {
    TomlTable components = displacement->table();
    for (std::size_t a = 0; a < 3; ++a) {
      const auto value = components.find(axes[a]);
      if (!value) continue;
      if (support.displacement[a]) value->refuse(std::string(axes[a]) + " in fixed as well", "one of them");
      support.displacement[a] = value->number();
    }
    components.finish();
  }
  return support;
}

Load read_load(TomlTable& table, std::size_t index) {
  constexpr std::pair<const char*, LoadKind> kinds[] = {{"pressure", LoadKind::pressure},
                                                        {"traction", LoadKind::traction},
                                                        {"force", LoadKind::force},
                                                        {"gravity", LoadKind::gravity}};
  Load load;
  load.part = selection(table);
  int found = 0;
  for (const auto& [key, kind] : kinds) {
    const auto value = table.find(key);
    if (!value) continue;
    ++found;
    load.kind = kind;
    load.name = name_of(table, load.part, fmt::format("{} {}", key, index + 1));
    if (kind == LoadKind::pressure)
      load.pressure = value->number();
    else
      load.vector = value->vector();
  }
  if (found != 1)
    table.refuse(found == 0 ? "no load" : "several loads", "one of pressure, traction, force and gravity");
  if (load.kind == LoadKind::gravity) {
    if (!load.part.everything()) table.refuse("gravity on a part", "gravity of the whole body, without group or where");
  } else if (load.part.everything()) {
    table.refuse("neither group nor where", "one of them");
  }
  return load;
}

/// Calls read(table, index) for each table of [[name]].
template <class Read>
void for_each_table(TomlTable& root, const std::string& name, const Read& read) {
  const auto value = root.find(name);
  if (!value) return;
  std::size_t index = 0;
  for (const TomlValue& element : value->elements()) {
    TomlTable table = element.table();
    read(table, index++);
    table.finish();
  }
}

}  // namespace

Model read_model(const std::filesystem::path& path) {
  const TomlFile file(path);
  TomlTable root = file.root();
  Model model;
  model.file = path.string();
  read_mesh(root, path.parent_path(), model);
  for_each_table(root, "materials",
                 [&](TomlTable& table, std::size_t) { model.materials.push_back(read_material(table)); });
  for_each_table(root, "supports",
                 [&](TomlTable& table, std::size_t i) { model.supports.push_back(read_support(table, i)); });
  for_each_table(root, "loads", [&](TomlTable& table, std::size_t i) { model.loads.push_back(read_load(table, i)); });
  root.finish();
  if (model.materials.empty()) root.refuse("no material", "[[materials]] with young and poisson");
  if (model.supports.empty()) root.refuse("no support", "[[supports]] that hold the body");
  return model;
}

}  // namespace asterism::cg
