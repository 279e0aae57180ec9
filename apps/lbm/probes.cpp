// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/probes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/as_size.hpp"
#include "base/error.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

std::string header_of(const ProbeOptions& options) {
  std::string header = "step";
  for (const auto& [x, y, z] : options.cells)
    for (const char* quantity : {"rho", "u", "v", "w"}) header += fmt::format(",{}({} {} {})", quantity, x, y, z);
  return header;
}

}  // namespace

std::array<int, 3> read_probe(const std::string& text) {
  std::array<int, 3> cell{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [next, error] = std::from_chars(at, end, cell[axis]);
    const bool last = axis == 2;
    if (error != std::errc{} || (last ? next != end : next == end || *next != ','))
      bad_input("--probe {}: expected a cell x,y,z", text);
    at = next + (last ? 0 : 1);
  }
  return cell;
}

void check(const ProbeOptions& options, const Problem& problem) {
  if (options.file.empty() != options.cells.empty())
    bad_input("--probe and --probes: expected both, cells and the file of their values");
  for (const auto& cell : options.cells) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (cell[axis] < 0 || cell[axis] >= problem.cells[axis])
        bad_input("--probe {}: outside the domain of {} cells", fmt::join(cell, ","), fmt::join(problem.cells, " x "));
    const std::size_t at = as_size(cell[0]) + as_size(problem.cells[0]) *
                                                  (as_size(cell[1]) + as_size(problem.cells[1]) * as_size(cell[2]));
    if (!problem.solid.empty() && problem.solid[at] != 0)
      bad_input("--probe {}: the cell lies in the body", fmt::join(cell, ","));
  }
}

Probes::Probes(const ProbeOptions& options, long from, long steps)
    : options_(options), table_(options.file, header_of(options), options.every, steps), from_(from) {
  for (const std::string& row : table_.rows_before("--probes", from)) table_.keep(row);
}

void Probes::sample(Simulation& simulation) {
  if (simulation.time() == from_) return;  // in the table of the run before
  std::string row = std::to_string(simulation.time());
  for (const Flow& flow : simulation.probe(options_.cells))
    row += fmt::format(",{},{}", flow.rho, fmt::join(flow.u, ","));
  table_.add(row);
}

void Probes::describe(Report& report) const {
  report.record["probes"] = {{"cells", options_.cells}, {"every", options_.every}};
}

}  // namespace asterism::apps::lbm
