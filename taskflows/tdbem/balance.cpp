// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace asterism::tdbem {
namespace {

/// Time per element, never 0; empty if no worker took any time.
std::vector<double> costs_of_workers(const Sizes& sizes, const std::vector<double>& times) {
  double fastest = std::numeric_limits<double>::infinity();
  double time = 0;
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0 && times[i] > 0) {
      fastest = std::min(fastest, times[i] / static_cast<double>(sizes[i]));
      time += times[i];
      elements += sizes[i];
    }
  if (elements == 0) return {};
  std::vector<double> costs;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    costs.push_back(sizes[i] == 0   ? time / static_cast<double>(elements)
                    : times[i] == 0 ? fastest
                                    : times[i] / static_cast<double>(sizes[i]));
  return costs;
}

/// Whole numbers of the same sum as `wanted`, which is one but for rounding.
Sizes rounded(const std::vector<double>& wanted, std::int64_t elements) {
  Sizes sizes;
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const double w : wanted) sizes.push_back(static_cast<std::int64_t>(std::floor(std::max(0.0, w))));
  const auto lost = [&](std::size_t i) { return wanted[i] - static_cast<double>(sizes[i]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lost(a) > lost(b); });
  std::int64_t left = elements - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  for (std::size_t n = 0; left > 0; ++n, --left) ++sizes[order[n % order.size()]];
  // rounding errors of `wanted` may have made one too many
  for (std::size_t n = order.size(); left<0; n = n> 1 ? n - 1 : order.size()) {
    std::int64_t& size = sizes[order[n - 1]];
    if (size > 0) --size, ++left;
  }
  return sizes;
}

/// One element less for the slowest worker that has any, which the fastest other one gets.
Sizes one_moved(Sizes sizes, const std::vector<double>& times) {
  const auto slower = [&](std::size_t a, std::size_t b) { return times[a] > times[b]; };
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), slower);
  const auto giver = std::find_if(order.begin(), order.end(), [&](std::size_t w) { return sizes[w] > 0; });
  if (giver == order.end() || *giver == order.back()) return sizes;
  --sizes[*giver];
  ++sizes[order.back()];
  return sizes;
}

void check(const Workload& load) {
  if (load.factors.empty()) bad_input("balance: no workers");
  for (const double f : load.factors)
    if (!(f > 0) || !std::isfinite(f)) bad_input("balance: a worker takes {} per unit of work, not more than 0", f);
  for (const double c : load.costs)
    if (!(c >= 0) || !std::isfinite(c)) bad_input("balance: an element costs {}, not at least 0", c);
}

/// before[e]: costs of elements before e.
std::vector<double> costs_before(const Workload& load) {
  std::vector<double> before(load.costs.size() + 1, 0.0);
  std::partial_sum(load.costs.begin(), load.costs.end(), before.begin() + 1);
  return before;
}

double time_of(const std::vector<double>& before, double factor, std::int64_t begin, std::int64_t end) {
  return factor * (before[static_cast<std::size_t>(end)] - before[static_cast<std::size_t>(begin)]);
}

/// Each worker takes the longest prefix of what is left that it ends within `time`; `end` tells how far they come.
Sizes longest_prefixes(const std::vector<double>& before, const std::vector<double>& factors, double time,
                       std::int64_t& end) {
  Sizes sizes;
  const auto elements = static_cast<std::int64_t>(before.size()) - 1;
  end = 0;
  for (const double factor : factors) {
    std::int64_t fits = end, too_many = elements + 1;
    while (too_many - fits > 1) {
      const std::int64_t middle = fits + (too_many - fits) / 2;
      (time_of(before, factor, end, middle) <= time ? fits : too_many) = middle;
    }
    sizes.push_back(fits - end);
    end = fits;
  }
  return sizes;
}

double longest(const std::vector<double>& before, const std::vector<double>& factors, const Sizes& sizes) {
  double most = 0;
  std::int64_t begin = 0;
  for (std::size_t w = 0; w < sizes.size(); ++w) {
    most = std::max(most, time_of(before, factors[w], begin, begin + sizes[w]));
    begin += sizes[w];
  }
  return most;
}

}  // namespace

Sizes equal_sizes(std::int64_t elements, std::int32_t workers) {
  Sizes sizes;
  for (std::int32_t w = 0; w < workers; ++w) sizes.push_back(elements / workers + (w < elements % workers ? 1 : 0));
  return sizes;
}

Sizes rebalanced(const Sizes& sizes, const std::vector<double>& times, Target target) {
  if (times.size() != sizes.size()) bad_input("balance: {} times for {} workers", times.size(), sizes.size());
  for (const double t : times)
    if (!(t >= 0) || !std::isfinite(t)) bad_input("balance: a worker took {} s", t);
  const std::vector<double> costs = costs_of_workers(sizes, times);
  if (costs.empty()) return sizes;
  const std::int64_t elements = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});

  double balanced = 0;
  if (target == Target::mean) {
    balanced = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  } else {
    double speed = 0;
    for (const double c : costs) speed += 1 / c;
    balanced = static_cast<double>(elements) / speed;
  }
  std::vector<double> time(costs.size());  // that follows from costs
  double dropped = 0, wanted = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    time[i] = target == Target::mean ? times[i] : costs[i] * static_cast<double>(sizes[i]);
    (time[i] > balanced ? dropped : wanted) += std::abs(time[i] - balanced) / costs[i];
  }
  std::vector<double> next;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double more = (balanced - time[i]) / costs[i];
    next.push_back(static_cast<double>(sizes[i]) + (more > 0 ? more * dropped / wanted : more));
  }
  return rounded(next, elements);
}

Balance::Balance(std::int64_t elements, std::int32_t workers, std::int32_t iterations, Target target)
    : target_(target),
      left_(iterations),
      sizes_(equal_sizes(elements, workers)),
      best_(sizes_),
      best_time_(std::numeric_limits<double>::infinity()) {}

void Balance::measured(const std::vector<double>& times) {
  if (left_ <= 0) return;
  Sizes next = rebalanced(sizes_, times, target_);
  const double time = times.empty() ? 0 : *std::max_element(times.begin(), times.end());
  if (time < best_time_) {
    best_time_ = time;
    best_ = sizes_;
    times_of_best_ = times;
  }
  tried_.push_back(sizes_);
  const auto tried = [&] { return std::find(tried_.begin(), tried_.end(), next) != tried_.end(); };
  if (target_ == Target::fixed_point && tried()) {
    next = one_moved(best_, times_of_best_);
    if (tried()) left_ = 1;
  }
  sizes_ = --left_ > 0 ? std::move(next) : best_;
}

std::vector<double> times(const Workload& load, const Sizes& sizes) {
  const std::vector<double> before = costs_before(load);
  std::vector<double> all;
  std::int64_t begin = 0;
  for (std::size_t w = 0; w < sizes.size(); ++w) {
    all.push_back(time_of(before, load.factors[w], begin, begin + sizes[w]));
    begin += sizes[w];
  }
  return all;
}

double makespan(const Workload& load, const Sizes& sizes) {
  return longest(costs_before(load), load.factors, sizes);
}

Sizes optimum_by_bisection(const Workload& load) {
  check(load);
  const std::vector<double> before = costs_before(load);
  const auto elements = static_cast<std::int64_t>(load.costs.size());
  // the first worker alone could do everything
  Sizes best(load.factors.size(), 0);
  best[0] = elements;
  double too_short = 0, enough = longest(before, load.factors, best);
  std::int64_t end = 0;
  if (Sizes free = longest_prefixes(before, load.factors, 0, end); end == elements) return free;
  for (;;) {
    const double middle = too_short + (enough - too_short) / 2;
    if (middle <= too_short || middle >= enough) return best;
    Sizes sizes = longest_prefixes(before, load.factors, middle, end);
    if (end == elements) {
      best = std::move(sizes);
      enough = longest(before, load.factors, best);
    } else {
      too_short = middle;
    }
  }
}

Sizes optimum_by_programming(const Workload& load) {
  check(load);
  const std::vector<double> before = costs_before(load);
  const auto elements = static_cast<std::int64_t>(load.costs.size());
  const std::size_t places = load.costs.size() + 1;
  // shortest[e]: makespan of the first e elements on the workers so far, which does not fall as e grows
  std::vector<double> shortest(places, std::numeric_limits<double>::infinity()), next(places);
  shortest[0] = 0;
  std::vector<std::vector<std::int64_t>> begin_of_last;
  for (const double factor : load.factors) {
    std::vector<std::int64_t> begins(places);
    for (std::int64_t e = 0; e <= elements; ++e) {
      const auto last = [&](std::int64_t b) { return time_of(before, factor, b, e); };
      const auto others = [&](std::int64_t b) { return shortest[static_cast<std::size_t>(b)]; };
      // The last interval takes less the later it begins, the others take more: the first b where these are longer,
      // or the one before.
      std::int64_t lower = -1, upper = e;  // others(upper) >= last(upper), as the latter is 0
      while (upper - lower > 1) {
        const std::int64_t middle = lower + (upper - lower) / 2;
        (others(middle) >= last(middle) ? upper : lower) = middle;
      }
      const auto longer = [&](std::int64_t b) { return std::max(others(b), last(b)); };
      const std::int64_t b = lower >= 0 && longer(lower) < longer(upper) ? lower : upper;
      begins[static_cast<std::size_t>(e)] = b;
      next[static_cast<std::size_t>(e)] = longer(b);
    }
    shortest.swap(next);
    begin_of_last.push_back(std::move(begins));
  }
  Sizes sizes(load.factors.size());
  std::int64_t end = elements;
  for (std::size_t w = sizes.size(); w-- > 0;) {
    const std::int64_t begin = begin_of_last[w][static_cast<std::size_t>(end)];
    sizes[w] = end - begin;
    end = begin;
  }
  return sizes;
}

}  // namespace asterism::tdbem
