// SPDX-License-Identifier: Apache-2.0
#include "schedulers/multiprio/heaps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace asterism::schedulers::multiprio {
namespace {
/// Durations that differ by rounding only are those of one kind of unit.
bool longer(double a, double b) {
  return a > b * (1 + 1e-9);
}
}  // namespace

std::vector<void*> Heaps::reset(std::vector<unsigned> units) {
  std::vector<void*> tasks;
  for (const auto& [number, waiting] : all_) tasks.push_back(waiting.task);
  all_.clear();
  units_ = std::move(units);
  heaps_.assign(units_.size(), {});
  largest_.resize(units_.size(), 0);
  work_.assign(units_.size(), 0);
  return tasks;
}

bool Heaps::is_best(const Waiting& waiting, std::size_t node) {
  return !waiting.best || !longer(*waiting.lengths[node], *waiting.best);
}

void Heaps::count_work(const Waiting& waiting, int sign) {
  if (!waiting.best) return;
  double units = 0;
  for (std::size_t node = 0; node < units_.size(); ++node)
    if (waiting.lengths[node] && is_best(waiting, node)) units += units_[node];
  for (std::size_t node = 0; node < units_.size(); ++node)
    if (waiting.lengths[node] && is_best(waiting, node)) work_[node] += sign * *waiting.best * units_[node] / units;
}

void Heaps::push(void* task, const std::vector<std::optional<double>>& lengths, double out_degree) {
  const std::uint64_t number = arrived_++;
  Waiting& waiting = all_[number];
  waiting = {task, lengths, std::vector<std::optional<Score>>(units_.size()), std::nullopt};
  bool known = true;
  for (const auto& length : lengths) {
    if (!length) continue;
    known = known && *length > 0;
    waiting.best = std::min(waiting.best.value_or(*length), *length);
  }
  if (!known) waiting.best.reset();
  std::optional<double> second;
  for (const auto& length : lengths)
    if (waiting.best && length && longer(*length, *waiting.best)) second = std::min(second.value_or(*length), *length);
  for (std::size_t node = 0; node < units_.size(); ++node) {
    if (!lengths[node]) continue;
    double gain = 1;
    if (second) {
      const double difference = is_best(waiting, node) ? *second - *lengths[node] : *waiting.best - *lengths[node];
      largest_[node] = std::max(largest_[node], std::abs(difference));
      gain = (difference + largest_[node]) / (2 * largest_[node]);
    }
    waiting.scores[node] = Score{gain, out_degree, number};
    heaps_[node].insert(*waiting.scores[node]);
  }
  count_work(waiting, 1);
}

bool Heaps::may_pop(const Waiting& waiting, std::size_t node) const {
  if (is_best(waiting, node)) return true;
  double work = 0;
  double units = 0;
  for (std::size_t other = 0; other < units_.size(); ++other) {
    if (!waiting.lengths[other] || !is_best(waiting, other)) continue;
    work += work_[other];
    units += units_[other];
  }
  return work > *waiting.lengths[node] * units;
}

void* Heaps::pop(std::size_t node, const std::function<std::optional<double>(void* task)>& locality) {
  std::set<Score>& heap = heaps_[node];
  for (;;) {
    auto chosen = heap.end();
    double nearest = 0;
    int seen = 0;
    for (auto place = heap.begin(); place != heap.end() && seen < window; ++place) {
      if (chosen != heap.end() && place->gain < heap.begin()->gain - tolerance) break;
      const std::optional<double> here = locality(all_.at(place->number).task);
      if (!here) continue;
      if (++seen == 1 || *here > nearest) nearest = *here, chosen = place;
    }
    if (chosen == heap.end()) return nullptr;
    const auto found = all_.find(chosen->number);
    Waiting& waiting = found->second;
    if (!may_pop(waiting, node)) {
      waiting.scores[node].reset();
      heap.erase(chosen);
      continue;
    }
    void* const task = waiting.task;
    count_work(waiting, -1);
    for (std::size_t other = 0; other < heaps_.size(); ++other)
      if (waiting.scores[other]) heaps_[other].erase(*waiting.scores[other]);
    all_.erase(found);
    return task;
  }
}

}  // namespace asterism::schedulers::multiprio
