// SPDX-License-Identifier: Apache-2.0
// asterism-replay: the task graph of a recording on a simulated machine.
#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/common/trace_report.hpp"
#include "apps/replay/arguments.hpp"
#include "apps/replay/energy.hpp"
#include "apps/replay/graph_files.hpp"
#include "apps/replay/optimum.hpp"
#include "base/error.hpp"
#include "runtime/machine/simulated_machine.hpp"

namespace asterism::apps::replay {
namespace {

void report_recording(const TaskGraph& graph, const TaskTimes& times, Report& report) {
  const traces::Recording& recording = graph.recording;
  nlohmann::json known = facts(recording, times);
  known["ranks"] = graph.ranks;
  report.rows.emplace_back(
      "recording",
      fmt::format("{}: {} tasks, {} dependencies, {} data of {:.4g} MB, {:.4g} s on {} units", recording.name,
                  known["tasks"].get<std::uint64_t>(), recording.dependencies.item.size(), recording.handles.size(),
                  1e-6 * known["bytes"].get<double>(), recording.makespan(), recording.units.size()));
  if (graph.ranks > 1)
    report.rows.emplace_back("",
                             fmt::format("of {} processes, as one: messages are copies in main memory", graph.ranks));
  report.record["recording"] = known;
}

/// Which durations are known from where: one row for all codelets with the same sources.
void report_durations(const TaskTimes& times, Report& report) {
  nlohmann::json lines = nlohmann::json::array();
  std::map<std::string, std::vector<std::string>> codelets;  // by kind and sources
  for (const Coverage& line : times.coverage()) {
    std::string from;
    nlohmann::json record{{"codelet", line.codelet}, {"kind", line.kind}, {"none", line.none}};
    for (std::size_t s = 0; s < source_count; ++s) {
      record[source_names[s]] = line.from[s];
      if (line.from[s] > 0) from += fmt::format("{}{}", from.empty() ? "from " : " and ", source_names[s]);
    }
    if (line.none > 0) from += from.empty() ? "not run there" : fmt::format(", {} tasks not run there", line.none);
    codelets[fmt::format("{}, {}", line.kind, from)].push_back(line.codelet);
    lines.push_back(std::move(record));
  }
  for (const auto& [sources, names] : codelets)
    report.rows.emplace_back("durations", fmt::format("{}: {}", sources, fmt::join(names, ", ")));
  report.record["durations"] = std::move(lines);
}

/// The file of a schedule while the scheduler static may read it.
class ScheduleInUse {
 public:
  /// `file` empty: a temporary one.
  ScheduleInUse(const traces::Recording& recording, const bounds::Schedule& schedule, const std::string& file) {
    std::filesystem::path path = file;
    if (file.empty()) {
      path = temporary_ = std::filesystem::temp_directory_path() / fmt::format("asterism-replay-{}.rec", getpid());
    }
    write_schedule(path, recording, schedule);
    setenv(variable, path.c_str(), 1);
  }
  ~ScheduleInUse() {
    if (!temporary_.empty()) std::filesystem::remove(temporary_);
  }
  ScheduleInUse(const ScheduleInUse&) = delete;
  ScheduleInUse& operator=(const ScheduleInUse&) = delete;
  static constexpr const char* variable = "ASTERISM_STATIC_SCHEDULE";

 private:
  std::filesystem::path temporary_;
};

/// `seconds`: of the replay; a schedule as well, where nothing varies its durations.
void report_optimum(const bounds::Optimum& found, const bounds::Workload& work, double seconds, bool noise,
                    Report& report) {
  const bounds::Schedule& best = found.schedules.front();
  const bool run_is_best = !noise && seconds < best.makespan;
  const double upper = run_is_best ? seconds : best.makespan;
  nlohmann::json made = nlohmann::json::array();
  std::set<std::string> known;  // the best of each
  for (const bounds::Schedule& s : found.schedules)
    if (known.insert(s.made_by).second) made.push_back({{"by", s.made_by}, {"seconds", s.makespan}});
  report.record["optimum"] = {{"lower", found.lower.seconds},
                              {"lower_by", found.lower.by},
                              {"lp", found.lower.lp},
                              {"path", found.lower.path},
                              {"bounds", found.lower.each},
                              {"upper", upper},
                              {"upper_by", run_is_best ? "this run" : best.made_by},
                              {"gap", upper / found.lower.seconds - 1},
                              {"schedules", std::move(made)},
                              {"busy", busy_shares(work, best)}};
  report.rows.emplace_back("optimum", fmt::format("in [{:.6g}, {:.6g}] s, {:.2f} % apart: {}, {}", found.lower.seconds,
                                                  upper, 100 * (upper / found.lower.seconds - 1), found.lower.by,
                                                  run_is_best ? "this run" : best.made_by));
  report.rows.emplace_back("this run", fmt::format("{:.3f} times the bound, {:.3f} times the best schedule",
                                                   seconds / found.lower.seconds, seconds / upper));
}

int replay(int argc, char** argv) {
  Arguments args;
  if (const auto status = parse_arguments(argc, argv, args)) return *status;
  simulate(args.machine);
  const TaskGraph read = read_graph(args);
  const traces::Recording& recording = read.recording;
  if (!args.graph.empty()) write_graph(args.graph, read);
  if (args.machine.platform.empty()) return 0;
  const Platform& platform = *simulated_platform();
  const TaskTimes times(recording, platform, known_durations(args, read), args.order);
  Graph graph(recording, times, platform, args.noise);
  if (!args.trace.empty()) args.session.trace = args.trace;
  Report report;
  {
    const Session session(args.session);
    if (session.scheduler() == "heteroprio")
      bad_input(
          "--scheduler heteroprio: it needs the priorities of codelets, which only their program knows; expected "
          "another, such as hprio");
    report.record = record_header("asterism-replay", argc, argv, session);
    report.rows.push_back(simulated_row());
    report_recording(read, times, report);
    report_durations(times, report);
    const bool follow =
        session.scheduler() == "static" && (std::getenv(ScheduleInUse::variable) == nullptr || !args.schedule.empty());
    std::optional<bounds::Optimum> found;
    std::optional<ScheduleInUse> schedule;
    std::optional<bounds::Workload> work;
    if (args.optimum || follow || !args.schedule.empty()) {
      if (read.ranks > 1)
        bad_input(
            "{}: found the recording of {} processes; expected one where a schedule is made before the run (--optimum, "
            "--write-schedule, --scheduler static), which knows no messages",
            args.recording.string(), read.ranks);
      work = workload(recording, times, platform, graph);
      found = bounds::optimum(recording, *work, args.search);
      if (follow)
        schedule.emplace(recording, found->schedules.front(), args.schedule);
      else if (!args.schedule.empty())
        write_schedule(args.schedule, recording, found->schedules.front());
    }
    const double seconds = graph.run();
    report.record["seconds"] = seconds;
    report.record["noise"] = {{"deviation", args.noise.deviation}, {"seed", args.noise.seed}};
    report.rows.emplace_back(
        "units", fmt::format("{} CPUs, {} GPUs, scheduler {}", session.cpus(), session.gpus(), session.scheduler()));
    report.rows.emplace_back("time", fmt::format("{:.6g} s", seconds));
    if (found) report_optimum(*found, *work, seconds, args.noise.deviation > 0, report);
    report_energy(graph, platform, seconds, args.optimum ? &*work : nullptr, found ? found->lower.seconds : 0, report);
    if (!args.schedule.empty()) report.rows.emplace_back("wrote", args.schedule);
  }
  print_table(report.rows);
  const char* const recorded = std::getenv("STARPU_FXT_PREFIX");
  if (args.trace.empty() && recorded != nullptr && std::filesystem::is_directory(recorded))
    traces::write_platform_rec(std::filesystem::path(recorded) / traces::replayed_durations, times.models());
  if (!args.trace.empty()) {
    const traces::PlatformRec models = times.models();
    report_trace(args.trace, "asterism-replay " + recording.name, {}, &models);
  }
  if (!args.json.empty()) {
    write_json(args.json, report.record);
    fmt::print("wrote {}\n", args.json);
  }
  return 0;
}

}  // namespace
}  // namespace asterism::apps::replay

// C linkage: StarPU's simulator renames and calls it.
extern "C" int main(int argc, char** argv) {
  return asterism::apps::run("asterism-replay", [&] { return asterism::apps::replay::replay(argc, argv); });
}
