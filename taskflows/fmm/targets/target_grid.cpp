// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/targets/target_grid.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/series/series.hpp"

namespace asterism::fmm {
namespace {

constexpr std::string_view prefix = "grid:";
constexpr std::int32_t most_nodes = 1 << 16;

}  // namespace

bool is_target_grid(const std::string& text) {
  return text.starts_with(prefix);
}

std::array<std::int32_t, 3> nodes_of_grid(const std::string& text) {
  std::vector<std::int32_t> found;
  const char* at = text.data() + prefix.size();
  const char* const end = text.data() + text.size();
  const auto refuse = [&] { bad_input("--at {}: expected grid:NXxNYxNZ, such as grid:64x64x32, or grid:N", text); };
  for (;; ++at) {
    std::int32_t n = 0;
    const auto [rest, error] = std::from_chars(at, end, n);
    if (error != std::errc() || n < 1 || n > most_nodes) refuse();
    found.push_back(n);
    at = rest;
    if (at == end) break;
    if (*at != 'x') refuse();
  }
  if (found.size() == 1) return {found[0], found[0], found[0]};
  if (found.size() != 3) refuse();
  return {found[0], found[1], found[2]};
}

output::Grid target_grid(const std::array<std::int32_t, 3>& nodes, const std::array<double, 3>& low,
                         const std::array<double, 3>& high) {
  output::Grid grid{.n = nodes, .centre = output::Centre::node};
  for (std::size_t d = 0; d < 3; ++d) {
    grid.origin[d] = nodes[d] > 1 ? low[d] : (low[d] + high[d]) / 2;
    const double length = high[d] - low[d];
    grid.spacing[d] = nodes[d] > 1 ? length / (nodes[d] - 1) : length > 0 ? length : 1;
  }
  return grid;
}

Particles nodes_of(const output::Grid& grid, Part part) {
  const std::size_t begin = part.begin(grid.size());
  Particles nodes(part.end(grid.size()) - begin);
  const auto nx = static_cast<std::size_t>(grid.n[0]);
  const auto ny = static_cast<std::size_t>(grid.n[1]);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t node = begin + i;
    const auto at = [&](std::size_t d, std::size_t number) {
      return grid.origin[d] + static_cast<double>(number) * grid.spacing[d];
    };
    nodes.x[i] = at(0, node % nx);
    nodes.y[i] = at(1, node / nx % ny);
    nodes.z[i] = at(2, node / (nx * ny));
    nodes.charge[i] = 1;
  }
  return nodes;
}

void write_target_grid(const std::string& path, const output::Grid& grid, const Result& result,
                       const std::string& potential_unit, const std::string& field_unit) {
  // names of arrays have no slash
  const auto named = [](const char* name, std::string unit) {
    for (std::size_t at = 0; (at = unit.find('/')) != std::string::npos;) unit.replace(at, 1, " per ");
    return unit.empty() ? std::string(name) : fmt::format("{} [{}]", name, unit);
  };
  const auto values = [](const Array<double>& a) { return std::span<const double>(a.data(), a.size()); };
  output::VtkSeries series(path, grid, output::Compression::zlib);
  const auto unit = [](const std::string& of) { return of.empty() ? std::string("1") : of; };
  series.append<double>(
      0, 0,
      {{named("potential", potential_unit), {values(result.potential)}, unit(potential_unit)},
       {named("field", field_unit), {values(result.fx), values(result.fy), values(result.fz)}, unit(field_unit)}});
}

}  // namespace asterism::fmm
