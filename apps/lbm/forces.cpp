// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/forces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "apps/lbm/numbers.hpp"
#include "base/error.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

constexpr const char* header =
    "step,fx,fy,fz,mx,my,mz,drag_coefficient,side_coefficient,lift_coefficient,mx_coefficient,my_coefficient,"
    "mz_coefficient";
constexpr std::array<const char*, 6> names{"drag", "side", "lift", "mx", "my", "mz"};

ForceSample read_row(const std::string& row) {
  ForceSample sample;
  char* at = nullptr;
  sample.step = std::strtol(row.c_str(), &at, 10);
  for (std::size_t k = 0; k < 6; ++k) {
    if (*at == ',') ++at;
    (k < 3 ? sample.force[k] : sample.moment[k - 3]) = std::strtod(at, &at);
  }
  return sample;
}

/// A body that reaches through a periodic face has no position along that axis.
std::array<bool, 3> axes_with_moment(const Problem& problem) {
  const BodySize size = body_size(problem.solid, problem.cells);
  std::array<bool, 3> has{true, true, true};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (problem.face[2 * axis].periodic && size.at_both_ends[axis]) has[(axis + 1) % 3] = has[(axis + 2) % 3] = false;
  return has;
}

ReferenceScales reference_of(const ForceOptions& options, const Case& flow) {
  const auto frontal = static_cast<double>(body_size(flow.problem.solid, flow.problem.cells).frontal);
  return {options.area.value_or(frontal), options.length.value_or(flow.length), flow.velocity};
}

std::string text_of(const MeanAndDeviation& m) {
  return fmt::format("{:.4g} (deviation {:.2g})", m.mean, m.deviation);
}

}  // namespace

void check(const ForceOptions& options, const Case& flow) {
  if (options.area && !(*options.area > 0 && std::isfinite(*options.area)))
    bad_input("--reference-area {}: expected a positive number", *options.area);
  if (options.length && !(*options.length > 0 && std::isfinite(*options.length)))
    bad_input("--reference-length {}: expected a positive number", *options.length);
  if (options.file.empty()) {
    if (options.area || options.length)
      bad_input("--reference-area and --reference-length: only with --forces, whose coefficients they belong to");
    return;
  }
  if (flow.problem.solid.empty()) bad_input("--forces: this case has no body; expected --case stream");
  if (flow.velocity == 0) bad_input("--forces: coefficients are relative to --velocity, which is 0");
}

Forces::Forces(const ForceOptions& options, const Case& flow, long average_from, long from, long steps)
    : options_(options),
      reference_(reference_of(options, flow)),
      has_moment_(axes_with_moment(flow.problem)),
      remedies_(remedies(flow)),
      average_from_(average_from),
      from_(from),
      table_(options.file, header, options.every, steps) {
  for (const std::string& row : table_.rows_before("--forces", from)) table_.keep(add(read_row(row)));
}

std::string Forces::add(const ForceSample& sample) {
  for (std::size_t a = 0; a < 3; ++a)
    if (!std::isfinite(sample.force[a]) || (has_moment_[a] && !std::isfinite(sample.moment[a])))
      failed("--forces: the force at step {} is out of range; the flow diverges (try {})", sample.step, remedies_);
  samples_.push_back(sample);
  return fmt::format("{},{},{},{}", sample.step, fmt::join(sample.force, ","), fmt::join(sample.moment, ","),
                     fmt::join(reference_.coefficients(sample), ","));
}

void Forces::sample(Simulation& simulation) {
  if (simulation.time() == from_) return;  // the step was of the run before
  ForceAndMoment found = simulation.force_and_moment(options_.centre);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!has_moment_[axis]) found.moment[axis] = std::numeric_limits<double>::quiet_NaN();
  table_.add(add({simulation.time(), found.force, found.moment}));
}

void Forces::describe(Report& report) const {
  nlohmann::json& record = report.record["forces"];
  std::vector<std::string> missing;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!has_moment_[axis]) missing.emplace_back(names[3 + axis]);
  record = {{"reference_area", reference_.area},
            {"reference_length", reference_.length},
            {"centre", options_.centre},
            {"every", options_.every}};
  report.rows.emplace_back(
      "forces", fmt::format("reference area {:.6g}, length {:.6g} cells, moments about ({:.6g}){}", reference_.area,
                            reference_.length, fmt::join(options_.centre, ", "),
                            missing.empty() ? ""
                                            : fmt::format(" without {}, as the body reaches through a periodic face",
                                                          fmt::join(missing, ", "))));
  const std::optional<ForceStatistics> s = force_statistics(samples_, average_from_, reference_);
  if (!s) return;
  record["from"] = s->from;
  record["to"] = s->to;
  record["samples"] = s->samples;
  for (std::size_t k = 0; k < 6; ++k)
    if (k < 3 || has_moment_[k - 3])
      record[names[k]] = {{"mean", s->coefficient[k].mean},
                          {"deviation", s->coefficient[k].deviation},
                          {"least", s->coefficient[k].least},
                          {"most", s->coefficient[k].most}};
  report.rows.emplace_back(
      "means", fmt::format("drag {}, lift {}, side {}: {} samples of steps {} to {}", text_of(s->coefficient[0]),
                           text_of(s->coefficient[2]), text_of(s->coefficient[1]), s->samples, s->from, s->to));
  const auto range = [&](std::size_t k) {
    return fmt::format("{} {:.4g} to {:.4g}", names[k], s->coefficient[k].least, s->coefficient[k].most);
  };
  report.rows.emplace_back("ranges", fmt::format("{}, {}, {}", range(0), range(2), range(1)));
  record["strouhal"] = nullptr;
  if (!s->shedding) {
    report.rows.emplace_back("shedding", "no period seen in lift and side force");
    return;
  }
  const char* const of = s->of_side_force ? "side" : "lift";
  record["strouhal"] = s->strouhal;
  record["shedding"] = {{"force", of}, {"period", s->shedding->period}, {"periods", s->shedding->periods}};
  report.rows.emplace_back(
      "shedding", fmt::format("Strouhal number {:.4g}: {} periods of {:.4g} steps in the {}", s->strouhal,
                              s->shedding->periods, s->shedding->period, s->of_side_force ? "side force" : "lift"));
}

}  // namespace asterism::apps::lbm
