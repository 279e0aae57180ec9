// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bounds/schedules/copy_bound.hpp"

namespace asterism::bounds {
namespace {

/// Sets of tasks: one bit each.
class Ancestors {
 public:
  explicit Ancestors(const Workload& work) : words_((work.tasks() + 63) / 64), bits_(work.tasks() * words_, 0) {
    for (const std::uint32_t t : work.order)
      for (const auto* b = work.before.begin(t); b != work.before.end(t); ++b) {
        for (std::size_t w = 0; w < words_; ++w) bits_[t * words_ + w] |= bits_[*b * words_ + w];
        bits_[t * words_ + *b / 64] |= std::uint64_t{1} << (*b % 64);
      }
  }
  [[nodiscard]] bool has(std::size_t task, std::uint32_t ancestor) const {
    return (bits_[task * words_ + ancestor / 64] >> (ancestor % 64) & 1) != 0;
  }
  [[nodiscard]] std::vector<std::uint64_t> of(std::size_t task) const {
    const auto first = bits_.begin() + static_cast<std::ptrdiff_t>(task * words_);
    return {first, first + static_cast<std::ptrdiff_t>(words_)};
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// The tasks of `in`, numbered in the order of work.order; of their accesses those of chained data that one of them
/// wrote before, and of those written if `from_begin`, all.
Workload part_of(const Workload& work, const std::vector<bool>& in, const std::vector<bool>& chained, bool from_begin) {
  Workload part;
  part.units = work.units;
  part.kinds = work.kinds;
  part.memories = work.memories;
  part.connections = work.connections;
  part.shared_rate = work.shared_rate;
  std::vector<std::uint32_t> number(work.tasks(), traces::none);
  std::map<std::uint32_t, std::uint32_t> data;
  for (const std::uint32_t t : work.order) {
    if (!in[t]) continue;
    number[t] = static_cast<std::uint32_t>(part.tasks());
    part.order.push_back(number[t]);
    part.runs.push_back(work.runs[t]);
    for (std::size_t k = 0; k < work.kinds; ++k) part.seconds.push_back(work.on(t, k));
    for (const auto* b = work.before.begin(t); b != work.before.end(t); ++b)
      if (in[*b]) part.before.item.push_back(number[*b]);
    std::sort(part.before.item.begin() + static_cast<std::ptrdiff_t>(part.before.offset.back()),
              part.before.item.end());
    part.before.close();
    for (const auto* a = work.accesses.begin(t); a != work.accesses.end(t); ++a) {
      if (!chained[a->handle]) continue;
      traces::Access access = *a;
      const bool known = data.contains(a->handle) || from_begin;
      if (!known && a->mode == traces::Mode::read) continue;
      if (!known) access.mode = traces::Mode::write;  // its old value comes from anywhere
      const auto [found, fresh] = data.try_emplace(a->handle, static_cast<std::uint32_t>(data.size()));
      if (fresh) part.bytes.push_back(work.bytes[a->handle]);
      access.handle = found->second;
      part.accesses.item.push_back(access);
    }
    part.accesses.close();
  }
  std::vector<std::vector<std::uint32_t>> after(part.tasks());
  for (const std::uint32_t t : part.order)
    for (const auto* b = part.before.begin(t); b != part.before.end(t); ++b) after[*b].push_back(t);
  for (const auto& list : after) {
    part.after.item.insert(part.after.item.end(), list.begin(), list.end());
    part.after.close();
  }
  return part;
}

/// Equal for parts that are alike.
std::vector<double> part_key(const Workload& part) {
  std::vector<double> key = part.seconds;
  key.insert(key.end(), part.bytes.begin(), part.bytes.end());
  for (const std::uint32_t t : part.order) {
    key.push_back(part.runs[t] ? -1 : -2);
    key.insert(key.end(), part.before.begin(t), part.before.end(t));
    key.push_back(-3);
    for (const auto* a = part.accesses.begin(t); a != part.accesses.end(t); ++a) {
      key.push_back(a->handle);
      key.push_back(static_cast<double>(a->mode));
    }
  }
  return key;
}

}  // namespace

std::vector<Cut> series_cuts(const Workload& work, std::size_t most) {
  constexpr std::size_t most_tasks = 20000;
  const std::size_t count = work.tasks();
  if (count > most_tasks) return {};
  const Ancestors ancestors(work);
  struct Found {
    std::size_t before;   // of the tasks that run
    std::size_t neither;  // on no side
    Cut cut;
  };
  std::vector<Found> found;
  std::set<std::vector<std::uint64_t>> known;
  const auto running = static_cast<std::size_t>(std::count(work.runs.begin(), work.runs.end(), true));
  for (const std::uint32_t s : work.order) {
    if (work.before.count(s) == 0 || !known.insert(ancestors.of(s)).second) continue;
    Found f{0, 0, {std::vector<bool>(count), std::vector<bool>(count)}};
    std::size_t after = 0;
    for (std::uint32_t t = 0; t < count; ++t) {
      f.cut.before[t] = ancestors.has(s, t);
      f.cut.after[t] =
          std::all_of(work.before.begin(s), work.before.end(s), [&](std::uint32_t b) { return ancestors.has(t, b); });
      f.before += f.cut.before[t] && work.runs[t] ? 1 : 0;
      after += f.cut.after[t] && work.runs[t] ? 1 : 0;
    }
    f.neither = running - f.before - after;
    if (f.before > 0 && after > 0 && 4 * f.neither <= running) found.push_back(std::move(f));
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.before < b.before; });
  const auto better_near = [&](const Found& f) {
    return std::any_of(found.begin(), found.end(), [&](const Found& other) {
      const std::size_t apart = std::max(f.before, other.before) - std::min(f.before, other.before);
      return other.neither < f.neither && apart <= f.neither;
    });
  };
  std::vector<bool> worse;
  worse.reserve(found.size());
  for (const Found& f : found) worse.push_back(better_near(f));
  for (std::size_t i = found.size(); i-- > 0;)
    if (worse[i]) found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found.size() <= most || i * most / found.size() != (i + 1) * most / found.size())
      cuts.push_back(std::move(found[i].cut));
  return cuts;
}

Cuts::Cuts(const Workload& work) : cuts_(series_cuts(work)), chained_(chained_data(work)) {}

CutBound Cuts::bound(const Workload& work, const PartBound& bound) {
  const std::size_t count = work.tasks();
  const std::size_t cuts = cuts_.size();
  CutBound result{std::vector<double>(count, 0), std::vector<double>(count, 0), 0};
  // cut 0 here is the begin, cut `cuts` + 1 the end of the schedule
  const auto after = [&](std::size_t k, std::size_t t) { return k == 0 || cuts_[k - 1].after[t]; };
  const auto before = [&](std::size_t k, std::size_t t) { return k == cuts + 1 || cuts_[k - 1].before[t]; };
  struct Stretch {
    std::size_t from;
    std::size_t to;
    double seconds;
  };
  std::vector<Stretch> stretches;
  std::vector<bool> in(count);
  for (std::size_t from = 0; from <= cuts; ++from)
    for (const std::size_t step : {1, 2, 4}) {
      const std::size_t to = from + step;
      if (to > cuts + 1 || (from == 0 && to == cuts + 1)) continue;
      bool any = false;
      for (std::size_t t = 0; t < count; ++t) {
        in[t] = after(from, t) && before(to, t);
        any = any || (in[t] && work.runs[t]);
      }
      if (!any) continue;
      const Workload part = part_of(work, in, chained_, from == 0);
      const auto [known, fresh] = known_.try_emplace(part_key(part), 0);
      if (fresh) known->second = bound(part);
      stretches.push_back({from, to, known->second});
    }
  std::vector<double> head(cuts + 2, 0);
  std::vector<double> tail(cuts + 2, 0);
  for (const Stretch& s : stretches) head[s.to] = std::max(head[s.to], head[s.from] + s.seconds);
  for (auto s = stretches.rbegin(); s != stretches.rend(); ++s)
    tail[s->from] = std::max(tail[s->from], s->seconds + tail[s->to]);
  for (std::size_t k = 1; k <= cuts; ++k) {
    result.seconds = std::max(result.seconds, head[k] + tail[k]);
    for (std::size_t t = 0; t < count; ++t) {
      if (after(k, t)) result.head[t] = std::max(result.head[t], head[k]);
      if (before(k, t)) result.tail[t] = std::max(result.tail[t], tail[k]);
    }
  }
  return result;
}

}  // namespace asterism::bounds
