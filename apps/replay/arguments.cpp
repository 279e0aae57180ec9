// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/arguments.hpp"

#include "apps/common/files.hpp"
#include "apps/common/help.hpp"
#include "apps/common/options.hpp"
#include "apps/common/program.hpp"
#include "apps/common/solver_options.hpp"
#include "base/error.hpp"
#include "base/version.hpp"

namespace asterism::apps::replay {

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Runs the task graph that any StarPU program recorded on a simulated machine, under any scheduler, without the\n"
      "program: dependencies, sizes of data, priorities and classes of tasks are those of the recording.\n\n"
      "  asterism-replay run/ --simulate h200x4 --scheduler dmdas\n"
      "  asterism-replay run/ --simulate ./mine.toml --scheduler hprio --trace replayed\n"
      "  asterism-compare --schedulers hprio,dmdas,lws --simulate nehalem-m2070 -- asterism-replay run/\n\n"
      "The scheduler static follows a schedule that is made before the run, from bounds and from the best of HEFT, "
      "LP,\n"
      "HeteroPrio and local search (--optimum says how good it is):\n\n"
      "  asterism-replay run/ --simulate h200x4 --scheduler static --write-schedule sched.rec\n"
      "  ASTERISM_STATIC_SCHEDULE=sched.rec asterism-replay run/ --simulate h200x4 --scheduler static --noise 0.1\n\n"
      "A duration is taken from the first of these that knows the task's class on a kind of unit:\n"
      "  platform   the platform's file, where it names the codelet: [codelets.NAME]\n"
      "  models     StarPU's performance models (--models)\n"
      "  recording  means of the recording, and of those of --durations, on units of that kind\n"
      "  rates      the platform's rates in flop/s, for tasks whose operations the program told StarPU\n"
      "and, where --order says so,\n"
      "  bytes      the bytes of a task's data over the platform's bandwidth, for tasks without operations",
      "asterism-replay");
  app.set_version_flag("--version", version_text("asterism-replay"));
  add_config(app);
  add_help(app, {"recording", "--simulate", "--scheduler", "--models", "--durations", "--order", "--noise", "--optimum",
                 "--generate", "--json", "--trace"});

  app.add_option(
      "recording", args.recording,
      "A folder with tasks.rec (and data.rec), as --trace or starpu_fxt_tool leave them, a tasks.rec, or an\n"
      "FxT file; of several processes: replayed as one");
  app.add_option("--window", args.window,
                 "Part of the recording: all, auto (between markers the program set), iterations, or BEGIN:END in s")
      ->capture_default_str();

  app.add_option_function<std::string>(
      "--generate", [&](const std::string& text) { args.generate = traces::GraphRule::parse(text); },
      "Instead of a recording a graph made by a rule: SHAPE:TASKS or SHAPE:TASKS:SEED, shapes layered, fork-join,\n"
      "wavefront, tree, cholesky; four codelets, a GPU is half to 32 times as fast as a core");

  CLI::Option_group* times = app.add_option_group("Durations", "of a class of tasks on a kind of unit");
  times->add_option("--models", args.models,
                    "StarPU's performance models: a folder (sampling, or STARPU_HOME), or platform_file.rec;\n"
                    "durations.rec in the recording's folder is always read");
  times->add_option("--model-host", args.model_host, "Whose models to read when a folder holds those of several hosts");
  times->add_option("--durations", args.durations, "Further recordings");
  times
      ->add_option_function<std::string>(
          "--order", [&](const std::string& text) { args.order = parse_order(text); },
          "Sources of durations in the order in which they are asked; those left out are not")
      ->default_str("platform,models,recording,rates");
  times
      ->add_option("--noise", args.noise.deviation,
                   "Every task takes its duration times a random factor with this standard deviation (log-normal, of\n"
                   "mean 1), which schedulers do not know")
      ->check(CLI::Range(0.0, 3.0))
      ->capture_default_str();
  times->add_option("--seed", args.noise.seed, "Of the noise: the same factors under every scheduler")
      ->capture_default_str();

  CLI::Option_group* machine = add_machine_group(app);
  add_units(machine, args.session);
  add_simulate(machine, args.machine);

  CLI::Option_group* results = app.add_option_group("Results");
  results->add_flag("--optimum", args.optimum,
                    "Also the interval that holds the least makespan: the greatest lower bound and the best schedule\n"
                    "known, made in advance with copies (seconds; a minute for 10^4 tasks)");
  results
      ->add_option("--search", args.search.placements, "Tasks that the local search for that schedule places, in all")
      ->capture_default_str();
  results->add_option("--write-schedule", args.schedule,
                      "Write that schedule as StarPU's sched.rec, which the scheduler static follows, on this machine\n"
                      "or on the real one (ASTERISM_STATIC_SCHEDULE=FILE)");
  results->add_option(
      "--write-graph", args.graph,
      "Write what is replayed into this folder: tasks.rec without the data that are not copied, data.rec,\n"
      "durations.rec (means by class and kind of unit); ends then unless --simulate is given");
  add_reports(results, args.json, args.trace, "recording, sources of durations, makespan");
  add_quiet(*results, args.quiet);

  if (const auto status = parse(app, argc, argv)) return status;
  if (args.recording.empty() == !args.generate)
    bad_input("{}", args.generate ? "--generate: expected no recording beside it"
                                  : "recording: expected a folder or a file, or --generate");
  if (args.machine.platform.empty() && args.graph.empty())
    bad_input("--simulate: expected the machine to replay on, such as nehalem-m2070");
  if (args.machine.nodes > 0) bad_input("--nodes: replay is on one machine");
  require_writable("--json", args.json);
  require_writable("--write-schedule", args.schedule);
  return std::nullopt;
}

}  // namespace asterism::apps::replay
