// SPDX-License-Identifier: Apache-2.0
// Bandwidths between memories that no machine has, as they were recorded and as StarPU measured them for its models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces::diagnosis {
namespace {

/// B/s. NVLink of the fifth generation reaches 0.9e12 B/s in each direction.
constexpr double fastest_link = 1e12;
/// Sockets and switches make links of one machine differ by two or three; one that was measured while others used it,
/// or that fell back to a single lane, by more.
constexpr double most_difference = 4;
/// Bytes. Shorter transfers show the latency, not the bandwidth.
constexpr std::uint64_t least_bytes = 1 << 20;
/// Fewer may by chance have shared their link.
constexpr std::uint64_t least_transfers = 4;

struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double rate = 0;  // B/s
  int group = 0;    // links of one group should be alike
  std::string name{};
};

int group_of(bool from_device, bool to_device) {
  return (from_device ? 2 : 0) + (to_device ? 1 : 0);
}

std::string rate_text(double rate) {
  return fmt::format("{:.3g} GB/s", rate * 1e-9);
}

/// The median rate of the other links of its group that can be; 0 without any.
double usual(const std::vector<Link>& links, const Link& link) {
  std::vector<double> others;
  for (const Link& other : links)
    if (&other != &link && other.group == link.group && other.rate > 0 && other.rate <= fastest_link)
      others.push_back(other.rate);
  std::sort(others.begin(), others.end());
  return others.empty() ? 0 : quantile(others, 0.5);
}

/// Why a link cannot be as it is; empty when it can.
std::string objection(const std::vector<Link>& links, const Link& link) {
  if (!std::isfinite(link.rate) || link.rate <= 0) return "no link has that bandwidth";
  if (link.rate > fastest_link) return fmt::format("no link is faster than {}", rate_text(fastest_link));
  const double others = usual(links, link);
  if (link.rate * most_difference < others) return fmt::format("links of the same sort reach {}", rate_text(others));
  return {};
}

const char* const measure_again =
    "measure StarPU's bus again while nothing else runs (starpu_calibrate_bus -f), and compare with nvidia-smi topo -m "
    "and a bandwidth test";

void check_recorded(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Transfer*>> bulk;
  for (const Transfer& t : r.transfers)
    if (t.bytes >= least_bytes) bulk[{t.from, t.to}].push_back(&t);
  std::vector<Link> links;
  for (const auto& [ends, transfers] : bulk) {
    if (transfers.size() < least_transfers) continue;
    std::vector<double> rates;  // several at a time share the link: the fastest has had most of it
    for (const Transfer* t : transfers) rates.push_back(static_cast<double>(t->bytes) / (t->end - t->start));
    std::sort(rates.begin(), rates.end());
    links.push_back({ends.first, ends.second, rates.back(), group_of(e.on_device(ends.first), e.on_device(ends.second)),
                     r.nodes[ends.first].name + " -> " + r.nodes[ends.second].name});
  }
  for (const Link& link : links) {
    const std::string why = objection(links, link);
    if (why.empty()) continue;
    const auto& transfers = bulk[{link.from, link.to}];
    std::vector<Interval> intervals;
    for (const Transfer* t : transfers) intervals.emplace_back(t->start, t->end);
    const auto longest = std::max_element(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
      return a.second - a.first < b.second - b.first;
    });
    const Interval where = *longest;
    const double excess = std::max(0.0, 1 - link.rate / std::max(usual(links, link), link.rate));
    const double lost = excess * e.spent(link.to, merged(intervals), [](State s) { return s == State::waiting; });
    Finding f = found(Fault::impossible_link, lost, where, {}, e.units_at({link.from, link.to}));
    f.what = fmt::format("{} large transfers {} reach {} at most; {}", transfers.size(), link.name,
                         rate_text(link.rate), why);
    f.advice = link.rate > fastest_link ? "the times of these transfers are wrong: take neither rates nor waiting from "
                                          "them, and look for clocks that disagree"
                                        : measure_again;
    findings.push_back(std::move(f));
  }
}

void check_models(const Evidence& e, Findings& findings) {
  if (e.models == nullptr) return;
  std::vector<Link> links;
  const auto name = [&](std::uint32_t node) {
    for (const MemoryWorkers& m : e.models->memory_workers)
      if (m.node == node) return m.name;
    return fmt::format("memory {}", node);
  };
  for (const MemoryPerformance& m : e.models->memory_performance)
    if (m.from != m.to)
      links.push_back(
          {m.from, m.to, m.bandwidth * 1e6, group_of(m.from > 0, m.to > 0), name(m.from) + " -> " + name(m.to)});
  for (const Link& link : links) {
    const std::string why = objection(links, link);
    if (why.empty()) continue;
    Finding f = found(Fault::impossible_link, 0, {e.recording.begin, e.recording.end}, {}, {});
    f.what = fmt::format("StarPU's bus model gives {} {}; {}", link.name, rate_text(link.rate), why);
    f.advice = measure_again;
    findings.push_back(std::move(f));
  }
}

}  // namespace

void find_impossible_links(const Evidence& e, Findings& findings) {
  check_recorded(e, findings);
  check_models(e, findings);
}

}  // namespace asterism::traces::diagnosis
