// SPDX-License-Identifier: Apache-2.0
// What a run says about itself: table and record.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/fdtd/run.hpp"
#include "codelets/fdtd/kernels/costs.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::fdtd {

using namespace asterism::fdtd;

void Run::describe(Report& report) {
  const Problem& p = problem();
  auto& [record, rows, written] = report;
  rows.emplace_back("problem", fmt::format("{}, {} precision", input_.problem_case.describe, name_of(p.precision)));
  rows.emplace_back("time step", fmt::format("{:.6g} s, Courant number {:.4g}", p.dt, courant_number(p)));
  rows.emplace_back("units", fmt::format("{} CPUs, {} GPUs, scheduler {}", session_->cpus(), session_->devices(),
                                         session_->scheduler()));
  record["problem"] = {{"case", args_.scene.empty() ? args_.problem.name : args_.scene},
                       {"cells", p.cells},
                       {"spacing", p.spacing},
                       {"time_step", p.dt},
                       {"courant", courant_number(p)},
                       {"precision", name_of(p.precision)},
                       {"steps", input_.steps}};
  describe_pieces(report);
  if (rank_group().distributed()) {
    record["ranks"] = ranks_record(stepping_->seconds());
    rows.push_back(ranks_row(record["ranks"]));
  }
  if (!simulated) describe_state(report);
  describe_ports(report);
  describe_scattering(report);
  describe_fluxes(report);
  describe_ringdowns(report);
}

void Run::describe_ringdowns(Report& report) {
  if (!input_.scene) return;
  for (const Ringdown& r : input_.scene->ringdowns) {
    if (!r.resonance) {
      report.rows.emplace_back("ringdown",
                               fmt::format("{}: no oscillation that decays after {:.6g} s", r.probe, r.after));
      continue;
    }
    const auto& [frequency, quality, residual] = *r.resonance;
    report.rows.emplace_back("ringdown", fmt::format("{}: {:.6g} Hz, Q {:.5g}, other oscillations {:.1g} of it",
                                                     r.probe, frequency, quality, residual));
    report.record["ringdowns"][r.probe] = {
        {"frequency", frequency}, {"quality", quality}, {"residual", residual}, {"after", r.after}};
  }
}

/// A line for each plane: what passes, and how much of that in the run that normalises.
void Run::describe_fluxes(Report& report) {
  if (!input_.scene) return;
  const auto& all = input_.scene->fluxes;
  for (auto first = all.begin(); first != all.end();) {
    const auto end = std::find_if(first, all.end(), [&](const SceneFlux& f) { return f.name != first->name; });
    const bool normalised = first->normalised.has_value();
    const auto of = [&](const SceneFlux& f) { return normalised ? *f.normalised : f.power; };
    const auto less = [&](const SceneFlux& a, const SceneFlux& b) { return of(a) < of(b); };
    const auto [least, most] = std::minmax_element(first, end, less);
    report.rows.emplace_back("flux", fmt::format("{}: {:.4g} at {:.6g} Hz to {:.4g} at {:.6g} Hz {}", first->name,
                                                 of(*least), least->frequency, of(*most), most->frequency,
                                                 normalised ? "of that of the other run" : "(J/Hz times 1/4)"));
    report.record["fluxes"][first->name] = {{"least", of(*least)}, {"most", of(*most)}, {"normalised", normalised}};
    first = end;
  }
}

/// Where a scene with one plane wave scatters most.
void Run::describe_scattering(Report& report) {
  if (!input_.scene) return;
  const auto& all = input_.scene->far_fields;
  const auto less = [](const SceneFarField& a, const SceneFarField& b) { return *a.scattering < *b.scattering; };
  if (all.empty() || !all[0].scattering) return;
  const SceneFarField& most = *std::max_element(all.begin(), all.end(), less);
  report.rows.emplace_back(
      "scattering", fmt::format("most at {:.6g} Hz: a cross-section of {:.5g} m^2", most.frequency, *most.scattering));
  report.record["most_scattering"] = {{"frequency", most.frequency}, {"cross_section", *most.scattering}};
}

/// Where the generator's port reflects least.
void Run::describe_ports(Report& report) {
  if (!input_.scene || input_.scene->ports.empty()) return;  // as on ranks but the first
  const auto& scene = input_.scene->scene;
  const std::size_t driven = driven_port(scene);
  const auto& all = input_.scene->ports;
  const auto less = [&](const Scattering& a, const Scattering& b) {
    return std::abs(a.s[driven]) < std::abs(b.s[driven]);
  };
  const Scattering& least = *std::min_element(all.begin(), all.end(), less);
  const double decibels = 20 * std::log10(std::abs(least.s[driven]));
  report.rows.emplace_back(
      "reflection",
      fmt::format("least at {:.6g} Hz: {:.2f} dB of port {}, impedance {:.4g}{:+.4g}j ohm", least.frequency, decibels,
                  scene.ports[driven].name, least.impedance.real(), least.impedance.imag()));
  report.record["least_reflection"] = {{"port", scene.ports[driven].name},
                                       {"frequency", least.frequency},
                                       {"s_db", decibels},
                                       {"impedance", {least.impedance.real(), least.impedance.imag()}}};
}

void Run::describe_pieces(Report& report) {
  const Division& division = stepping_->division();
  const int corrections = stepping_->corrections();
  report.rows.emplace_back("pieces",
                           fmt::format("{} bricks, GPUs {:.2f} %{}", division.bricks.size(), 100 * division.gpu_share,
                                       corrections > 0 ? fmt::format(" (moved {} times)", corrections) : ""));
  auto& record = report.record;
  record["pieces"] = {{"bricks", division.bricks.size()},
                      {"gpu_share", division.gpu_share},
                      {"overlap", division.overlap},
                      {"exchange", name_of(division.exchange)},
                      {"corrections", corrections},
                      {"steps_in_passes", stepping_->simulation().steps_in_passes()},
                      {"placed_by", args_.pieces.scheduler_places ? "scheduler" : "program"}};
  if (!stepping_->gpu_weights().empty()) record["pieces"]["gpu_weights"] = stepping_->gpu_weights();
  if (const auto& rates = stepping_->rates()) record["rates"] = {{"cpus", rates->cpus}, {"gpus", rates->gpus}};
  record["tasks"] = stepping_->simulation().tasks();
}

void Run::describe_state(Report& report) {
  auto& [record, rows, written] = report;
  const std::array<double, 3> sums = stepping_->simulation().sums(Field::electric);
  const Energy energy = stepping_->simulation().energy();
  record["sums"] = {{"ex", sums[0]}, {"ey", sums[1]}, {"ez", sums[2]}};
  record["energy"] = {{"electric", energy.electric}, {"magnetic", energy.magnetic}};
  if (args_.scene.empty() && args_.problem.name == "benchmark")
    rows.emplace_back("check value", fmt::format("{:.12g} V/m", sums[2]));
  rows.emplace_back("energy", fmt::format("electric {:.6g} J, magnetic {:.6g} J", energy.electric, energy.magnetic));
  const Case& c = input_.problem_case;
  if (c.resonance <= 0) return;
  record["resonance"] = {{"grid", c.resonance}, {"continuum", c.continuum}};
  rows.emplace_back("resonance", fmt::format("{:.9g} Hz on the grid, {:.9g} Hz without", c.resonance, c.continuum));
}

void Run::measure(Report& report) {
  if (stepping_->timed_steps() == 0) return;
  auto& [record, rows, written] = report;
  const double seconds = stepping_->seconds();
  const auto steps = static_cast<double>(stepping_->timed_steps());
  const double flops = benchmark_flops(problem().cells, stepping_->timed_steps()) / seconds;
  record["seconds"] = seconds;
  record["timed_steps"] = stepping_->timed_steps();
  record["mcells"] = stepping_->rate() * 1e-6;
  record["gflops"] = flops * 1e-9;
  rows.emplace_back("time", fmt::format("{:.3f} s, {:.4g} ms per step, {:.1f} Mcells/s", seconds, seconds / steps * 1e3,
                                        stepping_->rate() * 1e-6));
  rows.emplace_back("operations", fmt::format("{:.2f} GFlop/s", flops * 1e-9));
  if (args_.transfers) measure_transfers(report);
  measure_bandwidth_share(report);
}

/// As section 4.1 of the thesis counts: "the total execution time (including data transfers)".
void Run::measure_transfers(Report& report) {
  const double load = stepping_->load_seconds(), unload = stepping_->unload_seconds();
  const double seconds = load + stepping_->seconds() + unload;
  const double flops = benchmark_flops(problem().cells, stepping_->timed_steps()) / seconds;
  auto& [record, rows, written] = report;
  record["transfers"] = {{"gpus", name_of(*args_.transfers)}, {"load_seconds", load}, {"unload_seconds", unload}};
  record["seconds_with_transfers"] = seconds;
  record["gflops_with_transfers"] = flops * 1e-9;
  rows.emplace_back("with transfers",
                    fmt::format("{:.3f} s, of which fields to GPUs {:.3f} s and back {:.3f} s, {:.2f} "
                                "GFlop/s",
                                seconds, load, unload, flops * 1e-9));
}

/// The memory traffic is that of one pass for H and one for E, so more than all of the bandwidth can be reached by
/// taking both at once.
void Run::measure_bandwidth_share(Report& report) {
  const Problem& p = problem();
  const double bytes = 2 * update_bytes(!p.material.empty(), size_of(p.precision)) * stepping_->rate();
  report.record["bandwidth"] = {{"two_pass", bytes}};
  // ranks of one machine would contend during the measurement
  if (rank_group().distributed()) return;
  if (bytes * stepping_->seconds() < smallest_bound_by_memory * static_cast<double>(stepping_->timed_steps())) return;
  const Bandwidth bandwidth = known_bandwidth();
  const double share = stepping_->division().gpu_share;
  const double copy = (share > 0 ? bandwidth.gpu_copy * session_->devices() : 0) + (share < 1 ? bandwidth.cpu_copy : 0);
  report.record["bandwidth"]["copy"] = copy;
  report.record["bandwidth"]["share"] = bytes / copy;
  report.rows.emplace_back("memory",
                           fmt::format("{:.1f} GB/s in two passes, {:.0f} % of measured copy bandwidth ({:.0f} GB/s)",
                                       bytes * 1e-9, 100 * bytes / copy, copy * 1e-9));
}

}  // namespace asterism::apps::fdtd
