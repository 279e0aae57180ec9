// SPDX-License-Identifier: Apache-2.0
// Figures 16 and 17 of the FMM paper: how much of the rates that the linear programs LP and LP~ allow is reached.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "apps/reproduce/fmm/experiments.hpp"
#include "apps/reproduce/fmm/runs.hpp"
#include "apps/reproduce/simulated_experiment.hpp"
#include "bounds/bounds.hpp"
#include "runtime/machine/platform.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::reproduce {
namespace {

/// The highest rate of M2L that a platform has for this order, on kinds of units of a recording: beyond the largest
/// group of table 5 the time is in proportion to the work.
bounds::Rates best_rates_of_m2l(const Platform& platform, const traces::Recording& recording, int order) {
  constexpr double beyond_all = 1e15;
  const std::string codelet = "fmm_m2l";
  bounds::Rates rates;
  for (const traces::Kind& kind : recording.kinds) {
    const UnitKind unit = kind.name == "CPU" ? UnitKind::cpu : UnitKind::gpu;
    const TaskCost* const cost = platform.cost(codelet, codelet, unit, 0, std::int64_t{order} * order * order);
    if (cost != nullptr) rates[{codelet, kind.name}] = beyond_all / cost->of({beyond_all, 0, 0});
  }
  return rates;
}

/// LP and LP~ over the makespan, in percent.
struct Shares {
  double of_bound, of_best_rates;
};

/// What tasks take on cores comes from `on_cores`, a recording of the same flow without GPUs, where they never ran on
/// one in `recording`: a bound has to know both (section 4.4.1). LP~ has every kernel "at their maximum speed as
/// reported in section 4.2", which is that of the platform.
Shares shares_of_bounds(const std::filesystem::path& recording, const std::filesystem::path& on_cores,
                        const Platform& platform, int order) {
  const traces::Recording recorded = traces::read({recording});
  bounds::Durations durations;
  durations.add(recorded, bounds::Source::recording);
  durations.add(traces::read({on_cores}), bounds::Source::others);
  bounds::Options options;
  options.rates = best_rates_of_m2l(platform, recorded, order);
  const bounds::Bounds found = bounds::compute(recorded, durations, options);
  return {percent * found.area.solution.seconds / found.makespan,
          percent * found.best_rates.solution.seconds / found.makespan};
}

/// Letters of the figures' parts, each of which has its own tree height.
constexpr std::string_view letters = "abc";

class FmmShares final : public RecordedExperiment {
 public:
  FmmShares(int figure, const std::string& what, FmmRun common, std::vector<int> heights)
      : RecordedExperiment(
            fmt::format("fmm-figure{}", figure),
            fmt::format("FMM paper, Figure {}: shares of the bounds LP and LP~, {}, simulated", figure, what)),
        common_(std::move(common)),
        heights_(std::move(heights)) {}

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--particles", common_.particles, "Particles of each run")
        ->check(CLI::Range(1000, 1'000'000'000))
        ->capture_default_str();
    app.add_option("--heights", heights_, "Heights of the tree; the first three are (a), (b) and (c)")
        ->check(CLI::Range(2, 21))
        ->capture_default_str();
    app.add_option("--accuracies", accuracies_, "Accuracies, Acc")->check(CLI::Range(2, 9))->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"particles", common_.particles}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int height : heights_)
      for (const int accuracy : accuracies_)
        for (const int gpus : {common_.gpus, 0}) all.push_back(simulation_of(of(height, accuracy, gpus)));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& /*records*/, const std::vector<std::filesystem::path>& recordings,
                   Outcome& outcome) const override {
    const Platform platform =
        read_platform(find_platform("--simulate", common_.platform, std::filesystem::canonical("/proc/self/exe")));
    std::vector<double> of_bound, of_best_rates;
    for (std::size_t i = 0; i < recordings.size(); i += 2) {
      const Shares shares =
          shares_of_bounds(recordings[i], recordings[i + 1], platform, accuracies_[i / 2 % accuracies_.size()]);
      of_bound.push_back(shares.of_bound);
      of_best_rates.push_back(shares.of_best_rates);
      outcome.settings["runs"][i]["share_of_bound"] = shares.of_bound;
      outcome.settings["runs"][i]["share_of_best_rates"] = shares.of_best_rates;
    }
    add("Share of the LP bound", of_bound, outcome.figures);
    add("Share of the LP~ bound", of_best_rates, outcome.figures);
  }

  /// Smallest and largest share, of all runs and of those of each height.
  void add(const std::string& section, std::span<const double> shares, OurFigures& figures) const {
    const auto figure = figures_of(figures, section);
    const auto range = [&](const std::string& which, std::span<const double> of) {
      const bool known = !of.empty();
      figure(which + "smallest", known ? std::optional(*std::min_element(of.begin(), of.end())) : std::nullopt);
      figure(which + "largest", known ? std::optional(*std::max_element(of.begin(), of.end())) : std::nullopt);
    };
    range("", shares);
    const std::size_t each = accuracies_.size();
    for (std::size_t h = 0; h < letters.size(); ++h)
      range(fmt::format("({}) ", letters[h]),
            h < heights_.size() ? shares.subspan(h * each, each) : std::span<const double>());
  }

  [[nodiscard]] FmmRun of(int height, int accuracy, int gpus) const {
    FmmRun run = common_;
    run.height = height;
    run.accuracy = accuracy;
    run.gpus = gpus;
    run.label = fmt::format("h = {}, Acc = {}, {} GPUs", height, accuracy, gpus);
    return run;
  }

  FmmRun common_;
  std::vector<int> heights_;
  std::vector<int> accuracies_{3, 5, 7};
};

}  // namespace

std::unique_ptr<Experiment> fmm_figure16() {
  return std::make_unique<FmmShares>(16, "cube", FmmRun(), std::vector{6, 7, 8});
}

std::unique_ptr<Experiment> fmm_figure17() {
  FmmRun ellipsoid;
  ellipsoid.distribution = "tilted-ellipsoid";
  ellipsoid.group_size = 1800;
  return std::make_unique<FmmShares>(17, "ellipsoid", ellipsoid, std::vector{10, 11, 12});
}

}  // namespace asterism::apps::reproduce
