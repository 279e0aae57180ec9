#include "apps/tdbem/run.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/tdbem/output.hpp"
#include "apps/tdbem/verify.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/busy_time.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/memory_limits.hpp"
#include "runtime/ranks/rank_exchange.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/tdbem/checkpoint.hpp"
#include "taskflows/tdbem/matrices/matrices.hpp"
#include "taskflows/tdbem/matrices/matrix_file.hpp"

namespace asterism::apps::tdbem {

using namespace asterism::tdbem;
using nlohmann::json;

namespace {

/// Groups of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr int calibration_groups = 24;
/// Groups that are submitted before the program waits for them.
constexpr std::int64_t groups_at_once = 16;

/// Cores beside GPUs cost more in transfers than they take over, as far as has been measured.
Sharing sharing_for(const Arguments& args, const Session& session) {
  if (!args.intervals.empty()) return Sharing::intervals;
  return args.sharing.value_or(session.devices() > 0 ? Sharing::gpus : Sharing::intervals);
}

std::int32_t cluster_for(const Arguments& args, const Case& of, const Session& session) {
  if (args.method.cluster > 0) return args.method.cluster;
  std::int32_t size =
      suitable_cluster(of.problem.surface.unknowns(), session.cpus(), session.devices(), rank_group().ranks());
  rank_group().broadcast(size);  // other ranks may have other units
  return size;
}

const char* sharing_name(Sharing sharing) {
  return sharing == Sharing::scheduler ? "scheduler" : sharing == Sharing::gpus ? "gpus" : "intervals";
}

void require_solved(const SolveTally& tally, const Problem& problem) {
  if (tally.failed_step < 0) return;
  const double time = static_cast<double>(problem.first_step + tally.failed_step) * problem.dt;
  if (tally.ending == Ending::breakdown)
    failed(
        "the march broke down at step {} (t = {:.6g} s): values that are not finite, or M^0 is not positive definite "
        "(a finer quadrature may help: --near-points, --touching-points)",
        tally.failed_step, time);
  failed("M^0 a = s was not solved to {:.1e} in {} iterations at step {} (a larger --tolerance, or --solver mumps)",
         problem.limits.tolerance, problem.limits.most_iterations, tally.failed_step);
}

template <class T>
class Run {
 public:
  Run(const Arguments& args, const Case& of, const Session& session)
      : args_(args),
        of_(of),
        session_(session),
        line_(!args.quiet),
        method_(args.method),
        sharing_(sharing_for(args, session)) {
    if (!args.files.restart.empty()) {
      const std::int64_t done = checkpoint_steps<T>(args.files.restart, of.problem, method_);
      if (done > of.steps) bad_input("--restart {}: at step {}, beyond --steps {}", args.files.restart, done, of.steps);
    }
    prepare_matrices();
    simulation_ = std::make_unique<Simulation<T>>(of.problem, method_, *matrices_, session, sharing_);
    if (!args.intervals.empty()) simulation_->share(Sizes(args.intervals.begin(), args.intervals.end()));
    if (!args.files.restart.empty())
      simulation_->set(read_checkpoint<T>(args.files.restart, of.problem, method_, simulation_->wanted()));
    simulation_->reserve(of.steps);
    output_ = std::make_unique<Output>(args.files, of.problem, simulation_->steps(), of.steps);
    rank_group().on_death(args.files.restart.empty()
                              ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                              : fmt::format("; --restart {} begins again from there", args.files.restart));
    if (!args.files.matrices.empty() && assembly_seconds_ > 0) {
      line_.show(1, "writing the matrices");
      save_matrices(args.files.matrices, of.problem, *matrices_);
      written_.push_back(args.files.matrices);
    }
  }

  void march() {
    const bool balances = sharing_ != Sharing::scheduler && args_.intervals.empty() && simulation_->workers() > 1 &&
                          args_.balance_groups > 0;
    const std::int64_t kept = args_.verify ? compared_steps(of_) : 0;
    mark("begin steps");
    if (balances) balance(kept);
    if (balances || session_.devices() > 0) settle(kept);
    writing_ = 0;
    of_preparation_ = disk_traffic();
    const auto begin = Clock::now();
    const std::int64_t first = simulation_->steps();
    const Submitted before = submitted();
    while (simulation_->steps() < of_.steps) {
      for (std::int64_t g = 0; g < groups_at_once && simulation_->steps() < of_.steps; ++g) {
        simulation_->advance();
        keep(kept);
      }
      starpu_task_wait_for_all();
      require_solved(simulation_->tally(), of_.problem);
      show(begin, first);
    }
    starpu_task_wait_for_all();
    mark("end steps");
    seconds_ = seconds_since(begin) - writing_;
    timed_steps_ = simulation_->steps() - first;
    bytes_sent_ = submitted().bytes - before.bytes;
    of_march_ = disk_traffic();
    require_solved(simulation_->tally(), of_.problem);
  }

  void report(Report& out) {
    const Problem& p = of_.problem;
    const LagCounts& counts = matrices_->structure().counts;
    const double bytes = matrices_->bytes();
    json& record = out.record;
    record["problem"] = {{"body", of_.describe},
                         {"unknowns", p.surface.unknowns()},
                         {"triangles", p.surface.triangles.size()},
                         {"boundary", p.boundary == Boundary::rigid ? "rigid" : "soft"},
                         {"diameter", p.surface.diameter},
                         {"edges", {p.surface.edges.shortest, p.surface.edges.mean, p.surface.edges.longest}},
                         {"speed", p.speed},
                         {"dt", p.dt},
                         {"first_step", p.first_step},
                         {"steps", of_.steps},
                         {"waves", p.waves.size()},
                         {"observers", p.observers.size()},
                         {"precision", sizeof(T) == 4 ? "single" : "double"}};
    record["matrices"] = {
        {"largest_lag", counts.largest_lag},
        {"values", counts.values},
        {"padded_values", counts.padded_values},
        {"mean_length", counts.mean_length()},
        {"longest", counts.longest},
        {"initial_values", counts.initial},
        {"bytes", bytes},
        {"blocks", matrices_->blocks()},
        {"structure_seconds", structure_seconds_},
        {"assembly_seconds", assembly_seconds_},
        {"point_pairs", matrices_->point_pairs()},
        {"point_pairs_per_second", assembly_seconds_ > 0 ? matrices_->point_pairs() / assembly_seconds_ : 0}};
    record["method"] = {{"group", method_.group},
                        {"ahead", method_.ahead},
                        {"solver", p.solver == Solver::factorisation ? "mumps" : "cg"},
                        {"tolerance", p.limits.tolerance},
                        {"sharing", sharing_name(sharing_)},
                        {"balance", args_.target == Target::mean ? "paper" : "fixed-point"},
                        {"shares", simulation_->shares()}};
    if (!history_.empty()) record["balancing"] = history_;
    if (of_march_)
      record["disk"] = {{"memory_bytes", starpu_memory_get_total(STARPU_MAIN_RAM)},
                        {"read_before", of_preparation_->read},
                        {"written_before", of_preparation_->written},
                        {"read", of_march_->read},
                        {"written", of_march_->written},
                        {"read_per_pass", read_per_pass(*of_march_)}};
    const SolveTally tally = simulation_->tally();
    if (!simulated)
      record["solutions"] = {{"count", tally.solves},
                             {"mean_iterations", static_cast<double>(tally.iterations) /
                                                     static_cast<double>(std::max<std::int64_t>(tally.solves, 1))},
                             {"most_iterations", tally.most_iterations},
                             {"largest_residual", tally.residual}};
    out.rows = {
        {"problem", fmt::format("{}, {} waves, {} observers, {} precision", of_.describe, p.waves.size(),
                                p.observers.size(), sizeof(T) == 4 ? "single" : "double")},
        {"time", fmt::format("{} steps of {:.4g} s from {:.4g} s, c dt / h = {:.2f}", of_.steps, p.dt,
                             static_cast<double>(p.first_step) * p.dt, p.speed * p.dt / p.surface.edges.mean)},
        {"matrices",
         fmt::format(
             "Kmax {}, {:.4g} values in row-vectors of {:.2f} on average and {} at most, {:.2f} GB in {} blocks",
             counts.largest_lag, static_cast<double>(counts.values), counts.mean_length(), counts.longest, bytes * 1e-9,
             matrices_->blocks())},
        {"units",
         fmt::format("{} CPUs, {} GPUs, scheduler {}{}", session_.cpus(), session_.devices(), session_.scheduler(),
                     simulation_->workers() > 1 && sharing_ != Sharing::scheduler
                         ? fmt::format(", blocks of each: {}", fmt::join(simulation_->shares(), ", "))
                         : "")}};
    if (rank_group().distributed()) ranks(out);
    if (simulated) out.rows.insert(out.rows.begin(), simulated_row());
    if (of_march_)
      out.rows.emplace_back(
          "disk",
          fmt::format("{:.2f} GB in memory; {:.3f} GB read per pass over {:.3f} GB of slices, {:.3f} GB written",
                      static_cast<double>(starpu_memory_get_total(STARPU_MAIN_RAM)) * 1e-9,
                      read_per_pass(*of_march_) * 1e-9, bytes * 1e-9,
                      static_cast<double>(of_preparation_->written + of_march_->written) * 1e-9));
    if (args_.verify) judge(out);
    if (!out.wrong.empty()) return;
    output_->finish(*simulation_, method_);
    out.written = written_;
    const std::vector<std::string> files = output_->written();
    out.written.insert(out.written.end(), files.begin(), files.end());
    rates(out, bytes);
  }

 private:
  /// From the file if there is one, else assembled and written to it if one is wanted.
  void prepare_matrices() {
    const std::string& file = args_.files.matrices;
    const auto begin = Clock::now();
    line_.show(0, "finding the matrices' structure");
    const bool stored = !file.empty() && std::filesystem::exists(file);
    std::int32_t cluster = cluster_for(args_, of_, session_);
    if (stored) {
      const MatrixFile found = read_matrix_file(file, of_.problem);
      if (found.single_precision != (sizeof(T) == 4))
        bad_input("--matrices {}: in {} precision, expected {}", file, found.single_precision ? "single" : "double",
                  sizeof(T) == 4 ? "single" : "double");
      cluster = found.cluster;
    }
    matrices_ = std::make_unique<Matrices<T>>(of_.problem, cluster);
    structure_seconds_ = seconds_since(begin);
    if (stored) {
      line_.show(0, "reading the matrices");
      load_matrices(file, of_.problem, *matrices_);
      return;
    }
    const auto assembly = Clock::now();
    mark("begin assembly");
    matrices_->assemble([&](double done) {
      const double elapsed = seconds_since(assembly);
      line_.show(done,
                 done > 0.02 ? fmt::format("assembling, {:.0f} s left", elapsed / done * (1 - done)) : "assembling");
    });
    mark("end assembly");
    assembly_seconds_ = seconds_since(assembly);
  }

  /// What each rank has and does.
  void ranks(Report& out) {
    out.record["ranks"] = ranks_record(seconds_);
    struct Rank {
      std::int64_t blocks, values, bytes_sent;
    };
    Rank mine{matrices_->own().size(), 0, bytes_sent_};
    for (const std::size_t b : matrices_->own_blocks()) mine.values += matrices_->values(b);
    const std::vector<Rank> all = rank_group().all_gather(mine);
    double most = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const double per_step =
          static_cast<double>(all[r].bytes_sent) / static_cast<double>(std::max<std::int64_t>(timed_steps_, 1));
      most = std::max(most, per_step);
      json& record = out.record["ranks"][r];
      record["blocks"] = all[r].blocks;
      record["values"] = all[r].values;
      record["bytes_sent_per_step"] = per_step;
    }
    out.rows.push_back(ranks_row(out.record["ranks"]));
    out.rows.back().second += fmt::format("; {:.4g} bytes per step from one", most);
  }

  /// Bytes; a pass over the slices serves a group of steps.
  [[nodiscard]] double read_per_pass(const DiskTraffic& traffic) const {
    return static_cast<double>(traffic.read) * static_cast<double>(method_.group) /
           static_cast<double>(std::max<std::int64_t>(timed_steps_, 1));
  }

  /// What a group leaves: values to be verified, and outputs that are due.
  void keep(std::int64_t kept) {
    const std::int64_t end = simulation_->steps();
    const auto before = Clock::now();
    if (output_->due(end - method_.group, std::min(end, of_.steps))) {
      starpu_task_wait_for_all();
      require_solved(simulation_->tally(), of_.problem);  // nothing of a march that broke down is written
      output_->write(*simulation_, method_);
      writing_ += seconds_since(before);
    }
    for (std::int64_t n = end - method_.group; n < std::min(end, kept); ++n) {
      const std::vector<double> a = simulation_->solution(n, 0);
      values_.insert(values_.end(), a.begin(), a.end());
    }
  }

  /// Intervals from the times of groups, until they stay or enough groups have been looked at.
  void balance(std::int64_t kept) {
    const BusyTime profiling(session_);
    Balance balance(static_cast<std::int64_t>(matrices_->blocks()), simulation_->workers(), args_.balance_groups,
                    args_.target);
    while (balance.searches() && simulation_->steps() < of_.steps) {
      simulation_->share(balance.sizes());
      simulation_->advance();
      keep(kept);
      starpu_task_wait_for_all();
      const std::vector<double> seconds = simulation_->product_seconds();
      history_.push_back({{"blocks", balance.sizes()}, {"seconds", seconds}});
      line_.show(static_cast<double>(simulation_->steps()) / static_cast<double>(of_.steps), "balancing");
      // the first group also brings the matrices to where they are used
      if (history_.size() > 1) balance.measured(seconds);
    }
    simulation_->share(balance.sizes());
  }

  /// A group that brings the matrices to where they are used, before time counts.
  void settle(std::int64_t kept) {
    if (simulation_->steps() >= of_.steps) return;
    simulation_->advance();
    keep(kept);
    starpu_task_wait_for_all();
  }

  void show(Clock::time_point begin, std::int64_t first) {
    const auto done = static_cast<double>(simulation_->steps() - first);
    line_.show(static_cast<double>(simulation_->steps()) / static_cast<double>(of_.steps),
               fmt::format("step {} of {}, {:.3g} ms per step", simulation_->steps(), of_.steps,
                           seconds_since(begin) / done * 1e3));
  }

  void judge(Report& out) {
    json all = json::array();
    values_.resize(static_cast<std::size_t>(std::min<std::int64_t>(compared_steps(of_), simulation_->steps())) *
                   static_cast<std::size_t>(of_.problem.surface.unknowns()));
    for (const Verdict& v : verify(of_, *matrices_, values_)) {
      all.push_back(record_of(v));
      out.rows.push_back(row_of(v));
      if (!v.right() && out.wrong.empty()) out.wrong = complaint_of(v);
    }
    out.record["verification"] = all;
    out.record["right"] = out.wrong.empty();
  }

  void rates(Report& out, double bytes) {
    const double per_second = static_cast<double>(of_.problem.waves.size());
    if (assembly_seconds_ > 0)
      out.rows.emplace_back(
          "assembly", fmt::format("{:.3f} s, {:.4g} point pairs per second", structure_seconds_ + assembly_seconds_,
                                  matrices_->point_pairs() / assembly_seconds_));
    if (timed_steps_ == 0) return;
    const double step = seconds_ / static_cast<double>(timed_steps_);
    const double achieved = bytes / (step * method_.group);
    const double flops = 2 * static_cast<double>(matrices_->structure().counts.values) * per_second / step;
    const SolveTally tally = simulation_->tally();
    out.record["seconds"] = seconds_;
    out.record["timed_steps"] = timed_steps_;
    out.record["seconds_per_step"] = step;
    out.record["gflops"] = flops * 1e-9;
    out.record["bandwidth"] = {{"achieved", achieved}};
    out.record["tasks"] = simulation_->tasks();
    out.rows.emplace_back(
        "march",
        fmt::format("{:.3f} s, {:.4g} ms per step, {:.1f} GFlop/s{}", seconds_, step * 1e3, flops * 1e-9,
                    simulated ? ""
                              : fmt::format(", {:.1f} iterations with M^0",
                                            static_cast<double>(tally.iterations) /
                                                static_cast<double>(std::max<std::int64_t>(tally.solves, 1)))));
    // ranks of one machine would measure what they leave each other
    if (bytes < smallest_bound_by_memory || rank_group().distributed()) return;
    const Bandwidth bandwidth = measure_bandwidth();
    const bool gpus = session_.devices() > 0;
    const bool cores = session_.cpus() > 0 && sharing_ != Sharing::gpus &&
                       (!gpus || sharing_ == Sharing::scheduler || simulation_->shares().front() > 0);
    const double ceiling = (gpus ? bandwidth.gpu_read * session_.devices() : 0) + (cores ? bandwidth.cpu_read : 0);
    out.record["bandwidth"]["read"] = ceiling;
    out.record["bandwidth"]["share"] = achieved / ceiling;
    out.rows.emplace_back(
        "memory",
        fmt::format("{:.1f} GB/s of slices, one pass for {} steps, {:.0f} % of measured read bandwidth ({:.0f} GB/s)",
                    achieved * 1e-9, method_.group, 100 * achieved / ceiling, ceiling * 1e-9));
  }

  const Arguments& args_;
  const Case& of_;
  const Session& session_;
  ProgressLine line_;
  const Method method_;
  const Sharing sharing_;
  std::unique_ptr<Matrices<T>> matrices_;
  std::unique_ptr<Simulation<T>> simulation_;
  std::unique_ptr<Output> output_;
  std::vector<std::string> written_;
  double structure_seconds_ = 0, assembly_seconds_ = 0, seconds_ = 0, writing_ = 0;
  std::int64_t timed_steps_ = 0;
  std::int64_t bytes_sent_ = 0;                           ///< by this rank, in these
  std::optional<DiskTraffic> of_preparation_, of_march_;  ///< with a disk for what does not fit into memory
  std::vector<double> values_;                            ///< of the first steps and wave, to be verified
  json history_ = json::array();
};

}  // namespace

template <class T>
Report solve(const Arguments& args, Case& of, int argc, char** argv) {
  SessionOptions options = args.session;
  options.ranks = Ranks::any;
  if (!args.trace.empty()) options.trace = args.trace;
  const Session session(options);
  Report report;
  report.record = record_header("asterism-tdbem", argc, argv, session);
  Run<T> run(args, of, session);
  run.march();
  run.report(report);
  return report;
}
template Report solve<float>(const Arguments&, Case&, int, char**);
template Report solve<double>(const Arguments&, Case&, int, char**);

template <class T>
void calibrate(const Arguments& args, Case& of) {
  const Session session(calibration(args.session, args.trace));
  ProgressLine line(!args.quiet);
  Matrices<T> matrices(of.problem, cluster_for(args, of, session));
  matrices.assemble([&](double done) { line.show(done / 2, "calibrating"); });
  Simulation<T> simulation(of.problem, args.method, matrices, session, Sharing::scheduler);
  for (int group = 0; group < calibration_groups; ++group) {
    line.show(0.5 + 0.5 * group / calibration_groups, "calibrating");
    simulation.advance();
    starpu_task_wait_for_all();
  }
}
template void calibrate<float>(const Arguments&, Case&);
template void calibrate<double>(const Arguments&, Case&);

}  // namespace asterism::apps::tdbem
