// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace asterism::apps::compare {
namespace {

/// What the runs so far say about each scheduler and step.
class Done {
 public:
  explicit Done(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
      steps_.insert(key(run.step));
      int& failures = failures_[run.step.scheduler];
      failures = run.good() ? 0 : failures + 1;
      if (run.step.phase == Phase::warm_up) {
        auto& [count, again] = warm_ups_[run.step.scheduler];
        ++count;
        again = run.calibrating;
      }
    }
  }

  [[nodiscard]] bool operator()(const Step& step) const { return steps_.contains(key(step)); }
  [[nodiscard]] int failures(const std::string& scheduler) const {
    const auto found = failures_.find(scheduler);
    return found == failures_.end() ? 0 : found->second;
  }
  /// The number of the next warm-up; 0 when the last one found calibrated models.
  [[nodiscard]] int next_warm_up(const std::string& scheduler) const {
    const auto found = warm_ups_.find(scheduler);
    if (found == warm_ups_.end()) return 1;
    const auto [count, again] = found->second;
    return again ? count + 1 : 0;
  }

 private:
  using Key = std::tuple<Phase, std::string, int>;
  static Key key(const Step& step) { return {step.phase, step.scheduler, step.repetition}; }

  std::set<Key> steps_;
  std::map<std::string, int> failures_;  ///< in a row, up to now
  std::map<std::string, std::pair<int, bool>> warm_ups_;
};

/// The schedulers of the calibration runs.
std::vector<std::string> calibrators(const Settings& settings) {
  std::vector<std::string> users;
  for (const std::string& scheduler : settings.schedulers)
    if (uses_models(scheduler)) users.push_back(scheduler);
  if (!users.empty() && !settings.calibrator.empty()) return {settings.calibrator};
  return users;
}

void append_rounds(std::vector<Step>& steps, const Settings& settings, Phase phase, int rounds, bool traced) {
  for (int round = 1; round <= rounds; ++round) {
    int place = 0;
    for (const std::size_t s : order_of_round(static_cast<std::size_t>(round - 1), settings.schedulers.size()))
      steps.push_back({phase, settings.schedulers[s], round, ++place, traced});
  }
}

}  // namespace

std::vector<std::size_t> order_of_round(std::size_t round, std::size_t schedulers) {
  const std::size_t n = schedulers;
  std::vector<std::size_t> order;
  // 0, 1, n-1, 2, n-2, ...: all differences of neighbours modulo n differ, for even n
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t base = place % 2 == 1 ? (place + 1) / 2 : (n - place / 2) % n;
    order.push_back((base + round) % n);
  }
  // odd n: the mirror image of each row makes up for what one row leaves unbalanced
  if (n % 2 == 1 && (round / n) % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

bool uses_models(const std::string& scheduler) {
  constexpr std::array<std::string_view, 16> without = {"eager",
                                                        "prio",
                                                        "random",
                                                        "lws",
                                                        "ws",
                                                        "peager",
                                                        "graph_test",
                                                        "cyclic",
                                                        "calibrate",
                                                        "modular-eager",
                                                        "modular-eager-prefetching",
                                                        "modular-eager-prio",
                                                        "modular-prio",
                                                        "modular-prio-prefetching",
                                                        "modular-ws",
                                                        "modular-gemm"};
  return std::find(without.begin(), without.end(), scheduler) == without.end() &&
         !scheduler.starts_with("modular-random") && !scheduler.starts_with("modular-prandom");
}

bool given_up(const Settings& settings, const std::vector<Run>& runs, const std::string& scheduler) {
  return Done(runs).failures(scheduler) >= settings.give_up;
}

std::vector<Step> remaining_steps(const Settings& settings, const std::vector<Run>& runs) {
  const Done done(runs);
  std::vector<Step> steps;
  for (int repetition = 1; repetition <= settings.calibrations; ++repetition) {
    int place = 0;
    for (const std::string& scheduler : calibrators(settings))
      steps.push_back({Phase::calibration, scheduler, repetition, ++place, settings.records() || settings.traced > 0});
  }
  int place = 0;
  for (const std::string& scheduler : settings.schedulers) {
    const int number = done.next_warm_up(scheduler);
    ++place;
    if (number > 0 && number <= settings.warm_ups)
      steps.push_back({Phase::warm_up, scheduler, number, place, settings.records()});
  }
  append_rounds(steps, settings, Phase::measured, settings.repetitions, settings.records());
  append_rounds(steps, settings, Phase::extra, settings.records() ? settings.untraced : settings.traced,
                !settings.records());
  std::erase_if(steps,
                [&](const Step& step) { return done(step) || done.failures(step.scheduler) >= settings.give_up; });
  return steps;
}

std::optional<Step> next_step(const Settings& settings, const std::vector<Run>& runs) {
  const std::vector<Step> steps = remaining_steps(settings, runs);
  return steps.empty() ? std::nullopt : std::optional(steps.front());
}

}  // namespace asterism::apps::compare
