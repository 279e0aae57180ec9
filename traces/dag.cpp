// SPDX-License-Identifier: Apache-2.0
#include "traces/dag.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace asterism::traces {

Lists<std::uint32_t> successors(const Recording& r) {
  const std::size_t n = r.tasks.size();
  Lists<std::uint32_t> after;
  after.offset.assign(n + 1, 0);
  for (const std::uint32_t p : r.dependencies.item) ++after.offset[p + 1];
  for (std::size_t t = 0; t < n; ++t) after.offset[t + 1] += after.offset[t];
  after.item.resize(after.offset[n]);
  std::vector<std::uint64_t> next(after.offset.begin(), after.offset.end() - 1);
  for (std::uint32_t t = 0; t < n; ++t)
    for (const std::uint32_t p : r.predecessors(t)) after.item[next[p]++] = t;
  return after;
}

std::vector<std::uint32_t> topological_order(const Recording& r) {
  const std::size_t n = r.tasks.size();
  std::vector<std::uint32_t> missing(n, 0);
  for (std::size_t t = 0; t < n; ++t) missing[t] = static_cast<std::uint32_t>(r.predecessors(t).size());
  const Lists<std::uint32_t> after = successors(r);

  std::vector<std::uint32_t> order;
  order.reserve(n);
  for (std::uint32_t t = 0; t < n; ++t)
    if (missing[t] == 0) order.push_back(t);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const auto* s = after.begin(order[i]); s != after.end(order[i]); ++s)
      if (--missing[*s] == 0) order.push_back(*s);
  if (order.size() != n) {
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::uint32_t m) { return m != 0; });
    bad_input("{}: the dependencies of job {} lead back to itself", r.name, r.tasks[stuck - missing.begin()].id);
  }
  return order;
}

Path longest_path(const Recording& r, const std::function<double(const Task&)>& weight,
                  const std::function<double(std::uint32_t, std::uint32_t)>& delay) {
  Path path;
  std::vector<double> finish(r.tasks.size(), 0);
  std::vector<std::uint32_t> from(r.tasks.size(), none);
  std::uint32_t last = none;
  for (const std::uint32_t t : topological_order(r)) {
    double start = 0;
    for (const std::uint32_t p : r.predecessors(t)) {
      const double arrival = finish[p] + (delay ? delay(t, p) : 0.0);
      if (from[t] != none && arrival <= start) continue;
      from[t] = p;
      start = arrival;
    }
    finish[t] = start + weight(r.tasks[t]);
    if (last == none || finish[t] > finish[last]) last = t;
  }
  if (last == none) return path;
  path.length = finish[last];
  for (std::uint32_t t = last; t != none; t = from[t]) {
    if (r.tasks[t].executed()) path.tasks.push_back(t);
    if (from[t] != none && r.tasks[from[t]].rank != r.tasks[t].rank) ++path.messages;
  }
  std::reverse(path.tasks.begin(), path.tasks.end());
  return path;
}

}  // namespace asterism::traces
