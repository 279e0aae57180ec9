// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "traces/dag.hpp"
#include "traces/metrics.hpp"

namespace asterism::traces {

namespace {

/// Per executed task: the messages on whose arrival it depends.
Lists<std::uint32_t> needed_messages(const Recording& r) {
  const Lists<std::uint32_t> after = successors(r);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> needs;  // task, message
  std::vector<std::uint32_t> seen(r.tasks.size(), none);       // by which message last
  std::vector<std::uint32_t> stack;
  for (std::uint32_t m = 0; m < r.messages.size(); ++m) {
    if (r.messages[m].releases == none || r.messages[m].sent_after == none) continue;
    stack.assign(1, r.messages[m].releases);
    while (!stack.empty()) {
      const std::uint32_t t = stack.back();
      stack.pop_back();
      if (seen[t] == m) continue;
      seen[t] = m;
      if (r.tasks[t].rank != r.messages[m].to) continue;  // what is sent on is another message
      if (r.tasks[t].executed())
        needs.emplace_back(t, m);
      else
        stack.insert(stack.end(), after.begin(t), after.end(t));
    }
  }
  std::sort(needs.begin(), needs.end());
  Lists<std::uint32_t> of_task;
  auto need = needs.begin();
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t) {
    for (; need != needs.end() && need->first == t; ++need) of_task.item.push_back(need->second);
    of_task.close();
  }
  return of_task;
}

/// RankUse::idle_for_messages of one unit.
double idle_for_messages(const Recording& r, std::size_t unit, const Lists<std::uint32_t>& needed) {
  double sum = 0;
  std::vector<Interval> idle;  // since the last task
  for (const Span s : r.timeline[unit]) {
    if (s.state == State::idle || s.state == State::waiting) idle.emplace_back(s.start, s.end);
    if (s.state != State::computing) continue;
    if (s.task != none && needed.count(s.task) > 0) {
      std::vector<Interval> under_way;
      for (const auto* m = needed.begin(s.task); m != needed.end(s.task); ++m)
        under_way.emplace_back(r.messages[*m].start, r.messages[*m].end);
      sum += common_length(idle, merged(std::move(under_way)));
    }
    idle.clear();
  }
  return sum;
}

std::vector<PairUse> pair_use(const Recording& r) {
  struct Of {
    PairUse use;
    std::vector<Interval> intervals;
    std::vector<double> seconds;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Of> pairs;
  for (const Message& m : r.messages) {
    Of& of = pairs[{m.from, m.to}];
    ++of.use.messages;
    of.use.bytes += m.bytes;
    of.intervals.emplace_back(m.start, m.end);
    of.seconds.push_back(m.end - m.start);
  }
  std::vector<PairUse> out;
  for (auto& [ends, of] : pairs) {
    std::sort(of.seconds.begin(), of.seconds.end());
    of.use.from = ends.first;
    of.use.to = ends.second;
    of.use.shortest = of.seconds.front();
    of.use.median = quantile(of.seconds, 0.5);
    of.use.busy = length(merged(std::move(of.intervals)));
    of.use.bandwidth = of.use.busy > 0 ? static_cast<double>(of.use.bytes) / of.use.busy : 0;
    out.push_back(of.use);
  }
  return out;
}

}  // namespace

void measure_ranks(const Recording& r, Metrics& m) {
  m.pairs = pair_use(r);
  m.rank.assign(r.ranks, {});
  for (const Message& message : r.messages) {
    m.bytes_sent += message.bytes;
    ++m.rank[message.from].messages_sent;
    m.rank[message.from].bytes_sent += message.bytes;
    ++m.rank[message.to].messages_received;
    m.rank[message.to].bytes_received += message.bytes;
  }
  for (const Task& t : r.tasks) {
    if (!t.executed()) continue;
    ++m.rank[t.rank].tasks;
    m.rank[t.rank].flops += t.flops;
  }
  const Lists<std::uint32_t> needed = needed_messages(r);
  std::vector<std::vector<std::size_t>> units(r.ranks);
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    units[r.units[u].rank].push_back(u);
    m.rank[r.units[u].rank].idle_for_messages += idle_for_messages(r, u, needed);
  }
  for (std::uint32_t rank = 0; rank < r.ranks; ++rank) {
    m.rank[rank].units = units[rank].size();
    m.rank[rank].shares = mean_of(m.unit, units[rank]);
  }
}

}  // namespace asterism::traces
