// SPDX-License-Identifier: Apache-2.0
// Figure 18 of the FMM paper: time to completion with the height that minimises it, by accuracy and number of GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "apps/reproduce/fmm/experiments.hpp"
#include "apps/reproduce/fmm/runs.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

class Completion final : public SimulatedExperiment {
 public:
  Completion()
      : SimulatedExperiment("fmm-figure18",
                            "FMM paper, Figure 18: time to completion with the best height of the tree, simulated") {}

 private:
  /// A part of the figure, with the heights and n_g of Figures 16 and 17.
  struct Part {
    const char* section;
    const char* distribution;
    std::vector<int> heights;
    int group_size;
  };
  static const std::vector<Part>& parts() {
    static const std::vector<Part> both{{"(a) Cube, best height", "cube", {6, 7, 8}, 2000},
                                        {"(b) Ellipsoid, best height", "tilted-ellipsoid", {10, 11, 12}, 1800}};
    return both;
  }

  void add_own_options(CLI::App& app) override {
    app.add_option("--particles", particles_, "Particles of each run")
        ->check(CLI::Range(1000, 1'000'000'000))
        ->capture_default_str();
    app.add_option("--accuracies", accuracies_, "Accuracies, Acc")->check(CLI::Range(2, 9))->capture_default_str();
    app.add_option("--gpus", gpus_, "Numbers of GPUs")->check(CLI::Range(0, most_gpus))->capture_default_str();
  }

  /// Calls visit(part, height, accuracy, gpus) for each run.
  template <class Visit>
  void for_each_run(Visit visit) const {
    for (const Part& part : parts())
      for (const int height : part.heights)
        for (const int accuracy : accuracies_)
          for (const int gpus : gpus_) visit(part, height, accuracy, gpus);
  }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for_each_run([&](const Part& part, int height, int accuracy, int gpus) {
      FmmRun run;
      run.label = fmt::format("{}, h = {}, Acc = {}, {} GPUs", part.distribution, height, accuracy, gpus);
      run.distribution = part.distribution;
      run.particles = particles_;
      run.accuracy = accuracy;
      run.height = height;
      run.group_size = part.group_size;
      run.gpus = gpus;
      all.push_back(simulation_of(run));
    });
    return all;
  }

  /// What was not run has no value.
  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    using Run = std::tuple<std::string, int, int>;  // section, accuracy, number of GPUs
    std::map<Run, std::map<int, double>> seconds;   // by height
    std::size_t i = 0;
    for_each_run([&](const Part& part, int height, int accuracy, int gpus) {
      seconds[{part.section, accuracy, gpus}][height] = records[i++].at("seconds").get<double>();
    });
    const auto least = [](const std::map<int, double>& of) {
      return std::min_element(of.begin(), of.end(), [](auto a, auto b) { return a.second < b.second; })->second;
    };
    for (const Part& part : parts())
      for (const int accuracy : papers_accuracies)
        for (int gpus = 0; gpus <= most_gpus; ++gpus) {
          const auto found = seconds.find({part.section, accuracy, gpus});
          figures_of(figures, part.section)(
              fmt::format("Acc = {}, {} GPUs", accuracy, gpus),
              found == seconds.end() ? std::nullopt : std::optional(least(found->second)));
        }
    // the example of section 4.4.2
    for (const int height : {7, 8})
      for (const int gpus : {0, most_gpus}) {
        const auto found = seconds.find({parts().front().section, 4, gpus});
        figures_of(figures, "Cube, Acc = 4")(
            fmt::format("h = {}, {} GPUs", height, gpus),
            found == seconds.end() ? std::nullopt : std::optional(found->second.at(height)));
      }
  }

  static constexpr int most_gpus = 3;
  static constexpr std::array papers_accuracies{2, 3, 4, 5, 6, 7};
  std::int64_t particles_ = FmmRun().particles;
  std::vector<int> accuracies_{4};  // that of section 4.4.2's example
  std::vector<int> gpus_{0, most_gpus};
};

}  // namespace

std::unique_ptr<Experiment> fmm_figure18() {
  return std::make_unique<Completion>();
}

}  // namespace asterism::apps::reproduce
