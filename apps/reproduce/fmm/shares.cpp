// SPDX-License-Identifier: Apache-2.0
// Figures 16 and 17 of the FMM paper: how much of the rate that the linear program LP allows is reached.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "apps/common/trace_report.hpp"
#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/fmm/experiments.hpp"
#include "apps/reproduce/fmm/runs.hpp"
#include "base/error.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::reproduce {
namespace {

/// LP over the makespan, in percent. What tasks take on cores comes from `on_cores`, a recording of the same flow
/// without GPUs, where they never ran on one in `recording`: a bound has to know both (section 4.4.1).
double share_of_bound(const std::filesystem::path& recording, const std::filesystem::path& on_cores) {
  std::vector<traces::Recording> others;
  others.push_back(traces::read({on_cores}));
  Analysis analysis;
  analyse(analysis, traces::read({recording}), others);
  if (!analysis.bounded) failed("{}: no bound can be computed from this recording", recording.string());
  for (const auto& bound : analysis.view.bounds)
    if (bound.name == "LP") return percent * bound.seconds / analysis.metrics.makespan;
  failed("{}: LP is not among the bounds", recording.string());
}

/// Letters of the figures' parts, each of which has its own tree height.
constexpr std::string_view letters = "abc";

class FmmShares final : public Experiment {
 public:
  FmmShares(int figure, const std::string& what, FmmRun common, std::vector<int> heights)
      : Experiment(fmt::format("fmm-figure{}", figure),
                   fmt::format("FMM paper, Figure {}: share of the LP bound, {}, simulated", figure, what)),
        common_(std::move(common)),
        heights_(std::move(heights)) {}

  void add_options(CLI::App& app) override {
    app.add_option("--particles", common_.particles, "Of each run")
        ->check(CLI::Range(1000, 1'000'000'000))
        ->capture_default_str();
    app.add_option("--heights", heights_, "Of the tree; the first three are (a), (b) and (c)")
        ->check(CLI::Range(2, 21))
        ->capture_default_str();
    app.add_option("--accuracies", accuracies_, "Acc")->check(CLI::Range(2, 9))->capture_default_str();
    simulations_.add_options(app);
  }

  [[nodiscard]] Outcome run(const Paper&) const override {
    std::vector<Simulation> all;
    for (const int height : heights_)
      for (const int accuracy : accuracies_)
        for (const int gpus : {common_.gpus, 0}) all.push_back(simulation_of(of(height, accuracy, gpus)));
    const TemporaryFolder temporary;
    const std::filesystem::path recordings =
        simulations_.trace().empty() ? temporary.path() : std::filesystem::path(simulations_.trace());
    const Simulated done = simulations_.run(all, recordings);

    Outcome outcome;
    outcome.settings = {{"particles", common_.particles}, {"runs", done.commands}};
    std::vector<double> shares;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      shares.push_back(share_of_bound(folder_of(recordings, all[i].label), folder_of(recordings, all[i + 1].label)));
      outcome.settings["runs"][i]["share_of_bound"] = shares.back();
    }
    const auto figure = figures_of(outcome.figures, "Share of the LP bound");
    const auto add = [&](const std::string& which, std::span<const double> of) {
      const bool known = !of.empty();
      figure(which + "smallest", known ? std::optional(*std::min_element(of.begin(), of.end())) : std::nullopt);
      figure(which + "largest", known ? std::optional(*std::max_element(of.begin(), of.end())) : std::nullopt);
    };
    add("", shares);
    const std::size_t each = accuracies_.size();
    for (std::size_t h = 0; h < letters.size(); ++h)
      add(fmt::format("({}) ", letters[h]),
          h < heights_.size() ? std::span<const double>(shares).subspan(h * each, each) : std::span<const double>());
    return outcome;
  }

 private:
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
  Simulations simulations_;
};

}  // namespace

std::unique_ptr<Experiment> fmm_figure16() {
  return std::make_unique<FmmShares>(16, "cube", FmmRun(), std::vector{6, 7, 8});
}

std::unique_ptr<Experiment> fmm_figure17() {
  FmmRun ellipsoid;
  ellipsoid.distribution = "ellipsoid";
  ellipsoid.group_size = 1800;
  return std::make_unique<FmmShares>(17, "ellipsoid", ellipsoid, std::vector{10, 11, 12});
}

}  // namespace asterism::apps::reproduce
