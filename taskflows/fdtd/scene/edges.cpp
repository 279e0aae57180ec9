// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

Port port(TomlTable& table, Scene& scene) {
  Port result{};
  std::vector<std::string> taken;
  for (const Port& other : scene.ports) taken.push_back(other.name);
  result.name = name(table, "port", taken);
  const TomlValue along = table.get("axis", "the axis along which its current flows");
  result.axis = static_cast<std::int32_t>(axis(along));
  result.place = place(table, scene, {Field::electric, result.axis});
  if (const auto v = table.find("cells")) result.cells = static_cast<std::int32_t>(v->integer(1, 1000));
  const auto a = static_cast<std::size_t>(result.axis);
  if (result.place.entry[a] + result.cells > scene.grid.cells[a])
    table.refuse(fmt::format("a port of {} cells from plane {} on", result.cells, result.place.entry[a]),
                 fmt::format("one that ends in the grid, {} cells along {}", scene.grid.cells[a], "xyz"[a]));
  if (const auto v = table.find("resistance")) result.resistance = v->positive();
  const auto generator = table.find("waveform");
  if (!generator) return result;
  const auto other = [](const Port& p) { return p.waveform.has_value(); };
  if (std::any_of(scene.ports.begin(), scene.ports.end(), other))
    generator->refuse("a second generator", "one port with a waveform");
  result.waveform = waveform(*generator, scene);
  scene.port_frequencies = frequencies(table.get("frequencies", "frequencies in Hz"), scene);
  return result;
}

Conductor conductor(TomlTable& table, const Scene& scene) {
  const TomlValue low = table.get("low", "one end, or the lower corner");
  const TomlValue high = table.get("high", "the other end, or the upper corner");
  const Conductor result{node(low, scene.grid), node(high, scene.grid)};
  int flat = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (result.high[a] < result.low[a]) high.refuse(fmt::format("as much as `low` along {} or more", "xyz"[a]));
    flat += result.high[a] == result.low[a] ? 1 : 0;
  }
  if (flat != 1 && flat != 2) high.refuse("a point that differs from `low` along one axis (a wire) or two (a sheet)");
  return result;
}

}  // namespace

void read_edges(TomlTable& root, Scene& scene) {
  for (const TomlValue& value : tables(root, "conductors")) {
    TomlTable table = value.table();
    scene.conductors.push_back(conductor(table, scene));
    table.finish();
  }
  for (const TomlValue& value : tables(root, "ports")) {
    TomlTable table = value.table();
    scene.ports.push_back(port(table, scene));
    table.finish();
  }
  if (!scene.ports.empty() && scene.port_frequencies.empty())
    root.get("ports", "").refuse("no generator", "a port with a waveform");
}

}  // namespace asterism::fdtd::scene::detail
