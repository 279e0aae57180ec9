// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "io/text_words.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {
namespace {

constexpr std::size_t most_columns = 1000;

std::vector<std::string> items(std::string_view list) {
  std::vector<std::string> result;
  while (true) {
    const std::size_t comma = list.find(',');
    result.emplace_back(trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return result;
    list.remove_prefix(comma + 1);
  }
}

/// The names a header may give; ParaView's tables call coordinates Points:0 or Points_0.
constexpr std::array<std::array<std::string_view, 3>, 3> position_names = {
    {{"x", "points:0", "points_0"}, {"y", "points:1", "points_1"}, {"z", "points:2", "points_2"}}};
constexpr std::array<std::string_view, 4> charge_names = {"charge", "q", "weight", "w"};
constexpr std::array<std::string_view, 1> mass_names = {"mass"};
constexpr std::array<std::array<std::string_view, 1>, 3> velocity_names = {{{"vx"}, {"vy"}, {"vz"}}};

/// The one column with one of the names.
std::optional<std::size_t> find_column(const std::string& where, std::span<const std::string> header,
                                       std::span<const std::string_view> names) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(names.begin(), names.end(), lower_case(header[i])) == names.end()) continue;
    if (found) {
      bad_input("{}: the header names both {} and {}; say with --columns which to take", where,
                in_quotes(header[*found]), in_quotes(header[i]));
    }
    found = i;
  }
  return found;
}

}  // namespace

std::size_t Columns::last() const {
  std::size_t last = std::max({position[0], position[1], position[2], charge.value_or(0), mass.value_or(0)});
  if (velocity) last = std::max({last, (*velocity)[0], (*velocity)[1], (*velocity)[2]});
  return last;
}

Columns columns_of_option(const std::string& where, const std::string& option, std::span<const std::string> header) {
  const std::vector<std::string> wanted = items(option);
  if (wanted.size() != 3 && wanted.size() != 4 && wanted.size() != 7) {
    bad_input("--columns {}: found {} columns; expected 3 (x,y,z), 4 (x,y,z,charge) or 7 (x,y,z,charge,vx,vy,vz)",
              option, wanted.size());
  }
  std::vector<std::size_t> columns;
  const auto add = [&](const std::string& item, std::size_t column) {
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      bad_input("--columns {}: {} is there twice; expected different columns", option, in_quotes(item));
    }
    columns.push_back(column);
  };
  for (const std::string& item : wanted) {
    std::int64_t number = 0;
    if (parse_integer(item, number)) {
      if (number < 1 || number > static_cast<std::int64_t>(most_columns)) {
        bad_input("--columns {}: found {}; expected numbers from 1 to {}", option, number, most_columns);
      }
      add(item, static_cast<std::size_t>(number - 1));
      continue;
    }
    const auto is_wanted = [&](const std::string& name) { return lower_case(name) == lower_case(item); };
    const auto found = std::find_if(header.begin(), header.end(), is_wanted);
    if (found == header.end()) {
      bad_input("{}: there is no column {} as --columns asks; {} {}", where, in_quotes(item),
                header.empty() ? "the file has no header:" : "its header names",
                header.empty() ? "expected numbers from 1" : fmt::format("{}", fmt::join(header, ", ")));
    }
    add(item, static_cast<std::size_t>(found - header.begin()));
  }
  Columns result{.position = {columns[0], columns[1], columns[2]}, .charge = {}};
  if (columns.size() > 3) result.charge = columns[3];
  if (columns.size() > 4) result.velocity = {columns[4], columns[5], columns[6]};
  return result;
}

std::optional<Columns> columns_of_header(const std::string& where, std::span<const std::string> header) {
  Columns columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::optional<std::size_t> found = find_column(where, header, position_names[axis]);
    if (!found) return {};
    columns.position[axis] = *found;
  }
  columns.charge = find_column(where, header, charge_names);
  columns.mass = find_column(where, header, mass_names);
  if (!columns.charge) std::swap(columns.charge, columns.mass);  // a mass alone is what acts
  std::array<std::optional<std::size_t>, 3> velocity;
  for (std::size_t axis = 0; axis < 3; ++axis) velocity[axis] = find_column(where, header, velocity_names[axis]);
  const auto named = std::count_if(velocity.begin(), velocity.end(), [](const auto& v) { return v.has_value(); });
  if (named == 3) {
    columns.velocity = {*velocity[0], *velocity[1], *velocity[2]};
  } else if (named > 0) {
    bad_input("{}: the header names {} of vx, vy and vz; expected all three or none", where, named);
  }
  return columns;
}

void check_finite(const std::string& file, const Particles& particles, std::size_t first_row) {
  const std::size_t n = particles.size();
  std::size_t first = n;
#pragma omp parallel for reduction(min : first)
  for (std::size_t i = 0; i < n; ++i) {
    // zero for finite numbers, NaN otherwise
    double zero = 0 * particles.x[i] + 0 * particles.y[i] + 0 * particles.z[i] + 0 * particles.charge[i];
    if (!particles.vx.empty()) zero += 0 * particles.vx[i] + 0 * particles.vy[i] + 0 * particles.vz[i];
    if (!particles.mass.empty()) zero += 0 * particles.mass[i];
    if (zero != 0) first = std::min(first, i);
  }
  if (first == n) return;
  const auto is_finite = [&](const Array<double>& values) { return values.empty() || std::isfinite(values[first]); };
  if (!is_finite(particles.mass)) {
    bad_input("{}: row {} (from 0) has the mass {}; expected a finite number", file, first_row + first,
              particles.mass[first]);
  }
  if (!is_finite(particles.vx) || !is_finite(particles.vy) || !is_finite(particles.vz)) {
    bad_input("{}: row {} (from 0) has the velocity ({}, {}, {}); expected finite numbers", file, first_row + first,
              particles.vx[first], particles.vy[first], particles.vz[first]);
  }
  bad_input("{}: row {} (from 0) is ({}, {}, {}) with charge {}; expected finite numbers", file, first_row + first,
            particles.x[first], particles.y[first], particles.z[first], particles.charge[first]);
}

void check_parts(const std::string& file, std::size_t particles, const Part& part) {
  if (particles > 0 && particles < static_cast<std::size_t>(part.of))
    bad_input("{}: {} particles for {} processes: expected at least one each", file, particles, part.of);
}

}  // namespace asterism::fmm
