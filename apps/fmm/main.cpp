// asterism-fmm: the fast multipole method as a task flow.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/common/simulate.hpp"
#include "apps/fmm/arguments.hpp"
#include "apps/fmm/records.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/motion.hpp"
#include "taskflows/fmm/particles/result_parts.hpp"
#include "taskflows/fmm/particles/write_particles.hpp"
#include "taskflows/fmm/rates.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/verify.hpp"

namespace asterism::apps::fmm {
namespace {

using namespace asterism::fmm;
using nlohmann::json;

/// --verify without --targets: at most so many pairs of particles.
constexpr double verified_pairs = 1e9;
constexpr std::int64_t fewest_targets = 50;
/// An order promises nothing but that the answer is one.
constexpr double loosest = 0.1;
/// The accuracies are measured on generated distributions; charges and places of a file may be less kind.
constexpr double other_distributions = 4;
/// Evaluations of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr int calibration_samples = 10;

struct Run {
  std::vector<double> seconds;      ///< of the evaluations, on the rank that takes longest
  std::vector<double> own_seconds;  ///< on this one
  double build_seconds = 0;
  double step_seconds = 0;    ///< median of a step: moving, adapting the tree, evaluating
  std::size_t particles = 0;  ///< of all ranks
  std::size_t first = 0;      ///< of this rank's
  Result result;              ///< of this rank's particles
};

/// Of all ranks.
template <class T>
T sum_over_ranks(T mine) {
  T sum{};
  for (const T& of_rank : rank_group().all_gather(mine)) sum += of_rank;
  return sum;
}
/// Of the rank that takes longest.
double slowest(double seconds) {
  const std::vector<double> all = rank_group().all_gather(seconds);
  return *std::max_element(all.begin(), all.end());
}

void evaluate(System& system, Run& run) {
  run.own_seconds.push_back(system.evaluate());
  run.seconds.push_back(slowest(run.own_seconds.back()));
}

/// What two runs have in common whose motions are the same to the last bit.
std::string method_of(const Arguments& args, const Interaction& interaction, const Options& options) {
  const BasisChoice& basis = options.accuracy.basis;
  return fmt::format("{}, kappa {}, order {}, radius {}, epsilon {}, reduction {}, time step {}", interaction.name,
                     args.kappa, basis.order, basis.radius_squared, options.accuracy.epsilon,
                     static_cast<int>(options.reduction), args.dt);
}

/// The tree of a motion that goes on is that of the run before.
void go_on(const std::string& file, const Arguments& args, const SavedMotion& saved, const std::string& method,
           Options& options) {
  const auto refuse = [&](const char* what, const auto& found, const auto& wanted) {
    if (found != wanted)
      bad_input("--restart {}: the checkpoint has {} {}; this run has {}", file, what, found, wanted);
  };
  refuse("the method", saved.settings.method, method);
  if (options.shape.height > 0) refuse("--height", saved.settings.shape.height, options.shape.height);
  if (options.shape.group_size > 0) refuse("--group-size", saved.settings.shape.group_size, options.shape.group_size);
  if (saved.settings.shape.far_tasks != options.shape.far_tasks)
    bad_input("--restart {}: expected the same --m2l", file);
  if (saved.motion.step > args.steps)
    bad_input("--restart {}: the checkpoint is of step {}; expected --steps {} or more", file, saved.motion.step,
              saved.motion.step);
  options.shape = saved.settings.shape;
  options.box = saved.settings.box;
}

/// The steps that are left: velocity Verlet (taskflows/fmm/motion.hpp).
void advance(const Arguments& args, const std::string& method, System& system, Particles& particles, Motion& motion,
             Run& run, ProgressLine& line) {
  std::vector<double> steps;
  rank_group().on_death(args.restart.empty() ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                                             : fmt::format("; --restart {} begins again from there", args.restart));
  while (motion.step < args.steps) {
    const auto begin = Clock::now();
    kick(motion, run.result, args.dt);
    drift(motion, args.dt, particles, run.first);
    system.move(particles);
    evaluate(system, run);
    system.collect(run.result);
    kick(motion, run.result, args.dt);
    ++motion.step;
    steps.push_back(slowest(seconds_since(begin)));
    line.show(static_cast<double>(motion.step) / args.steps, fmt::format("step {} of {}", motion.step, args.steps));
    const bool due = args.checkpoint_every > 0 && motion.step % args.checkpoint_every == 0;
    if (args.checkpoint.empty() || (!due && motion.step < args.steps)) continue;
    write_motion(args.checkpoint, {method, system.options().shape, system.tree().box()}, particles, motion);
    rank_group().barrier();
    rank_group().on_death(fmt::format("; the last checkpoint, {}, is of step {}: --restart {} goes on from there",
                                      args.checkpoint, motion.step, args.checkpoint));
  }
  if (!steps.empty()) run.step_seconds = median(steps);
}

/// How much faster a GPU computes near fields than a CPU.
double speedup(const std::vector<UnitRates>& rates) {
  return rates.size() > 1 && rates[1].near_pair > 0 ? rates[0].near_pair / rates[1].near_pair : 1.0;
}

/// Runs every class of tasks on every kind of unit, for StarPU's models and, with a folder, for bounds.
void calibrate(const Arguments& args, const Interaction& interaction, const Options& options,
               const Particles& particles) {
  const Session session(calibration(args.session, args.trace));
  System system(interaction, options, particles);
  ProgressLine line(!args.quiet);
  const int kinds = (session.cpus() > 0 ? 1 : 0) + session.gpus();
  const int evaluations =
      std::max(2, calibration_samples * kinds / static_cast<int>(system.tree().leaves().groups.size()) + kinds);
  for (int i = 0; i < evaluations; ++i) {
    line.show(static_cast<double>(i) / evaluations, "calibrating");
    system.evaluate();
  }
}

int solve_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  if (!args.session.scheduler && std::getenv("STARPU_SCHED") == nullptr) args.session.scheduler = "hprio";
  args.session.ranks = Ranks::any;
  args.options.ranks = Ranks::any;
  refuse_over_ranks(args.calibrate, "--calibrate");
  Run run;
  const Interaction interaction = choose_interaction(args);
  Options options = args.options;
  const std::string method = method_of(args, interaction, options);
  Particles particles;
  Motion motion;
  if (args.restart.empty()) {
    particles = load_particles(args);
    motion = Motion(args.steps > 0 ? particles.size() : 0);
  } else {
    SavedMotion saved = read_motion(args.restart, part_of_rank());
    go_on(args.restart, args, saved, method, options);
    particles = std::move(saved.particles);
    motion = std::move(saved.motion);
  }
  for (int rank = 0; const std::size_t part : rank_group().all_gather(particles.size())) {
    if (rank++ < rank_group().rank()) run.first += part;
    run.particles += part;
  }
  const Box box = box_around(extent(particles, options.ranks));

  std::vector<UnitRates> rates;
  const char* const from_environment = std::getenv("STARPU_SCHED");
  const std::string scheduler = args.session.scheduler.value_or(from_environment != nullptr ? from_environment : "");
  const bool ask_rates = scheduler == "heteroprio";  // it is told speedups
  if (options.shape.height == 0 || options.shape.group_size == 0 || ask_rates) {
    const Session session(args.session);
    rates = rates_of_all(measure_rates(session, interaction, options.accuracy));
    options.shape = complete_shape(options.shape, particles, box, rates, options.ranks);
    options.pair_seconds = pair_seconds(rates);
  }
  // what the schedulers of the paper and of StarPU need to know about the tasks
  const GpuOrder gpu_order = args.gpu_order.value_or(suitable_order());
  args.session.hprio_order = hprio_table(options.shape.height, gpu_order, uses_gpus(args.session));
  if (scheduler == "heteroprio")
    args.session.scheduler_set_up = heteroprio_set_up(options.shape.height, speedup(rates));
  if (args.calibrate) calibrate(args, interaction, options, particles);
  if (!args.trace.empty()) args.session.trace = args.trace;

  run.result = Result(particles.size());
  json record;
  WorkSummary work;
  Errors errors;
  std::size_t tasks = 0;
  std::vector<int> ranks;
  double mean_rank = 0;
  int basis_size = 0;
  std::string units;
  {
    const Session session(args.session);
    record = record_header("asterism-fmm", argc, argv, session);
    units = fmt::format("{} CPUs, {} GPUs{}, scheduler {}", session.cpus(), session.devices(),
                        session.gpus() > session.devices() ? fmt::format(" ({} workers)", session.gpus()) : "",
                        session.scheduler());
    ProgressLine line(!args.quiet);
    line.show(0, "building the tree");
    const auto begin = Clock::now();
    System system(interaction, options, particles);
    run.build_seconds = slowest(seconds_since(begin));
    for (int i = 0; i < args.repeat; ++i) {
      if (i + 1 == args.repeat) mark("begin evaluation");
      evaluate(system, run);
      if (i + 1 == args.repeat) mark("end evaluation");
      line.show(static_cast<double>(i + 1) / args.repeat, fmt::format("evaluation {} of {}", i + 1, args.repeat));
    }
    if (!simulated) system.collect(run.result);
    if (args.steps > 0) advance(args, method, system, particles, motion, run, line);
    work = sum_over_ranks(system.work());
    tasks = sum_over_ranks(system.tasks());
    basis_size = system.basis().size();
    record["tree"] = tree_record(system, work);
    if (rank_group().distributed()) record["ranks"] = shares_record(system, median(run.own_seconds));
    if (system.tree().has_far_field()) {
      ranks = system.operators().ranks();
      mean_rank = system.operators().mean_rank();
    }
  }
  for (std::size_t i = 0; i < particles.size() && !simulated; ++i)
    if (!std::isfinite(run.result.potential[i] + run.result.fx[i] + run.result.fy[i] + run.result.fz[i]))
      failed("the potential or force of particle {} is not finite: particles almost coincide there", run.first + i + 1);

  bool right = true;
  if (args.verify) {
    const auto n = static_cast<std::int64_t>(run.particles);
    const std::int64_t targets = args.targets.value_or(
        std::clamp(static_cast<std::int64_t>(verified_pairs / static_cast<double>(n)), std::min(n, fewest_targets), n));
    ProgressLine line(!args.quiet);
    errors = direct_errors(interaction, particles, run.result, targets, args.seed + 1,
                           [&](double share) { line.show(share, "direct summation"); });
    const double promised =
        args.order ? loosest : std::pow(10.0, -args.accuracy) * (args.input.empty() ? 1.0 : other_distributions);
    right = errors.potential <= promised && errors.force <= promised;
    record["verification"] = {{"targets", errors.targets},
                              {"potential_error", errors.potential},
                              {"force_error", errors.force},
                              {"allowed", promised}};
  }

  const BasisChoice& basis = options.accuracy.basis;
  record["particles"] = {{"source", describe(args, run.particles)}, {"count", run.particles}, {"seed", args.seed}};
  record["options"] = {{"kernel", interaction.name},
                       {"order", basis.order},
                       {"radius_squared", basis.radius_squared},
                       {"epsilon", options.accuracy.epsilon},
                       {"coefficients", basis_size},
                       {"ranks", ranks},
                       {"mean_rank", mean_rank},
                       {"reduction", options.reduction == ReductionOrder::last    ? "last"
                                     : options.reduction == ReductionOrder::first ? "first"
                                                                                  : "any"},
                       {"m2l", options.shape.far_tasks == FarTasks::joined ? "joined" : "separate"},
                       {"gpu_order", gpu_order == GpuOrder::far_first ? "far-first" : "near-first"},
                       {"split_near", options.split_near},
                       {"balance", options.share == ShareOf::work ? "work" : "particles"},
                       {"repeat", args.repeat},
                       {"steps", args.steps},
                       {"dt", args.dt},
                       {"restart", args.restart}};
  if (interaction.name == "yukawa") record["options"]["kappa"] = args.kappa;
  record["rates"] = rates_record(rates);
  record["tasks"] = tasks;
  if (!simulated) record["right"] = right;

  const json& tree = record["tree"];
  std::vector<std::pair<std::string, std::string>> rows{
      {"particles", describe(args, run.particles)},
      {"units", units},
      {"kernel", fmt::format("{}, order {}, {} coefficients, epsilon {:.0e}, mean rank {:.1f}", interaction.name,
                             basis.order, basis_size, options.accuracy.epsilon, mean_rank)},
      {"tree", fmt::format("height {}, {} leaves of {:.1f} particles ({} to {}), {} groups of {}", options.shape.height,
                           tree["cells"].back().get<std::size_t>(), tree["particles_per_leaf"]["mean"].get<double>(),
                           tree["particles_per_leaf"]["min"].get<std::int64_t>(),
                           tree["particles_per_leaf"]["max"].get<std::int64_t>(), tree["groups"].get<std::size_t>(),
                           options.shape.group_size)}};
  if (rank_group().distributed()) rows.push_back(ranks_row(record["ranks"]));
  if (simulated) rows.insert(rows.begin(), simulated_row());
  if (args.verify)
    rows.emplace_back("relative L2 errors", fmt::format("potential {:.2e}, force {:.2e} ({} targets, direct summation)",
                                                        errors.potential, errors.force, errors.targets));
  if (!right)
    conclude_wrong(args.json, record, rows,
                   fmt::format("relative L2 errors: potential {:.3e}, force {:.3e}; expected at most {:.0e}",
                               errors.potential, errors.force, record["verification"]["allowed"].get<double>()));

  // the first evaluation pays for transfers and page faults that later ones do not
  const std::vector<double> later(run.seconds.begin() + (run.seconds.size() > 1 ? 1 : 0), run.seconds.end());
  const double seconds = median(later);
  record["seconds"] = seconds;
  record["evaluation_seconds"] = run.seconds;
  record["build_seconds"] = run.build_seconds;
  record["flops"] = {{"p2p", work.p2p}, {"p2m", work.p2m}, {"m2m", work.m2m},      {"m2l", work.m2l},
                     {"l2l", work.l2l}, {"l2p", work.l2p}, {"total", work.total()}};
  record["gflops"] = work.total() / seconds * 1e-9;
  rows.emplace_back("work", fmt::format("{:.3g} near pairs, {:.3g} far pairs, {:.3g} Gflop, {} tasks",
                                        static_cast<double>(work.near_pairs), static_cast<double>(work.far_pairs),
                                        work.total() * 1e-9, tasks));
  rows.emplace_back("time",
                    fmt::format("{:.3f} s per evaluation (first {:.3f} s), {:.1f} Gflop/s; tree and operators {:.3f} s",
                                seconds, run.seconds.front(), work.total() / seconds * 1e-9, run.build_seconds));
  if (args.steps > 0) {
    record["step_seconds"] = run.step_seconds;
    rows.emplace_back("step", fmt::format("{:.3f} s with moving and adapting the tree", run.step_seconds));
  }
  std::vector<std::string> written;
  if (!args.checkpoint.empty()) written.push_back(args.checkpoint);
  if (!args.output.empty()) {
    if (rank_group().distributed())
      write_result(args.output, parts_of_ranks(particles, run.result));
    else
      write_result(args.output, particles, run.result);
    written.push_back(args.output);
  }
  conclude({args.json, args.trace, args.calibrate}, fmt::format("asterism-fmm {}", describe(args, run.particles)),
           record, rows, written);
  return 0;
}

}  // namespace
}  // namespace asterism::apps::fmm

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  return asterism::apps::run("asterism-fmm", [&] { return asterism::apps::fmm::solve_and_report(argc, argv); });
}
