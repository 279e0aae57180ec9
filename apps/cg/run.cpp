// SPDX-License-Identifier: Apache-2.0
#include "apps/cg/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "apps/common/phases.hpp"
#include "apps/common/program.hpp"
#include "base/version.hpp"
#include "codelets/cg/kernels/costs.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/cases.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "taskflows/cg/preconditioner/choice.hpp"
#include "taskflows/cg/preconditioner/gauss_seidel.hpp"

namespace asterism::apps::cg {

using namespace asterism::cg;

namespace {

/// How much of the solve is done: by the number of iterations or by the residual, whichever is more.
double fraction_done(const Progress& p) {
  const double by_count =
      static_cast<double>(p.iteration) / static_cast<double>(std::max<std::int64_t>(1, p.max_iterations));
  const double by_residual = p.tolerance > 0 && p.residual > 0 ? std::log(p.residual) / std::log(p.tolerance) : 0;
  return std::max(by_count, by_residual);
}

}  // namespace

/// Scheduler and units, where the command line leaves them open.
void Run::choose_units() {
  SessionOptions& session = arguments_.common.session;
  // The static mapper suits these graphs (paper, section 5.3); STARPU_SCHED and --scheduler are obeyed.
  arguments_.own_scheduler = session.scheduler.has_value() || std::getenv("STARPU_SCHED") != nullptr;
  if (!arguments_.own_scheduler) session.scheduler = "cyclic";
  // The mapper of a GPU run gives nothing to CPU workers: without them no thread disturbs those that drive the GPUs.
  const bool cyclic = session.scheduler.value_or("") == "cyclic";
  const bool on_gpus_only =
      (arguments_.units == "default" || arguments_.units == "gpu") && session.gpus.value_or(visible_gpus()) > 0;
  whole_machine_ = session;
  if (cyclic && on_gpus_only && !session.cpus && std::getenv("STARPU_NCPU") == nullptr) {
    session.cpus = rank_group().distributed() ? 1 : 0;  // which brings the ranks' sums together
    if (!rank_group().distributed())
      arguments_.common.units.reason =
          "GPUs: they would wait for block-rows of cores in every iteration (--units all has cores take a share)";
  }
  if (arguments_.units != "default") setenv("ASTERISM_CYCLIC_UNITS", arguments_.units.c_str(), 1);
}

void Run::leave_small_systems_to_one_unit() {
  SessionOptions& session = arguments_.common.session;
  const bool open = !arguments_.blocks && arguments_.units == "default" && !arguments_.common.calibrate && !simulated &&
                    !rank_group().distributed();
  if (!open) return;
  const double bytes = iteration_bytes(Iteration::fused, static_cast<double>(a_.nnz()), static_cast<double>(a_.n));
  const auto alone = [&](const char* unit, double most) {
    arguments_.common.units.reason = fmt::format(
        "1 {0}: an iteration moves {1:.4g} kB; up to {2:.4g} kB one {0} is as fast as several, which wait for "
        "each other in every iteration",
        unit, bytes / 1e3, most / 1e3);
  };
  if (const int gpus = session.gpus.value_or(visible_gpus()); gpus > 0) {
    if (gpus == 1 || session.gpus || std::getenv("STARPU_NCUDA") != nullptr || bytes > bytes_for_one_gpu) return;
    session.gpus = 1;
    return alone("GPU", bytes_for_one_gpu);
  }
  if (session.cpus || std::getenv("STARPU_NCPU") != nullptr || std::getenv("STARPU_NCPUS") != nullptr) return;
  const Options& o = arguments_.options;
  const bool whole = o.flow == Flow::fused && o.preconditioner_flow == PreconditionerFlow::none &&
                     arguments_.task.value_or(TaskSize::graph) != TaskSize::operation && !arguments_.own_scheduler &&
                     arguments_.common.trace.empty() && this_machine().cores <= max_team;
  if (bytes > bytes_for_one_core(whole)) return;
  session.cpus = 1;
  alone("core", bytes_for_one_core(whole));
}

/// Where messages between ranks would take longer than all of the work.
void Run::leave_small_systems_to_each_rank() {
  if (!rank_group().distributed()) return;
  SessionOptions& session = arguments_.common.session;
  const Options& o = arguments_.options;
  const bool open = !arguments_.blocks && !arguments_.task && !arguments_.transfer && !arguments_.vector &&
                    !arguments_.dot && o.decomposition == Decomposition::one_d && arguments_.units == "default" &&
                    !simulated && !arguments_.common.calibrate && arguments_.common.trace.empty() &&
                    !arguments_.own_scheduler && o.flow == Flow::fused &&
                    o.preconditioner_flow == PreconditionerFlow::none && arguments_.checkpoints.write.empty() &&
                    arguments_.checkpoints.read.empty() && !uses_gpus(session);
  const RowCounts& counts = matrix_.counts;
  const double bytes = iteration_bytes(Iteration::fused, static_cast<double>(counts.entries_before(counts.n)),
                                       static_cast<double>(counts.n));
  if (!rank_group().everywhere(open && bytes <= bytes_for_each_rank)) return;
  session.cpus = 1;
  session.each_rank_alone = true;
  arguments_.common.units.reason = fmt::format(
      "a core of each of {} ranks does everything: an iteration moves {:.4g} kB; up to {:.4g} kB that takes no longer "
      "than messages",
      rank_group().ranks(), bytes / 1e3, bytes_for_each_rank / 1e3);
}

std::optional<int> Run::prepare() {
  choose_units();
  matrix_ = open_matrix(arguments_.problem);
  structure_ = matrix_.structure;
  leave_small_systems_to_each_rank();
  // over several ranks the rows depend on the number of block-rows, and this on the units
  if (!rank_group().distributed() || arguments_.common.session.each_rank_alone) take_rows(0, matrix_.counts.n);
  choose_preconditioner();
  leave_small_systems_to_one_unit();
  make_hierarchy();
  return std::nullopt;
}

void Run::choose_preconditioner() {
  if (arguments_.preconditioner != "auto") return;
  const bool body = matrix_.positions.size() * 3 == static_cast<std::size_t>(a_.n);
  const bool on_gpus = arguments_.units != "cpu" && arguments_.common.session.gpus.value_or(visible_gpus()) > 0;
  const auto choice =
      cg::choose_preconditioner(a_, body ? 3 : rows_of_nodes(a_), arguments_.options.tolerance, on_gpus);
  arguments_.preconditioner = choice.name;
  arguments_.why_preconditioner = choice.reason;
  apply_preconditioner(arguments_);
}

void Run::make_hierarchy() {
  const PreconditionerFlow flow = arguments_.options.preconditioner_flow;
  if (flow == PreconditionerFlow::none) return;
  CsrMatrix whole;  // over several ranks each makes the hierarchy of the whole matrix, and then takes its rows
  if (rank_group().distributed()) whole = matrix_.rows(0, matrix_.counts.n);
  const CsrMatrix& a = rank_group().distributed() ? whole : a_;
  int& size = arguments_.options.node_rows;
  const bool body = matrix_.positions.size() * 3 == static_cast<std::size_t>(a.n);
  size = body ? 3 : arguments_.preconditioner_block.value_or(rows_of_nodes(a));
  if (size > most_rows_of_nodes || a.n % size != 0)
    bad_input("--preconditioner-block {}: {} expects a divisor of {} rows, up to {}", size, name_of(flow), a.n,
              most_rows_of_nodes);
  if (flow == PreconditionerFlow::ssor)
    hierarchy_ = coloured(a, size);
  else
    hierarchy_ =
        smoothed_aggregation(a, size, body ? rigid_motions(matrix_.positions) : component_constants(a.n, size));
  if (!rank_group().distributed()) return;
  hierarchy_.level.front().a = std::move(whole);
  const CsrMatrix& kept = hierarchy_.level.front().a;
  matrix_ = {{kept.n, kept.name, [&kept](std::int64_t row) { return kept.begin_of(row); }},
             [&kept](std::int64_t first, std::int64_t last) { return rows_of(kept, first, last); }};
}

void Run::take_rows(std::int64_t first, std::int64_t last) {
  a_ = matrix_.rows(first, last);
  right_ = right_hand_side(arguments_.problem, a_, structure_.get());
}

void Run::calibrate() {
  // The choices that the run will make for its units, for calibration to meet the same tasks.
  Options options;
  {
    const Session session(arguments_.common.session);
    options = complete_options(arguments_, session, matrix_.counts.n);
    const Bandwidth bandwidth = arguments_.units == "all" ? known_bandwidth() : Bandwidth{};
    calibrated_shares_ = block_shares(arguments_, session, bandwidth, options.blocks);
  }
  cg::calibrate(arguments_, whole_machine_, a_, right_.b, options, calibrated_shares_, hierarchy());
}

void Run::decompose(const Session& session, const Options& options) {
  const std::vector<double> shares =
      calibrated_shares_.empty() ? block_shares(arguments_, session, bandwidth_, options.blocks) : calibrated_shares_;
  const int unit = uncut_rows(options);
  if (!rank_group().distributed()) {
    partition_ = partition_rows(a_, shares, options.balance, unit);
    return;
  }
  partition_ = partition_rows(matrix_.counts, shares, options.balance, unit);
  deal(partition_, rank_group().ranks());
  const int rank = rank_group().rank();
  const Pause pause;
  take_rows(partition_.first(partition_.first_block(rank)), partition_.first(partition_.first_block(rank + 1)));
  matrix_ = {};
}

void Run::solve(const Session& session) {
  const Options options = complete_options(arguments_, session, matrix_.counts.n);
  // caches serve small systems faster than any bound: nothing to measure then
  const double bytes = iteration_bytes(Iteration::fused, static_cast<double>(a_.nnz()), static_cast<double>(a_.n));
  const bool bound_by_memory = bytes > smallest_bound_by_memory && !rank_group().distributed();
  if (bound_by_memory || arguments_.units == "all") bandwidth_ = known_bandwidth();
  on_gpus_ = session.gpus() > 0 && arguments_.units != "cpu";
  const int units = arguments_.units == "all" ? session.gpus() + session.cpus()
                    : on_gpus_                ? session.gpus()
                                              : session.cpus();
  decompose(session, options);
  ProgressLine line(!arguments_.common.quiet);
  solved_ = solve_once(
      session, a_, right_.b, options, partition_,
      [&](const Progress& p) {
        line.show(fraction_done(p), fmt::format("iteration {}, residual {:.2e}", p.iteration, p.residual));
      },
      arguments_.checkpoints,
      [&] {
        enter(Phase::steps);
        if (!simulated) return;  // many ranks of a simulated cluster are one process
        a_.row_begin = {};
        a_.column = {};
        a_.value = {};
      },
      hierarchy());
  units_ = static_cast<int>(sum_over_ranks(units));
  performance_ = performance(solved_, a_.n, session, bandwidth_, units_);
}

std::vector<Verdict> Run::verify(Report& report) {
  const Pause pause;
  const SolveResult& result = solved_.result;
  const Demand demand{arguments_.options.tolerance, arguments_.iterations.has_value(), arguments_.common.verify,
                      arguments_.preconditioner};
  const Verification v = judge(arguments_.problem, {a_, partition_, right_.b, solved_.x, result}, demand);
  report.record["residual"] = {
      {"recurrence", result.recurrence_residual}, {"true", result.true_residual}, {"extended", v.residual}};
  report.record["history"] = result.history;
  report.rows.emplace_back("||b - Ax|| / ||b||",
                           fmt::format("{:.3e} (recurrence {:.3e})", v.residual, result.recurrence_residual));
  if (v.by_answer) {
    report.record["cholesky"] = {
        {"difference", v.by_answer->error}, {"allowed", v.by_answer->allowed}, {"condition", v.condition}};
    report.rows.emplace_back("against Cholesky", fmt::format("{:.3e} (allowed {:.3e}, condition {:.1e})",
                                                             v.by_answer->error, v.by_answer->allowed, v.condition));
  } else if (!v.not_compared.empty()) {
    report.rows.emplace_back("against Cholesky", "not compared: " + v.not_compared);
  }
  if (!right_.known.empty()) add_error_to_known(report);
  std::vector<Verdict> verdicts = v.verdicts();
  if (structure_) verdicts.push_back(add_structure(report, v.residual));
  return verdicts;
}

void Run::finish(Report& report) {
  if (arguments_.efficiency) add_efficiency(report);
  if (structure_result_ && !arguments_.output.empty()) write_mesh(arguments_.output, *structure_, *structure_result_);
  if (!arguments_.output.empty()) report.written.push_back(arguments_.output);
  if (arguments_.solution.empty()) return;
  const std::vector<double> x = rank_group().collect(std::span<const double>(solved_.x));
  if (rank_group().is_root())
    write_vector(arguments_.solution, x, fmt::format("solution of {} by asterism-cg {}", a_.name, version()));
  report.written.push_back(arguments_.solution);
}

}  // namespace asterism::apps::cg
