#include "apps/compare/plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace asterism::apps::compare {
namespace {

bool done(const std::vector<Run>& runs, const Step& step) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
    return run.step.phase == step.phase && run.step.repetition == step.repetition &&
           run.step.scheduler == step.scheduler;
  });
}

/// The first step of round `round` that is not done.
std::optional<Step> in_round(const Settings& settings, const std::vector<Run>& runs, Phase phase, int round,
                             bool traced) {
  const std::vector<std::size_t> order =
      order_of_round(static_cast<std::size_t>(round - 1), settings.schedulers.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Step step{phase, settings.schedulers[order[place]], round, static_cast<int>(place) + 1, traced};
    if (!done(runs, step) && !given_up(settings, runs, step.scheduler)) return step;
  }
  return std::nullopt;
}

std::optional<Step> next_warm_up(const Settings& settings, const std::vector<Run>& runs, const std::string& scheduler,
                                 int place) {
  int count = 0;
  bool again = true;
  for (const Run& run : runs) {
    if (run.step.phase != Phase::warm_up || run.step.scheduler != scheduler) continue;
    ++count;
    again = run.calibrating;
  }
  if (!again || count >= settings.warm_ups || given_up(settings, runs, scheduler)) return std::nullopt;
  return Step{Phase::warm_up, scheduler, count + 1, place, settings.records()};
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
  constexpr std::array<std::string_view, 15> without = {"eager",
                                                        "prio",
                                                        "random",
                                                        "lws",
                                                        "ws",
                                                        "peager",
                                                        "graph_test",
                                                        "cyclic",
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
  int failures = 0;
  for (const Run& run : runs) {
    if (run.step.scheduler != scheduler) continue;
    failures = run.good() ? 0 : failures + 1;
  }
  return failures >= settings.give_up;
}

std::optional<Step> next_step(const Settings& settings, const std::vector<Run>& runs) {
  for (int repetition = 1; repetition <= settings.calibrations; ++repetition) {
    int place = 0;
    for (const std::string& scheduler : settings.schedulers) {
      if (!uses_models(scheduler)) continue;
      const Step step{Phase::calibration, scheduler, repetition, ++place, false};
      if (!done(runs, step) && !given_up(settings, runs, scheduler)) return step;
    }
  }
  for (std::size_t s = 0; s < settings.schedulers.size(); ++s)
    if (auto step = next_warm_up(settings, runs, settings.schedulers[s], static_cast<int>(s) + 1)) return step;
  for (int round = 1; round <= settings.repetitions; ++round)
    if (auto step = in_round(settings, runs, Phase::measured, round, settings.records())) return step;
  for (int round = 1; round <= (settings.records() ? settings.untraced : settings.traced); ++round)
    if (auto step = in_round(settings, runs, Phase::extra, round, !settings.records())) return step;
  return std::nullopt;
}

std::vector<Step> remaining_steps(const Settings& settings, std::vector<Run> runs) {
  std::vector<Step> steps;
  while (const auto step = next_step(settings, runs)) {
    steps.push_back(*step);
    Run run;
    run.step = *step;
    runs.push_back(std::move(run));
  }
  return steps;
}

}  // namespace asterism::apps::compare
