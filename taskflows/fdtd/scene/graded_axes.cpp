// SPDX-License-Identifier: Apache-2.0
// Axes whose cells have several lengths: from the coordinates of their planes, or from a rule.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "taskflows/fdtd/scene/reader.hpp"

namespace asterism::fdtd::scene::detail {
namespace {

constexpr double default_growth = 1.2;

/// Between two lines cells are `length` long at most, and less near lines behind which they are shorter. The length
/// changes by `slope` per length along the axis, the logarithm of the ratio from cell to cell.
struct Region {
  double from, to, length;
  double at_from = 0, at_to = 0;  ///< most length there, by the other regions
};

/// A part of a region in which the length changes linearly, or not at all.
struct Ramp {
  double from, to, first, last;
  [[nodiscard]] double cells(double slope) const {
    return first == last ? (to - from) / first : std::abs(std::log(last / first)) / slope;
  }
  /// Where so many cells from its begin end.
  [[nodiscard]] double after(double count, double slope) const {
    if (first == last) return from + count * first;
    const double rate = last > first ? slope : -slope;
    return from + first * std::expm1(rate * count) / rate;
  }
};

std::vector<Ramp> ramps_of(const Region& r, double slope) {
  const double from = std::min(r.at_from, r.length), to = std::min(r.at_to, r.length);
  double rises_to = r.from + (r.length - from) / slope;
  double falls_from = r.to - (r.length - to) / slope;
  double most = r.length;
  if (rises_to > falls_from) {
    rises_to = falls_from = std::clamp((r.from + r.to) / 2 + (to - from) / (2 * slope), r.from, r.to);
    most = rises_to == r.from ? to + slope * (r.to - r.from) : from + slope * (rises_to - r.from);
  }
  std::vector<Ramp> all;
  const auto add = [&](const Ramp& s) {
    if (s.to > s.from) all.push_back(s);
  };
  add({r.from, rises_to, from, most});
  add({rises_to, falls_from, most, most});
  add({falls_from, r.to, most, to});
  return all;
}

double cells_in(const std::vector<Ramp>& ramps, double slope) {
  double sum = 0;
  for (const Ramp& s : ramps) sum += s.cells(slope);
  return sum;
}

/// Cells are as long as they may be, and then a little shorter, so that a whole number of them is between lines.
std::vector<double> planes_of(std::vector<Region> regions, double growth, const TomlValue& value) {
  constexpr int passes = 4;
  constexpr double rounding = 1e-9;
  const double slope = std::log(growth);
  std::vector<double> planes;
  for (int pass = 1; pass <= passes; ++pass) {
    planes.assign(1, regions.front().from);
    for (Region& r : regions) {
      r.at_from = r.at_to = std::numeric_limits<double>::infinity();
      for (const Region& other : regions) {
        if (other.to <= r.from) r.at_from = std::min(r.at_from, other.length + slope * (r.from - other.to));
        if (other.from >= r.to) r.at_to = std::min(r.at_to, other.length + slope * (other.from - r.to));
      }
    }
    for (Region& r : regions) {
      const std::vector<Ramp> ramps = ramps_of(r, slope);
      const double wanted = cells_in(ramps, slope), whole = std::max(1.0, std::ceil(wanted - rounding));
      if (!(static_cast<double>(planes.size()) + whole <= most_cells))
        value.refuse(fmt::format("a rule of at most {} cells", most_cells));
      auto ramp = ramps.begin();
      double before = 0;
      for (double cell = 1; cell < whole; ++cell) {
        const double count = wanted * cell / whole;
        while (ramp + 1 != ramps.end() && count > before + ramp->cells(slope)) before += ramp++->cells(slope);
        planes.push_back(ramp->after(count - before, slope));
      }
      planes.push_back(r.to);
      r.length *= std::min(1.0, wanted / whole);
    }
  }
  return planes;
}

std::vector<double> ascending(const TomlValue& value) {
  std::vector<double> all;
  for (const TomlValue& v : value.elements()) {
    if (!all.empty() && !(v.number() > all.back())) v.refuse(fmt::format("more than {}", all.back()));
    all.push_back(v.number());
  }
  if (all.size() < 2) value.refuse("two coordinates at least, in m");
  if (all.size() > most_cells) value.refuse(fmt::format("at most {} cells", most_cells));
  return all;
}

std::vector<double> planes_by_rule(const TomlValue& value) {
  TomlTable table = value.table();
  const std::vector<double> lines = ascending(table.get("lines", "coordinates of planes that are to be there, in m"));
  const TomlValue spacing =
      table.get("spacing", "longest cell between lines in m, one number or one for each interval");
  double growth = default_growth;
  if (const auto v = table.find("growth")) {
    growth = v->number();
    if (!(growth > 1 && growth <= 3)) v->refuse("more than 1 and at most 3");
  }
  table.finish();
  std::vector<double> lengths(lines.size() - 1, spacing.is_array() ? 0 : spacing.positive());
  if (spacing.is_array()) {
    const std::vector<TomlValue> each = spacing.elements();
    if (each.size() != lengths.size())
      spacing.refuse(fmt::format("{} numbers", each.size()),
                     fmt::format("{}, one for each interval between lines", lengths.size()));
    for (std::size_t n = 0; n < each.size(); ++n) lengths[n] = each[n].positive();
  }
  std::vector<Region> regions;
  for (std::size_t n = 0; n < lengths.size(); ++n) regions.push_back({lines[n], lines[n + 1], lengths[n]});
  return planes_of(regions, growth, value);
}

void set_axis(Grid& grid, std::size_t axis, const std::vector<double>& planes) {
  constexpr double same = 1e-9;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 1; i < planes.size(); ++i) {
    least = std::min(least, planes[i] - planes[i - 1]);
    most = std::max(most, planes[i] - planes[i - 1]);
  }
  grid.cells[axis] = static_cast<std::int32_t>(planes.size() - 1);
  grid.origin[axis] = planes[0];
  const bool graded = most > least * (1 + same);
  grid.spacing[axis] = graded ? least : (planes.back() - planes[0]) / grid.cells[axis];
  if (graded) grid.planes[axis] = planes;
}

}  // namespace

bool read_graded_axes(TomlTable& table, Grid& grid) {
  std::array<std::optional<TomlValue>, 3> axes{table.find("x"), table.find("y"), table.find("z")};
  if (!axes[0] && !axes[1] && !axes[2]) return false;
  for (std::size_t a = 0; a < 3; ++a) {
    const TomlValue value = axes[a] ? *axes[a] : table.get(std::string(1, "xyz"[a]), "planes, or a rule, of each axis");
    if (!value.is_array() && !value.is_table()) value.refuse("an array of coordinates in m, or a table with a rule");
    set_axis(grid, a, value.is_array() ? ascending(value) : planes_by_rule(value));
  }
  return true;
}

}  // namespace asterism::fdtd::scene::detail
