// SPDX-License-Identifier: Apache-2.0
// asterism-trace: what a recording of any StarPU program says about its schedule.
#include <fmt/format.h>

#include <deque>
#include <fstream>

#include "apps/common/help.hpp"
#include "apps/common/program.hpp"
#include "apps/common/trace_report.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "traces/models/platform_rec.hpp"
#include "traces/models/sampling.hpp"

namespace asterism::apps {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<fs::path> paths;
  std::vector<fs::path> beside;
  std::string window = "auto";
  std::string name;
  fs::path one_unit;
  fs::path one_unit_blocks;
  std::uint64_t units = 0;
  std::vector<fs::path> durations;
  fs::path models;
  fs::path all;
  fs::path html;
  fs::path json;
  fs::path csv;
  fs::path perfetto;
  fs::path sqlite;
  fs::path tasks_rec;
  fs::path platform_rec;
  traces::Power power;
  bool partial = false;
  bool diagnose = false;
  bool no_bounds = false;
  bool quiet = false;
};

/// Throws Error (bad_input) when the database would replace a file of a recording: in a folder that is read, only a
/// database is replaced.
void require_no_input(const fs::path& database, const std::vector<fs::path>& inputs) {
  std::ifstream existing(database, std::ios::binary);
  if (!existing) return;
  std::string magic(15, ' ');
  existing.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (magic == "SQLite format 3") return;
  const fs::path file = fs::canonical(database);
  for (const fs::path& input : inputs) {
    std::error_code missing;
    const fs::path read = fs::canonical(input, missing);
    if (!missing && (file == read || file.parent_path() == read))
      bad_input("--sqlite {}: is a file of the recording {}; expected a new file or a SQLite database",
                database.string(), input.string());
  }
}

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Analyses what StarPU recorded: any program run with STARPU_FXT_TRACE=1, or a solver of Asterism with --trace "
      "DIR.\n\n"
      "  STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=run/ ./any-starpu-program\n"
      "  asterism-trace run --html run.html\n"
      "  asterism-trace run/prof_file_0 run/prof_file_1 --json run.json     one FxT file per MPI rank\n"
      "  asterism-trace four-gpus --one-unit one-gpu --one-unit-blocks one-gpu-four-blocks\n"
      "  asterism-trace dmdas --beside lws --html both.html                 two Gantt charts on one time axis\n\n"
      "Time that a unit does not compute is: waiting for data (StarPU fetches the next task's data, or a transfer of "
      "them into the unit's\n"
      "memory is under way), scheduling, the runtime's other work, or idle; shares of the makespan sum to one.\n\n"
      "Several ranks: a message lasts from before MPI_Isend until the receiver's thread for MPI found it complete. "
      "Idle, "
      "message on way: time that\n"
      "a unit is idle or waits before a task while a message is under way on whose arrival this task depends. Clocks "
      "are "
      "aligned at StarPU's two\n"
      "barriers, as starpu_fxt_tool does; where messages would arrive before they were sent, by the messages. Data "
      "that "
      "arrive before they are\n"
      "awaited, and MPI calls of the program itself, release no task that the recording knows of.",
      "asterism-trace");
  app.set_version_flag("--version", version_text("asterism-trace"));
  add_help(app, {"recording", "--html", "--all", "--beside", "--window", "--json", "--csv", "--perfetto"});
  add_config(app);
  app.add_option("recording", args.paths,
                 "A folder with tasks.rec and paje.trace (plain or .gz; data.rec, comms.rec beside them) or with FxT "
                 "files, one per rank; or those\n"
                 "files")
      ->required();
  app.add_option(
         "--window", args.window,
         "Which part: auto (between the last events \"begin NAME\" and \"end NAME\" of "
         "starpu_fxt_trace_user_event_string "
         "when the\n"
         "program set them, else all), all, iterations (tasks inside starpu_iteration_push), or BEGIN:END in seconds")
      ->capture_default_str();
  app.add_option("--beside", args.beside, "A further recording, drawn and tabulated beside the first (repeatable)")
      ->allow_extra_args(false);
  app.add_flag("--partial", args.partial, "Accept recordings whose end is missing");
  app.add_option("--name", args.name, "Title (default: the folder's name)");
  app.add_flag("--diagnose", args.diagnose,
               "Say what is odd and what to try: slow tasks, data read again, detours of data, links, starved units, "
               "small tasks, priority\ninversions; on the page and in --json, too");
  auto* efficiency = app.add_option_group(
      "Efficiency", "Definitions 1 to 5 of the CG paper, from recordings of the same problem on one unit");
  efficiency->add_option("--one-unit", args.one_unit, "T_1(1): on one unit, the problem in one block");
  efficiency->add_option("--one-unit-blocks", args.one_unit_blocks,
                         "T_b(1): on one unit, the problem cut as in the recording");
  efficiency->add_option("--units", args.units,
                         "p (default: the accelerators that computed, else the CPUs that computed)");
  auto* bounding = app.add_option_group("Bounds", "Lines in the chart; asterism-bounds says more");
  bounding->add_option("--durations", args.durations, "Recordings that know durations the first does not (repeatable)")
      ->allow_extra_args(false);
  bounding->add_option("--models", args.models, "StarPU's models: a folder under STARPU_HOME, or platform_file.rec");
  bounding->add_flag("--no-bounds", args.no_bounds, "No bounds");
  app.add_option_function<std::string>(
      "--watts", [&](const std::string& text) { args.power = traces::parse_power("--watts", text); },
      "Watts of a unit without and with a task, by kind: CPU=3:8,CUDA=70:350; adds joules to the results");
  auto* results = app.add_option_group("Results");
  results->add_option("--all", args.all, "Write everything below into this folder");
  results->add_option("--html", args.html, "A page that works offline: Gantt chart, curves, tables");
  results->add_option("--json", args.json, "All metrics");
  results->add_option("--csv", args.csv, "All metrics, a line each");
  results->add_option("--perfetto", args.perfetto, "Chrome trace events, for ui.perfetto.dev");
  results->add_option("--sqlite", args.sqlite,
                      "A SQLite database with tables of units, tasks, data, transfers, states, for questions in SQL");
  results->add_option("--tasks-rec", args.tasks_rec,
                      "The (window of the) recording as tasks.rec, for pmtool and StarVZ");
  results->add_option("--platform-rec", args.platform_rec,
                      "Units, memories, links and mean durations as platform_file.rec");
  results->add_flag("--quiet", args.quiet, "No table, no progress");
  if (const auto status = parse(app, argc, argv)) return status;
  for (const auto& [option, path] : {std::pair<const char*, fs::path>{"--html", args.html},
                                     {"--json", args.json},
                                     {"--csv", args.csv},
                                     {"--perfetto", args.perfetto},
                                     {"--sqlite", args.sqlite},
                                     {"--tasks-rec", args.tasks_rec},
                                     {"--platform-rec", args.platform_rec}})
    require_writable(option, path);
  if (!args.sqlite.empty()) {
    std::vector<fs::path> inputs = args.paths;
    for (const auto* more : {&args.beside, &args.durations}) inputs.insert(inputs.end(), more->begin(), more->end());
    inputs.insert(inputs.end(), {args.one_unit, args.one_unit_blocks, args.models});
    require_no_input(args.sqlite, inputs);
  }
  return std::nullopt;
}

/// Units that share the work: the accelerators that computed, else the CPUs that did.
std::uint64_t working_units(const Analysis& a) {
  std::uint64_t cpus = 0;
  std::uint64_t accelerators = 0;
  for (std::size_t u = 0; u < a.recording.units.size(); ++u) {
    if (a.metrics.unit[u][traces::State::computing] <= 0) continue;
    (a.recording.kinds[a.recording.units[u].kind].name == "CPU" ? cpus : accelerators)++;
  }
  return accelerators > 0 ? accelerators : cpus;
}

int analyse_and_report(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  ProgressLine line(!args.quiet);
  traces::ReadOptions options;
  options.window = traces::Window::parse(args.window);
  options.partial = args.partial;
  options.progress = [&](double f) { line.show(f, "reading"); };

  std::vector<traces::Recording> others;
  for (const auto& path : args.durations) others.push_back(traces::read({path}));
  std::optional<traces::PlatformRec> models;
  if (!args.models.empty())
    models =
        fs::is_directory(args.models) ? traces::read_sampling(args.models) : traces::read_platform_rec(args.models);

  std::deque<Analysis> analyses;
  std::vector<traces::View> views;
  const auto add = [&](const std::vector<fs::path>& paths, const std::string& name) -> const Analysis& {
    options.name = name;
    Analysis& a = analyses.emplace_back();
    traces::Recording recording = traces::read(paths, options);
    if (args.no_bounds) {
      a.recording = std::move(recording);
      a.metrics = traces::measure(a.recording);
      a.view = {&a.recording, &a.metrics, {}};
    } else {
      analyse(a, std::move(recording), others, models ? &*models : nullptr);
    }
    add_energy(a, args.power);
    if (args.diagnose) a.view.findings = traces::diagnose(a.recording, a.metrics, models ? &*models : nullptr);
    views.push_back(a.view);
    return a;
  };
  const Analysis& first = add(args.paths, args.name);
  for (const auto& path : args.beside) add({path}, "");

  std::optional<traces::Efficiency> efficiency;
  if (!args.one_unit.empty() || !args.one_unit_blocks.empty()) {
    std::optional<traces::Metrics> coarse;
    std::optional<traces::Metrics> fine;
    options.name.clear();
    if (!args.one_unit.empty()) coarse = traces::measure(traces::read({args.one_unit}, options));
    if (!args.one_unit_blocks.empty()) fine = traces::measure(traces::read({args.one_unit_blocks}, options));
    efficiency = traces::efficiency(first.metrics, args.units > 0 ? args.units : working_units(first),
                                    coarse ? &*coarse : nullptr, fine ? &*fine : nullptr);
  }

  if (!args.quiet) {
    for (const traces::View& view : views) {
      fmt::print("{}\n", traces::table(view));
      if (args.diagnose) fmt::print("{}\n", traces::findings_text(*view.recording, view.findings));
    }
    if (efficiency) {
      const traces::Efficiency& e = *efficiency;
      fmt::print("  efficiency on {} units: S = {:.3f}, e = {:.3f}", e.units, e.speedup, e.efficiency);
      if (e.granularity) fmt::print(" = granularity {:.3f} x pipeline {:.3f}", *e.granularity, *e.pipeline);
      if (e.task > 0) fmt::print("; of it tasks {:.3f}, runtime {:.3f}, idle {:.3f}", e.task, e.runtime, e.idle);
      fmt::print("\n");
    }
  }
  const auto summary = [&](const traces::View& view) {
    nlohmann::json record = traces::summary(view);
    if (args.diagnose) record["diagnosis"] = traces::findings_json(*view.recording, view.findings);
    return record;
  };
  nlohmann::json record = summary(first.view);
  if (efficiency) {
    nlohmann::json& e = record["efficiency"];
    e = {{"units", efficiency->units}, {"S", efficiency->speedup},       {"e", efficiency->efficiency},
         {"task", efficiency->task},   {"runtime", efficiency->runtime}, {"idle", efficiency->idle}};
    if (efficiency->granularity) e["e_granularity"] = *efficiency->granularity;
    if (efficiency->pipeline) e["e_pipeline"] = *efficiency->pipeline;
  }
  for (std::size_t i = 1; i < views.size(); ++i) record["beside"].push_back(summary(views[i]));

  const std::string title = args.name.empty() ? first.recording.name : args.name;
  if (!args.all.empty()) {
    write_all(args.all, first, models ? &*models : nullptr);
    traces::write_tasks_rec(args.all / "tasks.rec", first.recording);
    traces::write_html(args.all / "trace.html", views, title);
    write_json(args.all / "trace.json", record);
  }
  if (!args.html.empty()) traces::write_html(args.html, views, title);
  if (!args.json.empty()) write_json(args.json, record);
  if (!args.csv.empty()) traces::write_csv(args.csv, views);
  if (!args.sqlite.empty()) traces::write_sqlite(args.sqlite, first.recording);
  if (!args.perfetto.empty()) traces::write_perfetto(args.perfetto, first.view);
  if (!args.tasks_rec.empty()) traces::write_tasks_rec(args.tasks_rec, first.recording);
  if (!args.platform_rec.empty())
    traces::write_platform_rec(args.platform_rec, traces::platform_of(first.recording, models ? &*models : nullptr));
  // A run cannot beat its own bound: durations or dependencies are wrong then.
  for (const Analysis& a : analyses)
    for (const std::string& wrong : a.bounds.inconsistencies) failed("{}: {}", a.recording.name, wrong);
  return 0;
}

}  // namespace
}  // namespace asterism::apps

int main(int argc, char** argv) {
  return asterism::apps::run("asterism-trace", [&] { return asterism::apps::analyse_and_report(argc, argv); });
}
