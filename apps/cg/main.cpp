// asterism-cg: conjugate gradient as a task flow.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>

#include "apps/cg/arguments.hpp"
#include "apps/cg/measure.hpp"
#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/common/simulate.hpp"
#include "base/error.hpp"
#include "codelets/cg/kernels/costs.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/matrix/matrix_market.hpp"
#include "taskflows/cg/verify.hpp"

namespace asterism::apps::cg {
namespace {

using namespace asterism::cg;
using nlohmann::json;

/// A run with a fixed number of iterations is right when its recurrence still tells the truth.
constexpr double recurrence_agreement = 1e-3;
/// Below this the two residuals part in every correct solver.
constexpr double attainable = 1e-12;

const char* name_of(Outcome outcome) {
  return outcome == Outcome::converged        ? "converged"
         : outcome == Outcome::max_iterations ? "max_iterations"
                                              : "stagnated";
}

double sum_over_ranks(double value) {
  const std::vector<double> all = rank_group().all_gather(value);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

struct Judgement {
  Verification verification;
  bool right = false;
  std::string complaint;
};

/// ||b - A x|| / ||b|| of the whole system.
double residual_of(const CsrMatrix& a, const Partition& partition, const Array<double>& b, const Run& run) {
  return rank_group().distributed() ? extended_residual(a, partition, b, run.x) : extended_residual(a, b, run.x);
}

/// --verify. Over several ranks, rank 0 makes the whole matrix, which the factorisation limits in size, once more.
Verification verify_whole(const Arguments& args, const CsrMatrix& a, const Partition& partition, const Array<double>& b,
                          const Run& run, double allowed) {
  if (!rank_group().distributed()) return verify(a, b, run.x, allowed);
  const double residual = residual_of(a, partition, b, run);
  const std::vector<double> whole_b = rank_group().collect(std::span<const double>(b));
  const std::vector<double> whole_x = rank_group().collect(std::span<const double>(run.x));
  Verification v;
  if (rank_group().is_root() && a.n <= largest_factorised)
    v = verify(open_matrix(args).rows(0, a.n), whole_b, whole_x, allowed);
  v.residual = residual;
  if (a.n > largest_factorised) {
    v.passed = residual <= allowed;
    v.why_not = fmt::format("{} rows, more than {}", a.n, largest_factorised);
  }
  rank_group().broadcast(v.passed);
  return v;
}

Judgement judge(const Arguments& args, const CsrMatrix& a, const Partition& partition, const Array<double>& b,
                const Run& run) {
  Judgement j;
  if (simulated) {  // there is no x to judge
    j.right = true;
    return j;
  }
  const SolveResult& r = run.result;
  if (args.iterations) {
    j.verification.residual = residual_of(a, partition, b, run);
    const double apart = std::abs(j.verification.residual - r.recurrence_residual);
    j.right = apart <= recurrence_agreement * j.verification.residual || j.verification.residual < attainable;
    if (!j.right)
      j.complaint = fmt::format("after {} iterations ||b - Ax|| / ||b|| is {:.6e}, but the recurrence says {:.6e}",
                                r.iterations, j.verification.residual, r.recurrence_residual);
    return j;
  }
  const double allowed = 1.1 * args.options.tolerance;  // as the solver's own test of the true residual
  if (r.outcome == Outcome::converged && args.verify) {
    j.verification = verify_whole(args, a, partition, b, run, allowed);
  } else {
    j.verification.residual = residual_of(a, partition, b, run);
    j.verification.passed = j.verification.residual <= allowed;
    j.verification.complaint =
        fmt::format("||b - Ax|| / ||b|| = {:.3e}, expected at most {:.3e}", j.verification.residual, allowed);
  }
  j.right = r.outcome == Outcome::converged && j.verification.passed;
  if (r.outcome == Outcome::max_iterations)
    j.complaint =
        fmt::format("not converged after {} iterations: ||b - Ax|| / ||b|| = {:.3e}, wanted {:.3e} (--max-iterations)",
                    r.iterations, j.verification.residual, args.options.tolerance);
  else if (r.outcome == Outcome::stagnated)
    j.complaint = fmt::format(
        "stagnated after {} iterations: ||b - Ax|| / ||b|| = {:.3e} falls no further, wanted {:.3e} (--tolerance)",
        r.iterations, j.verification.residual, args.options.tolerance);
  else if (!j.right)
    j.complaint = j.verification.complaint;
  return j;
}

json options_json(const Options& o) {
  return {{"flow", asterism::cg::name_of(o.flow)},
          {"decomposition", asterism::cg::name_of(o.decomposition)},
          {"blocks", o.blocks},
          {"transfer", asterism::cg::name_of(o.transfer)},
          {"vector", asterism::cg::name_of(o.vector)},
          {"dot", asterism::cg::name_of(o.dot)},
          {"x_update", asterism::cg::name_of(o.x_update)},
          {"column_order", asterism::cg::name_of(o.column_order)},
          {"balance", asterism::cg::name_of(o.balance)},
          {"format", asterism::cg::name_of(o.format)},
          {"vendor", o.vendor},
          {"preconditioner_block", o.preconditioner_block},
          {"tolerance", o.tolerance},
          {"max_iterations", o.max_iterations},
          {"check_every", o.check_every}};
}

/// Times with one block on one unit, b blocks on one unit; StarPU is restarted for each.
Efficiency measure_efficiency(const Arguments& args, const CsrMatrix& a, const Array<double>& b, const Run& run,
                              bool gpus, int units) {
  Efficiency e;
  e.blocks = run.options.blocks;
  e.units = units;
  e.tb_p = seconds_per_iteration(run.result);
  for (const bool split : {false, true}) {
    SessionOptions one = args.session;
    one.trace.reset();
    one.gpus = gpus ? 1 : 0;
    if (!gpus) one.cpus = 1;
    const Session session(one);
    Options options = run.options;
    options.blocks = split ? e.blocks : 1;
    const std::vector<double> shares(static_cast<std::size_t>(options.blocks), 1.0);
    const Run single = solve_once(session, a, b, options, shares, {});
    (split ? e.tb_1 : e.t1_1) = seconds_per_iteration(single.result);
  }
  return e;
}

int solve_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  // The static mapper suits these graphs (paper, section 5.3); STARPU_SCHED and --scheduler are obeyed.
  if (!args.session.scheduler && std::getenv("STARPU_SCHED") == nullptr) args.session.scheduler = "cyclic";
  // The mapper of a GPU run gives nothing to CPU workers: without them no thread disturbs those that drive the GPUs.
  const bool cyclic = args.session.scheduler.value_or("") == "cyclic";
  const bool on_gpus_only =
      (args.units == "default" || args.units == "gpu") && args.session.gpus.value_or(visible_gpus()) > 0;
  const SessionOptions whole_machine = args.session;
  if (cyclic && on_gpus_only && !args.session.cpus && std::getenv("STARPU_NCPU") == nullptr)
    args.session.cpus = rank_group().distributed() ? 1 : 0;  // which brings the ranks' sums together
  if (args.units != "default") setenv("ASTERISM_CYCLIC_UNITS", args.units.c_str(), 1);

  MatrixSource matrix = open_matrix(args);
  CsrMatrix a;
  Array<double> b;
  Array<double> known;
  const auto take_rows = [&](std::int64_t first, std::int64_t last) {
    a = matrix.rows(first, last);
    b = load_right_hand_side(args, a, known);
    for (std::size_t i = 0; i < b.size(); ++i)
      if (!std::isfinite(b[i]))
        bad_input("--rhs {}: entry {} is not finite", args.rhs, first + static_cast<std::int64_t>(i) + 1);
  };
  // over several ranks they depend on the number of block-rows, and this on the units
  if (!rank_group().distributed()) take_rows(0, matrix.counts.n);

  json record;
  Run run;
  Judgement judgement;
  bool on_gpus = false;
  int units = 1;
  json performance_json;
  std::vector<double> calibrated_shares;
  Partition partition;
  if (args.calibrate) {
    // The choices that the run will make for its units, for calibration to meet the same tasks.
    Options options;
    {
      const Session session(args.session);
      options = complete_options(args, session);
      calibrated_shares =
          block_shares(args, session, args.units == "all" ? measure_bandwidth() : Bandwidth{}, options.blocks);
    }
    calibrate(args, whole_machine, a, b, options, calibrated_shares);
  }
  if (!args.trace.empty()) args.session.trace = args.trace;
  {
    const Session session(args.session);
    const Options options = complete_options(args, session);
    // caches serve small systems faster than any bound: nothing to measure then
    const double bytes = iteration_bytes(Iteration::fused, static_cast<double>(a.nnz()), static_cast<double>(a.n));
    const bool bound_by_memory = bytes > smallest_bound_by_memory && !rank_group().distributed();
    const Bandwidth bandwidth = bound_by_memory || args.units == "all" ? measure_bandwidth() : Bandwidth{};
    on_gpus = session.gpus() > 0 && args.units != "cpu";
    units = args.units == "all" ? session.gpus() + session.cpus() : on_gpus ? session.gpus() : session.cpus();
    ProgressLine line(!args.quiet);
    const std::vector<double> shares =
        args.calibrate ? calibrated_shares : block_shares(args, session, bandwidth, options.blocks);
    const int unit = std::max(1, options.preconditioner_block);
    if (!rank_group().distributed()) {
      partition = partition_rows(a, shares, options.balance, unit);
    } else {
      partition = partition_rows(matrix.counts, shares, options.balance, unit);
      deal(partition, rank_group().ranks());
      const int rank = rank_group().rank();
      const Pause pause;
      take_rows(partition.first(partition.first_block(rank)), partition.first(partition.first_block(rank + 1)));
      matrix = {};
    }
    run = solve_once(
        session, a, b, options, partition,
        [&](const Progress& p) {
          const double by_count =
              static_cast<double>(p.iteration) / static_cast<double>(std::max<std::int64_t>(1, p.max_iterations));
          const double by_residual =
              p.tolerance > 0 && p.residual > 0 ? std::log(p.residual) / std::log(p.tolerance) : 0;
          line.show(std::max(by_count, by_residual),
                    fmt::format("iteration {}, residual {:.2e}", p.iteration, p.residual));
        },
        args.checkpoints,
        [&] {
          if (!simulated) return;  // many ranks of a simulated cluster are one process
          a.row_begin = {};
          a.column = {};
          a.value = {};
        });
    record = record_header("asterism-cg", argc, argv, session);
    units = static_cast<int>(sum_over_ranks(units));
    performance_json = performance(run, a.n, session, bandwidth, units);
  }
  judgement = judge(args, a, partition, b, run);
  const SolveResult& r = run.result;

  record["matrix"] = {
      {"name", a.name}, {"rows", a.n}, {"nonzeros", run.nonzeros}, {"stored_entries", run.stored_entries}};
  record["options"] = options_json(run.options);
  record["block_rows"] = run.rows;
  record["outcome"] = name_of(r.outcome);
  record["iterations"] = r.iterations;
  record["restarts"] = r.restarts;
  if (!simulated) {
    record["residual"] = {{"recurrence", r.recurrence_residual},
                          {"true", r.true_residual},
                          {"extended", judgement.verification.residual}};
    record["history"] = r.history;
    record["right"] = judgement.right;
  }
  if (judgement.verification.compared)
    record["cholesky"] = {{"difference", judgement.verification.difference},
                          {"allowed", judgement.verification.allowed},
                          {"condition", judgement.verification.condition}};
  double error = 0;
  if (!known.empty() && !simulated) {
    double squares[2] = {0, 0};
    for (std::size_t i = 0; i < known.size(); ++i) {
      squares[0] += (run.x[i] - known[i]) * (run.x[i] - known[i]);
      squares[1] += known[i] * known[i];
    }
    error = std::sqrt(sum_over_ranks(squares[0]) / sum_over_ranks(squares[1]));
    record["error_to_known"] = error;
  }

  std::vector<std::pair<std::string, std::string>> rows{
      {"matrix", fmt::format("{}: {} rows, {} non-zeros", a.name, a.n, run.nonzeros)},
      {"units", fmt::format("{} {}, scheduler {}", units,
                            args.units == "all" ? "CPUs and GPUs"
                            : on_gpus           ? "GPU(s)"
                                                : "CPU(s)",
                            record["starpu"]["scheduler"].get<std::string>())},
      {"flow", fmt::format("{}, {}, {} block-row(s), {}{}", asterism::cg::name_of(run.options.flow),
                           asterism::cg::name_of(run.options.decomposition), run.options.blocks,
                           asterism::cg::name_of(run.options.transfer),
                           args.preconditioner == "none" ? "" : ", " + args.preconditioner)},
      {"iterations",
       fmt::format("{}{}", r.iterations, r.restarts > 0 ? fmt::format(" ({} restarts)", r.restarts) : "")}};
  if (rank_group().distributed()) {
    record["ranks"] = ranks_record(r.seconds);
    rows.push_back(ranks_row(record["ranks"]));
  }
  if (simulated)
    rows.insert(rows.begin(), simulated_row());
  else
    rows.emplace_back("||b - Ax|| / ||b||", fmt::format("{:.3e} (recurrence {:.3e})", judgement.verification.residual,
                                                        r.recurrence_residual));
  if (judgement.verification.compared)
    rows.emplace_back("against Cholesky",
                      fmt::format("{:.3e} (allowed {:.3e}, condition {:.1e})", judgement.verification.difference,
                                  judgement.verification.allowed, judgement.verification.condition));
  else if (args.verify && !judgement.verification.why_not.empty())
    rows.emplace_back("against Cholesky", "not compared: " + judgement.verification.why_not);
  if (!known.empty() && !simulated) rows.emplace_back("||x - known|| / ||known||", fmt::format("{:.3e}", error));

  if (!judgement.right) conclude_wrong(args.json, record, rows, judgement.complaint);

  record.update(performance_json);
  record["seconds"] = r.seconds;
  record["assembly_seconds"] = run.assembly_seconds;
  record["bytes_exchanged_per_iteration"] = run.bytes_exchanged;
  if (r.iterations > 0) {
    rows.emplace_back("time", fmt::format("{:.3f} s, {:.3f} ms per iteration", r.seconds,
                                          performance_json["ms_per_iteration"].get<double>()));
    rows.emplace_back("rate",
                      fmt::format("{:.1f} GB/s, {:.2f} Gflop/s", performance_json["gbytes_per_second"].get<double>(),
                                  performance_json["gflops"].get<double>()));
    if (performance_json["bound_ms"].get<double>() > 0)
      rows.emplace_back("bytes bound", fmt::format("{:.3f} ms per iteration; measured / bound {:.2f}",
                                                   performance_json["bound_ms"].get<double>(),
                                                   performance_json["ratio_to_bound"].get<double>()));
  }
  if (args.efficiency) {
    const Efficiency e = measure_efficiency(args, a, b, run, on_gpus, units);
    record["efficiency"] = {{"units", e.units},
                            {"blocks", e.blocks},
                            {"T1_1_ms", e.t1_1 * 1e3},
                            {"Tb_1_ms", e.tb_1 * 1e3},
                            {"Tb_p_ms", e.tb_p * 1e3},
                            {"S", e.speedup()},
                            {"e", e.e()},
                            {"e_granularity", e.granularity()},
                            {"e_pipeline", e.pipeline()}};
    rows.emplace_back("efficiency",
                      fmt::format("S = {:.3f} on {} units, e = {:.3f} = granularity {:.3f} x pipeline {:.3f}",
                                  e.speedup(), e.units, e.e(), e.granularity(), e.pipeline()));
  }
  std::vector<std::string> written;
  if (!args.solution.empty()) {
    const std::vector<double> x = rank_group().collect(std::span<const double>(run.x));
    if (rank_group().is_root())
      write_vector(args.solution, x, fmt::format("solution of {} by asterism-cg {}", a.name, ASTERISM_VERSION));
    written.push_back(args.solution);
  }
  conclude({args.json, args.trace, args.calibrate}, fmt::format("asterism-cg {}", a.name), record, rows, written);
  return 0;
}

}  // namespace
}  // namespace asterism::apps::cg

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  return asterism::apps::run("asterism-cg", [&] { return asterism::apps::cg::solve_and_report(argc, argv); });
}
