// SPDX-License-Identifier: Apache-2.0
// Probes, frequency monitors, far fields, fields and slices as files.
#include <algorithm>
#include <cmath>

#include "base/angles.hpp"
#include "base/error.hpp"
#include "io/text_words.hpp"
#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

const std::vector<Component> all_components = {{Field::electric, 0}, {Field::electric, 1}, {Field::electric, 2},
                                               {Field::magnetic, 0}, {Field::magnetic, 1}, {Field::magnetic, 2}};

template <class Observers>
std::vector<std::string> names_of(const Observers& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  return names;
}

Probe probe(TomlTable& table, const Scene& scene) {
  Probe result{.name = name(table, "probe", names_of(scene.probes)),
               .components = all_components,
               .places = {},
               .ringdown = {},
               .frequencies = {}};
  if (const auto v = table.find("components")) result.components = components(*v);
  if (const auto v = table.find("frequencies")) result.frequencies = frequencies(*v, scene);
  if (const auto v = table.find("ringdown")) result.ringdown = v->not_negative();
  for (const Component& c : result.components) result.places.push_back(place(table, scene, c));
  return result;
}

FrequencyMonitor monitor(TomlTable& table, const Scene& scene) {
  FrequencyMonitor result{.name = name(table, "monitor", names_of(scene.monitors)),
                          .box = scene.grid.box(),
                          .frequencies = frequencies(table.get("frequencies", "frequencies in Hz"), scene),
                          .components = all_components};
  if (const auto v = table.find("box")) result.box = box(*v, scene.grid, Extent::may_be_flat);
  if (const auto v = table.find("components")) result.components = components(*v);
  return result;
}

Flux flux(TomlTable& table, const Scene& scene) {
  Flux result{
      .name = name(table, "flux", names_of(scene.fluxes)), .low = {}, .high = {}, .frequencies = {}, .reference = {}};
  const TomlValue low = table.get("low", "the lower corner");
  const TomlValue high = table.get("high", "the upper corner");
  result.low = node(low, scene.grid);
  result.high = node(high, scene.grid);
  result.frequencies = frequencies(table.get("frequencies", "frequencies in Hz"), scene);
  const auto reference = table.find("reference");
  result.reference = reference ? reference->text() : result.name;
  int flat = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (result.high[a] < result.low[a]) high.refuse(fmt::format("as much as `low` along {} or more", "xyz"[a]));
    flat += result.high[a] == result.low[a] ? 1 : 0;
  }
  if (flat != 1) high.refuse("a point that differs from `low` along two axes");
  const Box in = inside_layers(scene);
  const std::int32_t first[3] = {in.x0, in.y0, in.z0}, end[3] = {in.x1, in.y1, in.z1};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool across = static_cast<int>(a) == result.axis();
    const bool whole = result.low[a] == 0 && result.high[a] == scene.grid.cells[a];
    const std::int32_t lowest = across ? std::max(first[a], 1) : first[a];
    const bool periodic = scene.boundary[2 * a] == Boundary::periodic;
    const std::int32_t highest = across || (periodic && !whole) ? std::min(end[a], scene.grid.cells[a] - 1) : end[a];
    if (result.low[a] >= lowest && result.high[a] <= highest) continue;
    low.refuse(fmt::format("planes {} to {} along {}", result.low[a], result.high[a], "xyz"[a]),
               fmt::format("{} to {}: outside of absorbing layers, across its axis a cell away from faces, along a "
                           "periodic one all of it or short of its end",
                           lowest, highest));
  }
  return result;
}

/// Those of another run are known when it is read only; names of this scene are what it is to have.
void check_references(const TomlTable& root, const Scene& scene) {
  for (const Flux& flux : scene.fluxes) {
    const auto is_it = [&](const Flux& other) { return other.name == flux.reference; };
    if (std::any_of(scene.fluxes.begin(), scene.fluxes.end(), is_it)) continue;
    bad_input("{}: flux {}: found reference \"{}\"; expected the name of a flux", root.where(), flux.name,
              flux.reference);
  }
}

FarField far_field(TomlTable& table, const Scene& scene) {
  const TomlValue where = table.get("box", "the box around what radiates");
  FarField result{.box = box(where, scene.grid, Extent::volume),
                  .frequencies = frequencies(table.get("frequencies", "frequencies in Hz"), scene),
                  .directions = {}};
  const Box& b = result.box;
  const Box in = inside_layers(scene);
  if (b.x0 < std::max(in.x0, 1) || b.x1 > std::min(in.x1, scene.grid.cells[0] - 1) || b.y0 < std::max(in.y0, 1) ||
      b.y1 > std::min(in.y1, scene.grid.cells[1] - 1) || b.z0 < std::max(in.z0, 1) ||
      b.z1 > std::min(in.z1, scene.grid.cells[2] - 1)) {
    where.refuse(show(b), fmt::format("a box in {}, a cell away from faces, outside of absorbing layers", show(in)));
  }
  const std::vector<double> theta = numbers(table.get("theta", "angles from the z axis in degrees"));
  const std::vector<double> phi = numbers(table.get("phi", "angles from the x axis in degrees"));
  for (const double t : theta) {
    for (const double p : phi) result.directions.push_back({t * degree, p * degree});
  }
  return result;
}

/// A file name with one of these extensions, and the steps from one output to the next.
template <class Output>
void read_file(TomlTable& table, const std::vector<std::string>& extensions, Output& output) {
  const TomlValue file = table.get("file", "a file name");
  output.file = file.text();
  if (std::find(extensions.begin(), extensions.end(), output.file.extension()) == extensions.end()) {
    file.refuse(fmt::format("a name that ends with {}", fmt::join(extensions, " or ")));
  }
  if (const auto every = table.find("every")) output.every = every->integer(1, std::int64_t{1} << 40);
}

FieldOutput field_output(TomlTable& table, const Grid& grid) {
  using Placement = FieldOutput::Placement;
  FieldOutput result{.file = {}, .fields = {Field::electric, Field::magnetic}};
  read_file(table, {".h5", ".pvd", ".vtkhdf"}, result);
  if (grid.graded() && result.file.extension() == ".vtkhdf")
    table.refuse("a file .vtkhdf of a graded mesh",
                 ".pvd or .h5, as VTKHDF has no grids with cells of several lengths");
  if (const auto v = table.find("placement")) {
    result.placement = v->choice<Placement>({{"cells", Placement::cells}, {"yee", Placement::yee}});
  }
  if (const auto v = table.find("fields")) {
    result.fields.clear();
    for (const TomlValue& field : v->one_or_more()) {
      result.fields.push_back(field.choice<Field>({{"E", Field::electric}, {"H", Field::magnetic}}));
    }
    if (result.fields.size() > 2 || (result.fields.size() == 2 && result.fields[0] == result.fields[1])) {
      v->refuse("every field once");
    }
  }
  return result;
}

std::int32_t slice_index(TomlTable& table, std::size_t axis, const Grid& grid) {
  bool in_metres = true;
  const TomlValue value = table.one_of("at", "index", in_metres);
  if (!in_metres) return static_cast<std::int32_t>(value.integer(0, grid.cells[axis] - 1));
  const double at = grid.index(axis, value.number());
  if (!(at >= 0 && at <= grid.cells[axis])) {
    value.refuse(fmt::format("between {:.9g} and {:.9g} m, where the grid is", grid.origin[axis], grid.end(axis)));
  }
  return std::min(static_cast<std::int32_t>(at), grid.cells[axis] - 1);
}

SliceOutput slice_output(TomlTable& table, const Scene& scene) {
  SliceOutput result{};
  read_file(table, {".png"}, result);
  result.axis = axis(table.get("axis", "the axis across the plane"));
  result.index = slice_index(table, result.axis, scene.grid);
  const TomlValue quantity = table.get("quantity", "a component, or E or H for a magnitude");
  const std::string word = quantity.text();
  if (word == "E" || word == "H") {
    result.quantity = word == "E" ? Field::electric : Field::magnetic;
  } else {
    result.quantity = component(quantity);
  }
  if (const auto v = table.find("zoom")) result.zoom = static_cast<std::int32_t>(v->integer(1, 1000));
  if (const auto v = table.find("plain")) result.plain = v->boolean();
  const auto low = table.find("low");
  const auto high = table.find("high");
  if (low) result.low = low->number();
  if (high) result.high = high->number();
  if (low && high && !(*result.low < *result.high)) high->refuse("more than `low`");
  return result;
}

/// All tables of a [[name]], each read by `read`.
template <class Result, class Read>
void read_all(TomlTable& root, const std::string& name, std::vector<Result>& results, const Read& read) {
  for (const TomlValue& value : tables(root, name)) {
    TomlTable table = value.table();
    results.push_back(read(table));
    table.finish();
  }
}

}  // namespace

void read_observers(TomlTable& root, Scene& scene) {
  read_all(root, "probes", scene.probes, [&](TomlTable& table) { return probe(table, scene); });
  read_all(root, "monitors", scene.monitors, [&](TomlTable& table) { return monitor(table, scene); });
  read_all(root, "fluxes", scene.fluxes, [&](TomlTable& table) { return flux(table, scene); });
  check_references(root, scene);
  read_all(root, "far_fields", scene.far_fields, [&](TomlTable& table) { return far_field(table, scene); });
}

void read_outputs(TomlTable& root, Scene& scene) {
  read_all(root, "fields", scene.field_outputs, [&](TomlTable& table) { return field_output(table, scene.grid); });
  read_all(root, "slices", scene.slice_outputs, [&](TomlTable& table) { return slice_output(table, scene); });
}

}  // namespace asterism::fdtd::scene::detail
