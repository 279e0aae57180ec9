// SPDX-License-Identifier: Apache-2.0
#include "traces/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "traces/dag.hpp"

namespace asterism::traces {

double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], at - static_cast<double>(below));
}

Shares mean_of(const std::vector<Shares>& units, const std::vector<std::size_t>& chosen) {
  Shares mean;
  for (const std::size_t u : chosen) {
    mean.codelet.resize(units[u].codelet.size(), 0);
    for (std::size_t s = 0; s < state_count; ++s) mean.state[s] += units[u].state[s];
    for (std::size_t c = 0; c < mean.codelet.size(); ++c) mean.codelet[c] += units[u].codelet[c];
  }
  if (chosen.empty()) return mean;
  for (double& s : mean.state) s /= static_cast<double>(chosen.size());
  for (double& c : mean.codelet) c /= static_cast<double>(chosen.size());
  return mean;
}

std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<Interval> out;
  for (const Interval& i : intervals) {
    if (!out.empty() && i.first <= out.back().second)
      out.back().second = std::max(out.back().second, i.second);
    else
      out.push_back(i);
  }
  return out;
}

double length(const std::vector<Interval>& intervals) {
  double sum = 0;
  for (const auto& [begin, end] : intervals) sum += end - begin;
  return sum;
}

double common_length(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max(0.0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    (a[i].second < b[j].second) ? ++i : ++j;
  }
  return sum;
}

namespace {

Shares shares_of(const Recording& r, std::size_t unit) {
  Shares shares;
  shares.codelet.assign(r.codelets.size(), 0);
  const double makespan = r.makespan();
  if (makespan <= 0) {
    shares.state[static_cast<std::size_t>(State::idle)] = 1;
    return shares;
  }
  for (const Span s : r.timeline[unit]) {
    shares.state[static_cast<std::size_t>(s.state)] += (s.end - s.start) / makespan;
    if (s.state == State::computing && s.task != none && r.tasks[s.task].codelet != none)
      shares.codelet[r.tasks[s.task].codelet] += (s.end - s.start) / makespan;
  }
  return shares;
}

std::vector<LinkUse> link_use(const Recording& r) {
  // When the units of each memory node compute; a node is an accelerator's when a unit other than a CPU has it.
  std::vector<std::vector<Interval>> computing(r.nodes.size());
  std::vector<bool> accelerator(r.nodes.size(), false);
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    const std::uint32_t node = r.units[u].node;
    if (r.kinds[r.units[u].kind].name != "CPU") accelerator[node] = true;
    for (const Span s : r.timeline[u])
      if (s.state == State::computing) computing[node].emplace_back(s.start, s.end);
  }
  for (auto& c : computing) c = merged(std::move(c));

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<LinkUse, std::vector<Interval>>> links;
  for (const Transfer& t : r.transfers) {
    auto& [use, intervals] = links[{t.from, t.to}];
    use.from = t.from;
    use.to = t.to;
    ++use.transfers;
    use.bytes += t.bytes;
    intervals.emplace_back(t.start, t.end);
  }
  std::vector<LinkUse> out;
  for (auto& [ends, link] : links) {
    auto& [use, intervals] = link;
    const auto busy = merged(std::move(intervals));
    const std::uint32_t node = accelerator[use.to] || !accelerator[use.from] ? use.to : use.from;
    use.busy = length(busy);
    use.bandwidth = use.busy > 0 ? static_cast<double>(use.bytes) / use.busy : 0;
    use.overlap = use.busy > 0 ? common_length(busy, computing[node]) / use.busy : 0;
    out.push_back(use);
  }
  return out;
}

std::vector<CodeletUse> codelet_use(const Recording& r) {
  struct Samples {
    std::vector<double> seconds;
    double flops = 0;
    double flop_seconds = 0;  ///< time of the tasks that gave their flops
    double best = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Samples> samples;
  for (const Task& t : r.tasks) {
    if (!t.executed() || t.codelet == none) continue;
    Samples& s = samples[{t.codelet, r.units[t.unit].kind}];
    s.seconds.push_back(t.duration());
    if (t.flops > 0) {
      s.flops += t.flops;
      s.flop_seconds += t.duration();
      if (t.duration() > 0) s.best = std::max(s.best, t.flops / t.duration());
    }
  }
  std::vector<CodeletUse> out;
  for (auto& [key, s] : samples) {
    std::sort(s.seconds.begin(), s.seconds.end());
    CodeletUse use;
    use.codelet = key.first;
    use.kind = key.second;
    use.count = s.seconds.size();
    for (const double x : s.seconds) use.total += x;
    use.mean = use.total / static_cast<double>(use.count);
    for (const double x : s.seconds) use.deviation += (x - use.mean) * (x - use.mean);
    use.deviation = std::sqrt(use.deviation / static_cast<double>(use.count));
    use.median = quantile(s.seconds, 0.5);
    use.quartile1 = quantile(s.seconds, 0.25);
    use.quartile3 = quantile(s.seconds, 0.75);
    use.minimum = s.seconds.front();
    use.maximum = s.seconds.back();
    use.rate = s.flop_seconds > 0 ? s.flops / s.flop_seconds : 0;
    use.best_rate = s.best;
    out.push_back(use);
  }
  for (CodeletUse& use : out) {
    // by flop rate where every kind has one, else by median duration
    bool rates = true;
    double fastest_rate = 0;
    double shortest = INFINITY;
    for (const CodeletUse& other : out) {
      if (other.codelet != use.codelet) continue;
      rates = rates && other.rate > 0;
      fastest_rate = std::max(fastest_rate, other.rate);
      shortest = std::min(shortest, other.median);
    }
    use.of_fastest = rates ? use.rate / fastest_rate : (use.median > 0 ? shortest / use.median : 1);
  }
  std::stable_sort(out.begin(), out.end(), [](const CodeletUse& a, const CodeletUse& b) { return a.total > b.total; });
  return out;
}

IterationTimes iteration_times(const Recording& r) {
  std::map<std::int32_t, double> last;
  double first = INFINITY;
  for (const Task& t : r.tasks) {
    if (!t.executed() || t.iteration < 0) continue;
    auto& end = last.try_emplace(t.iteration, t.end).first->second;
    end = std::max(end, t.end);
    first = std::min(first, t.start);
  }
  IterationTimes times;
  for (const auto& [number, end] : last) {
    times.number.push_back(number);
    times.seconds.push_back(std::max(0.0, end - first));
    first = std::max(first, end);
  }
  std::vector<double> sorted = times.seconds;
  std::sort(sorted.begin(), sorted.end());
  times.median = quantile(sorted, 0.5);
  times.quartile1 = quantile(sorted, 0.25);
  times.quartile3 = quantile(sorted, 0.75);
  return times;
}

}  // namespace

Metrics measure(const Recording& r) {
  Metrics m;
  m.makespan = r.makespan();
  for (const Task& t : r.tasks) {
    m.tasks += t.executed();
    if (t.executed()) m.flops += t.flops;
  }
  for (std::size_t u = 0; u < r.units.size(); ++u) m.unit.push_back(shares_of(r, u));
  std::vector<std::vector<std::size_t>> of_kind(r.kinds.size());
  for (std::size_t u = 0; u < r.units.size(); ++u) of_kind[r.units[u].kind].push_back(u);
  for (const auto& units : of_kind) m.kind.push_back(mean_of(m.unit, units));
  std::vector<std::size_t> all(r.units.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  m.all = mean_of(m.unit, all);
  m.links = link_use(r);
  for (const LinkUse& l : m.links) m.bytes_moved += l.bytes;
  m.codelets = codelet_use(r);
  if (r.has_dependencies) {
    Path path = longest_path(r, [](const Task& t) { return t.duration(); });
    m.critical_path = {path.length, std::move(path.tasks)};
  }
  m.iterations = iteration_times(r);
  if (r.ranks > 1) measure_ranks(r, m);
  return m;
}

Efficiency efficiency(const Metrics& run, std::uint64_t units, const Metrics* one_unit,
                      const Metrics* one_unit_blocks) {
  const Metrics* const coarse = one_unit ? one_unit : one_unit_blocks;
  const Metrics* const fine = one_unit_blocks ? one_unit_blocks : one_unit;
  if (!coarse) bad_input("efficiency: needs the recording of a run on one unit");
  if (run.makespan <= 0 || coarse->makespan <= 0 || fine->makespan <= 0)
    bad_input("efficiency: a recording has no duration");
  const auto p = static_cast<double>(units);
  Efficiency e;
  e.units = units;
  e.speedup = coarse->makespan / run.makespan;
  e.efficiency = e.speedup / p;
  if (one_unit && one_unit_blocks) e.granularity = coarse->makespan / fine->makespan;
  if (one_unit_blocks) e.pipeline = fine->makespan / (p * run.makespan);

  // Unit-seconds in tasks, in the runtime and in all, of the p-unit run and of the one-unit run.
  struct Sums {
    double tasks = 0;
    double runtime = 0;
    double all = 0;
  };
  const auto sums = [](const Metrics& m) {
    Sums s;
    for (const Shares& u : m.unit) {
      s.tasks += u[State::computing] * m.makespan;
      s.runtime += (u[State::scheduling] + u[State::runtime]) * m.makespan;
      s.all += m.makespan;
    }
    return s;
  };
  const Sums one = sums(*fine);
  const Sums many = sums(run);
  if (one.tasks > 0 && many.tasks > 0) {
    e.task = one.tasks / many.tasks;
    e.runtime = (many.tasks / (many.tasks + many.runtime)) / (one.tasks / (one.tasks + one.runtime));
    e.idle = ((many.tasks + many.runtime) / many.all) / ((one.tasks + one.runtime) / one.all);
  }
  return e;
}

}  // namespace asterism::traces
