// SPDX-License-Identifier: Apache-2.0
// Tasks too small for their runtime: shorter than METG(50 %), the minimum effective task granularity at which half of
// the time is computing (Slaughter et al., Task Bench, SC 2020). Taken from one recording: METG is then StarPU's own
// time per task.
#include <fmt/format.h>

#include <algorithm>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces::diagnosis {

void find_small_tasks(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  if (!r.has_states) return;  // what StarPU did between tasks is not known
  for (std::uint32_t kind = 0; kind < r.kinds.size(); ++kind) {
    std::vector<std::uint32_t> units;
    double overhead = 0;
    double computing = 0;
    for (std::uint32_t u = 0; u < r.units.size(); ++u) {
      if (!e.works[u] || r.units[u].kind != kind) continue;
      const Shares& s = e.metrics.unit[u];
      overhead += (s[State::scheduling] + s[State::runtime]) * e.metrics.makespan;
      computing += s[State::computing] * e.metrics.makespan;
      units.push_back(u);
    }
    if (units.empty() || overhead <= computing || !e.worth(overhead)) continue;
    std::vector<std::uint32_t> tasks;
    for (std::uint32_t t = 0; t < r.tasks.size(); ++t)
      if (r.tasks[t].executed() && std::binary_search(units.begin(), units.end(), r.tasks[t].unit)) tasks.push_back(t);
    const double each = overhead / static_cast<double>(tasks.size());
    const double mean = computing / static_cast<double>(tasks.size());
    std::erase_if(tasks, [&](std::uint32_t t) { return r.tasks[t].duration() >= each; });
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].duration() < r.tasks[b].duration(); });
    Finding f = found(Fault::small_tasks, overhead, {r.begin, r.end}, tasks, units);
    f.what = fmt::format(
        "{} tasks on {} are shorter than StarPU's work for each, {} (METG); the mean task takes {}, so {:.0f} % of the "
        "busy time is computing",
        tasks.size(), r.kinds[kind].name, time_text(each), time_text(mean), 100 * computing / (computing + overhead));
    f.advice = "cut the problem into fewer, larger blocks, or join tasks that follow each other";
    findings.push_back(std::move(f));
  }
}

}  // namespace asterism::traces::diagnosis
