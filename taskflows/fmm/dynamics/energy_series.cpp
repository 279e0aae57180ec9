// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/dynamics/energy_series.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "io/pictures/chart.hpp"
#include "io/text_file.hpp"
#include "io/text_reader.hpp"

namespace asterism::fmm {
namespace {

constexpr std::size_t numbers_at_rest = 10;  ///< columns behind the step, without radii

std::string unit_of(const std::string& unit) {
  return unit.empty() ? "" : fmt::format(" [{}]", unit);
}

}  // namespace

std::string EnergySeries::header() const {
  const std::string energy = unit_of(units_.energy);
  std::string text =
      fmt::format("step,time{},kinetic{},potential{},total{}", unit_of(units_.time), energy, energy, energy);
  for (const char* name : {"momentum", "angular_momentum"})
    for (const char axis : {'x', 'y', 'z'}) text += fmt::format(",{}_{}", name, axis);
  if (radii_)
    for (const double share : lagrangian_shares)
      text += fmt::format(",radius_{:.0f}{}", 100 * share, unit_of(units_.length));
  return text;
}

void EnergySeries::read(const std::filesystem::path& path, std::int64_t last) {
  if (!std::filesystem::exists(path)) return;
  const TextFile file(path, "a table of energies");
  TextReader lines(file.name, file.text);
  lines.require_line("a table of energies");
  if (lines.line() != header())
    bad_input("{}: line 1: found {}; expected {}", file.name, in_quotes(lines.line()), in_quotes(header()));
  const std::size_t numbers = numbers_at_rest + (radii_ ? lagrangian_shares.size() : 0);
  while (lines.next_line()) {
    std::vector<double> n;
    std::string_view word;
    std::int64_t step = 0;
    if (!lines.next_field(word, ',') || !parse_integer(word, step)) lines.fail("expected a step");
    while (lines.next_field(word, ',')) n.push_back(lines.finite_number("a number", word));
    if (n.size() != numbers) lines.fail("found {} numbers behind the step; expected {}", n.size(), numbers);
    if (step > last) break;
    Row row{step, n[0], {n[1], n[2], 0, {n[4], n[5], n[6]}, {n[7], n[8], n[9]}}, {}};
    for (std::size_t k = numbers_at_rest; k < numbers; ++k) row.radii[k - numbers_at_rest] = n[k];
    rows_.push_back(row);
  }
}

void EnergySeries::append(std::int64_t step, double time, const Invariants& invariants, const Particles& particles) {
  if (!rows_.empty() && rows_.back().step >= step) return;
  Row row{step, time, invariants, {}};
  if (radii_) row.radii = lagrangian_radii(particles);
  rows_.push_back(row);
}

void EnergySeries::write(const std::filesystem::path& path) const {
  OutputFile file(path);
  std::string text = header() + "\n";
  for (const Row& row : rows_) {
    const Invariants& v = row.invariants;
    text += fmt::format("{},{},{},{},{},{},{}", row.step, row.time, v.kinetic, v.potential, v.total(),
                        fmt::join(v.momentum, ","), fmt::join(v.angular_momentum, ","));
    if (radii_) text += fmt::format(",{}", fmt::join(row.radii, ","));
    text += '\n';
  }
  file.write(text);
  file.commit();
}

void EnergySeries::draw(const std::filesystem::path& path) const {
  output::Chart chart{"Energy of the particles",
                      "time" + unit_of(units_.time),
                      "energy" + unit_of(units_.energy),
                      {},
                      output::Marks::none};
  const auto line = [&](const char* name, const auto& value) {
    chart.lines.push_back({name, {}});
    for (const Row& row : rows_) {
      const double y = value(row.invariants);
      chart.lines.back().points.push_back({row.time, y, y, y});
    }
  };
  line("kinetic", [](const Invariants& v) { return v.kinetic; });
  line("potential", [](const Invariants& v) { return v.potential; });
  line("total", [](const Invariants& v) { return v.total(); });
  output::write_chart(path, chart);
}

}  // namespace asterism::fmm
