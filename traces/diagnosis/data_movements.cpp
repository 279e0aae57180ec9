// SPDX-License-Identifier: Apache-2.0
// Transfers that another order, more memory or another way would save.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces::diagnosis {
namespace {

/// The tasks that use a piece of data in a memory, by start.
class Users {
 public:
  explicit Users(const Recording& r) : r_(r) {
    for (std::uint32_t t = 0; t < r.tasks.size(); ++t)
      if (r.tasks[t].executed())
        for (const Access& a : r.data(t))
          if (a.handle != none) tasks_[{a.handle, r.units[r.tasks[t].unit].node}].push_back(t);
    for (auto& [where, tasks] : tasks_)
      std::sort(tasks.begin(), tasks.end(),
                [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].start < r.tasks[b].start; });
  }
  /// The first that starts after the transfer began, in the memory that it goes to; none without.
  [[nodiscard]] std::uint32_t after(const Transfer& transfer) const {
    const auto known = tasks_.find({transfer.handle, transfer.to});
    if (known == tasks_.end()) return none;
    const auto first = std::lower_bound(known->second.begin(), known->second.end(), transfer.start,
                                        [&](std::uint32_t t, double time) { return r_.tasks[t].start < time; });
    return first == known->second.end() ? none : *first;
  }

 private:
  const Recording& r_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> tasks_;  // handle, memory
};

/// What transfers of one fault have in common.
struct Movements {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::map<std::uint32_t, std::vector<Interval>> at;  ///< per node that waits for them
  std::set<std::uint32_t> handles;
  std::vector<std::uint32_t> tasks;  ///< that use them, in order
  std::set<std::uint32_t> known{};   ///< the same
  Interval longest{0, 0};

  void add(const Transfer& transfer, Interval when, const Users& users) {
    ++number;
    bytes += transfer.bytes;
    at[transfer.to].push_back(when);
    handles.insert(transfer.handle);
    const std::uint32_t user = users.after(transfer);
    if (user != none && known.insert(user).second) tasks.push_back(user);
    if (when.second - when.first > longest.second - longest.first) longest = when;
  }
  [[nodiscard]] double lost(const Evidence& e, const std::function<bool(State)>& states) const {
    double sum = 0;
    for (const auto& [node, intervals] : at) sum += e.spent(node, merged(intervals), states);
    return sum;
  }
  [[nodiscard]] std::vector<std::uint32_t> nodes() const {
    std::vector<std::uint32_t> list;
    for (const auto& [node, intervals] : at) list.push_back(node);
    return list;
  }
};

std::string volume(std::uint64_t bytes) {
  return fmt::format("{:.2f} MB", static_cast<double>(bytes) * 1e-6);
}

}  // namespace

void find_data_read_again(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  if (r.transfers.empty() || !r.has_dependencies) return;
  const Changes changes(e);
  const Users users(r);
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Transfer*> before;  // handle, memory
  Movements again;
  for (const Transfer& t : r.transfers) {
    if (t.handle == none || !e.on_device(t.to)) continue;
    const Transfer*& last = before[{t.handle, t.to}];
    if (last != nullptr && last->end <= t.start && !changes.between(t.handle, last->start, t.start))
      again.add(t, {t.start, t.end}, users);
    last = &t;
  }
  const double lost = again.lost(e, [](State s) { return s == State::waiting; });
  if (!e.worth(lost)) return;
  Finding f = found(Fault::data_read_again, lost, again.longest, again.tasks, e.units_at(again.nodes()));
  f.what =
      fmt::format("evicted data are read into the same memory again, unchanged: {} (transfers: {}, pieces of data: {})",
                  volume(again.bytes), again.number, again.handles.size());
  f.advice =
      "use larger memories or more units, submit tasks that share data one after the other, take a scheduler that "
      "counts transfers (dmdas), and look for starpu_data_wont_use and STARPU_LIMIT_CUDA_MEM";
  findings.push_back(std::move(f));
}

void find_transfers_through_memory(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  if (r.transfers.empty()) return;
  const Changes changes(e);
  const Users users(r);
  std::map<std::uint32_t, const Transfer*> to_memory;  // per handle, the last
  std::set<std::pair<std::uint32_t, std::uint32_t>> direct;
  Movements detours;
  bool some_direct = false;
  for (const Transfer& t : r.transfers)
    if (e.on_device(t.from) && e.on_device(t.to)) direct.emplace(t.from, t.to);
  for (const Transfer& t : r.transfers) {
    if (t.handle == none || r.nodes[t.from].rank != r.nodes[t.to].rank) continue;
    if (e.on_device(t.from) && !e.on_device(t.to)) to_memory[t.handle] = &t;
    if (e.on_device(t.from) || !e.on_device(t.to)) continue;
    const Transfer* const first = to_memory[t.handle];
    // StarPU starts the second half of a chained transfer when the first has ended. A pause longer than the first half
    // means that main memory held the data for another reason.
    if (first == nullptr || first->to != t.from || first->from == t.to || first->end > t.start ||
        t.start - first->end > first->end - first->start || changes.between(t.handle, first->start, t.start))
      continue;
    detours.add(t, {first->start, first->end}, users);
    some_direct = some_direct || direct.count({first->from, t.to}) > 0;
  }
  const double lost = detours.lost(e, [](State s) { return s == State::waiting || s == State::idle; });
  if (!e.worth(lost)) return;
  Finding f = found(Fault::through_memory, lost, detours.longest, detours.tasks, e.units_at(detours.nodes()));
  f.what = fmt::format("data go from one GPU to another by way of main memory: {} (times: {}){}", volume(detours.bytes),
                       detours.number, some_direct ? "; other data went directly" : "");
  f.advice =
      "check that the GPUs can reach each other (nvidia-smi topo -p2p r), that STARPU_ENABLE_CUDA_GPU_GPU_DIRECT is "
      "not 0, and measure StarPU's bus again (starpu_calibrate_bus -f)";
  findings.push_back(std::move(f));
}

}  // namespace asterism::traces::diagnosis
