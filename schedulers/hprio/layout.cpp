// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/layout.hpp"

#include <cmath>

namespace asterism::schedulers::hprio {

double Class::ratio(const std::array<Sum, 2>& sums) {
  const auto mean = [&](Kind kind) {
    const auto count = static_cast<double>(sums[at(kind)].count.load());
    return count > 0 ? sums[at(kind)].time.load() / count : 0;
  };
  return mean(Kind::gpu) > 0 ? mean(Kind::cpu) / mean(Kind::gpu) : 0;
}

void Class::measured(Kind kind, double microseconds, double flops) {
  measured_[at(kind)].time.fetch_add(microseconds);
  measured_[at(kind)].flops.fetch_add(flops);
  ++measured_[at(kind)].count;
}

void Class::predicted(double on_cpu, double on_gpu) {
  predicted_[at(Kind::cpu)].time.fetch_add(on_cpu);
  predicted_[at(Kind::gpu)].time.fetch_add(on_gpu);
  for (Sum& sum : predicted_) ++sum.count;
}

double Class::speedup() const {
  const double by_model = ratio(predicted_);
  return by_model > 0 ? by_model : measured_speedup();
}

void Class::came(bool on_cpu, bool on_gpu) {
  if (on_cpu && !runs_on_[at(Kind::cpu)].load()) runs_on_[at(Kind::cpu)].store(true);
  if (on_gpu && !runs_on_[at(Kind::gpu)].load()) runs_on_[at(Kind::gpu)].store(true);
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
    ranks.push_back(place.ranks);
  }
  if (rules_.priorities && !table_) {
    std::vector<Speed> speeds;
    for (Class* const of : classes_) {
      speeds.push_back(of->speed());
      of->ordered_by_.store(speeds.back().speedup);
    }
    ranks = ranks_by_speedup(speeds);
  }
  std::array<std::vector<Bucket*>, 2> orders;
  for (const Kind kind : kinds) {
    if (!units_[at(kind)]) continue;
    for (const std::size_t b : polling_order(ranks, kind, units_[at(other(kind))]))
      orders[at(kind)].push_back(buckets[b]);
    if (rest_ != nullptr) orders[at(kind)].push_back(rest_);
  }
  pool_.set_orders(std::move(orders));
}

void Layout::set_units(bool cpus, bool gpus) {
  const std::lock_guard lock(mutex_);
  units_ = {cpus, gpus};
  order();
}

void Layout::learn(Class& of) {
  if (table_ || !rules_.priorities) return;
  const double now = of.speedup();
  const double before = of.ordered_by_.load();
  if (!(now > 0) || std::abs(now - before) <= 0.1 * before) return;
  const std::lock_guard lock(mutex_);
  if (std::abs(now - of.ordered_by_.load()) > 0.1 * of.ordered_by_.load()) order();
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
      if (entry.able[at(kind)] > 0 && place.ranks[at(kind)]) entry.bucket = place.bucket;
    return;
  }
}

}  // namespace asterism::schedulers::hprio
