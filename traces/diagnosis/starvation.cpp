// SPDX-License-Identifier: Apache-2.0
// Units that idle while no task is ready that they could run: the graph is too narrow, or submission is too slow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces::diagnosis {
namespace {

/// Of the time of a kind's working units. A flow that forms a global sum in each iteration leaves units without a
/// ready task for up to a fifth of the time.
constexpr double least_starved = 0.25;

/// `whole` without `parts`; both sorted and disjoint.
std::vector<Interval> without(const std::vector<Interval>& whole, const std::vector<Interval>& parts) {
  std::vector<Interval> out;
  std::size_t p = 0;
  for (auto [begin, end] : whole) {
    while (p < parts.size() && parts[p].second <= begin) ++p;
    for (std::size_t i = p; i < parts.size() && parts[i].first < end && begin < end; ++i) {
      if (parts[i].first > begin) out.emplace_back(begin, parts[i].first);
      begin = std::max(begin, parts[i].second);
    }
    if (begin < end) out.emplace_back(begin, end);
  }
  return out;
}

struct Candidates {
  std::vector<Interval> ready;        ///< a task could start
  std::vector<Interval> unsubmitted;  ///< a task could start if it were submitted
};

/// Tasks of codelets that ran on the kind, on this rank.
Candidates candidates(const Evidence& e, std::uint32_t kind, std::uint32_t rank) {
  const Recording& r = e.recording;
  std::vector<char> runs(r.codelets.size(), 0);
  for (const Task& t : r.tasks)
    if (t.executed() && t.codelet != none && r.units[t.unit].kind == kind) runs[t.codelet] = 1;
  Candidates out;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const Task& t = r.tasks[i];
    if (!t.executed() || t.rank != rank || t.codelet == none || !runs[t.codelet]) continue;
    if (e.ready[i] < t.start) out.ready.emplace_back(e.ready[i], t.start);
    if (std::isfinite(t.submitted) && e.freed[i] < t.submitted)
      out.unsubmitted.emplace_back(e.freed[i], std::min(t.submitted, t.start));
  }
  out.ready = merged(std::move(out.ready));
  out.unsubmitted = merged(std::move(out.unsubmitted));
  return out;
}

/// Tasks that run inside an interval, those that fill most of it first.
std::vector<std::uint32_t> running_in(const Recording& r, Interval where) {
  std::vector<std::pair<double, std::uint32_t>> inside;
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t) {
    if (!r.tasks[t].executed()) continue;
    const double common = std::min(where.second, r.tasks[t].end) - std::max(where.first, r.tasks[t].start);
    if (common > 0) inside.emplace_back(-common, t);
  }
  std::sort(inside.begin(), inside.end());
  std::vector<std::uint32_t> tasks;
  tasks.reserve(inside.size());
  for (const auto& [common, t] : inside) tasks.push_back(t);
  return tasks;
}

void check(const Evidence& e, std::uint32_t kind, std::uint32_t rank, Findings& findings) {
  const Recording& r = e.recording;
  const Candidates tasks = candidates(e, kind, rank);
  double lost = 0;
  double late = 0;
  double whole = 0;
  Interval longest{0, 0};
  std::vector<std::uint32_t> units;
  for (std::uint32_t u = 0; u < r.units.size(); ++u) {
    if (!e.works[u] || r.units[u].kind != kind || r.units[u].rank != rank) continue;
    whole += e.metrics.makespan;
    const std::vector<Interval> starved = without(e.spans(u, State::idle), tasks.ready);
    lost += length(starved);
    late += common_length(starved, tasks.unsubmitted);
    for (const Interval& i : starved)
      if (i.second - i.first > longest.second - longest.first) longest = i;
    units.push_back(u);
  }
  if (whole <= 0 || lost < least_starved * whole) return;
  const bool submission = late > 0.5 * lost;
  Finding f =
      found(submission ? Fault::late_submission : Fault::too_few_ready, lost, longest, running_in(r, longest), units);
  const std::size_t computed = static_cast<std::size_t>(std::llround(whole / e.metrics.makespan));
  double work = 0;
  for (const std::uint32_t u : units) work += e.metrics.unit[u][State::computing];
  f.what = submission ? fmt::format(
                            "{} {} units idle {:.0f} % of their time without a ready task, while tasks that could run "
                            "are not yet submitted",
                            computed, r.kinds[kind].name, 100 * lost / whole)
                      : fmt::format(
                            "{} {} units idle {:.0f} % of their time without a ready task: on average {:.1f} tasks run "
                            "at a time",
                            computed, r.kinds[kind].name, 100 * lost / whole, work);
  f.advice = submission ? "submit earlier and without waiting in between; if submission is the limit, use larger tasks"
                        : "cut the problem into more blocks, use fewer units, and take waits and narrow steps out of "
                          "the flow";
  findings.push_back(std::move(f));
}

}  // namespace

void find_starvation(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  if (!r.has_dependencies) return;  // when a task was ready is not known
  for (std::uint32_t kind = 0; kind < r.kinds.size(); ++kind)
    for (std::uint32_t rank = 0; rank < r.ranks; ++rank) check(e, kind, rank, findings);
}

}  // namespace asterism::traces::diagnosis
