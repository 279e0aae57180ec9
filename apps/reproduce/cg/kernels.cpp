// SPDX-License-Identifier: Apache-2.0
// Section 6 of the conjugate gradient paper: its kernels by themselves, axpy (Figure 3) and SpMV (Figure 4), taken from
// recordings of whole solutions, where other tasks never run beside them on the same GPU.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/cg/experiments.hpp"
#include "apps/reproduce/cg/runs.hpp"
#include "apps/reproduce/simulations.hpp"
#include "base/error.hpp"
#include "traces/readers/read.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int iterations = 64;

/// Seconds of an iteration that the GPU with most of it spends in tasks whose codelet's name begins with `codelet`.
double seconds_in(const std::filesystem::path& folder, const std::string& codelet) {
  const traces::Recording recording = traces::read({folder});
  std::vector<double> of_unit(recording.units.size(), 0.0);
  for (const traces::Task& task : recording.tasks)
    if (task.executed() && recording.codelet_name(task).starts_with(codelet)) of_unit[task.unit] += task.duration();
  const double most = of_unit.empty() ? 0 : *std::max_element(of_unit.begin(), of_unit.end());
  if (most == 0) failed("{}: no task of {} was recorded", folder.string(), codelet);
  return most / iterations;
}

/// An experiment whose figures are taken from recordings.
class Kernels : public Experiment {
 public:
  using Experiment::Experiment;

  [[nodiscard]] Outcome run(const Paper&) const final {
    const std::vector<Simulation> all = runs();
    const TemporaryFolder temporary;
    const std::filesystem::path folder =
        simulations_.trace().empty() ? temporary.path() : std::filesystem::path(simulations_.trace());
    const Simulated done = simulations_.run(all, folder);
    std::vector<std::filesystem::path> recordings;
    for (const Simulation& s : all) recordings.push_back(folder_of(folder, s.label));
    Outcome outcome;
    outcome.settings = {{"iterations", iterations}, {"runs", done.commands}};
    add_figures(done.records, recordings, outcome.figures);
    return outcome;
  }

 protected:
  Simulations simulations_;

 private:
  [[nodiscard]] virtual std::vector<Simulation> runs() const = 0;
  virtual void add_figures(const std::vector<nlohmann::json>& records,
                           const std::vector<std::filesystem::path>& recordings, OurFigures& figures) const = 0;
};

class Axpy final : public Kernels {
 public:
  Axpy() : Kernels("cg-figure3", "CG paper, Figure 3: axpy on one to three M2070 by the vectors' size, simulated") {}

  void add_options(CLI::App& app) override {
    app.add_option("--points", points_, "Of the grids along each axis, ascending")
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
    simulations_.add_options(app);
  }

 private:
  static constexpr double noticeable = 1.1;

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int points : points_)
      for (const int gpus : {1, most_gpus}) {
        const CgMatrix matrix{{"--stencil", fmt::format("7pts-{}", points)}, "nehalem-m2070"};
        all.push_back(simulation_of(matrix, {gpus, gpus, "1D", "packed"}, all_transfers[0], iterations));
        all.back().label = fmt::format("{}^3, {} GPUs", points, gpus);
      }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, const std::vector<std::filesystem::path>& recordings,
                   OurFigures& figures) const override {
    const auto figure = figures_of(figures, "axpy, three GPUs over one");
    std::optional<double> faster_from, slower_below, largest;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double rows = records[2 * i].at("matrix").at("rows").get<double>();
      const double gain = seconds_in(recordings[2 * i], "cg_axpy") / seconds_in(recordings[2 * i + 1], "cg_axpy");
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

class Product final : public Kernels {
 public:
  Product()
      : Kernels("cg-figure4", "CG paper, Figure 4 and section 6.2: SpMV with a matrix like audikw_1, simulated") {}

  void add_options(CLI::App& app) override {
    bracket_.add_options(app);
    simulations_.add_options(app);
  }

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const CgCase& c : {CgCase{}, CgCase{most_gpus, 1}, CgCase{most_gpus, most_gpus}})
      all.push_back(simulation_of(bracket_.matrix(), c, all_transfers[0], iterations));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, const std::vector<std::filesystem::path>& recordings,
                   OurFigures& figures) const override {
    std::vector<double> rates;
    for (const std::filesystem::path& recording : recordings)
      rates.push_back(2 * records[0].at("matrix").at("nonzeros").get<double>() / seconds_in(recording, "cg_spmv") *
                      1e-9);
    const auto figure = figures_of(figures, "SpMV, split into three block-rows");
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
