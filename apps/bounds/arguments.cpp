// SPDX-License-Identifier: Apache-2.0
#include "apps/bounds/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "apps/common/help.hpp"
#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "base/version.hpp"

namespace asterism::apps::bounds {

namespace {

using namespace asterism::bounds;

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    list.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return list;
}

std::map<std::string, double> parse_units(const std::string& text) {
  std::map<std::string, double> units;
  for (const std::string& part : parts(text)) {
    const std::size_t equals = part.find('=');
    double count = 0;
    std::from_chars_result end{nullptr, std::errc::invalid_argument};
    if (equals != std::string::npos && equals > 0)
      end = std::from_chars(part.data() + equals + 1, part.data() + part.size(), count);
    if (end.ec != std::errc() || end.ptr != part.data() + part.size() || !(count >= 0) || std::isinf(count))
      bad_input("--units {}: found '{}', expected KIND=NUMBER, as in CPU=12,CUDA=3", text, part);
    if (!units.emplace(part.substr(0, equals), count).second)
      bad_input("--units {}: {} is given twice", text, part.substr(0, equals));
  }
  if (std::none_of(units.begin(), units.end(), [](const auto& unit) { return unit.second > 0; }))
    bad_input("--units {}: expected at least one unit", text);
  return units;
}

void parse_network(const std::string& text, Options& options) {
  if (text == "trace") {
    options.network_from = NetworkFrom::recording;
    return;
  }
  const std::size_t comma = text.find(',');
  double latency = -1;
  double bandwidth = -1;
  if (comma != std::string::npos) {
    const char* const last = text.data() + text.size();
    const auto first = std::from_chars(text.data(), text.data() + comma, latency);
    const auto second = std::from_chars(text.data() + comma + 1, last, bandwidth);
    if (first.ec != std::errc() || first.ptr != text.data() + comma || second.ec != std::errc() || second.ptr != last)
      latency = -1;
  }
  if (!(latency >= 0) || !(bandwidth > 0) || std::isinf(latency))
    bad_input("--network {}: expected trace, or LATENCY,BANDWIDTH in seconds and bytes per second, as in 2e-6,25e9",
              text);
  options.network_from = NetworkFrom::user;
  options.network = {latency, bandwidth, bandwidth};
}

std::array<Source, source_count> parse_order(const std::string& text) {
  std::array<Source, source_count> order{};
  std::array<bool, source_count> seen{};
  const std::vector<std::string> names = parts(text);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const found = std::find(source_names, source_names + source_count, names[i]);
    const auto source = static_cast<std::size_t>(found - source_names);
    if (names.size() != source_count || source == source_count || seen[source])
      bad_input("--order {}: expected each of recording, durations, models once", text);
    seen[source] = true;
    order[i] = static_cast<Source>(source);
  }
  return order;
}

}  // namespace

std::optional<int> parse_arguments(int argc, char** argv, Arguments& args) {
  CLI::App app(
      "Lower bounds on the makespan of a recorded task graph: how much a better scheduler could still gain.\n\n"
      "  asterism-bounds run/                                 LP, LP where tasks fit, LP~ and critical path\n"
      "  asterism-bounds run/ --durations gpu-only/           durations of kinds of units the run did not use\n"
      "  asterism-bounds run/ --models ~/.starpu/sampling     the same from StarPU's performance models\n"
      "  asterism-bounds run/ --units CPU=12,CUDA=3           another machine of the same units\n\n"
      "LP                  units do all work at the measured speeds, tasks may be cut, no dependencies or transfers\n"
      "LP where tasks fit  LP with no task where it alone takes longer than the bound\n"
      "LP~                 LP with every codelet at the best rate (flop/s) it reaches on each kind of unit\n"
      "critical path       the longest chain of dependencies, each task at its fastest\n"
      "windows             tasks that cannot start before a, nor end later than b before the end: a + LP of these + b\n"
      "LP with links       LP, and data in main memory cross to the devices that need them (--communication)\n"
      "LP per node         of several ranks: LP of each rank's tasks on its units; LP itself distributes them over "
      "all\n"
      "network             what a rank sends or receives over its bandwidth (--network)\n"
      "path with messages  the critical path, a message taking latency + bytes / bandwidth (--network)\n"
      "MILP                LP with whole tasks (--milp, small graphs)\n\n"
      "(Agullo, Bramas, Coulaud, Darve, Messner, Takahashi, SISC 2014, section 4.4.1; tasks that fit: Lenstra,\n"
      "Shmoys, Tardos, Math. Programming 46, 1990.) A run cannot be faster than the LPs and critical path when\n"
      "durations are its own means; when it is, durations are wrong: an error, status 1.\n\n"
      "Several ranks: each rank's durations are its own. LP per node / LP is the imbalance of the distribution. Tasks\n"
      "wait for tasks of other ranks through the messages that StarPU-MPI records; that is lost for data that arrived\n"
      "before they were awaited, and never recorded for MPI calls of the program itself: this lowers the "
      "bounds.\n",
      "asterism-bounds");
  app.set_version_flag("--version", version_text("asterism-bounds"));
  add_config(app);
  add_help(app, {"recording", "--units", "--durations", "--window", "--network", "--milp", "--json"});

  app.add_option(
         "recording", args.recording,
         "A folder with tasks.rec (paje.trace, data.rec) as starpu_fxt_tool leaves them, or FxT files, one per\n"
         "MPI rank")
      ->required();
  app.add_option("--window", args.window,
                 "Part of the recording: auto (between markers the program set), all, iterations, or BEGIN:END in s")
      ->capture_default_str();

  CLI::Option_group* times = app.add_option_group("Durations", "t(codelet, footprint, kind of unit)");
  times->add_option("--durations", args.durations,
                    "Further recordings. The solvers' --calibrate measures every codelet on every kind of unit");
  auto* models =
      times->add_option("--models", args.models,
                        "StarPU's performance models: a folder (sampling, or STARPU_HOME), or platform_file.rec");
  times->add_option("--model-host", args.model_host, "Whose models to read when a folder holds those of several hosts");
  times
      ->add_option_function<std::string>(
          "--order", [&](const std::string& text) { args.options.durations.order = parse_order(text); },
          "Precedence of the sources where several give a duration")
      ->default_str("recording,durations,models");
  times
      ->add_option_function<std::string>(
          "--aggregate", [&](const std::string& text) { args.options.durations.aggregate = parse_aggregate(text); },
          "Which of the measured durations stands for a class: mean, median or min. With median LP may exceed the\n"
          "makespan")
      ->default_str("mean");
  times->add_option("--rates", args.rates, "For LP~: lines 'codelet,kind,flop/s' in place of the best rates measured");

  CLI::Option_group* machine = app.add_option_group("Machine");
  machine->add_option_function<std::string>(
      "--units", [&](const std::string& text) { args.options.units = parse_units(text); },
      "Numbers of units of the machine the bounds are for, as in CPU=12,CUDA=3 (default: the recording's)");
  auto* communication = machine->add_flag("--communication", args.options.communication,
                                          "Also LP with links; at the best rate the recording's transfers reach");
  machine
      ->add_flag("--links-of-models", args.links_of_models,
                 "Rates of links from --models (memory_performance, or StarPU's bus measurements)")
      ->needs(communication)
      ->needs(models);

  machine->add_option_function<std::string>(
      "--network", [&](const std::string& text) { parse_network(text, args.options); },
      "Latency and bandwidth of messages between ranks: \"trace\", as the recording's fastest, or LATENCY,BANDWIDTH in "
      "s and "
      "bytes/s,\n"
      "as in 2e-6,25e9 (default: nothing)");

  CLI::Option_group* programs = app.add_option_group("Programs");
  programs->add_flag("--milp", args.options.milp, "Also the mixed-integer program: tasks are not cut");
  programs->add_option("--milp-time", args.options.milp_options.time_limit, "Its time limit, seconds")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  programs->add_option("--write-lp", args.write_lp,
                       "Write LP's linear program: lp_solve's format, or free MPS when FILE ends in .mps");

  CLI::Option_group* results = app.add_option_group("Results");
  results->add_option("--json", args.json, "Write bounds, assignments and what is missing");
  results->add_option("--csv", args.csv, "Write a line per bound, and per codelet and kind of LP's assignment");
  results->add_flag("--all-missing", args.all_missing, "List missing durations per footprint");
  results->add_flag("--quiet", args.quiet, "No progress line");

  if (const auto status = parse(app, argc, argv)) return status;
  require_writable("--write-lp", args.write_lp);
  require_writable("--json", args.json);
  require_writable("--csv", args.csv);
  return std::nullopt;
}

}  // namespace asterism::apps::bounds
