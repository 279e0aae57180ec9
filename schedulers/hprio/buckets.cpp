// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/buckets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace asterism::schedulers::hprio {

namespace {
/// How often a unit of `fast` does the task while one of `kind` does it once; 0: unknown.
double speed(Kind kind, Kind fast, const Entry& entry) {
  if (entry.length[at(kind)] > 0 && entry.length[at(fast)] > 0) return entry.length[at(kind)] / entry.length[at(fast)];
  if (!(entry.speedup > 0) || (kind == Kind::cpu) == (fast == Kind::cpu)) return 0;
  return kind == Kind::cpu ? entry.speedup : 1 / entry.speedup;
}
}  // namespace

bool may_pop(Kind kind, const Entry& entry, std::size_t tasks, const PerKind<bool>& among) {
  double meanwhile = 0;
  for (const Kind fast : kinds) {
    if (fast == kind || entry.able[at(fast)] == 0 || !among[at(fast)]) continue;
    if (const double times = speed(kind, fast, entry); times > 1) meanwhile += times * entry.able[at(fast)];
  }
  return static_cast<double>(tasks) >= meanwhile;
}

namespace {
/// At most eleven days, so that no product with a number of units overflows.
std::int64_t nanoseconds(double microseconds) {
  return microseconds > 0 ? std::llround(std::min(microseconds * 1e3, 1e15)) : 0;
}
}  // namespace

std::optional<std::int64_t> least_backlog(Kind kind, Kind fast, const Entry& entry) {
  const unsigned others = entry.able[at(fast)];
  const double here = entry.length[at(kind)];
  const double there = entry.length[at(fast)];
  if (!(here > 0) || !(there > 0)) return std::nullopt;
  if (others == 0 || there >= here) return 0;
  return nanoseconds(here) * others;
}

bool Halves::is_large(double size) {
  // six binary digits: few different values, however irregular the tasks
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);
  const double rounded = std::ldexp(std::round(mantissa * 64) / 64, exponent);

  const std::lock_guard lock(mutex_);
  const auto place = seen_.try_emplace(rounded, 0).first;
  ++place->second;
  if (++total_ == 1)
    median_ = place;
  else if (place->first < median_->first)
    ++below_;
  // the median is where at most half of the values are below and at most half above
  while (2 * below_ > total_) below_ -= (--median_)->second;
  while (2 * (below_ + median_->second) < total_) below_ += (median_++)->second;

  const bool large = rounded == median_->first ? large_ <= small_ : rounded > median_->first;
  ++(large ? large_ : small_);
  return large;
}

Bucket::Runs Bucket::lane_of(const Entry& entry) {
  if (entry.picky) return picky;
  if (std::all_of(gpu_kinds.begin(), gpu_kinds.end(), [&](Kind kind) { return entry.able[at(kind)] == 0; }))
    return cpu_only;
  return entry.able[at(Kind::cpu)] == 0 ? gpu_only : both;
}

void Bucket::count_waiting(Level& level, const Entry& entry, int sign) {
  const auto change = static_cast<std::uint32_t>(sign);
  if (entry.picky) picky_ += change;
  for (const Kind kind : kinds) {
    if (entry.able[at(kind)] == 0) continue;
    level.tasks[at(kind)] += change;
    all_[at(kind)] += change;
    waits_for_[at(kind)] += change;
    std::atomic<std::uint64_t>& ready = ready_->buckets[at(kind)];
    if (sign > 0 && waits_for_[at(kind)] == 1) ready.fetch_or(bit_);
    if (sign < 0 && waits_for_[at(kind)] == 0) ready.fetch_and(~bit_);
  }
  count_backlog(entry, sign);
  changed();
}

void Bucket::push(const Entry& entry) {
  const Held lock(lock_, waiting_);
  Level& level = levels_[within_ == Within::fifo ? 0 : entry.priority];
  count_waiting(level, entry, 1);
  Entry& placed = level.lanes[lane_of(entry)].push_back(entry);
  placed.number = arrived_++;
  placed.bucket = this;
}

void Bucket::count_backlog(const Entry& entry, int sign) {
  if (backlog_ == nullptr) return;
  for (const Kind kind : kinds) {
    const std::int64_t time = entry.able[at(kind)] > 0 ? sign * nanoseconds(entry.length[at(kind)]) : 0;
    if (time == 0) continue;
    time_[at(kind)] += time;
    if (polled(kind)) backlog_->time[at(kind)] += time;
  }
}

void Bucket::set_polled(Kind kind, bool polled) {
  const Held lock(lock_, waiting_);
  if (polled_[at(kind)].exchange(polled) == polled || backlog_ == nullptr) return;
  backlog_->time[at(kind)] += polled ? time_[at(kind)] : -time_[at(kind)];
}

std::size_t Bucket::counted(const Level& level, Kind fast) const {
  return within_ == Within::sub_buckets ? level.tasks[at(fast)] : all_[at(fast)];
}

Bucket::Verdict Bucket::judge(Kind kind, const Level& level, const Entry& entry) const {
  PerKind<bool> among{};
  std::size_t tasks = 0;
  bool known = backlog_ != nullptr;
  double busy = 0;  // the sum of least backlog over backlog
  int faster = 0;
  Verdict verdict;
  for (const Kind fast : kinds) {
    among[at(fast)] = fast != kind && entry.able[at(fast)] > 0 && polled(fast);
    if (!among[at(fast)]) continue;
    tasks = std::max<std::size_t>(tasks, counted(level, fast));
    const auto least = known ? least_backlog(kind, fast, entry) : std::nullopt;
    known = least.has_value();
    if (!known || *least == 0) continue;
    busy += static_cast<double>(*least) / static_cast<double>(backlog_->time[at(fast)].load());
    verdict.by = fast;
    verdict.below = ++faster == 1 ? *least : 0;
  }
  if (known) {
    verdict.passes = busy <= 1;
    return verdict;
  }
  return {may_pop(kind, entry, tasks, among), Kind::gpu, never};
}

Bucket::Found Bucket::find(Level& level, Unit unit, bool termination, std::optional<Verdict>& withheld) {
  Found found;
  for (const Runs runs : {unit.kind == Kind::cpu ? cpu_only : gpu_only, both, picky}) {
    Lane& lane = level.lanes[runs];
    for (std::uint32_t place = 0; place < lane.size(); ++place) {
      const Entry& entry = lane[place];
      if (found.lane != nullptr && (*found.lane)[found.place].number < entry.number) break;
      if (!entry.runs_on(unit)) continue;  // picky ones only
      if (const Verdict verdict = termination ? judge(unit.kind, level, entry) : Verdict{}; !verdict.passes) {
        if (!withheld || withheld->below == never)
          withheld = verdict;
        else if (verdict.below != never)
          withheld->below = verdict.by == withheld->by ? std::min(withheld->below, verdict.below) : 0;
        break;  // the rest of the queue waits behind it, tasks that the other kind cannot run excepted
      }
      found = {&lane, place};
      break;
    }
  }
  return found;
}

Bucket::Found Bucket::nearest(const Level& level, const Found& found, Unit unit, bool termination, bool far) const {
  if (found.lane == nullptr || unit.kind == Kind::cpu) return found;
  Found nobodys;
  Found others;
  int seen = 0;
  for (std::uint32_t place = found.place; place < found.lane->size() && seen < window; ++place, ++seen) {
    const Entry& entry = (*found.lane)[place];
    if (!entry.runs_on(unit)) continue;
    if (termination && !passes(unit.kind, level, entry)) break;
    if (entry.near.test(unit.number)) return {found.lane, place};
    if (entry.near.any())
      others = {found.lane, place};
    else if (nobodys.lane == nullptr)
      nobodys = {found.lane, place};
  }
  if (nobodys.lane != nullptr) return nobodys;
  return far ? others : Found{};
}

bool Bucket::nothing_for(Kind kind) const {
  if ((ready_->buckets[at(kind)].load() & bit_) == 0) return true;
  if (!withheld_[at(kind)].load()) return false;
  return backlog_ == nullptr ||
         backlog_->time[at(withheld_by_[at(kind)].load())].load() < withheld_below_[at(kind)].load();
}

template <class Function>
bool Bucket::first(Unit unit, bool termination, bool far, const Function& found) {
  std::optional<Verdict> withheld;
  for (auto level = levels_.begin(); level != levels_.end();) {
    // an emptied level is kept when it is the only one: most buckets know one priority
    if (level->second.empty() && levels_.size() > 1) {
      level = levels_.erase(level);
      continue;
    }
    const Found here = nearest(level->second, find(level->second, unit, termination, withheld), unit, termination, far);
    if (here.lane != nullptr) {
      found(level->second, here);
      return true;
    }
    ++level;
  }
  if (withheld && picky_ == 0) {
    withheld_by_[at(unit.kind)] = withheld->by;
    withheld_below_[at(unit.kind)] = withheld->below;
    withheld_[at(unit.kind)] = true;
  }
  return false;
}

std::optional<Entry> Bucket::pop(Unit unit, bool termination, bool far) {
  if (nothing_for(unit.kind)) return std::nullopt;
  const Held lock(lock_, waiting_);
  std::optional<Entry> entry;
  first(unit, termination, far, [&](Level& level, const Found& found) {
    entry = found.lane->take(found.place);
    count_waiting(level, *entry, -1);
  });
  return entry;
}

bool Bucket::offers(Unit unit, bool termination) {
  if (nothing_for(unit.kind)) return false;
  const Held lock(lock_, waiting_);
  return first(unit, termination, true, [](Level&, const Found&) {});
}

void Bucket::count_reserved(const Entry& entry, int sign) {
  const Held lock(lock_, waiting_);
  Level& level = levels_[within_ == Within::fifo ? 0 : entry.priority];
  for (const Kind kind : kinds) {
    if (entry.able[at(kind)] == 0) continue;
    level.tasks[at(kind)] += static_cast<std::uint32_t>(sign);
    all_[at(kind)] += static_cast<std::uint32_t>(sign);
  }
  count_backlog(entry, sign);
  changed();
}

bool Bucket::may_take(Kind kind, const Entry& entry) {
  const Held lock(lock_, waiting_);
  const auto level = levels_.find(within_ == Within::fifo ? 0 : entry.priority);
  return level == levels_.end() || passes(kind, level->second, entry);
}

}  // namespace asterism::schedulers::hprio
