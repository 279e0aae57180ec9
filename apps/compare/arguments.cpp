// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "apps/common/help.hpp"
#include "apps/common/options.hpp"
#include "apps/common/process.hpp"
#include "apps/common/program.hpp"
#include "apps/common/simulate.hpp"
#include "apps/compare/settings.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::compare {
namespace {

constexpr const char* description =
    "Compares schedulers on any StarPU program, which runs unchanged: the scheduler comes through STARPU_SCHED.\n\n"
    "  asterism-compare --schedulers dmdas,lws,eager,cyclic --repeat 7 -- asterism-cg --stencil 11pts-128\n"
    "  asterism-compare --schedulers dmda,lws --time-from 'regex:([0-9.]+) GB' -- ./my-starpu-program input\n"
    "  asterism-compare --schedulers hprio,lws --simulate nehalem-m2070 -- asterism-fmm --particles 1000000\n\n"
    "First, when any of the schedulers uses performance models, they are calibrated: runs with STARPU_CALIBRATE=1 "
    "under\n"
    "Asterism's scheduler calibrate, which runs every class of tasks on every kind of unit in turn. Then each "
    "scheduler is\n"
    "warmed up, until StarPU no longer reports a model that lacks measurements. Then the repetitions are interleaved: "
    "in\n"
    "each, every scheduler runs once, in an order balanced for place and predecessor, so that a drift of the machine\n"
    "affects all equally.\n\n"
    "What is compared (--time-from): by default every repetition is recorded (FxT) and the time is the recording's\n"
    "makespan, first task's start to last task's end: it exists for any StarPU program and excludes the start of "
    "StarPU\n"
    "and the reading of input. Recording itself costs some hundred nanoseconds per event: with tasks much below 100\n"
    "microseconds compare the program's own times (--time-from json:... or regex:...), or wall times; repetitions "
    "then\n"
    "run unrecorded, and --traced rounds give the shares, transfers, bounds and charts. --untraced rounds show what\n"
    "recording costs.\n\n"
    "Reported are medians, and intervals from order statistics, valid for any distribution; ratios are of pairs\n"
    "of runs of the same repetition. LP is the shortest time in which the units could run the tasks, each kind with "
    "the\n"
    "durations measured over all recordings, limited by their number only.\n\n"
    "On a simulated machine durations are the platform's and a run takes the same time whenever it is repeated: each\n"
    "scheduler runs once, nothing is calibrated, and bounds know all durations on all kinds of units.\n\n"
    "Everything is kept in the work folder. Interrupted (Ctrl-C, SIGTERM, power), the same command resumes where it\n"
    "stopped; a larger --repeat adds repetitions. STARPU_* variables keep their meaning, except STARPU_SCHED,\n"
    "STARPU_SCHED_LIB, STARPU_CALIBRATE, STARPU_FXT_TRACE, STARPU_FXT_PREFIX, STARPU_FXT_SUFFIX and STARPU_SILENT,\n"
    "which are set here; performance models are kept in the work folder unless STARPU_HOME or STARPU_PERF_MODEL_DIR\n"
    "says otherwise.\n\n"
    "Exit status: 0 all runs good, 1 some failed, 2 bad usage, 130 or 143 interrupted.\n";

/// FNV-1a, for names of folders.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

void require_no_scheduler(const std::vector<std::string>& command) {
  for (const std::string& argument : command)
    if (argument == "--scheduler" || argument.starts_with("--scheduler=") || argument.starts_with("STARPU_SCHED="))
      bad_input("{}: the program is told its scheduler by STARPU_SCHED; remove this from the command after --",
                argument);
}

std::vector<std::string> parse_schedulers(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    if (name.empty()) bad_input("--schedulers {}: a name is missing; expected names with commas between", list);
    if (std::find(names.begin(), names.end(), name) != names.end())
      bad_input("--schedulers {}: {} is there twice", list, name);
    // StarPU itself would silently take another one
    if (!scheduler_library(name)) {
      std::string known;
      for (const std::string& one : scheduler_names()) known += (known.empty() ? "" : ", ") + one;
      bad_input("--schedulers {}: no such scheduler; expected some of {}", name, known);
    }
    names.push_back(name);
    begin = end + 1;
  }
  return names;
}

/// The simulated machine: that of --simulate, which the program is given too, or the one in its own command.
void choose_platform(const std::string& wanted, Settings& s) {
  const std::optional<std::string> own = platform_in(s.command);
  if (!wanted.empty() && own) bad_input("--simulate {}: the command after -- has a --simulate, too", wanted);
  if (wanted.empty() && !own) return;
  const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe");
  s.platform_file = find_platform("--simulate", own ? *own : wanted, self);
  s.platform = read_platform(s.platform_file);
  if (!own) s.command.insert(s.command.end(), {"--simulate", wanted});
  s.calibrations = 0;
  s.warm_ups = 0;
  if (s.deterministic()) s.repetitions = 1;
}

bool plain(const std::string& argument) {
  return !argument.empty() &&
         argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%") ==
             std::string::npos;
}

}  // namespace

std::string shell_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& argument : command) {
    if (!text.empty()) text += ' ';
    if (plain(argument)) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::optional<int> parse_arguments(int argc, char** argv, Settings& s) {
  // what stands after -- is not ours to understand
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--") ++own;
  for (int i = own + 1; i < argc; ++i) s.command.emplace_back(argv[i]);

  std::string schedulers;
  std::string time = "trace";
  std::string platform;
  CLI::App app(description, "asterism-compare");
  app.set_version_flag("--version", version_text("asterism-compare"));
  add_config(app);
  add_help(app, {"--schedulers", "--repeat", "--simulate", "--time-from", "--window", "--work", "--html", "--csv"});

  CLI::Option_group* what = app.add_option_group("What");
  what->add_option("--schedulers", schedulers,
                   "Names with commas between: StarPU's, Asterism's, or those of the library that STARPU_SCHED_LIB "
                   "names")
      ->required();
  what->add_option("--repeat", s.repetitions, "Measured runs of each scheduler; 6 or more give 95 % intervals")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  what->add_option("--calibration-runs", s.calibrations,
                   "Runs with STARPU_CALIBRATE=1 when any of the schedulers uses performance models")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  what->add_option(
          "--warm-ups", s.warm_ups,
          "Maximum number of runs of each scheduler before the measured ones; one, when StarPU then finds its\n"
          "models calibrated")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  what->add_option("--simulate", platform,
                   "Give the program this option too: a solver of Asterism then runs on that simulated machine")
      ->type_name("PLATFORM");
  what->add_option("--timeout", s.timeout, "Seconds after which a run is ended and counts as failed (default: none)")
      ->check(not_negative_number());
  what->add_option("--give-up", s.give_up,
                   "Skip the remaining runs of a scheduler after this number of consecutive failures")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();

  CLI::Option_group* measure = app.add_option_group("Measurement");
  measure
      ->add_option("--time-from", time,
                   "trace: makespan of the recording; wall: time of the process; json:KEY or json:FILE:KEY: a number\n"
                   "in JSON on stdout or in a file (a.b.0 for members); regex:PATTERN: the last number that the\n"
                   "pattern's parentheses match in a line of output. All in seconds")
      ->capture_default_str();
  measure->add_option("--traced", s.traced, "Recorded rounds when the repetitions are not")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  measure->add_option("--untraced", s.untraced, "Unrecorded rounds when the repetitions are recorded")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  measure
      ->add_option("--window", s.window,
                   "Part of the recording that counts: auto (between the program's last markers \"begin NAME\" and\n"
                   "\"end NAME\", else all), all, iterations, or BEGIN:END in seconds")
      ->capture_default_str();

  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--work", s.work,
                      "Folder of this comparison (default: asterism-compare-, then a hash of command and schedulers)");
  results->add_option("--csv", s.csv, "One line per run (default: compare.csv in the work folder)");
  results->add_option("--json", s.json, "Summary and runs (default: compare.json in the work folder)");
  results->add_option("--html", s.html,
                      "Page with the Gantt charts of each scheduler's median run (default: compare.html in the work "
                      "folder)");
  results->add_flag("--keep-traces", s.keep_traces,
                    "Keep every FxT file and recording (default: only the recordings of the page)");
  results->add_flag("--retry", s.retry, "Repeat the runs that failed");
  results->add_flag("--dry-run", s.dry_run, "Print the runs in their order, without running them");
  results->add_flag("--quiet", s.quiet, "No progress line");

  if (const auto status = parse(app, own, argv)) return status;
  if (s.command.empty()) bad_input("a program is missing: asterism-compare [OPTIONS] -- PROGRAM [ARGUMENTS]");
  s.schedulers = parse_schedulers(schedulers);
  if (scheduler_library("calibrate").value_or("") != "") s.calibrator = "calibrate";
  s.time = TimeSource::parse(time);
  traces::Window::parse(s.window);
  require_no_scheduler(s.command);
  choose_platform(platform, s);
  if (find_program(s.command.front()).empty()) bad_input("{}: there is no such program", s.command.front());
  if (const char* calibrate = std::getenv("STARPU_CALIBRATE"); calibrate != nullptr && std::atoi(calibrate) != 0)
    bad_input("STARPU_CALIBRATE={}: runs that calibrate cannot be compared; unset it and use --calibration-runs",
              calibrate);
  if (s.work.empty()) {
    std::string all = schedulers;
    for (const std::string& argument : s.command) all += '\0' + argument;
    s.work = fmt::format("asterism-compare-{:012x}", hash(all) >> 16);
  }
  require_writable("--csv", s.csv);
  require_writable("--json", s.json);
  require_writable("--html", s.html);
  if (s.csv.empty()) s.csv = s.work / "compare.csv";
  if (s.json.empty()) s.json = s.work / "compare.json";
  if (s.html.empty()) s.html = s.work / "compare.html";
  return std::nullopt;
}

std::string shown_command(const Settings& settings) {
  std::vector<std::string> command = settings.command;
  if (!command.empty()) command[0] = std::filesystem::path(command[0]).filename().string();
  return shell_text(command);
}

std::string shown_machine(const Settings& settings) {
  if (!settings.platform) return {};
  return fmt::format("simulated machine {}: {}", settings.platform->name, settings.platform->description);
}

}  // namespace asterism::apps::compare
