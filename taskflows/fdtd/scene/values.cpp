// SPDX-License-Identifier: Apache-2.0
// Values that several parts of a scene have: components, places, boxes, frequencies.
#include <algorithm>
#include <cmath>
#include <functional>

#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

/// Index of the plane of the grid that is nearest to a coordinate; refused outside.
std::int32_t plane(const TomlValue& value, double coordinate, const Grid& grid, std::size_t axis) {
  const double nearest = std::round(grid.index(axis, coordinate));
  if (!(nearest >= 0 && nearest <= grid.cells[axis])) {
    value.refuse(fmt::format("between {:.9g} and {:.9g} m along {}, where the grid is", grid.origin[axis],
                             grid.end(axis), "xyz"[axis]));
  }
  return static_cast<std::int32_t>(nearest);
}

using Corner = std::array<std::int32_t, 3>;

Corner corner(const TomlValue& value, const Grid& grid, bool in_metres) {
  const std::vector<TomlValue> numbers =
      value.elements(3, in_metres ? "an array of 3 numbers" : "an array of 3 integers");
  Corner corner{};
  for (std::size_t a = 0; a < 3; ++a) {
    corner[a] = in_metres ? plane(value, numbers[a].number(), grid, a)
                          : static_cast<std::int32_t>(numbers[a].integer(0, grid.cells[a]));
  }
  return corner;
}

void check_frequency(const TomlValue& value, double frequency, const Scene& scene) {
  const double most = 0.5 / scene.time_step;
  if (frequency > 0 && frequency < most) return;
  value.refuse(fmt::format("{} Hz", frequency),
               fmt::format("more than 0 and less than {:.4g} Hz, half a period per time step", most));
}

}  // namespace

std::array<std::int32_t, 3> node(const TomlValue& value, const Grid& grid) {
  return corner(value, grid, true);
}

std::uint16_t material_named(const TomlValue& name, const Scene& scene) {
  const std::string wanted = name.text();
  std::vector<std::string> known;
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    if (scene.materials[m].name == wanted) return static_cast<std::uint16_t>(m);
    known.push_back(scene.materials[m].name);
  }
  name.refuse(fmt::format("a material that is defined: {}", fmt::join(known, ", ")));
}

Component component(const TomlValue& name) {
  return name.choice<Component>({{"Ex", {Field::electric, 0}},
                                 {"Ey", {Field::electric, 1}},
                                 {"Ez", {Field::electric, 2}},
                                 {"Hx", {Field::magnetic, 0}},
                                 {"Hy", {Field::magnetic, 1}},
                                 {"Hz", {Field::magnetic, 2}}});
}

std::vector<Component> components(const TomlValue& names) {
  std::vector<Component> result;
  const auto add = [&](const TomlValue& value, const Component& c) {
    if (std::find(result.begin(), result.end(), c) != result.end()) value.refuse("every component once");
    result.push_back(c);
  };
  for (const TomlValue& value : names.one_or_more()) {
    const bool whole = value.text() == "E" || value.text() == "H";
    const Field field = value.text() == "E" ? Field::electric : Field::magnetic;
    if (!whole) add(value, component(value));
    for (int a = 0; whole && a < 3; ++a) add(value, {field, a});
  }
  return result;
}

std::size_t axis(const TomlValue& name) {
  return name.choice<std::size_t>({{"x", 0}, {"y", 1}, {"z", 2}});
}

Vector direction(const TomlValue& value) {
  Vector v = value.vector();
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!(length > 0)) value.refuse("a direction");
  for (double& x : v) x /= length;
  return v;
}

Vector position(const TomlValue& value, const Grid& grid) {
  const Vector p = value.vector();
  for (std::size_t a = 0; a < 3; ++a) {
    if (p[a] >= grid.origin[a] && p[a] <= grid.end(a)) continue;
    value.refuse(
        fmt::format("a point in the grid, {:.9g} to {:.9g} m along {}", grid.origin[a], grid.end(a), "xyz"[a]));
  }
  return p;
}

Place place(TomlTable& table, const Scene& scene, const Component& component) {
  bool by_position = true;
  const TomlValue value = table.one_of("position", "entry", by_position);
  if (by_position) {
    const Vector p = position(value, scene.grid);
    return {p, nearest_entry(scene, component, p)};
  }
  const std::vector<TomlValue> numbers = value.elements(3, "an array of 3 integers");
  std::array<std::int32_t, 3> entry{};
  const Vector end = {scene.grid.end(0), scene.grid.end(1), scene.grid.end(2)};
  const std::array<std::int32_t, 3> last = nearest_entry(scene, component, end);
  for (std::size_t a = 0; a < 3; ++a) entry[a] = static_cast<std::int32_t>(numbers[a].integer(0, last[a]));
  return {position_of(scene.grid, component, entry), entry};
}

Box box(const TomlValue& value, const Grid& grid, Extent extent) {
  TomlTable table = value.table();
  bool in_metres = true;
  const TomlValue low_value = table.one_of("low", "from", in_metres);
  const TomlValue high_value = table.get(in_metres ? "high" : "to", "the upper corner");
  table.finish();
  Corner low = corner(low_value, grid, in_metres);
  Corner high = corner(high_value, grid, in_metres);
  for (std::size_t a = 0; a < 3; ++a) {
    if (extent == Extent::may_be_flat && low[a] == high[a]) {
      low[a] = std::min(low[a], grid.cells[a] - 1);
      high[a] = low[a] + 1;
    }
    if (low[a] >= high[a]) {
      high_value.refuse(fmt::format("more than the lower corner along {}, by a cell at least", "xyz"[a]));
    }
  }
  return {low[0], high[0], low[1], high[1], low[2], high[2]};
}

std::vector<double> numbers(const TomlValue& value) {
  std::vector<double> result;
  if (!value.is_table()) {
    for (const TomlValue& v : value.one_or_more()) result.push_back(v.number());
    return result;
  }
  TomlTable table = value.table();
  const double from = table.get("from", "the first number").number();
  const double to = table.get("to", "the last number").number();
  const std::int64_t count = table.get("count", "how many").integer(1, 1000000);
  table.finish();
  for (std::int64_t i = 0; i < count; ++i) {
    const double weight = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
    result.push_back((1 - weight) * from + weight * to);
  }
  return result;
}

double frequency(const TomlValue& value, const Scene& scene) {
  check_frequency(value, value.number(), scene);
  return value.number();
}

std::vector<double> frequencies(const TomlValue& value, const Scene& scene) {
  std::vector<double> result = numbers(value);
  for (const double f : result) check_frequency(value, f, scene);
  if (std::adjacent_find(result.begin(), result.end(), std::greater_equal<>()) != result.end()) {
    value.refuse("ascending frequencies");
  }
  return result;
}

std::string name(TomlTable& table, const char* kind, const std::vector<std::string>& taken) {
  const auto value = table.find("name");
  if (!value) return fmt::format("{}{}", kind, taken.size());
  const std::string result = value->text();
  if (std::find(taken.begin(), taken.end(), result) != taken.end()) value->refuse("a name that is not yet taken");
  if (result.find_first_of(",\"/\n") != std::string::npos) value->refuse("no comma, quote, slash or line break");
  return result;
}

std::vector<TomlValue> tables(TomlTable& root, const std::string& name) {
  const auto value = root.find(name);
  return value ? value->elements() : std::vector<TomlValue>{};
}

std::string show(const Box& b) {
  return fmt::format("cells {} to {}, {} to {}, {} to {}", b.x0, b.x1, b.y0, b.y1, b.z0, b.z1);
}

}  // namespace asterism::fdtd::scene::detail
