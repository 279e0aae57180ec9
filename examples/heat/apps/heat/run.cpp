// SPDX-License-Identifier: Apache-2.0
#include "apps/heat/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/phases.hpp"
#include "apps/common/program.hpp"
#include "codelets/heat/kernels/costs.hpp"
#include "runtime/clock.hpp"
#include "taskflows/heat/checkpoint.hpp"
#include "taskflows/heat/flow.hpp"
#include "taskflows/heat/verify.hpp"

namespace asterism::apps::heat {

using namespace asterism::heat;

namespace {

/// Steps of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr long calibration_steps = 24;
/// Steps between two updates of the progress line.
constexpr long steps_at_once = 100;

int blocks(const Arguments& args, const Session& session) {
  return args.blocks > 0 ? args.blocks : 2 * (session.cpus() + session.gpus());
}

}  // namespace

std::optional<int> Run::prepare() {
  case_ = make_case(args_.problem_case);
  return std::nullopt;
}

void Run::calibrate() {
  const Session session(calibration(args_.common.session, args_.common.trace));
  Simulation simulation(case_.problem, blocks(args_, session));
  advance(simulation, calibration_steps);
  starpu_task_wait_for_all();
}

void Run::solve(const Session& session) {
  ProgressLine line(!args_.common.quiet);
  simulation_.emplace(case_.problem, blocks(args_, session));
  if (!args_.restart.empty()) read_checkpoint(args_.restart, *simulation_);
  timed_steps_ = std::max(args_.steps - simulation_->time, 0L);
  enter(Phase::steps);
  const auto begin = Clock::now();
  while (simulation_->time < args_.steps) {
    advance(*simulation_, std::min(steps_at_once, args_.steps - simulation_->time));
    starpu_task_wait_for_all();
    line.show(static_cast<double>(simulation_->time) / static_cast<double>(args_.steps),
              fmt::format("step {} of {}", simulation_->time, args_.steps));
  }
  seconds_ = seconds_since(begin);
  if (!args_.checkpoint.empty()) write_checkpoint(args_.checkpoint, *simulation_);
}

void Run::describe(Report& report) {
  const Problem& p = case_.problem;
  report.rows.emplace_back(
      "grid", fmt::format("{} x {} points in {} blocks", p.columns, p.rows, simulation_->decomposition.blocks));
  report.rows.emplace_back("time step", fmt::format("{:.6g} s, {} steps", p.dt, simulation_->time));
  report.record["problem"] = {{"case", args_.problem_case.name}, {"points", {p.columns, p.rows}}, {"time_step", p.dt}};
  report.record["steps"] = simulation_->time;
  if (!args_.checkpoint.empty()) report.written.push_back(args_.checkpoint);
}

std::vector<Verdict> Run::verify(Report& report) {
  if (!args_.common.verify) return {};
  const Verdict verdict = asterism::heat::verify(case_, *simulation_);
  add_verdict(report, "verification", verdict);
  return {verdict};
}

void Run::measure(Report& report) {
  if (timed_steps_ == 0) return;
  const double updates =
      points(case_.problem.rows, case_.problem.columns) * static_cast<double>(timed_steps_) / seconds_;
  report.record["seconds"] = seconds_;
  report.record["updates_per_second"] = updates;
  report.rows.emplace_back(
      "time", fmt::format("{:.3f} s, {:.1f} million points/s, {:.2f} Gflop/s, {:.2f} GB/s", seconds_, updates * 1e-6,
                          updates * flops_per_point * 1e-9, updates * bytes_per_point * 1e-9));
}

}  // namespace asterism::apps::heat
