// SPDX-License-Identifier: Apache-2.0
// What a run of asterism-lbm says in its table and its record.
#include <fmt/format.h>

#include "apps/lbm/numbers.hpp"
#include "apps/lbm/run.hpp"
#include "codelets/lbm/kernels/costs.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/verify.hpp"

namespace asterism::apps::lbm {

using namespace asterism::lbm;

namespace {

const char* title_of(Collision::Model model) {
  return model == Collision::Model::bgk ? "BGK" : model == Collision::Model::trt ? "TRT" : "central moments";
}

}  // namespace

void Run::describe(Report& report) {
  describe_flow(report);
  describe_pieces(report);
  if (rank_group().distributed()) {
    report.record["ranks"] = ranks_record(seconds_);
    report.rows.push_back(ranks_row(report.record["ranks"]));
  }
  if (simulated) return;
  report.record["totals"] = {
      {"mass", totals_.mass}, {"momentum", totals_.momentum}, {"energy", totals_.energy}, {"speed", totals_.speed}};
  report.rows.emplace_back("state", fmt::format("largest speed {:.4g}, kinetic energy {:.6g}, mass - cells {:.2e}",
                                                totals_.speed, totals_.energy, totals_.mass));
  output_->describe(report);
}

void Run::describe_flow(Report& report) const {
  const Problem& problem = flow_.problem;
  const std::string turbulence =
      problem.collision.smagorinsky > 0 ? fmt::format(" with Smagorinsky {}", problem.collision.smagorinsky) : "";
  report.rows.emplace_back("flow", flow_.describe);
  report.rows.emplace_back("method", fmt::format("{}{}, {} precision", title_of(problem.collision.model), turbulence,
                                                 name_of(problem.precision)));
  report.record["flow"] = {{"case", args_.flow.name},
                           {"cells", problem.cells},
                           {"fluid_cells", simulation_->fluid_cells()},
                           {"tau", problem.collision.tau},
                           {"velocity", flow_.velocity},
                           {"length", flow_.length},
                           {"collision", name_of(problem.collision.model)},
                           {"smagorinsky", problem.collision.smagorinsky},
                           {"precision", name_of(problem.precision)},
                           {"steps", args_.steps}};
  const FlowNumbers numbers = flow_numbers(flow_);
  nlohmann::json& record = report.record["flow"];
  record["mach"] = numbers.mach;
  record["reynolds"] = numbers.reynolds;
  if (numbers.body)
    record["body"] = {{"extent", numbers.body->extent},
                      {"across", numbers.across},
                      {"frontal_area", numbers.body->frontal},
                      {"blockage", numbers.blockage},
                      {"walls", problem.distances.empty() ? "staircase" : "interpolated"}};
  if (numbers.y_plus) record["y_plus"] = *numbers.y_plus;
  record["warnings"] = warnings(numbers, flow_);
}

void Run::describe_pieces(Report& report) const {
  report.rows.emplace_back("units", fmt::format("{} CPUs, {} GPUs, scheduler {}", session_->cpus(), session_->devices(),
                                                session_->scheduler()));
  report.rows.emplace_back(
      "pieces",
      fmt::format("{} sub-domains, {} bricks, GPUs {:.2f} %{}",
                  pieces_.subdomains[0] * pieces_.subdomains[1] * pieces_.subdomains[2], simulation_->bricks(),
                  100 * pieces_.gpu_share, corrections_ > 0 ? fmt::format(" (moved {} times)", corrections_) : ""));
  report.record["pieces"] = {{"subdomains", pieces_.subdomains},
                             {"bricks", simulation_->bricks()},
                             {"gpu_share", pieces_.gpu_share},
                             {"corrections", corrections_},
                             {"placed_by", args_.pieces.scheduler_places ? "scheduler" : "program"}};
  if (rates_) report.record["rates"] = {{"cpus", rates_->cpus}, {"gpus", rates_->gpus}};
  report.record["tasks"] = simulation_->tasks();
}

std::vector<Verdict> Run::verify(Report& report) {
  std::vector<Verdict> verdicts;
  if (args_.common.verify) {
    verdicts.push_back(flow_.exact ? compare_with_exact(flow_, *simulation_)
                                   : compare_with_reference(flow_, pieces_.bricks, pieces_.placement, args_.steps));
    add_verdict(report, "verification", verdicts.back());
  }
  if (const auto& d = output_->deviation()) {
    report.record["published"] = {{"source", d->source}, {"u", d->u}};
    if (d->w) report.record["published"]["w"] = *d->w;
    report.rows.emplace_back("published", fmt::format("centre lines within {:.4f}{} of the lid's velocity of {}", d->u,
                                                      d->w ? fmt::format(" and {:.4f}", *d->w) : "", d->source));
  }
  return verdicts;
}

void Run::measure(Report& report) {
  if (timed_steps_ == 0) return;
  const double bytes = update_bytes(size_of(flow_.problem.precision)) * mlups() * 1e6;  // per second
  report.record["seconds"] = seconds_;
  report.record["timed_steps"] = timed_steps_;
  report.record["mlups"] = mlups();
  report.record["bandwidth"] = {{"achieved", bytes}};
  report.record["gflops"] = mlups() * 1e-3 * update_flops(flow_.problem.collision);
  report.rows.emplace_back("time", fmt::format("{:.3f} s, {:.4g} ms per step, {:.1f} MLUPS", seconds_,
                                               seconds_ / static_cast<double>(timed_steps_) * 1e3, mlups()));
  // ranks of one machine would contend during measurement
  if (!rank_group().distributed() && bytes * seconds_ >= smallest_bound_by_memory * static_cast<double>(timed_steps_))
    measure_bandwidth_share(report, bytes);
}

void Run::measure_bandwidth_share(Report& report, double bytes) const {
  const Bandwidth bandwidth = known_bandwidth();
  const double ceiling =
      pieces_.gpu_share * session_->devices() > 0
          ? bandwidth.gpu_copy * session_->devices() + (pieces_.gpu_share < 1 ? bandwidth.cpu_copy : 0)
          : bandwidth.cpu_copy;
  report.record["bandwidth"]["copy"] = ceiling;
  report.record["bandwidth"]["share"] = bytes / ceiling;
  report.rows.emplace_back("memory", fmt::format("{:.1f} GB/s, {:.0f} % of measured copy bandwidth ({:.0f} GB/s)",
                                                 bytes * 1e-9, 100 * bytes / ceiling, ceiling * 1e-9));
}

}  // namespace asterism::apps::lbm
