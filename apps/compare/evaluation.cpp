// SPDX-License-Identifier: Apache-2.0
// From runs to medians, intervals and ratios.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/common/program.hpp"
#include "apps/compare/results.hpp"
#include "base/error.hpp"

namespace asterism::apps::compare {
namespace {

/// Median of something over runs.
template <class Value>
double median_of(const std::vector<const Run*>& runs, Value&& value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Run* run : runs) values.push_back(static_cast<double>(value(*run)));
  return median(std::move(values));
}

traces::Shares median_shares(const std::vector<const Run*>& runs, const auto& shares_of) {
  traces::Shares shares;
  for (std::size_t s = 0; s < traces::state_count; ++s)
    shares.state[s] = median_of(runs, [&](const Run& run) { return shares_of(run).state[s]; });
  return shares;
}

Analysis typical_of(const std::vector<const Run*>& runs) {
  Analysis a = *runs.front()->analysis;
  a.makespan = median_of(runs, [](const Run& r) { return r.analysis->makespan; });
  a.flops = median_of(runs, [](const Run& r) { return r.analysis->flops; });
  a.critical_path = median_of(runs, [](const Run& r) { return r.analysis->critical_path; });
  const auto whole = [&](auto member) {
    return static_cast<std::uint64_t>(
        std::llround(median_of(runs, [&](const Run& r) { return (*r.analysis).*member; })));
  };
  a.tasks = whole(&Analysis::tasks);
  a.transfers = whole(&Analysis::transfers);
  a.bytes = whole(&Analysis::bytes);
  a.all = median_shares(runs, [](const Run& r) { return r.analysis->all; });
  for (auto& [kind, shares] : a.kinds)
    shares = median_shares(runs, [&, &name = kind](const Run& r) {
      const auto found = r.analysis->kinds.find(name);
      return found == r.analysis->kinds.end() ? traces::Shares() : found->second;
    });
  return a;
}

/// Wall times with over those without recording.
std::optional<double> recording_cost(const std::vector<const Run*>& runs) {
  std::vector<double> with;
  std::vector<double> without;
  for (const Run* run : runs) (run->step.traced ? with : without).push_back(run->wall);
  if (with.empty() || without.empty()) return std::nullopt;
  return median(with) / median(without);
}

bool counts(const Settings& settings, const Run& run) {
  const int rounds = run.step.phase == Phase::measured ? settings.repetitions
                     : run.step.phase == Phase::extra  ? std::max(settings.traced, settings.untraced)
                                                       : 0;
  return run.good() && run.step.repetition <= rounds;
}

/// The area bounds, solved once for runs of the same tasks on the same units.
class KnownAreaBounds {
 public:
  explicit KnownAreaBounds(const BestDurations& best) : best_(best) {}

  std::optional<AreaBounds> of(const Durations& run, const std::map<std::string, std::uint64_t>& units) {
    std::map<TaskClass, std::uint64_t> tasks;
    for (const auto& [task, kinds] : run.classes)
      for (const auto& [kind, sum] : kinds) tasks[task] += sum.count;
    const auto [place, fresh] = known_.try_emplace({std::move(tasks), units});
    if (fresh) place->second = area_bounds(run, units, best_);
    return place->second;
  }

 private:
  using Key = std::pair<std::map<TaskClass, std::uint64_t>, std::map<std::string, std::uint64_t>>;
  const BestDurations& best_;
  std::map<Key, std::optional<AreaBounds>> known_;
};

/// Median of makespan / bound of the same run; nothing where no run has one.
std::optional<double> median_over(const std::vector<const Run*>& runs, const std::map<std::string, AreaBounds>& area,
                                  double AreaBounds::*bound) {
  std::vector<double> ratios;
  for (const Run* run : runs)
    if (const auto found = area.find(run->folder); found != area.end() && found->second.*bound > 0)
      ratios.push_back(run->analysis->makespan / (found->second.*bound));
  if (ratios.empty()) return std::nullopt;
  return median(std::move(ratios));
}

Candidate candidate_of(const Settings& settings, const std::vector<Run>& runs, const std::string& scheduler,
                       const std::map<std::string, AreaBounds>& area) {
  Candidate c;
  c.scheduler = scheduler;
  c.times.resize(static_cast<std::size_t>(settings.repetitions));
  c.given_up = given_up(settings, runs, scheduler);
  std::vector<const Run*> all;
  std::vector<const Run*> recorded;
  std::vector<double> times;
  for (const Run& run : runs) {
    if (run.step.scheduler != scheduler) continue;
    if (!run.good()) ++c.failures;
    if (!counts(settings, run)) continue;
    all.push_back(&run);
    if (run.analysis) recorded.push_back(&run);
    if (run.step.phase != Phase::measured) continue;
    if (run.calibrating) ++c.calibrating;
    const std::optional<double> time = run.time(settings.time.kind);
    c.times[static_cast<std::size_t>(run.step.repetition - 1)] = time;
    if (time) times.push_back(*time);
  }
  c.time = median_interval(std::move(times));
  if (settings.deterministic()) c.time.confidence = 1;
  c.recording_cost = recording_cost(all);
  if (recorded.empty()) return c;
  c.typical = typical_of(recorded);
  c.makespan = c.typical->makespan;
  c.over_lp = median_over(recorded, area, &AreaBounds::lp);
  c.over_fitting = median_over(recorded, area, &AreaBounds::fitting);
  const auto distance = [&](const Run* run) { return std::abs(run->analysis->makespan - *c.makespan); };
  for (const Run* run : recorded)
    if (has_recording(settings.work / "runs" / run->folder) &&
        (c.shown == nullptr || distance(run) < distance(c.shown)))
      c.shown = run;
  return c;
}

}  // namespace

Comparison evaluate_runs(const Settings& settings, const std::vector<Run>& runs) {
  Comparison comparison;
  std::map<std::string, Durations> durations;
  BestDurations best;
  for (const Run& run : runs) {
    // calibration runs too: they know kinds that no scheduler uses
    if (!run.analysis || (run.step.phase != Phase::calibration && !counts(settings, run))) continue;
    Durations of_run = Durations::load(settings.work / "runs" / run.folder / "durations.json");
    best.add(of_run);
    if (run.step.phase == Phase::calibration) continue;
    durations.emplace(run.folder, std::move(of_run));
  }
  try {
    KnownAreaBounds bounds(best);
    for (const Run& run : runs)
      if (const auto found = durations.find(run.folder); found != durations.end())
        if (const auto area = bounds.of(found->second, run.analysis->units)) comparison.area[run.folder] = *area;
  } catch (const Error& error) {  // no reason to lose what was measured
    comparison.remarks.push_back(fmt::format("no LP: {}", error.what()));
    comparison.area.clear();
  }

  for (const std::string& scheduler : settings.schedulers)
    comparison.candidates.push_back(candidate_of(settings, runs, scheduler, comparison.area));
  std::vector<Candidate>& all = comparison.candidates;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MedianInterval& least = all[comparison.best].time;
    if (all[i].time.count > 0 && (least.count == 0 || all[i].time.median < least.median)) comparison.best = i;
  }
  for (Candidate& c : all) {
    c.ratio = paired_ratio(c.times, all[comparison.best].times);
    if (settings.deterministic()) c.ratio.confidence = 1;
    if (c.shown == nullptr) continue;
    try {
      c.recording = read_run(settings.work / "runs" / c.shown->folder, c.scheduler, settings.window);
      const Platform* const platform = settings.platform ? &*settings.platform : nullptr;
      c.path = path_bound(*c.recording, best, platform);
      c.windows = windows_bound(*c.recording, c.shown->analysis->units, best, platform);
    } catch (const Error& error) {
      comparison.remarks.push_back(fmt::format("no chart of {}: {}", c.scheduler, error.what()));
      c.recording.reset();
    }
  }
  comparison.complete = remaining_steps(settings, runs).empty();
  return comparison;
}

}  // namespace asterism::apps::compare
