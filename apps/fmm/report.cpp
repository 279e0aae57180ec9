// SPDX-License-Identifier: Apache-2.0
#include "apps/fmm/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "apps/common/program.hpp"
#include "apps/fmm/run.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/particles/coincident.hpp"

namespace asterism::apps::fmm {

using namespace asterism::fmm;

namespace {

const char* name_of(ReductionOrder order) {
  switch (order) {
    case ReductionOrder::last:
      return "last";
    case ReductionOrder::first:
      return "first";
    case ReductionOrder::any:
      return "any";
  }
  return "";
}

}  // namespace

nlohmann::json rates_record(const std::vector<UnitRates>& rates) {
  nlohmann::json list = nlohmann::json::array();
  for (const UnitRates& r : rates)
    list.push_back({{"units", r.units},
                    {"near_pair_seconds", r.near_pair},
                    {"far_pair_seconds", r.far_pair},
                    {"particle_seconds", r.particle},
                    {"cell_seconds", r.cell}});
  return list;
}

nlohmann::json shares_record(const Simulation& simulation, double seconds) {
  nlohmann::json record = ranks_record(seconds);
  const std::vector<double> flops = rank_group().all_gather(simulation.work().total());
  const std::vector<double> particles = rank_group().all_gather(simulation.particles_of_rank());
  for (std::size_t rank = 0; rank < record.size(); ++rank) {
    record[rank]["flops"] = flops[rank];
    record[rank]["particles"] = particles[rank];
  }
  return record;
}

nlohmann::json tree_record(const Simulation& simulation, const WorkSummary& work) {
  const Tree& tree = simulation.tree();
  nlohmann::json levels = nlohmann::json::array();
  for (int l = 0; l <= tree.leaf_level(); ++l) levels.push_back(tree.level(l).key.size());
  const std::vector<std::int64_t>& begin = tree.leaf_begin();
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    least = std::min(least, begin[i + 1] - begin[i]);
    most = std::max(most, begin[i + 1] - begin[i]);
  }
  return {{"height", tree.shape().height},
          {"group_size", tree.shape().group_size},
          {"leaf_size", tree.shape().leaf_size},
          {"widening", tree.shape().widening},
          {"cells", levels},
          {"leaves", begin.size() - 1},
          {"groups", tree.leaf_groups()},
          {"particles_per_leaf",
           {{"mean", static_cast<double>(begin.back()) / static_cast<double>(begin.size() - 1)},
            {"min", least},
            {"max", most}}},
          {"near_pairs", work.near_pairs},
          {"far_pairs", work.far_pairs}};
}

void report_errors(Report& report, const Errors& errors, const char* reference, double allowed, double promised) {
  report.record["verification"] = {{"targets", errors.targets},
                                   {"potential_error", errors.potential},
                                   {"force_error", errors.force},
                                   {"allowed", allowed}};
  report.rows.emplace_back("relative L2 errors",
                           fmt::format("potential {:.2e}, force {:.2e} ({} targets, {})", errors.potential,
                                       errors.force, errors.targets, reference));
  const double largest = std::max(errors.potential, errors.force);
  const bool missed = !(largest <= promised);
  report.record["verification"]["promised"] = promised;
  report.record["verification"]["missed"] = missed;
  if (missed)
    report.rows.emplace_back(
        "accuracy", fmt::format("missed: {:.2e}, promised {:.0e}; up to {:.0e} passes", largest, promised, allowed));
}

void Run::describe(Report& report) {
  const Outcome& o = outcome_;
  const Accuracy& accuracy = problem_.accuracy;
  nlohmann::json& record = report.record;
  record["particles"] = {{"source", title()}, {"count", all_particles_ - all_targets_}, {"seed", args_.generated.seed}};
  if (!args_.at.empty()) record["targets"] = {{"file", args_.at}, {"count", all_targets_}};
  record["options"] = {{"kernel", problem_.interaction.name},
                       {"order", accuracy.basis.order},
                       {"radius_squared", accuracy.basis.radius_squared},
                       {"epsilon", accuracy.epsilon},
                       {"coefficients", o.basis_size},
                       {"ranks", o.operator_ranks},
                       {"mean_rank", o.mean_rank},
                       {"reduction", name_of(options_.reduction)},
                       {"m2l", options_.shape.far_tasks == FarTasks::joined ? "joined" : "separate"},
                       {"gpu_order", asterism::fmm::gpu_orders[static_cast<std::size_t>(gpu_order_)].first},
                       {"split_near", options_.split_near},
                       {"balance", options_.share == ShareOf::work ? "work" : "particles"},
                       {"repeat", args_.repeat},
                       {"steps", args_.motion.steps},
                       {"dt", args_.motion.dt},
                       {"restart", args_.restart}};
  if (problem_.interaction.name == "yukawa") record["options"]["kappa"] = args_.kappa;
  record["tree"] = o.tree;
  record["rates"] = rates_record(rates_);
  record["plan"] = {{"reason", plan_.reason},
                    {"predicted_seconds", plan_.seconds},
                    {"core_share", plan_.pieces.share},
                    {"pieces", plan_.pieces.count},
                    {"measuring_seconds", measuring_seconds_}};
  record["tasks"] = o.tasks;
  const nlohmann::json& leaves = o.tree["particles_per_leaf"];
  report.rows.insert(report.rows.end(),
                     {{"particles", title()},
                      {"units", o.units},
                      {"kernel", o.operator_ranks.empty()
                                     ? fmt::format("{}, all pairs", problem_.interaction.name)
                                     : fmt::format("{}, order {}, {} coefficients, epsilon {:.0e}, mean rank {:.1f}",
                                                   problem_.interaction.name, accuracy.basis.order, o.basis_size,
                                                   accuracy.epsilon, o.mean_rank)},
                      {"tree", fmt::format("{}height {}, {} leaves of {:.1f} particles ({} to {}), {} groups of {}",
                                           options_.shape.adaptive() ? "adaptive, " : "", options_.shape.height,
                                           o.tree["leaves"].get<std::size_t>(), leaves["mean"].get<double>(),
                                           leaves["min"].get<std::int64_t>(), leaves["max"].get<std::int64_t>(),
                                           o.tree["groups"].get<std::size_t>(), options_.shape.group_size)}});
  if (!plan_.reason.empty()) report.rows.insert(report.rows.begin() + 2, {"choice", plan_.reason});
  if (measuring_seconds_ > 0)
    report.rows.emplace_back(
        "measuring", fmt::format("{:.2f} s for rates of this machine, kept for later runs", measuring_seconds_));
  if (const std::size_t coincident = coincident_particles(particles_); coincident > 0) {
    record["coincident_particles"] = coincident;
    report.rows.emplace_back("coincident",
                             fmt::format("{} particles{} are where another one is: their pairs {}", coincident,
                                         rank_group().distributed() ? " of this process" : "",
                                         problem_.interaction.acts_at_zero ? "count, softened" : "are left out"));
  }
  describe_physics(report);
  describe_periodic(report);
  if (!rank_group().distributed()) return;
  record["ranks"] = o.ranks;
  report.rows.push_back(ranks_row(o.ranks));
}

void Run::measure(Report& report) {
  const WorkSummary& work = outcome_.work;
  const std::vector<double>& all = outcome_.seconds;
  // the first evaluation pays for transfers and page faults that later ones do not
  const std::vector<double> later(all.begin() + (all.size() > 1 ? 1 : 0), all.end());
  const double seconds = median(later);
  nlohmann::json& record = report.record;
  record["seconds"] = seconds;
  constexpr std::ptrdiff_t most_listed = 100;  // a motion has many
  record["evaluation_seconds"] = std::vector<double>(all.begin(), all.begin() + std::min(most_listed, std::ssize(all)));
  record["build_seconds"] = outcome_.build_seconds;
  record["flops"] = {{"p2p", work.p2p}, {"p2m", work.p2m}, {"m2m", work.m2m},      {"m2l", work.m2l},
                     {"l2l", work.l2l}, {"l2p", work.l2p}, {"total", work.total()}};
  record["gflops"] = work.total() / seconds * 1e-9;
  report.rows.emplace_back(
      "work",
      fmt::format("{:.3g} near pairs, {:.3g} far pairs, {:.3g} Gflop, {} tasks", static_cast<double>(work.near_pairs),
                  static_cast<double>(work.far_pairs), work.total() * 1e-9, outcome_.tasks));
  report.rows.emplace_back(
      "time", fmt::format("{:.3f} s per evaluation (first {:.3f} s), {:.1f} Gflop/s; tree and operators {:.3f} s",
                          seconds, all.front(), work.total() / seconds * 1e-9, outcome_.build_seconds));
  if (args_.motion.steps == 0) return;
  record["step_seconds"] = outcome_.step_seconds;
  report.rows.emplace_back("step", fmt::format("{:.3f} s with moving and adapting the tree", outcome_.step_seconds));
}

}  // namespace asterism::apps::fmm
