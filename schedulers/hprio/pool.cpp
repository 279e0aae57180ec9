// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/pool.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace asterism::schedulers::hprio {

std::vector<std::size_t> polling_order(const std::vector<Ranks>& buckets, Kind kind, const PerKind<bool>& present) {
  constexpr int never = std::numeric_limits<int>::max();
  const auto rank = [&](std::size_t b) { return buckets[b][at(kind)].value_or(never); };
  std::vector<std::size_t> order(buckets.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t b) {
    return rank(b) == never && std::any_of(kinds.begin(), kinds.end(), [&](Kind other) {
             return other != kind && present[at(other)] && buckets[b][at(other)].has_value();
           });
  });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

std::vector<Ranks> ranks_by_speedup(const std::vector<Speed>& buckets) {
  std::vector<Ranks> ranks(buckets.size());
  for (const Kind kind : kinds) {
    const auto key = [&](std::size_t b) {
      const Speed& speed = buckets[b];
      double product = 1;
      int others = 0;
      for (const Kind other : kinds) {
        if (other == kind || !speed.runs_on[at(other)]) continue;
        product *= speed.time[at(other)];
        ++others;
      }
      if (others == 0) return -std::numeric_limits<double>::infinity();
      if (!(product > 0) || !(speed.time[at(kind)] > 0)) return 0.;
      return speed.time[at(kind)] / (others == 1 ? product : std::pow(product, 1. / others));
    };
    std::vector<std::size_t> order(buckets.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (std::size_t place = 0; place < order.size(); ++place) ranks[order[place]][at(kind)] = static_cast<int>(place);
  }
  return ranks;
}

Pool::Pool(bool termination, unsigned lookahead, Waiting waiting, bool backlog)
    : termination_(termination), lookahead_(lookahead), waiting_(waiting), by_backlog_(termination && backlog) {
  set_orders({});
}

Bucket& Pool::add(std::string name, Bucket::Within within) {
  const std::lock_guard lock(mutex_);
  const auto place = static_cast<unsigned>(buckets_.size() % 64);
  if (place == 0) ready_.emplace_back();
  return *buckets_.emplace_back(std::make_unique<Bucket>(std::move(name), within, waiting_,
                                                         by_backlog_ ? &backlog_ : nullptr, &ready_.back(), place));
}

void Pool::set_orders(PerKind<std::vector<Bucket*>> orders) {
  const std::lock_guard lock(mutex_);
  const auto in = [](const std::vector<Bucket*>& order, const Bucket* bucket) {
    return std::find(order.begin(), order.end(), bucket) != order.end();
  };
  const Orders before = orders_.load() == nullptr ? Orders{} : *orders_.load();
  const auto given = orders;
  const auto named = [&](const Bucket* bucket) {
    return std::any_of(given.begin(), given.end(), [&](const auto& order) { return in(order, bucket); });
  };
  for (const Kind kind : kinds) {
    std::vector<Bucket*>& order = orders[at(kind)];
    std::vector<Bucket*> left;
    for (Bucket* const bucket : before.polled[at(kind)])
      if (!named(bucket)) left.push_back(bucket);
    order.insert(order.begin(), left.begin(), left.end());
    for (const auto& bucket : buckets_)
      if (!named(bucket.get()) && !in(order, bucket.get())) order.push_back(bucket.get());
  }
  for (const auto& bucket : buckets_)
    for (const Kind kind : kinds) bucket->set_polled(kind, in(orders[at(kind)], bucket.get()));
  published_.push_back(std::make_unique<const Orders>(Orders{std::move(orders)}));
  orders_.store(published_.back().get());
  for (const auto& bucket : buckets_) bucket->look_again();
}

std::optional<Entry> Pool::poll(Unit unit, bool far) {
  for (Bucket* const bucket : orders_.load()->polled[at(unit.kind)])
    if (std::optional<Entry> entry = bucket->pop(unit, termination_, far)) return entry;
  return std::nullopt;
}

std::optional<Entry> Pool::pop(Unit unit) {
  Kept& own = kept_[unit.number];
  if (own.size.load() > 0) {
    const Held lock(own.mutex, waiting_);
    if (!own.entries.empty()) {
      const Entry entry = own.entries.front();
      own.entries.pop_front();
      --own.size;
      --kept_by_all_;
      ++changes_;
      entry.bucket->unreserved(entry);
      return entry;
    }
  }
  if (std::optional<Entry> entry = poll(unit, true)) return entry;
  return take_back(unit);
}

std::uint64_t Pool::stamp() const {
  std::uint64_t sum = changes_.load();
  for (const auto& polled : orders_.load()->polled)
    for (const Bucket* const bucket : polled) sum += bucket->changes();
  return sum;
}

std::optional<Entry> Pool::take_back(Unit unit) {
  if (kept_by_all_.load() == 0) return std::nullopt;
  const std::uint64_t now = stamp();
  if (kept_[unit.number].declined_at == now) return std::nullopt;
  std::vector<std::pair<std::size_t, unsigned>> loaded;
  for (unsigned victim = 0; victim < max_units; ++victim)
    if (const std::size_t size = kept_[victim].size.load(); size > 0) loaded.emplace_back(size, victim);
  std::stable_sort(loaded.begin(), loaded.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [size, victim] : loaded) {
    Kept& kept = kept_[victim];
    const Held lock(kept.mutex, waiting_);
    for (auto place = kept.entries.rbegin(); place != kept.entries.rend(); ++place) {
      if (!place->runs_on(unit) || !place->bucket->polled(unit.kind)) continue;
      if (termination_ && !place->bucket->may_take(unit.kind, *place)) continue;
      const Entry entry = *place;
      kept.entries.erase(std::next(place).base());
      --kept.size;
      --kept_by_all_;
      ++changes_;
      entry.bucket->unreserved(entry);
      return entry;
    }
  }
  kept_[unit.number].declined_at = now;
  return std::nullopt;
}

std::optional<Entry> Pool::reserve(Unit unit, const std::function<void(void* task)>& prefetch) {
  std::optional<Entry> last;
  Kept& own = kept_[unit.number];
  double ahead = 0;  // microseconds that what is kept takes
  {
    const Held lock(own.mutex, waiting_);
    for (const Entry& entry : own.entries) ahead += entry.length[at(unit.kind)];
  }
  while (own.size.load() < lookahead_ && ahead < enough_ahead) {
    const std::optional<Entry> entry = poll(unit, own.size.load() == 0);  // far ones, if there is nothing else
    if (!entry) break;
    prefetch(entry->task);
    entry->bucket->reserved(*entry);
    const Held lock(own.mutex, waiting_);
    own.entries.push_back(*entry);
    ++own.size;
    ++kept_by_all_;
    ++changes_;
    ahead += entry->length[at(unit.kind)];
    last = entry;
  }
  return last;
}

void Pool::give_back(unsigned unit) {
  Kept& kept = kept_[unit];
  const Held lock(kept.mutex, waiting_);
  for (const Entry& entry : kept.entries) {
    entry.bucket->unreserved(entry);
    entry.bucket->push(entry);
  }
  kept_by_all_ -= kept.entries.size();
  kept.entries.clear();
  kept.size = 0;
  ++changes_;
}

void Pool::set_idle(unsigned unit, bool idle) {
  std::atomic<std::uint64_t>& word = idle_[unit / 64];
  const std::uint64_t bit = std::uint64_t{1} << unit % 64;
  if (idle)
    word.fetch_or(bit);
  else
    word.fetch_and(~bit);
}

bool Pool::is_idle(unsigned unit) const {
  return (idle_[unit / 64].load() >> unit % 64 & 1U) != 0;
}

bool Pool::any_idle() const {
  return std::any_of(idle_.begin(), idle_.end(), [](const auto& word) { return word.load() != 0; });
}

std::optional<unsigned> Pool::take_idle(const PerKind<Kind>& order, const std::function<bool(Unit unit)>& takes) {
  for (const Kind kind : order) {
    for (const bool may_run : {false, true}) {
      for (unsigned w = 0; w < max_units / 64; ++w) {
        std::atomic<std::uint64_t>& word = idle_[w];
        for (std::uint64_t left = word.load(); left != 0; left &= left - 1) {
          const std::uint64_t bit = left & (~left + 1);
          const unsigned unit = w * 64 + static_cast<unsigned>(std::countr_zero(bit));
          if (kind_of_[unit].load() != kind) continue;
          if ((!may_run && kept_[unit].running.load() > 0) || !takes({unit, kind})) continue;
          if ((word.fetch_and(~bit) & bit) != 0) return unit;
        }
      }
    }
  }
  return std::nullopt;
}

namespace {
/// The kinds, those that are faster for the task first: GPUs where that is not known.
PerKind<Kind> by_speed(const Entry& entry) {
  PerKind<Kind> order{Kind::gpu, Kind::second_gpu, Kind::third_gpu, Kind::cpu};
  std::stable_sort(order.begin(), order.end() - 1,
                   [&](Kind a, Kind b) { return entry.length[at(a)] < entry.length[at(b)]; });
  if (entry.speedup > 0 && entry.speedup < 1) std::rotate(order.begin(), order.end() - 1, order.end());
  return order;
}
}  // namespace

std::optional<unsigned> Pool::take_idle_for(const Entry& entry) {
  const auto unit = take_idle(by_speed(entry), [&](Unit unit) {
    return entry.bucket->polled(unit.kind) && entry.bucket->offers(unit, termination_);
  });
  return unit ? unit : take_idle_for_any();
}

std::optional<unsigned> Pool::take_idle_for_any() {
  const Orders& orders = *orders_.load();
  const auto unit = take_idle(kinds, [&](Unit unit) {
    const std::vector<Bucket*>& polled = orders.polled[at(unit.kind)];
    return std::any_of(polled.begin(), polled.end(), [&](Bucket* b) { return b->offers(unit, termination_); });
  });
  if (unit || kept_by_all_.load() == 0) return unit;
  for (Kept& kept : kept_) {
    if (kept.size.load() == 0) continue;
    const Held lock(kept.mutex, waiting_);
    for (const Entry& entry : kept.entries)
      if (const auto other = take_idle_for_kept(entry)) return other;
  }
  return std::nullopt;
}

std::optional<unsigned> Pool::take_idle_for_kept(const Entry& entry) {
  return take_idle(by_speed(entry), [&](Unit unit) {
    return entry.runs_on(unit) && entry.bucket->polled(unit.kind) &&
           (!termination_ || entry.bucket->may_take(unit.kind, entry));
  });
}

}  // namespace asterism::schedulers::hprio
