// SPDX-License-Identifier: Apache-2.0
#include "bounds/communication.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace asterism::bounds {
namespace {

using traces::none;
using traces::Recording;

bool is_main_memory(const traces::MemoryNode& node) {
  return node.index == 0 || node.name.find("NUMA") != std::string::npos || node.name.find("RAM") != std::string::npos;
}

/// Per node: the kind whose units alone work in it; none for main memory.
std::vector<std::uint32_t> owners(const Recording& r) {
  std::vector<std::uint32_t> owner(r.nodes.size(), none);
  for (const traces::Unit& u : r.units)
    if (u.node < r.nodes.size() && !is_main_memory(r.nodes[u.node])) owner[u.node] = u.kind;
  return owner;
}

/// What happened to a handle at first.
struct Begin {
  double moved = 1e300;       ///< end of its first transfer
  bool from_main = false;     ///< and that was from main memory to a device, inside the recording
  double used_there = 1e300;  ///< start of the first task that uses it on a device
};

/// Bytes per second that node `to` received at best from outside its kind.
std::vector<double> observed(const Recording& r, const std::vector<std::uint32_t>& owner) {
  struct Into {
    double fastest = 0;
    double bytes = 0;
    double busy = 0;
    double until = -1e300;
  };
  std::vector<Into> into(r.nodes.size());
  for (const traces::Transfer& t : r.transfers) {  // sorted by start
    if (owner[t.to] == none || owner[t.from] == owner[t.to]) continue;
    Into& node = into[t.to];
    const double seconds = t.end - t.start;
    if (seconds > 0) node.fastest = std::max(node.fastest, static_cast<double>(t.bytes) / seconds);
    node.bytes += static_cast<double>(t.bytes);
    node.busy += std::max(0.0, t.end - std::max(t.start, node.until));
    node.until = std::max(node.until, t.end);
  }
  std::vector<double> best(r.kinds.size(), 0);
  for (std::size_t n = 0; n < into.size(); ++n) {
    if (owner[n] == none) continue;
    const double all = into[n].busy > 0 ? into[n].bytes / into[n].busy : 0;
    best[owner[n]] = std::max({best[owner[n]], into[n].fastest, all});
  }
  return best;
}

std::vector<double> measured(const Recording& r, const std::vector<std::uint32_t>& owner,
                             const traces::PlatformRec& platform) {
  std::vector<std::uint32_t> owner_of_index;
  for (std::size_t n = 0; n < r.nodes.size(); ++n) {
    const std::uint32_t index = r.nodes[n].index;
    if (owner_of_index.size() <= index) owner_of_index.resize(index + 1, none);
    if (owner[n] != none) owner_of_index[index] = owner[n];
  }
  const auto owner_at = [&](std::uint32_t index) {
    return index < owner_of_index.size() ? owner_of_index[index] : none;
  };
  std::vector<double> best(r.kinds.size(), 0);
  for (const traces::MemoryPerformance& p : platform.memory_performance) {
    const std::uint32_t kind = owner_at(p.to);
    if (kind != none && owner_at(p.from) != kind) best[kind] = std::max(best[kind], p.bandwidth * 1e6);
  }
  return best;
}

}  // namespace

Communication communication(const Recording& r, const traces::PlatformRec* platform) {
  Communication c;
  const std::vector<std::uint32_t> owner = owners(r);
  c.bytes.assign(r.tasks.size(), 0);
  c.bandwidth.assign(r.kinds.size(), 0);
  c.memories.assign(r.kinds.size(), 0);
  for (std::size_t n = 0; n < owner.size(); ++n)
    if (owner[n] != none) ++c.memories[owner[n]];
  for (std::uint32_t k = 0; k < r.kinds.size(); ++k)
    if (const std::size_t units = r.units_of(k); units > 0) c.memories[k] /= static_cast<double>(units);
  if (std::all_of(owner.begin(), owner.end(), [](std::uint32_t kind) { return kind == none; })) {
    c.notes.emplace_back("all units work in main memory: links limit nothing");
    return c;
  }
  const bool from_platform = platform != nullptr && !platform->memory_performance.empty();
  c.bandwidth = from_platform ? measured(r, owner, *platform) : observed(r, owner);
  for (std::size_t k = 0; k < r.kinds.size(); ++k)
    if (c.memories[k] > 0 && c.bandwidth[k] == 0)
      c.notes.push_back(
          fmt::format("the rate into the memories of {} is unknown: links to it are not counted", r.kinds[k].name));

  std::vector<Begin> begin(r.handles.size());
  c.assumed = true;
  for (const traces::Transfer& t : r.transfers) {  // sorted by start: the first is seen first
    if (t.handle == none || t.handle >= begin.size()) continue;
    c.assumed = false;
    Begin& b = begin[t.handle];
    if (b.moved < 1e300) continue;
    b.moved = t.end;
    // a transfer cut at the window's beginning has begun before
    b.from_main = owner[t.from] == none && owner[t.to] != none && t.start > r.begin;
  }
  std::vector<std::vector<std::uint32_t>> readers(r.handles.size());
  std::vector<bool> replaced(r.handles.size(), false);  // its first content is gone
  for (std::uint32_t i = 0; i < r.tasks.size(); ++i) {  // sorted by submission
    const traces::Task& t = r.tasks[i];
    const bool on_device = t.executed() && r.units[t.unit].node < owner.size() && owner[r.units[t.unit].node] != none;
    for (const traces::Access& a : r.data(i)) {
      if (a.handle == none || a.handle >= begin.size()) continue;
      if (on_device) begin[a.handle].used_there = std::min(begin[a.handle].used_there, t.start);
      const bool reads = a.mode == traces::Mode::read || a.mode == traces::Mode::read_write;
      std::vector<std::uint32_t>& its = readers[a.handle];
      const bool again = !its.empty() && its.back() == i;  // a task may name a handle twice
      if (reads && t.executed() && !replaced[a.handle] && !again) its.push_back(i);
      if (a.mode != traces::Mode::read) replaced[a.handle] = true;
    }
  }
  for (std::size_t h = 0; h < r.handles.size(); ++h) {
    if (readers[h].empty() || r.handles[h].bytes == 0) continue;
    const bool shown = begin[h].from_main && begin[h].moved <= begin[h].used_there;
    if (!c.assumed && !shown) {
      ++c.left_out;
      continue;
    }
    const auto bytes = static_cast<double>(r.handles[h].bytes);
    ++c.handles;
    c.total += bytes;
    for (const std::uint32_t task : readers[h]) c.bytes[task] += bytes / static_cast<double>(readers[h].size());
  }
  if (c.assumed)
    c.notes.emplace_back(
        "no transfer names its data: data whose first access is a read are taken to lie in main memory");
  if (c.left_out > 0)
    c.notes.push_back(
        fmt::format("{} handles are not counted: nothing shows that they lay in main memory", c.left_out));
  return c;
}

}  // namespace asterism::bounds
