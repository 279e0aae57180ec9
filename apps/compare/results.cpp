// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "io/output_file.hpp"
#include "traces/reports/report.hpp"

namespace asterism::apps::compare {
namespace {

using nlohmann::json;

/// Seconds with a unit that suits `scale`, four significant digits.
std::string time_text(double seconds, double scale, bool with_unit = true) {
  const auto [factor, unit] = scale >= 1      ? std::pair(1.0, "s")
                              : scale >= 1e-3 ? std::pair(1e3, "ms")
                                              : std::pair(1e6, "us");
  const double value = seconds * factor;
  const int digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}{}{}", value, digits, with_unit ? " " : "", with_unit ? unit : "");
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes * 1e-9);
  return fmt::format("{:.2f} MB", bytes * 1e-6);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : "-";
}

std::optional<double> over(const std::optional<double>& makespan, const std::optional<double>& bound) {
  return makespan && bound && *bound > 0 ? std::optional(*makespan / *bound) : std::nullopt;
}

std::string ratio_text(const MedianInterval& m) {
  if (m.low == m.high) return fmt::format("{:.3f}", m.median);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", m.median, m.low, m.high);
}

std::string interval_text(const MedianInterval& m) {
  if (m.low == m.high) return time_text(m.median, m.median);
  return fmt::format("{} [{}, {}]", time_text(m.median, m.median), time_text(m.low, m.median, false),
                     time_text(m.high, m.median, false));
}

const char* what_is_compared(const TimeSource& time) {
  switch (time.kind) {
    case TimeSource::Kind::trace:
      return "makespan of the recording";
    case TimeSource::Kind::wall:
      return "wall time of the process";
    default:
      return "time that the program tells";
  }
}

/// Columns as wide as what they hold, the first to the left, others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 ? fmt::format(" {:<{}}", row[c], width[c]) : fmt::format("  {:>{}}", row[c], width[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

json interval_json(const MedianInterval& m) {
  return {{"count", m.count}, {"median", m.median}, {"low", m.low}, {"high", m.high}, {"confidence", m.confidence}};
}

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

json header(const Settings& settings) {
  json record = record_header("asterism-compare", shown_command(settings));
  record["options"] = {{"schedulers", settings.schedulers},
                       {"repeat", settings.repetitions},
                       {"calibration_runs", settings.calibrations},
                       {"warm_ups", settings.warm_ups},
                       {"time_from", settings.time.text},
                       {"traced", settings.traced},
                       {"untraced", settings.untraced},
                       {"window", settings.window},
                       {"timeout", settings.timeout}};
  if (settings.platform)
    record["simulated"] = {{"platform", settings.platform->name}, {"description", settings.platform->description}};
  return record;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string notes(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs) {
  std::string text;
  const auto out = std::back_inserter(text);
  const MedianInterval& m = comparison.candidates[comparison.best].time;
  if (m.count > 0 && !settings.deterministic())
    fmt::format_to(out,
                   "  [low, high] holds the median with {:.1f} % confidence{}; = : not told apart from the best.\n",
                   100 * m.confidence, m.confidence < 0.95 ? " (--repeat 6 or more gives 95 %)" : "");
  const bool bounded = std::any_of(comparison.candidates.begin(), comparison.candidates.end(),
                                   [](const Candidate& c) { return c.over_lp.has_value(); });
  if (bounded)
    text +=
        "  x LP, x LP fit, x path, x windows: makespan over the area bound, that where tasks fit, the critical path "
        "and\n"
        "  the window bound, with the best durations of all runs.\n";
  for (const std::string& remark : comparison.remarks) fmt::format_to(out, "  {}\n", remark);
  const auto bad = std::count_if(runs.begin(), runs.end(),
                                 [](const Run& run) { return run.step.phase == Phase::calibration && !run.good(); });
  if (bad > 0) fmt::format_to(out, "  {} calibration runs failed.\n", bad);
  for (const Candidate& c : comparison.candidates) {
    if (c.calibrating > 0)
      fmt::format_to(out,
                     "  {}: StarPU still calibrated models in {} of the measured runs (more --calibration-runs or "
                     "--warm-ups help).\n",
                     c.scheduler, c.calibrating);
    if (c.recording_cost)
      fmt::format_to(out, "  {}: processes take {:+.1f} % more time when recorded.\n", c.scheduler,
                     100 * (*c.recording_cost - 1));
    if (c.failures == 0) continue;
    const auto last = std::find_if(runs.rbegin(), runs.rend(),
                                   [&](const Run& run) { return run.step.scheduler == c.scheduler && !run.good(); });
    fmt::format_to(out, "  {}: {} runs failed{}; the last one ({} {}): {}{}\n", c.scheduler, c.failures,
                   c.given_up ? " and the rest was left out" : "", name_of(last->step.phase), last->step.repetition,
                   last->status, last->message.empty() ? "" : ": " + first_line(last->message));
  }
  if (!comparison.complete && settings.schedulers.size() > 0) text += "  Not all runs are done.\n";
  return text;
}

}  // namespace

std::vector<std::size_t> ranking(const Comparison& comparison) {
  std::vector<std::size_t> order(comparison.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const MedianInterval& x = comparison.candidates[a].time;
    const MedianInterval& y = comparison.candidates[b].time;
    if (x.count == 0 || y.count == 0) return x.count > 0 && y.count == 0;
    return x.median < y.median;
  });
  return order;
}

std::string comparison_table(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs) {
  std::vector<std::vector<std::string>> rows = {{"scheduler", settings.deterministic() ? "time" : "time [low, high]",
                                                 settings.deterministic() ? "to best" : "to best [low, high]", "",
                                                 "x LP", "x LP fit", "x path", "x windows", "computing", "waiting",
                                                 "scheduling", "runtime", "idle", "moved", "runs"}};
  for (const std::size_t i : ranking(comparison)) {
    const Candidate& c = comparison.candidates[i];
    std::vector<std::string> row = {c.scheduler};
    if (c.time.count == 0) {
      row.emplace_back(c.failures > 0 ? "failed" : "not run");
      rows.push_back(row);
      continue;
    }
    row.push_back(interval_text(c.time));
    const bool compared = i != comparison.best && c.ratio.count > 0;
    row.push_back(compared ? ratio_text(c.ratio) : i == comparison.best ? "best" : "-");
    row.emplace_back(compared && !c.told_apart() ? "=" : "");
    row.push_back(ratio_text(c.over_lp));
    row.push_back(ratio_text(c.over_fitting));
    row.push_back(ratio_text(over(c.makespan, c.path)));
    row.push_back(ratio_text(over(c.makespan, c.windows)));
    if (c.typical)
      for (const double share : c.typical->all.state) row.push_back(fmt::format("{:.1f} %", 100 * share));
    else
      row.insert(row.end(), traces::state_count, "-");
    row.push_back(c.typical ? bytes_text(static_cast<double>(c.typical->bytes)) : "-");
    row.push_back(fmt::format("{}", c.time.count));
    rows.push_back(std::move(row));
  }
  return fmt::format("{}\n{}  {}, {}\n\n", shown_command(settings),
                     settings.platform ? "  " + shown_machine(settings) + "\n" : "",
                     settings.deterministic() ? "one run of each, as simulated times do not vary"
                                              : fmt::format("{} repetitions", settings.repetitions),
                     what_is_compared(settings.time)) +
         aligned(rows) + "\n" + notes(settings, comparison, runs);
}

void write_comparison_csv(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs) {
  std::set<std::string> kinds;
  for (const Run& run : runs)
    if (run.analysis)
      for (const auto& [kind, shares] : run.analysis->kinds) kinds.insert(kind);
  OutputFile file(settings.csv);
  std::ostream& out = file.stream();
  out << "scheduler,phase,repetition,place,recorded,status,time_s,wall_s,program_s,processor_s,memory_bytes,"
         "calibrating,"
         "tasks,flops,makespan_s,lp_s,makespan_over_lp,lp_fit_s,makespan_over_lp_fit,critical_path_s,"
         "makespan_over_critical_path,windows_s,makespan_over_windows,transfers,bytes,"
         "computing,waiting,scheduling,runtime,idle";
  constexpr const char* states[traces::state_count] = {"computing", "waiting", "scheduling", "runtime", "idle"};
  for (const std::string& kind : kinds)
    for (const char* state : states) out << ',' << state << '_' << kind;
  out << '\n';
  for (const Run& run : runs) {
    const Step& step = run.step;
    if (step.phase != Phase::measured && step.phase != Phase::extra) continue;
    const auto candidate = std::find_if(comparison.candidates.begin(), comparison.candidates.end(),
                                        [&](const Candidate& c) { return c.scheduler == step.scheduler; });
    const std::optional<double> time = run.time(settings.time.kind);
    out << fmt::format("{},{},{},{},{:d},{},{},{},{},{},{},{:d}", csv_text(step.scheduler), name_of(step.phase),
                       step.repetition, step.place, step.traced, csv_text(run.good() ? "ok" : run.status),
                       csv_number(time), run.wall, csv_number(run.told), run.processor, run.memory, run.calibrating);
    if (!run.analysis) {
      out << std::string(18 + kinds.size() * traces::state_count, ',') << '\n';
      continue;
    }
    const Analysis& a = *run.analysis;
    const auto area = comparison.area.find(run.folder);
    const auto ratio = [&](const std::optional<double>& bound) { return csv_number(over(a.makespan, bound)); };
    std::optional<double> lp;
    std::optional<double> fitting;
    if (area != comparison.area.end()) {
      lp = area->second.lp;
      fitting = area->second.fitting;
    }
    // the path through the graph of the shown run: that of another graph when this run had other tasks
    const bool same_graph = candidate != comparison.candidates.end() && candidate->shown != nullptr &&
                            candidate->shown->analysis->tasks == a.tasks;
    const std::optional<double> path = same_graph ? candidate->path : std::nullopt;
    const std::optional<double> windows = same_graph ? candidate->windows : std::nullopt;
    out << fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{}", a.tasks, a.flops, a.makespan, csv_number(lp),
                       ratio(lp), csv_number(fitting), ratio(fitting), csv_number(path), ratio(path),
                       csv_number(windows), ratio(windows), a.transfers, a.bytes);
    for (const double share : a.all.state) out << ',' << fmt::format("{}", share);
    for (const std::string& kind : kinds) {
      const auto shares = a.kinds.find(kind);
      for (std::size_t s = 0; s < traces::state_count; ++s)
        out << ',' << (shares == a.kinds.end() ? "" : fmt::format("{}", shares->second.state[s]));
    }
    out << '\n';
  }
  file.commit();
}

json comparison_json(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs) {
  json record = header(settings);
  record["complete"] = comparison.complete;
  record["remarks"] = comparison.remarks;
  const Candidate& best = comparison.candidates[comparison.best];
  record["best"] = best.time.count > 0 ? json(best.scheduler) : json();
  record["schedulers"] = json::array();
  for (std::size_t i = 0; i < comparison.candidates.size(); ++i) {
    const Candidate& c = comparison.candidates[i];
    json times = json::array();
    for (const auto& time : c.times) times.push_back(or_null(time));
    json entry = {{"scheduler", c.scheduler},
                  {"seconds", interval_json(c.time)},
                  {"to_best", interval_json(c.ratio)},
                  {"told_apart_from_best", c.told_apart()},
                  {"times", std::move(times)},
                  {"failures", c.failures},
                  {"given_up", c.given_up},
                  {"calibrating_runs", c.calibrating},
                  {"makespan", or_null(c.makespan)},
                  {"makespan_over_lp", or_null(c.over_lp)},
                  {"makespan_over_lp_fit", or_null(c.over_fitting)},
                  {"critical_path", or_null(c.path)},
                  {"windows", or_null(c.windows)},
                  {"recording_cost", or_null(c.recording_cost)},
                  {"recording", or_null(c.typical)}};
    if (const auto ratio = over(c.makespan, c.path)) entry["makespan_over_critical_path"] = *ratio;
    if (const auto ratio = over(c.makespan, c.windows)) entry["makespan_over_windows"] = *ratio;
    if (c.shown != nullptr) entry["shown"] = {{"phase", name_of(c.shown->step.phase)}, {"run", c.shown->folder}};
    record["schedulers"].push_back(std::move(entry));
  }
  record["runs"] = json::array();
  for (const Run& run : runs) {
    json entry = run;
    if (const auto area = comparison.area.find(run.folder); area != comparison.area.end()) {
      entry["lp"] = area->second.lp;
      entry["lp_fit"] = area->second.fitting;
    }
    record["runs"].push_back(std::move(entry));
  }
  return record;
}

namespace {

/// What the table on the terminal says of a scheduler.
std::vector<traces::Fact> facts_of(const Settings& settings, const Candidate& c, bool best) {
  if (c.time.count == 0) return {};
  std::vector<traces::Fact> facts;
  const bool sure = settings.deterministic() || c.time.count == 1;
  facts.push_back({fmt::format("Median: {}", what_is_compared(settings.time)), interval_text(c.time)});
  if (!sure) facts.push_back({"Median of", fmt::format("{} runs", c.time.count)});
  facts.push_back({"Against the best", best ? "best" : fmt::format("{} ×", ratio_text(c.ratio))});
  if (!sure && !best && c.ratio.count > 0)
    facts.push_back({"Verdict", c.told_apart() ? "slower than the best" : "cannot be told apart from the best"});
  if (c.failures > 0) facts.push_back({"Failed runs", fmt::format("{}", c.failures)});
  return facts;
}

}  // namespace

bool write_page(const Settings& settings, const Comparison& comparison) {
  std::vector<traces::Metrics> metrics;
  std::vector<traces::View> views;
  metrics.reserve(comparison.candidates.size());
  for (const std::size_t i : ranking(comparison)) {
    const Candidate& c = comparison.candidates[i];
    if (!c.recording) continue;
    metrics.push_back(traces::measure(*c.recording));
    traces::View view{&*c.recording, &metrics.back(), {}};
    if (const auto area = comparison.area.find(c.shown->folder); area != comparison.area.end()) {
      view.bounds.push_back({"LP", area->second.lp,
                             "The least time in which the units can do all tasks when nothing but their number holds "
                             "them back, with the best mean durations of all compared runs."});
      view.bounds.push_back({"LP where tasks fit", area->second.fitting,
                             "LP with no task where it alone takes longer than the bound, with the same durations."});
    }
    if (c.path)
      view.bounds.push_back({"critical path", *c.path,
                             "The longest path through the dependencies, each task as fast as the fastest of its kind "
                             "in all compared runs."});
    if (c.windows)
      view.bounds.push_back({"windows", *c.windows,
                             "a + LP of the tasks that can neither start before a nor end later than b before the end "
                             "+ b, with the same durations."});
    view.facts = facts_of(settings, c, i == comparison.best);
    views.push_back(std::move(view));
  }
  if (views.empty()) return false;
  traces::write_html(settings.html, views,
                     shown_command(settings) + (settings.platform ? " on the " + shown_machine(settings) : ""));
  return true;
}

void remove_other_recordings(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs) {
  std::set<std::string> shown;
  for (const Candidate& c : comparison.candidates)
    if (c.shown != nullptr) shown.insert(c.shown->folder);
  for (const Run& run : runs)
    if (!shown.contains(run.folder)) remove_recording(settings.work / "runs" / run.folder);
}

}  // namespace asterism::apps::compare
