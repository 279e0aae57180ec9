// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/layout.hpp"

#include <cmath>

namespace asterism::schedulers::hprio {

namespace {
/// How much faster each kind is than the first that is known, a CPU where there is one; 0: unknown, and of that one.
PerKind<double> speedups(const PerKind<double>& time) {
  PerKind<double> out{};
  double first = 0;
  for (const Kind kind : kinds) {
    if (!(time[at(kind)] > 0)) continue;
    if (first > 0)
      out[at(kind)] = first / time[at(kind)];
    else
      first = time[at(kind)];
  }
  return out;
}
}  // namespace

PerKind<double> Class::means(const PerKind<Sum>& sums) {
  PerKind<double> out{};
  for (const Kind kind : kinds) {
    const auto count = static_cast<double>(sums[at(kind)].count.load());
    if (count > 0) out[at(kind)] = sums[at(kind)].time.load() / count;
  }
  return out;
}

void Class::measured(Kind kind, double microseconds, double flops) {
  measured_[at(kind)].time.fetch_add(microseconds);
  measured_[at(kind)].flops.fetch_add(flops);
  ++measured_[at(kind)].count;
}

void Class::predicted(const PerKind<double>& lengths) {
  for (const Kind kind : kinds) {
    if (!(lengths[at(kind)] > 0)) continue;
    predicted_[at(kind)].time.fetch_add(lengths[at(kind)]);
    ++predicted_[at(kind)].count;
  }
}

Speed Class::speed() const {
  Speed speed;
  for (const Kind kind : kinds) speed.runs_on[at(kind)] = runs_on_[at(kind)].load();
  speed.time = means(predicted_);
  if (std::count_if(speed.time.begin(), speed.time.end(), [](double time) { return time > 0; }) < 2)
    speed.time = means(measured_);
  return speed;
}

void Class::came(const PerKind<unsigned>& able) {
  for (const Kind kind : kinds)
    if (able[at(kind)] > 0 && !runs_on_[at(kind)].load()) runs_on_[at(kind)].store(true);
}

Layout::Layout(Pool& pool, const Rules& rules, std::optional<Table> table)
    : pool_(pool), rules_(rules), table_(rules.priorities ? std::move(table) : std::nullopt) {
  if (!rules.priorities) {
    rest_ = &pool_.add("all", Bucket::Within::fifo);
  } else if (table_) {
    for (const Line& line : table_->lines) {
      const auto within = line.per_priority ? Bucket::Within::sub_buckets : Bucket::Within::fifo;
      const bool split = line.small && rules.split;
      const std::size_t large = places_.size();
      places_.push_back({&pool_.add(line.name + (split ? ".large" : ""), within), line.ranks});
      if (split) places_.push_back({&pool_.add(line.name + ".small", within), *line.small});
      splits_.push_back({large, places_.size() - 1, split ? std::make_unique<Halves>() : nullptr});
    }
    rest_ = &pool_.add("rest", Bucket::Within::fifo);
  }
  const std::lock_guard lock(mutex_);
  order();
}

void Layout::order() {
  std::vector<Bucket*> buckets;
  std::vector<Ranks> ranks;
  for (const Place& place : places_) {
    buckets.push_back(place.bucket);
    ranks.push_back(ranks_of(place));
    for (const Kind kind : kinds) (*place.takes)[at(kind)] = ranks.back()[at(kind)].has_value();
  }
  if (rules_.priorities && !table_) {
    std::vector<Speed> speeds;
    for (Class* const of : classes_) {
      speeds.push_back(of->speed());
      const PerKind<double> now = speedups(speeds.back().time);
      for (const Kind kind : kinds) of->ordered_by_[at(kind)].store(now[at(kind)]);
    }
    ranks = ranks_by_speedup(speeds);
  }
  PerKind<std::vector<Bucket*>> orders;
  for (const Kind kind : kinds) {
    if (!units_[at(kind)]) continue;
    for (const std::size_t b : polling_order(ranks, kind, units_)) orders[at(kind)].push_back(buckets[b]);
    if (rest_ != nullptr) orders[at(kind)].push_back(rest_);
  }
  pool_.set_orders(std::move(orders));
}

void Layout::set_units(const PerKind<bool>& present, std::vector<std::string> models) {
  const std::lock_guard lock(mutex_);
  units_ = present;
  models_ = std::move(models);
  order();
}

void Layout::learn(Class& of) {
  if (table_ || !rules_.priorities) return;
  const PerKind<double> now = speedups(of.speed().time);
  const auto moved = [&] {
    return std::any_of(kinds.begin(), kinds.end(), [&](Kind kind) {
      const double before = of.ordered_by_[at(kind)].load();
      return now[at(kind)] > 0 && std::abs(now[at(kind)] - before) > 0.1 * before;
    });
  };
  if (!moved()) return;
  const std::lock_guard lock(mutex_);
  if (moved()) order();
}

const Class::Choice& Layout::choice_of(Class& of) {
  const Class::Choice* known = of.choice_.load();
  if (known != nullptr && known->layout == this) return *known;
  const std::lock_guard lock(mutex_);
  known = of.choice_.load();
  if (known != nullptr && known->layout == this) return *known;
  auto choice = std::make_unique<Class::Choice>(Class::Choice{this, {}, nullptr});
  if (table_) {
    for (std::size_t i = 0; i < table_->lines.size(); ++i)
      if (table_->lines[i].names(of.symbol(), of.name())) choice->lines.push_back(i);
  } else if (rules_.priorities) {
    places_.push_back({&pool_.add(of.symbol().empty() ? of.name() : of.symbol(), Bucket::Within::priority), {}});
    choice->bucket = places_.back().bucket;
    classes_.push_back(&of);
    order();
  }
  of.choice_.store(choice.get());
  return *choices_.emplace_back(std::move(choice));
}

void Layout::place(Entry& entry, Class& of, const std::function<double()>& size) {
  entry.bucket = rest_;
  if (!rules_.priorities) return;
  const Class::Choice& choice = choice_of(of);
  if (!table_) {
    entry.bucket = choice.bucket;
    return;
  }
  for (const std::size_t i : choice.lines) {
    if (!table_->lines[i].covers(entry.priority)) continue;
    const Split& split = splits_[i];
    const Place& place = places_[split.halves == nullptr || split.halves->is_large(size()) ? split.large : split.small];
    for (const Kind kind : kinds)
      if (entry.able[at(kind)] > 0 && (*place.takes)[at(kind)]) entry.bucket = place.bucket;
    return;
  }
}

}  // namespace asterism::schedulers::hprio
