// asterism-lbm: the lattice Boltzmann method as a task flow.
#include <fmt/format.h>
#include <starpu.h>

#include <cmath>
#include <memory>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/common/simulate.hpp"
#include "apps/lbm/arguments.hpp"
#include "apps/lbm/verify.hpp"
#include "base/error.hpp"
#include "codelets/lbm/kernels/costs.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/balance.hpp"
#include "taskflows/lbm/fields/gather.hpp"

namespace asterism::apps::lbm {
namespace {

using namespace asterism::lbm;
using nlohmann::json;

/// Of sound, in cells per step: what goes faster is no flow any more.
constexpr double speed_of_sound = 0.57735;
/// Steps before the cut between CPUs and GPUs is looked at, and again after twice as many.
constexpr long first_look = 20;
/// A cut is moved when that is to save more than this share of a step.
constexpr double worth_moving = 0.02;
/// Bricks of a GPU that exchanges with other units.
constexpr int waiting_bricks = 4;
/// Steps of a calibration: StarPU's schedulers trust a duration after ten samples.
constexpr long calibration_steps = 24;

/// The domain in pieces, on units.
struct Pieces {
  std::vector<BrickPlace> bricks;
  Placement placement;
  std::array<int, 3> subdomains{1, 1, 1};
  double gpu_share = 0;
};

/// One for each rank, side by side along the longer of y and z, unless the options say how many.
std::array<int, 3> subdomains_of(const Arguments& args, const Problem& problem) {
  std::array<int, 3> parts = args.subdomains;
  if (parts[0] * parts[1] * parts[2] == 1) parts[problem.cells[1] > problem.cells[2] ? 1 : 2] = rank_group().ranks();
  return parts;
}

/// A GPU that has to wait for others is given `waiting_bricks`.
int bricks_of_gpu(int gpus, int subdomains, double gpu_share) {
  if (gpus == 0 || (gpus == 1 && gpu_share == 1)) return 1;
  return (waiting_bricks * gpus + subdomains - 1) / subdomains;
}

Pieces cut(const Arguments& args, const Problem& problem, const Session& session, double gpu_share) {
  Pieces pieces;
  pieces.gpu_share = gpu_share;
  pieces.subdomains = subdomains_of(args, problem);
  const int all_subdomains = pieces.subdomains[0] * pieces.subdomains[1] * pieces.subdomains[2];
  const int subdomains = std::max(1, all_subdomains / rank_group().ranks());  // of a rank
  // the same everywhere: cuts go through the whole domain
  const std::vector<int> cpus = rank_group().all_gather(session.cpus());
  const int cores = args.cores > 0 ? args.cores : std::max(1, *std::min_element(cpus.begin(), cpus.end()) / subdomains);
  const int gpu_bricks =
      args.gpu_bricks > 0 ? args.gpu_bricks : bricks_of_gpu(session.devices(), subdomains, gpu_share);
  pieces.bricks = decompose(problem, {pieces.subdomains, gpu_share, cores, gpu_bricks});
  if (rank_group().distributed()) deal(pieces.bricks, rank_group().ranks());
  pieces.placement = args.scheduler_places ? Placement(pieces.bricks.size(), -1) : place(pieces.bricks, session);
  return pieces;
}

/// The state goes over to other pieces.
std::unique_ptr<Simulation> moved(std::unique_ptr<Simulation> from, const Problem& problem, const Pieces& to) {
  const long time = from->time();
  const Array<char> state = simulated ? Array<char>() : gather_state(*from, problem);
  from.reset();
  auto simulation = std::make_unique<Simulation>(problem, to.bricks, to.placement);
  if (simulated)
    simulation->set(time, [](const DomainBox& /*box*/, void* /*slots*/) {});
  else
    scatter_state(*simulation, problem, time, state.data());
  return simulation;
}

void check_flow(const Totals& totals, long steps) {
  if (std::isfinite(totals.speed) && totals.speed < speed_of_sound && std::isfinite(totals.mass)) return;
  failed(
      "the flow diverged before step {}: largest speed {} cells per step (a smaller --velocity, a larger --tau, trt, "
      "or "
      "--smagorinsky may help)",
      steps, totals.speed);
}

/// Runs every class of tasks on every kind of unit, for StarPU's models and, with a folder, for bounds.
void calibrate(const Arguments& args, const Case& flow) {
  const Session session(calibration(args.session, args.trace));
  Arguments anywhere = args;
  anywhere.scheduler_places = true;
  const Pieces pieces = cut(anywhere, flow.problem, session, args.gpu_share.value_or(0));
  Simulation simulation(flow.problem, pieces.bricks, pieces.placement);
  simulation.initialise();
  ProgressLine line(!args.quiet);
  for (long t = 0; t < calibration_steps; ++t) {
    line.show(static_cast<double>(t) / calibration_steps, "calibrating");
    simulation.advance();
    if (t % 4 == 3) static_cast<void>(simulation.totals());
  }
}

struct Timing {
  double seconds = 0;
  long steps = 0;  ///< that were timed
};

class Run {
 public:
  Run(const Arguments& args, const Case& flow, const Session& session)
      : args_(args), flow_(flow), session_(session), line_(!args.quiet) {
    double share = session.devices() == 0 ? 0 : session.cpus() == 0 ? 1 : choose_share();
    rank_group().broadcast(share);
    pieces_ = cut(args, flow.problem, session, share);
    line_.show(0, "setting up");
    simulation_ = std::make_unique<Simulation>(flow.problem, pieces_.bricks, pieces_.placement);
    if (args.output.restart.empty())
      simulation_->initialise();
    else
      restart(args.output.restart, flow.problem, *simulation_);
    starpu_task_wait_for_all();
    start_ = simulation_->time();
    output_ = std::make_unique<Output>(args.output, flow, simulation_->time(), args.steps);
    rank_group().on_death(args.output.restart.empty()
                              ? "; there is no checkpoint yet (--checkpoint, --checkpoint-every)"
                              : fmt::format("; --restart {} begins again from there", args.output.restart));
  }

  void advance() {
    const bool correct = !args_.gpu_share && !args_.scheduler_places && !rank_group().distributed() &&
                         session_.devices() > 0 && session_.cpus() > 0;
    auto balance = correct ? std::make_unique<Balance>(pieces_.bricks, pieces_.placement, session_) : nullptr;
    long looked = simulation_->time();
    long next_look = looked + first_look;
    auto begin = Clock::now();
    auto since_look = begin;
    long timed_from = simulation_->time();
    double writing = 0;
    mark("begin steps");
    while (simulation_->time() < args_.steps) {
      const long now = simulation_->time();
      long t = std::min({args_.steps, (now / args_.check_every + 1) * args_.check_every, output_->next_due(now)});
      if (balance) t = std::min(t, next_look);
      simulation_->advance(t - now);
      if (t % args_.check_every == 0 || t == args_.steps) {
        if (const auto totals = simulation_->exchange_totals()) check_flow(*totals, t - args_.check_every + 1);
        show(t, begin, timed_from);
      }
      if (output_->due(t)) {
        starpu_task_wait_for_all();
        const auto before_writing = Clock::now();
        check_flow(simulation_->totals(), t);  // nothing of a flow that diverged is written
        output_->write(*simulation_);
        writing += seconds_since(before_writing);
      }
      if (balance && t == next_look && t < args_.steps) {
        starpu_task_wait_for_all();
        const double share = gpus_alone_are_faster(t - looked, seconds_since(since_look))
                                 ? 1
                                 : balance->measured(t - looked).gpu_share();
        looked = t;
        next_look += 2 * (next_look - start_);
        since_look = Clock::now();
        if (!worth(share)) continue;
        balance.reset();
        pieces_ = cut(args_, flow_.problem, session_, share);
        simulation_ = moved(std::move(simulation_), flow_.problem, pieces_);
        starpu_task_wait_for_all();
        if (share < 1) balance = std::make_unique<Balance>(pieces_.bricks, pieces_.placement, session_);
        ++corrections_;
        begin = since_look = Clock::now();
        timed_from = t;
        writing = 0;
      }
    }
    starpu_task_wait_for_all();
    mark("end steps");
    timing_ = {seconds_since(begin) - writing, args_.steps - timed_from};
    check_flow(totals_ = simulation_->totals(), args_.steps);
  }

  [[nodiscard]] const Pieces& pieces() const { return pieces_; }
  [[nodiscard]] Simulation& simulation() { return *simulation_; }
  [[nodiscard]] const Timing& timing() const { return timing_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const std::optional<Rates>& rates() const { return rates_; }
  [[nodiscard]] const std::optional<Deviation>& deviation() const { return output_->deviation(); }
  [[nodiscard]] int corrections() const { return corrections_; }
  [[nodiscard]] std::vector<std::string> written() const { return output_->written(); }
  [[nodiscard]] double mlups() const {
    return static_cast<double>(simulation_->fluid_cells()) * static_cast<double>(timing_.steps) / timing_.seconds *
           1e-6;
  }

 private:
  double choose_share() {
    if (args_.gpu_share) return *args_.gpu_share;
    line_.show(0, "measuring CPUs and GPUs");
    rates_ = measure_rates(flow_.problem, session_);
    return rates_->gpu_share();
  }

  /// Than with CPUs, over the steps since the last look.
  [[nodiscard]] bool gpus_alone_are_faster(long steps, double seconds) const {
    return rates_ &&
           rates_->gpus > static_cast<double>(steps) * static_cast<double>(simulation_->fluid_cells()) / seconds;
  }

  /// Would the domain be done sooner if it were cut at `share`?
  [[nodiscard]] bool worth(double share) const {
    const double now = pieces_.gpu_share;
    if (share == 1) return true;
    if (!(share > 0 && share < 1)) return false;
    // the slower kind decides: its part over its rate
    const double slower = std::max(now / share, (1 - now) / (1 - share));
    const double rows = std::abs(share - now) * flow_.problem.cells[1] / pieces_.subdomains[1];
    return slower > 1 + worth_moving && rows >= 1;
  }

  void show(long t, Clock::time_point begin, long timed_from) {
    const double seconds = seconds_since(begin);
    line_.show(static_cast<double>(t) / static_cast<double>(args_.steps),
               fmt::format("step {} of {}, {:.1f} MLUPS", t, args_.steps,
                           static_cast<double>(simulation_->fluid_cells()) * static_cast<double>(t - timed_from) /
                               seconds * 1e-6));
  }

  const Arguments& args_;
  const Case& flow_;
  const Session& session_;
  ProgressLine line_;
  Pieces pieces_;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<Output> output_;
  long start_ = 0;  ///< time at which the run begins
  std::optional<Rates> rates_;
  Timing timing_;
  Totals totals_{};
  int corrections_ = 0;
};

void report_state(const Totals& totals, json& record, std::vector<std::pair<std::string, std::string>>& rows) {
  record["totals"] = {
      {"mass", totals.mass}, {"momentum", totals.momentum}, {"energy", totals.energy}, {"speed", totals.speed}};
  rows.emplace_back("state", fmt::format("largest speed {:.4g}, kinetic energy {:.6g}, mass - cells {:.2e}",
                                         totals.speed, totals.energy, totals.mass));
}

int solve_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  args.session.ranks = Ranks::any;
  if (args.flow.name == "stream")
    args.flow.solid = solid_cells(args.body, args.flow.cells, make_case(args.flow).length);
  const Case flow = make_case(args.flow);
  if (!args.output.restart.empty()) {
    const long time = restart_time(args.output.restart, flow.problem);
    if (time > args.steps)
      bad_input("--restart {}: at step {}, beyond --steps {}", args.output.restart, time, args.steps);
  }
  if (args.verify) require_verifiable(flow, args.steps);
  const Problem& problem = flow.problem;
  const int element = problem.single_precision ? 4 : 8;
  refuse_over_ranks(args.calibrate, "--calibrate");
  if (args.calibrate) calibrate(args, flow);
  if (!args.trace.empty()) args.session.trace = args.trace;

  json record;
  std::vector<std::pair<std::string, std::string>> rows;
  std::optional<Verdict> verdict;
  std::vector<std::string> written;
  {
    const Session session(args.session);
    record = record_header("asterism-lbm", argc, argv, session);
    Run run(args, flow, session);
    run.advance();
    written = run.written();
    if (args.verify)
      verdict = flow.exact ? compare_with_exact(flow, run.simulation())
                           : compare_with_reference(flow, run.pieces().bricks, run.pieces().placement, args.steps);

    Simulation& simulation = run.simulation();
    rows = {
        {"flow", flow.describe},
        {"method", fmt::format("{}{}, {} precision", problem.collision.model == Collision::Model::trt ? "TRT" : "BGK",
                               problem.collision.smagorinsky > 0
                                   ? fmt::format(" with Smagorinsky {}", problem.collision.smagorinsky)
                                   : "",
                               problem.single_precision ? "single" : "double")},
        {"units",
         fmt::format("{} CPUs, {} GPUs, scheduler {}", session.cpus(), session.devices(), session.scheduler())},
        {"pieces", fmt::format("{} sub-domains, {} bricks, GPUs {:.2f} %{}",
                               run.pieces().subdomains[0] * run.pieces().subdomains[1] * run.pieces().subdomains[2],
                               simulation.bricks(), 100 * run.pieces().gpu_share,
                               run.corrections() > 0 ? fmt::format(" (moved {} times)", run.corrections()) : "")}};
    record["flow"] = {{"case", args.flow.name},
                      {"cells", problem.cells},
                      {"fluid_cells", simulation.fluid_cells()},
                      {"tau", problem.collision.tau},
                      {"velocity", flow.velocity},
                      {"length", flow.length},
                      {"collision", problem.collision.model == Collision::Model::trt ? "trt" : "bgk"},
                      {"smagorinsky", problem.collision.smagorinsky},
                      {"precision", problem.single_precision ? "single" : "double"},
                      {"steps", args.steps}};
    record["pieces"] = {{"subdomains", run.pieces().subdomains},
                        {"bricks", simulation.bricks()},
                        {"gpu_share", run.pieces().gpu_share},
                        {"corrections", run.corrections()},
                        {"placed_by", args.scheduler_places ? "scheduler" : "program"}};
    if (run.rates()) record["rates"] = {{"cpus", run.rates()->cpus}, {"gpus", run.rates()->gpus}};
    record["tasks"] = simulation.tasks();
    if (rank_group().distributed()) {
      record["ranks"] = ranks_record(run.timing().seconds);
      rows.push_back(ranks_row(record["ranks"]));
    }
    if (simulated)
      rows.insert(rows.begin(), simulated_row());
    else
      report_state(run.totals(), record, rows);
    if (verdict) {
      record["verification"] = record_of(*verdict);
      rows.push_back(row_of(*verdict));
    }
    if (const auto& d = run.deviation()) {
      record["published"] = {{"source", d->source}, {"u", d->u}};
      if (d->w) record["published"]["w"] = *d->w;
      rows.emplace_back("published", fmt::format("centre lines within {:.4f}{} of the lid's velocity of {}", d->u,
                                                 d->w ? fmt::format(" and {:.4f}", *d->w) : "", d->source));
    }
    const bool right = !verdict || verdict->right();
    if (!simulated) record["right"] = right;
    if (!right) conclude_wrong(args.json, record, rows, complaint_of(*verdict));
    if (run.timing().steps > 0) {
      const double bytes = 2.0 * q * element * run.mlups() * 1e6;
      record["seconds"] = run.timing().seconds;
      record["timed_steps"] = run.timing().steps;
      record["mlups"] = run.mlups();
      record["bandwidth"] = {{"achieved", bytes}};
      record["gflops"] = run.mlups() * 1e-3 * update_flops(problem.collision);
      rows.emplace_back("time",
                        fmt::format("{:.3f} s, {:.4g} ms per step, {:.1f} MLUPS", run.timing().seconds,
                                    run.timing().seconds / static_cast<double>(run.timing().steps) * 1e3, run.mlups()));
      // ranks of one machine would measure what they leave each other
      if (!rank_group().distributed() &&
          bytes * run.timing().seconds >= smallest_bound_by_memory * static_cast<double>(run.timing().steps)) {
        const Bandwidth bandwidth = measure_bandwidth();
        const double ceiling =
            run.pieces().gpu_share * session.devices() > 0
                ? bandwidth.gpu_copy * session.devices() + (run.pieces().gpu_share < 1 ? bandwidth.cpu_copy : 0)
                : bandwidth.cpu_copy;
        record["bandwidth"]["copy"] = ceiling;
        record["bandwidth"]["share"] = bytes / ceiling;
        rows.emplace_back("memory", fmt::format("{:.1f} GB/s, {:.0f} % of measured copy bandwidth ({:.0f} GB/s)",
                                                bytes * 1e-9, 100 * bytes / ceiling, ceiling * 1e-9));
      }
    }
  }
  conclude({args.json, args.trace, args.calibrate}, fmt::format("asterism-lbm {}", flow.describe), record, rows,
           written);
  return 0;
}

}  // namespace
}  // namespace asterism::apps::lbm

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  return asterism::apps::run("asterism-lbm", [&] { return asterism::apps::lbm::solve_and_report(argc, argv); });
}
