// SPDX-License-Identifier: Apache-2.0
// Section 6 of the conjugate gradient paper: its kernels by themselves, axpy (Figure 3) and SpMV (Figure 4), taken from
// recordings of whole solutions, where other tasks never run beside them on the same GPU.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/cg/experiments.hpp"
#include "apps/reproduce/cg/runs.hpp"
#include "apps/reproduce/simulated_experiment.hpp"
#include "base/error.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int iterations = 64;

constexpr double noticeable = 1.1;  ///< times faster

/// Seconds of an iteration that the GPU with most of it spends in tasks whose codelet's name begins with `codelet`. The
/// start and the end of a solution have some more of them, which are as long.
double seconds_in(const std::filesystem::path& folder, const std::string& codelet) {
  const traces::Recording recording = traces::read({folder});
  struct Tasks {
    double seconds = 0;
    int number = 0;
  };
  std::vector<Tasks> of_unit(recording.units.size());
  for (const traces::Task& task : recording.tasks) {
    if (!task.executed() || !recording.codelet_name(task).starts_with(codelet)) continue;
    of_unit[task.unit].seconds += task.duration();
    ++of_unit[task.unit].number;
  }
  double most = 0;
  for (const Tasks& tasks : of_unit)
    if (tasks.number > 0) most = std::max(most, tasks.seconds / tasks.number * (tasks.number / iterations));
  if (most == 0) failed("{}: no task of {} was recorded", folder.string(), codelet);
  return most;
}

class Axpy final : public RecordedExperiment {
 public:
  Axpy()
      : RecordedExperiment("cg-figure3",
                           "CG paper, Figure 3: axpy on one to three M2070 by the vectors' size, simulated") {}

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--points", points_, "Points of the grids along each axis, ascending")
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
  }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int points : points_)
      for (const int gpus : {1, most_gpus}) {
        const CgMatrix matrix{{"--stencil", fmt::format("7pts-{}", points)}, "nehalem-m2070-rows"};
        all.push_back(simulation_of(matrix, {gpus, gpus, "1D", "packed"}, all_transfers[0], iterations));
        all.back().label = fmt::format("{}^3, {} GPUs", points, gpus);
      }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, const std::vector<std::filesystem::path>& recordings,
                   Outcome& outcome) const override {
    const auto figure = figures_of(outcome.figures, "axpy, three GPUs over one");
    // "concurrent tasks are thus actually serialized and the launching times are paradoxically cumulated" by a lock in
    // the driver of then (section 6.1), which the simulator does not have: the smallest vectors tell what a launch
    // takes
    const double launches = (most_gpus - 1) * seconds_in(recordings[0], "cg_axpy");
    std::optional<double> faster_from, slower_below, largest;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double rows = records[2 * i].at("matrix").at("rows").get<double>();
      const double gain =
          seconds_in(recordings[2 * i], "cg_axpy") / (seconds_in(recordings[2 * i + 1], "cg_axpy") + launches);
      largest = gain;
      if (gain > noticeable && !faster_from) faster_from = rows;
      if (gain < 1 / noticeable) slower_below = rows;
    }
    figure("faster from N =", faster_from);
    figure("slower below N =", slower_below);
    figure("at the largest N", largest);
  }

  std::vector<int> points_{16, 22, 32, 46, 68, 100, 147, 215};  // N about 10^3.5 to 10^7
};

class Product final : public RecordedExperiment {
 public:
  Product()
      : RecordedExperiment("cg-figure4",
                           "CG paper, Figure 4 and section 6.2: SpMV with a matrix like audikw_1, simulated") {}

 private:
  void add_own_options(CLI::App& app) override { bracket_.add_options(app); }
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const CgCase& c : {CgCase{}, CgCase{most_gpus, 1}, CgCase{most_gpus, most_gpus}})
      all.push_back(simulation_of(bracket_.matrix(), c, all_transfers[0], iterations));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, const std::vector<std::filesystem::path>& recordings,
                   Outcome& outcome) const override {
    std::vector<double> rates;
    for (const std::filesystem::path& recording : recordings)
      rates.push_back(2 * records[0].at("matrix").at("nonzeros").get<double>() / seconds_in(recording, "cg_spmv") *
                      1e-9);
    const auto figure = figures_of(outcome.figures, "SpMV, split into three block-rows");
    figure("one GPU, not split, Gflop/s", rates[0]);
    figure("one GPU, Gflop/s", rates[1]);
    figure("one GPU less than not split, %", percent * (1 - rates[1] / rates[0]));
    figure("three GPUs, Gflop/s", rates[2]);
    figure("three GPUs over one", rates[2] / rates[1]);
    figure("three GPUs over one, not split", rates[2] / rates[0]);
    figure("e_SpMV", rates[2] / rates[0] / most_gpus);
  }

  Bracket bracket_;
};

}  // namespace

std::unique_ptr<Experiment> cg_figure3() {
  return std::make_unique<Axpy>();
}

std::unique_ptr<Experiment> cg_figure4() {
  return std::make_unique<Product>();
}

}  // namespace asterism::apps::reproduce
