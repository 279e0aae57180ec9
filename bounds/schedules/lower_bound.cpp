// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/lower_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bounds/fitting.hpp"
#include "bounds/schedules/copy_bound.hpp"
#include "bounds/schedules/cuts.hpp"
#include "bounds/schedules/first_datum.hpp"
#include "bounds/schedules/link_time.hpp"
#include "bounds/schedules/offline.hpp"
#include "bounds/schedules/placement_bound.hpp"
#include "bounds/windows.hpp"

namespace asterism::bounds {
namespace {

/// Durations that a lower bound may take: a class for all tasks with the same ones.
struct ByDuration {
  AreaProblem problem;
  std::vector<std::uint32_t> of_task;
  std::vector<std::vector<double>> least;
};

ByDuration by_duration(const Workload& work) {
  ByDuration all;
  std::vector<double> units(work.kinds, 0);
  for (const Workload::Unit& unit : work.units) ++units[unit.kind];
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < work.kinds; ++k) {
    if (units[k] == 0) continue;
    kinds.push_back(k);
    // no kind of the recording has this name: what tasks took there says nothing about this machine
    all.problem.kinds.push_back({fmt::format("replayed {}", k), units[k]});
  }
  std::map<std::vector<double>, std::uint32_t> known;
  all.of_task.assign(work.tasks(), traces::none);
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    std::vector<double> seconds;
    seconds.reserve(kinds.size());
    for (const std::size_t k : kinds) seconds.push_back(work.on(t, k));
    const auto [found, fresh] = known.try_emplace(seconds, static_cast<std::uint32_t>(all.problem.classes.size()));
    if (fresh) {
      all.problem.classes.push_back({fmt::format("class {}", found->second), 0, seconds, 0});
      all.least.push_back(seconds);
    }
    all.of_task[t] = found->second;
    ++all.problem.classes[found->second].tasks;
  }
  return all;
}

/// The links from main memory together.
struct Links {
  double latency = impossible;  ///< of the quickest
  double fastest = 0;           ///< bytes/s of one
  double together = 0;          ///< bytes/s of all
  LinkTime time;
  bool count_latency = true;  ///< false: bytes over what all carry together say more

  /// Copies take as long at least of the time of all links together: a sum over copies is a bound of the time in which
  /// they are made.
  [[nodiscard]] double seconds(double bytes) const {
    return count_latency ? time.seconds(bytes) / time.capacity() : bytes / together;
  }
};

Links links_of(const Workload& work) {
  Links links{.time = LinkTime(work, LinkTime::Direction::from_main_memory)};
  std::map<std::uint32_t, double> resources;
  double shared = 0;
  for (std::size_t to = 1; to < work.memories; ++to) {
    const Connection& link = work.connection(0, to);
    links.latency = std::min(links.latency, link.latency);
    links.fastest = std::max(links.fastest, link.bandwidth);
    double& fastest = resources[link.resource];
    fastest = std::max(fastest, link.bandwidth);
    if (link.resource == 0) shared += link.bandwidth;
  }
  for (const auto& [resource, rate] : resources)
    links.together += resource == 0 && work.shared_rate > 0 ? std::min(shared, work.shared_rate) : rate;
  double by_links = 0;
  double by_bytes = 0;
  for (const double bytes : work.bytes) {
    by_links += links.time.seconds(bytes) / links.time.capacity();
    by_bytes += bytes / links.together;
  }
  links.count_latency = by_links >= by_bytes;
  return links;
}

bool only_elsewhere(const Workload& work, std::uint32_t task) {
  return work.runs[task] && std::none_of(work.units.begin(), work.units.end(), [&](const Workload::Unit& unit) {
           return unit.memory == 0 && std::isfinite(work.on(task, unit.kind));
         });
}

/// What tasks that cannot run in main memory have to fetch from there: data that no task before them wrote. Each has to
/// pass a link from main memory once, and is counted at the first of its readers; a reader starts no sooner than the
/// fastest link delivers each datum, wherever it passes.
void count_fetches(const Workload& work, GraphWork& graph) {
  const Links links = links_of(work);
  graph.release.assign(work.tasks(), 0);
  graph.fetch.assign(work.tasks(), 0);
  std::vector<bool> touched(work.bytes.size(), false);  // counted, or written
  for (const std::uint32_t t : work.order) {
    const bool elsewhere = only_elsewhere(work, t);
    for (const auto* a = work.accesses.begin(t); a != work.accesses.end(t); ++a) {
      if (!touched[a->handle] && elsewhere && a->mode != traces::Mode::write) {
        graph.release[t] = std::max(graph.release[t], links.latency + work.bytes[a->handle] / links.fastest);
        graph.fetch[t] += links.seconds(work.bytes[a->handle]);
        touched[a->handle] = true;
      }
      if (a->mode != traces::Mode::read) touched[a->handle] = true;
    }
  }
}

/// `tail`: per task.
double first_copies_with_tails(const Workload& work, const std::vector<double>& tail,
                               const std::vector<bool>& chained) {
  const Links links = links_of(work);
  std::vector<double> after(work.bytes.size(), -1);  // per datum: passes after its arrival; -1: not counted
  std::vector<bool> written(work.bytes.size(), false);
  for (const std::uint32_t t : work.order) {
    const bool elsewhere = only_elsewhere(work, t);
    double least = impossible;
    for (const Workload::Unit& unit : work.units) least = std::min(least, work.on(t, unit.kind));
    for (const auto* a = work.accesses.begin(t); a != work.accesses.end(t); ++a) {
      if (elsewhere && chained[a->handle] && !written[a->handle] && a->mode != traces::Mode::write)
        after[a->handle] = std::max(after[a->handle], tail[t] + least);
      if (a->mode != traces::Mode::read) written[a->handle] = true;
    }
  }
  std::vector<std::pair<double, double>> copies;  // what passes after it, bytes
  for (std::size_t d = 0; d < after.size(); ++d)
    if (after[d] >= 0 && std::isfinite(after[d])) copies.emplace_back(after[d], work.bytes[d]);
  std::sort(copies.rbegin(), copies.rend());
  double bound = 0;
  double bytes = 0;
  double seconds = 0;
  for (const auto& [passes, of_datum] : copies) {
    bytes += of_datum;
    seconds += links.seconds(of_datum);
    bound = std::max(bound, std::max(seconds, links.latency + bytes / links.together) + passes);
  }
  return bound;
}

/// Whether LP finds no room in `seconds` for tasks whose durations are rounded by one of some dual feasible functions.
bool no_room(const AreaProblem& problem, double seconds) {
  constexpr std::size_t most_classes = 100;
  constexpr int functions = 5;
  constexpr double rounding = 1 + 1e-9;
  if (problem.classes.size() > most_classes) return false;
  for (int k = 1; k <= functions; ++k) {
    AreaProblem rounded = problem;
    for (TaskClass& c : rounded.classes)
      for (double& t : c.seconds) {
        if (std::isinf(t)) continue;
        const double part = t / (seconds * rounding);
        const double whole = std::floor((k + 1) * part);
        t = part > 1 ? impossible : seconds * ((k + 1) * part - whole < 1e-9 ? part : whole / k);
      }
    for (const TaskClass& c : rounded.classes)
      if (std::all_of(c.seconds.begin(), c.seconds.end(), [](double t) { return std::isinf(t); })) return true;
    if (solve_area(rounded).seconds > seconds * rounding) return true;
  }
  return false;
}

enum class Excluded : std::uint8_t { nothing, some, all };

/// Takes away kinds on which a task would make a schedule longer than `upper`. All: a task has no kind left.
Excluded exclude_slow_kinds(Workload& work, const WindowBound& windows, const CopyBound& copies, double upper) {
  constexpr double rounding = 1 + 1e-9;
  Excluded what = Excluded::nothing;
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    std::vector<double> end(work.kinds, impossible);  // of the schedule, with the task on that kind
    for (const Workload::Unit& unit : work.units) {
      const std::size_t at = t * work.memories + unit.memory;
      end[unit.kind] = std::min(end[unit.kind], std::max(windows.head[t], copies.heads[at]) + work.on(t, unit.kind) +
                                                    std::max(windows.tail[t], copies.tails[at]));
    }
    bool runs = false;
    for (std::size_t k = 0; k < work.kinds; ++k) {
      double& seconds = work.seconds[t * work.kinds + k];
      if (std::isfinite(seconds) && end[k] > upper * rounding) {
        seconds = impossible;
        what = Excluded::some;
      }
      runs = runs || (std::isfinite(seconds) && std::isfinite(end[k]));
    }
    if (!runs) return Excluded::all;
  }
  return what;
}

/// Bounds of the schedules of a graph that are shorter than some time.
class Attempts {
 public:
  explicit Attempts(const Workload& work, bool cut) : work_(work), chained_(chained_data(work)) {
    graph_.tasks.resize(work.tasks());
    graph_.dependencies = work.before;
    if (cut) cuts_.emplace(work);
  }

  LowerBound shorter_than(double upper) {
    LowerBound found;
    Workload left = work_;  // the kinds that are not excluded
    std::vector<double> head;
    std::vector<double> tail;
    constexpr int most_rounds = 6;
    for (int round = 0; round < most_rounds; ++round) {
      const auto larger = [&](double seconds, const char* by) {
        double& known = found.each[by];
        known = std::max(known, std::min(upper, seconds));
        if (seconds > found.seconds && found.seconds < upper) {
          found.seconds = std::min(upper, seconds);
          found.by = by;
        }
      };
      const ByDuration all = by_duration(left);
      GraphWork graph{&graph_, &all.of_task, &all.problem, all.least, {}, {}, {}};
      if (cuts_ && cuts_->size() > 0) {
        const CutBound between = cuts_->bound(left, part_bound);
        larger(between.seconds, "cuts");
        raise(head, between.head);
        raise(tail, between.tail);
      }
      count_fetches(left, graph);
      const CopyBound copies = copy_bound(left, left.seconds, head, tail);
      larger(copies.path, "copies");
      raise(graph.release, copies.head);
      graph.due = copies.tail;
      larger(solve_fitting(all.problem, solve_area(all.problem)), "LP where tasks fit");
      if (no_room(all.problem, upper)) larger(upper, "LP of whole tasks");
      WindowBound windows = window_bound(graph);
      larger(windows.seconds, "windows");
      larger(first_copies_bound(left, left.seconds), "LP with links");
      larger(placement_bound(left, large() ? 10 : 40), "placement");
      larger(first_copies_with_tails(left, windows.tail, chained_), "first copies");
      larger(first_datum_bound(left, found.seconds), "first datum");
      if (found.seconds >= upper) break;
      const Excluded excluded = exclude_slow_kinds(left, windows, copies, upper);
      if (excluded == Excluded::all) larger(upper, "windows");
      // heads that grew may lengthen what copies say
      if (excluded == Excluded::all || (excluded == Excluded::nothing && round > 0)) break;
      head = std::move(windows.head);
      tail = std::move(windows.tail);
    }
    return found;
  }

  /// Then a bound takes seconds, not milliseconds.
  [[nodiscard]] bool large() const { return work_.tasks() > 3000; }

  LowerBound best(double upper) {
    const int steps = large() ? 2 : 6;
    constexpr double worth = 1e-3;
    LowerBound found = shorter_than(upper);
    for (int step = 0; step < steps && found.seconds < upper * (1 - worth); ++step) {
      const double middle = (found.seconds + upper) / 2;
      const LowerBound tried = shorter_than(middle);
      if (tried.seconds > found.seconds) {
        found.seconds = tried.seconds;
        found.by = tried.by;
      }
      if (tried.seconds < middle) upper = middle;
    }
    return found;
  }

 private:
  static void raise(std::vector<double>& values, const std::vector<double>& other) {
    if (values.empty()) values.assign(other.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], other[i]);
  }
  static double part_bound(const Workload& part) {
    for (std::size_t t = 0; t < part.tasks(); ++t)
      if (part.runs[t] && std::none_of(part.units.begin(), part.units.end(),
                                       [&](const auto& unit) { return std::isfinite(part.on(t, unit.kind)); }))
        return impossible;
    return Attempts(part, false).best(heft(part, upward_ranks(part, RankFrom::least)).makespan).seconds;
  }

  const Workload& work_;
  traces::Recording graph_;  ///< its dependencies
  std::vector<bool> chained_;
  std::optional<Cuts> cuts_;
};

}  // namespace

LowerBound lower_bound(const Workload& work, double upper) {
  LowerBound found = Attempts(work, true).best(upper);
  found.lp = solve_area(by_duration(work).problem).seconds;
  const std::vector<double> paths = upward_ranks(work, RankFrom::least);
  found.path = paths.empty() ? 0 : *std::max_element(paths.begin(), paths.end());
  return found;
}

}  // namespace asterism::bounds
