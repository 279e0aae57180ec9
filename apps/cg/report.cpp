// SPDX-License-Identifier: Apache-2.0
// What a run says: the rows of its table and the keys of its record.
#include <fmt/format.h>

#include <cmath>

#include "apps/cg/run.hpp"
#include "apps/common/program.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::cg {

using namespace asterism::cg;
using asterism::cg::name_of;
using nlohmann::json;

namespace {

json options_record(const Options& o) {
  return {{"flow", name_of(o.flow)},
          {"decomposition", name_of(o.decomposition)},
          {"blocks", o.blocks},
          {"transfer", name_of(o.transfer)},
          {"vector", name_of(o.vector)},
          {"dot", name_of(o.dot)},
          {"x_update", name_of(o.x_update)},
          {"column_order", name_of(o.column_order)},
          {"balance", name_of(o.balance)},
          {"format", name_of(o.format)},
          {"task", name_of(o.task)},
          {"vendor", o.vendor},
          {"preconditioner_block", o.preconditioner_block},
          {"node_rows", o.node_rows},
          {"tolerance", o.tolerance},
          {"max_iterations", o.max_iterations},
          {"check_every", o.check_every}};
}

json efficiency_record(const Efficiency& e) {
  return {{"units", e.units},
          {"blocks", e.blocks},
          {"T1_1_ms", e.t1_1 * 1e3},
          {"Tb_1_ms", e.tb_1 * 1e3},
          {"Tb_p_ms", e.tb_p * 1e3},
          {"S", e.speedup()},
          {"e", e.e()},
          {"e_granularity", e.granularity()},
          {"e_pipeline", e.pipeline()}};
}

}  // namespace

void Run::describe(Report& report) {
  const SolveResult& r = solved_.result;
  const Options& o = solved_.options;
  json& record = report.record;
  record["matrix"] = {
      {"name", a_.name}, {"rows", a_.n}, {"nonzeros", solved_.nonzeros}, {"stored_entries", solved_.stored_entries}};
  record["options"] = options_record(o);
  record["block_rows"] = solved_.rows;
  record["outcome"] = name_of(r.outcome);
  record["iterations"] = r.iterations;
  record["restarts"] = r.restarts;

  const char* const kind = arguments_.units == "all" ? "CPUs and GPUs" : on_gpus_ ? "GPU(s)" : "CPU(s)";
  const std::string preconditioner = arguments_.preconditioner == "none" ? "" : ", " + arguments_.preconditioner;
  report.rows.emplace_back("matrix", fmt::format("{}: {} rows, {} non-zeros", a_.name, a_.n, solved_.nonzeros));
  report.rows.emplace_back(
      "units", fmt::format("{} {}, scheduler {}", units_, kind, record["starpu"]["scheduler"].get<std::string>()));
  report.rows.emplace_back("flow", fmt::format("{}, {}, {} block-row(s), {}{}{}", name_of(o.flow),
                                               name_of(o.decomposition), o.blocks, name_of(o.transfer), preconditioner,
                                               o.task == TaskSize::operation ? "" : ", whole iterations"));
  record["preconditioner"] = {{"name", arguments_.preconditioner}};
  if (!arguments_.why_preconditioner.empty()) {
    record["preconditioner"]["chosen"] = arguments_.why_preconditioner;
    report.rows.emplace_back("chosen", fmt::format("{}: {}", arguments_.preconditioner, arguments_.why_preconditioner));
  }
  if (hierarchy() != nullptr && !hierarchy_.colour.empty()) {
    const int colours = std::ranges::max(hierarchy_.colour) + 1;
    record["preconditioner"].update({{"colours", colours}, {"setup_seconds", solved_.preconditioner_seconds}});
    report.rows.emplace_back(
        "preconditioner", fmt::format("ssor: {} colours, set up in {:.3f} s", colours, solved_.preconditioner_seconds));
  } else if (hierarchy() != nullptr) {
    std::vector<std::int64_t> rows;
    for (const Level& level : hierarchy_.level) rows.push_back(level.rows);
    record["preconditioner"].update({{"levels", rows},
                                     {"operator_complexity", hierarchy_.operator_complexity},
                                     {"setup_seconds", solved_.preconditioner_seconds}});
    report.rows.emplace_back(
        "preconditioner",
        fmt::format("amg: {} levels ({} rows), operator complexity {:.2f}, set up in {:.3f} s", hierarchy_.level.size(),
                    fmt::join(rows, ", "), hierarchy_.operator_complexity, solved_.preconditioner_seconds));
  }
  const std::string restarts =
      r.restarts > 0 ? fmt::format(" ({} restart{})", r.restarts, r.restarts == 1 ? "" : "s") : "";
  const std::string chosen = arguments_.default_iterations ? " (of a simulated run; --iterations N for more)" : "";
  report.rows.emplace_back("iterations", fmt::format("{}{}{}", r.iterations, restarts, chosen));
  if (!arguments_.checkpoints.write.empty())
    report.rows.emplace_back(
        "checkpoint",
        r.checkpoint > 0 ? fmt::format("{}, of iteration {}", arguments_.checkpoints.write, r.checkpoint)
                         : fmt::format("none written: fewer iterations than --checkpoint-every {}, and the solve ended",
                                       arguments_.checkpoints.every));
  if (!rank_group().distributed()) return;
  record["ranks"] = ranks_record(r.seconds);
  report.rows.push_back(ranks_row(record["ranks"]));
}

/// ||x - known|| / ||known||
void Run::add_error_to_known(Report& report) const {
  double squares[2] = {0, 0};
  for (std::size_t i = 0; i < right_.known.size(); ++i) {
    const double difference = solved_.x[i] - right_.known[i];
    squares[0] += difference * difference;
    squares[1] += right_.known[i] * right_.known[i];
  }
  const double error = std::sqrt(sum_over_ranks(squares[0]) / sum_over_ranks(squares[1]));
  report.record["error_to_known"] = error;
  report.rows.emplace_back("||x - known|| / ||known||", fmt::format("{:.3e}", error));
}

void Run::measure(Report& report) {
  report.record.update(performance_);
  report.record["seconds"] = solved_.result.seconds;
  report.record["assembly_seconds"] = solved_.assembly_seconds;
  report.record["bytes_exchanged_per_iteration"] = solved_.bytes_exchanged;
  if (solved_.result.iterations == 0) return;
  const auto value = [&](const char* key) { return performance_[key].get<double>(); };
  report.rows.emplace_back(
      "time", fmt::format("{:.3f} s, {:.3f} ms per iteration", solved_.result.seconds, value("ms_per_iteration")));
  report.rows.emplace_back("rate",
                           fmt::format("{:.1f} GB/s, {:.2f} Gflop/s", value("gbytes_per_second"), value("gflops")));
  if (value("bound_ms") > 0)
    report.rows.emplace_back("bytes bound", fmt::format("{:.3f} ms per iteration; measured / bound {:.2f}",
                                                        value("bound_ms"), value("ratio_to_bound")));
}

void Run::add_efficiency(Report& report) {
  const Efficiency e = measure_efficiency(arguments_, a_, right_.b, solved_, on_gpus_ ? UnitsOf::gpus : UnitsOf::cpus,
                                          units_, hierarchy());
  report.record["efficiency"] = efficiency_record(e);
  report.rows.emplace_back("efficiency",
                           fmt::format("S = {:.3f} on {} units, e = {:.3f} = granularity {:.3f} x pipeline {:.3f}",
                                       e.speedup(), e.units, e.e(), e.granularity(), e.pipeline()));
}

}  // namespace asterism::apps::cg
