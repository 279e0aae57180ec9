// asterism-fdtd: the finite-difference time-domain method as a task flow.
#include <fmt/format.h>

#include <string_view>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/common/simulate.hpp"
#include "apps/fdtd/arguments.hpp"
#include "apps/fdtd/farm.hpp"
#include "apps/fdtd/plot.hpp"
#include "apps/fdtd/run.hpp"
#include "apps/fdtd/verify.hpp"
#include "base/error.hpp"
#include "codelets/fdtd/kernels/costs.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/checkpoint.hpp"

namespace asterism::apps::fdtd {
namespace {

using namespace asterism::fdtd;
using nlohmann::json;
using Rows = std::vector<std::pair<std::string, std::string>>;

/// What a run is made of.
struct Task {
  Case of;
  std::optional<LoadedScene> scene;
  Outputs outputs;
  long steps = 0;
};

Case case_of(const LoadedScene& loaded) {
  Case c;
  c.problem = loaded.problem.problem;
  c.probe_names = loaded.problem.probe_names;
  const auto& n = c.problem.cells;
  c.describe = fmt::format("{}, {} x {} x {} cells", loaded.file, n[0], n[1], n[2]);
  return c;
}

/// The case with the sources and probes that were asked for.
Case make_case_of(const Arguments& args) {
  Case c = make_case(args.problem);
  Problem& p = c.problem;
  const double width = args.pulse.value_or(20 * p.dt);
  for (const Probe& at : args.sources) p.sources.push_back({at.component, at.cell, gaussian(width)});
  p.probes = args.probes;
  check(p);
  return c;
}

Task make_task(const Arguments& args) {
  Task task;
  if (args.scene.empty()) {
    task.of = make_case_of(args);
    task.steps = args.steps.value_or(validation_steps);
  } else {
    task.scene = load_scene(args.scene);
    const scene::Scene& scene = task.scene->scene;
    task.of = case_of(*task.scene);
    task.steps = args.steps.value_or(static_cast<long>(scene.steps));
    task.outputs = {scene.grid.origin, scene.field_outputs, scene.slice_outputs};
    if (!args.probe_file.empty() && task.of.problem.probes.empty())
      bad_input("--probes {}: {} has no probes", args.probe_file, args.scene);
  }
  if (simulated)
    task.outputs = {};  // what a scene asks for by itself
  else
    add_outputs(args.output, task.of.problem, task.outputs);
  return task;
}

void describe(const Arguments& args, long steps, const Case& of, const Session& session, Run& run, json& record,
              Rows& rows) {
  const Problem& p = of.problem;
  const Division& division = run.division();
  rows.emplace_back("problem", fmt::format("{}, {} precision", of.describe, p.single_precision ? "single" : "double"));
  rows.emplace_back("time step", fmt::format("{:.6g} s, Courant number {:.4g}", p.dt, courant_number(p)));
  rows.emplace_back(
      "units", fmt::format("{} CPUs, {} GPUs, scheduler {}", session.cpus(), session.devices(), session.scheduler()));
  rows.emplace_back("pieces",
                    fmt::format("{} bricks, GPUs {:.2f} %{}", division.bricks.size(), 100 * division.gpu_share,
                                run.corrections() > 0 ? fmt::format(" (moved {} times)", run.corrections()) : ""));
  record["problem"] = {{"case", args.scene.empty() ? args.problem.name : args.scene},
                       {"cells", p.cells},
                       {"spacing", p.spacing},
                       {"time_step", p.dt},
                       {"courant", courant_number(p)},
                       {"precision", p.single_precision ? "single" : "double"},
                       {"steps", steps}};
  record["pieces"] = {{"bricks", division.bricks.size()},
                      {"gpu_share", division.gpu_share},
                      {"overlap", division.overlap},
                      {"corrections", run.corrections()},
                      {"placed_by", args.scheduler_places ? "scheduler" : "program"}};
  if (!run.gpu_weights().empty()) record["pieces"]["gpu_weights"] = run.gpu_weights();
  if (run.rates()) record["rates"] = {{"cpus", run.rates()->cpus}, {"gpus", run.rates()->gpus}};
  record["tasks"] = run.simulation().tasks();
}

void describe_state(const Case& of, Run& run, json& record, Rows& rows) {
  const std::array<double, 3> sums = run.simulation().sums(Field::electric);
  const Energy energy = run.simulation().energy();
  record["sums"] = {{"ex", sums[0]}, {"ey", sums[1]}, {"ez", sums[2]}};
  record["energy"] = {{"electric", energy.electric}, {"magnetic", energy.magnetic}};
  rows.emplace_back("sum of Ez", fmt::format("{:.12g} V/m", sums[2]));
  rows.emplace_back("energy", fmt::format("electric {:.6g} J, magnetic {:.6g} J", energy.electric, energy.magnetic));
  if (of.resonance > 0) {
    record["resonance"] = {{"grid", of.resonance}, {"continuum", of.continuum}};
    rows.emplace_back("resonance", fmt::format("{:.9g} Hz on the grid, {:.9g} Hz without", of.resonance, of.continuum));
  }
}

/// The memory traffic is that of one pass for H and one for E, so more than all of the bandwidth can be reached by
/// taking both at once.
void describe_speed(const Problem& p, const Session& session, Run& run, json& record, Rows& rows) {
  const double rate = run.rate();
  const double bytes = 2 * update_bytes(!p.material.empty(), p.single_precision ? 4 : 8) * rate;
  const double flops = benchmark_flops(p.cells, run.timed_steps()) / run.seconds();
  record["seconds"] = run.seconds();
  record["timed_steps"] = run.timed_steps();
  record["mcells"] = rate * 1e-6;
  record["gflops"] = flops * 1e-9;
  record["bandwidth"] = {{"two_pass", bytes}};
  rows.emplace_back("time", fmt::format("{:.3f} s, {:.4g} ms per step, {:.1f} Mcells/s", run.seconds(),
                                        run.seconds() / static_cast<double>(run.timed_steps()) * 1e3, rate * 1e-6));
  rows.emplace_back("operations", fmt::format("{:.2f} GFlop/s by formula (4.1)", flops * 1e-9));
  // ranks of one machine would measure what they leave each other
  if (rank_group().distributed()) return;
  if (bytes * run.seconds() < smallest_bound_by_memory * static_cast<double>(run.timed_steps())) return;
  const Bandwidth bandwidth = measure_bandwidth();
  const double share = run.division().gpu_share;
  const double copy = (share > 0 ? bandwidth.gpu_copy * session.devices() : 0) + (share < 1 ? bandwidth.cpu_copy : 0);
  record["bandwidth"]["copy"] = copy;
  record["bandwidth"]["share"] = bytes / copy;
  rows.emplace_back("memory",
                    fmt::format("{:.1f} GB/s in two passes, {:.0f} % of measured copy bandwidth ({:.0f} GB/s)",
                                bytes * 1e-9, 100 * bytes / copy, copy * 1e-9));
}

/// Throws Error (failed) for a wrong answer, with the table and the record but no speed.
void judge(const Arguments& args, long steps, const Case& of, Run& run, json& record, Rows& rows) {
  record["right"] = true;
  if (!args.verify) return;
  const Verdict verdict = verify(of, run.simulation(), run.division(), steps);
  record["verification"] = record_of(verdict);
  record["right"] = verdict.right();
  rows.push_back(row_of(verdict));
  if (!verdict.right()) conclude_wrong(args.json, record, rows, complaint_of(verdict));
}

int solve_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  args.session.ranks = Ranks::any;
  const Task task = make_task(args);
  const Case& of = task.of;
  if (!args.restart.empty()) {
    const long step = checkpoint_step(args.restart, of.problem);
    if (step > task.steps) bad_input("--restart {}: at step {}, beyond --steps {}", args.restart, step, task.steps);
  }
  if (args.verify) require_verifiable(of, task.steps);
  refuse_over_ranks(args.calibrate, "--calibrate");
  if (args.calibrate) calibrate(args, of.problem);
  if (!args.trace.empty()) args.session.trace = args.trace;

  json record;
  Rows rows;
  std::vector<std::string> written;
  {
    const Session session(args.session);
    record = record_header("asterism-fdtd", argc, argv, session);
    Run run(args, of, task.outputs, task.steps, session);
    run.advance();
    run.write_probes();
    written = run.written();
    if (task.scene && !simulated) {
      const std::vector<std::string> names = task.scene->write(run.simulation());
      written.insert(written.end(), names.begin(), names.end());
    }
    describe(args, task.steps, of, session, run, record, rows);
    if (rank_group().distributed()) {
      record["ranks"] = ranks_record(run.seconds());
      rows.push_back(ranks_row(record["ranks"]));
    }
    if (simulated) {
      rows.insert(rows.begin(), simulated_row());
    } else {
      describe_state(of, run, record, rows);
      judge(args, task.steps, of, run, record, rows);
    }
    if (run.timed_steps() > 0) describe_speed(of.problem, session, run, record, rows);
  }
  conclude({args.json, args.trace, args.calibrate}, fmt::format("asterism-fdtd {}", of.describe), record, rows,
           written);
  return 0;
}

}  // namespace
}  // namespace asterism::apps::fdtd

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  using namespace asterism::apps::fdtd;
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "farm") return farm_command(argc - 1, argv + 1);
  if (command == "plot") return plot_command(argc - 1, argv + 1);
  return asterism::apps::run("asterism-fdtd", [&] { return solve_and_report(argc, argv); });
}
