// SPDX-License-Identifier: Apache-2.0
// Figures 4.4 to 4.8 of the FDTD thesis: the load shared out between GPUs and two cores, by the GPUs' share, and
// between two GPUs that differ.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/fdtd/experiments.hpp"
#include "apps/reproduce/fdtd/runs.hpp"

namespace asterism::apps::reproduce {
namespace {

using fdtd::cores_beside_gpus;
using fdtd::gflops;
using fdtd::gpus_alone;
using fdtd::percent_more;
using fdtd::simulation;
using fdtd::sizes;

const nlohmann::json* best_of(const nlohmann::json* begin, const nlohmann::json* end) {
  return std::max_element(begin, end, [](const auto& a, const auto& b) { return gflops(a) < gflops(b); });
}

Simulation shared_out(const std::string& platform, int size, int gpus, int share) {
  return simulation(platform, size, fmt::format("GPUs {} %", share),
                    {"--cpus", std::to_string(cores_beside_gpus), "--gpus", std::to_string(gpus), "--gpu-share",
                     fmt::format("{:.2f}", share / percent)});
}

class LoadBalance final : public SimulatedExperiment {
 public:
  LoadBalance(int figure, std::string platform, int gpus, const std::string& units)
      : SimulatedExperiment(
            fmt::format("fdtd-figure4.{}", figure),
            fmt::format("FDTD thesis, Figure 4.{}: load balance between {} and two cores, simulated", figure, units)),
        platform_(std::move(platform)),
        gpus_(gpus) {}

 private:
  void add_own_options(CLI::App& app) override { shares_.add_options(app, "the GPUs"); }
  [[nodiscard]] nlohmann::json settings() const override { return shares_.settings(); }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(gpus_alone(platform_, size, gpus_));
      for (const int share : shares_.all()) all.push_back(shared_out(platform_, size, gpus_, share));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::size_t each = records.size() / std::size(sizes);
    for (std::size_t n = 0; n < std::size(sizes); ++n) {
      const nlohmann::json* const of = &records[n * each];
      const nlohmann::json* const best = best_of(of + 1, of + each);
      const auto figure = figures_of(figures, fmt::format("N = {}", sizes[n]));
      figure("GPUs alone, GFlop/s", gflops(of[0]));
      figure("with two cores at the best share, GFlop/s", gflops(*best));
      figure("GPUs' share at the best, %", shares_.least + static_cast<double>(best - of - 1));
      figure("with two cores over GPUs alone, %", percent_more(gflops(*best), gflops(of[0])));
    }
  }

  std::string platform_;
  int gpus_;
  fdtd::TriedShares shares_{75};
};

constexpr const char* two_kinds = fdtd::system2;

Simulation second_gpu_alone(int size) {
  Simulation s = simulation(two_kinds, size, "GTX 760", {"--cpus", "0", "--gpus", "1"});
  s.environment = {{"STARPU_WORKERS_CUDAID", "1"}};
  return s;
}

/// Both, with so many percent of the cells for the K40c.
Simulation two_gpus(int size, int share) {
  return simulation(two_kinds, size, fmt::format("K40c {} %", share),
                    {"--cpus", "0", "--gpus", "2", "--gpu-weights", fmt::format("{},{}", share, percent - share)});
}

class DifferentGpus final : public SimulatedExperiment {
 public:
  DifferentGpus()
      : SimulatedExperiment("fdtd-figure4.7",
                            "FDTD thesis, Figure 4.7: load balance between a K40c and a GTX 760, simulated") {}

 private:
  void add_own_options(CLI::App& app) override { shares_.add_options(app, "the K40c"); }
  [[nodiscard]] nlohmann::json settings() const override { return shares_.settings(); }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(gpus_alone(two_kinds, size, 1));
      all.push_back(second_gpu_alone(size));
      for (const int share : shares_.all()) all.push_back(two_gpus(size, share));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::size_t each = records.size() / std::size(sizes);
    for (std::size_t n = 0; n < std::size(sizes); ++n) {
      const nlohmann::json* const of = &records[n * each];
      const nlohmann::json* const best = best_of(of + 2, of + each);
      const auto figure = figures_of(figures, fmt::format("N = {}", sizes[n]));
      figure("K40c alone, GFlop/s", gflops(of[0]));
      figure("GTX 760 alone, GFlop/s", gflops(of[1]));
      figure("both at the best share, GFlop/s", gflops(*best));
      figure("the K40c's share at the best, %", shares_.least + static_cast<double>(best - of - 2));
      figure("both over the K40c alone, %", percent_more(gflops(*best), gflops(of[0])));
    }
  }

  fdtd::TriedShares shares_{45, 90};
};

class Configurations final : public SimulatedExperiment {
 public:
  Configurations()
      : SimulatedExperiment("fdtd-figure4.8", "FDTD thesis, Figure 4.8: cores, one GPU and two GPUs, simulated") {}

 private:
  void add_own_options(CLI::App& app) override { shares_.add_options(app, "the K40c"); }
  [[nodiscard]] nlohmann::json settings() const override { return shares_.settings(); }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(fdtd::cores_alone(two_kinds, size, all_cores));
      all.push_back(gpus_alone(fdtd::system1, size, 1));
      all.push_back(gpus_alone(fdtd::system1, size, 2));
      all.push_back(gpus_alone(two_kinds, size, 1));
      all.push_back(second_gpu_alone(size));
      for (const int share : shares_.all()) all.push_back(two_gpus(size, share));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const nlohmann::json* of = records.data();
    for (const int size : sizes) {
      const auto figure = figures_of(figures, fmt::format("N = {}", size));
      figure("four cores, GFlop/s", gflops(of[0]));
      figure("K20c, GFlop/s", gflops(of[1]));
      figure("two K20c, GFlop/s", gflops(of[2]));
      figure("K40c, GFlop/s", gflops(of[3]));
      figure("two K20c over one, %", percent_more(gflops(of[2]), gflops(of[1])));
      figure("GTX 760, GFlop/s", gflops(of[4]));
      const nlohmann::json* const end = of + 5 + shares_.all().size();
      figure("K40c and GTX 760 at the best share, GFlop/s", gflops(*best_of(of + 5, end)));
      of = end;
    }
  }

  static constexpr int all_cores = 4;  // of System 2
  fdtd::TriedShares shares_{55, 75};   // around the best of Figure 4.7
};

}  // namespace

std::unique_ptr<Experiment> fdtd_figure4_4() {
  return std::make_unique<LoadBalance>(4, fdtd::system1, 1, "a K20c");
}

std::unique_ptr<Experiment> fdtd_figure4_5() {
  return std::make_unique<LoadBalance>(5, fdtd::system2, 1, "a K40c");
}

std::unique_ptr<Experiment> fdtd_figure4_6() {
  return std::make_unique<LoadBalance>(6, fdtd::system1, 2, "two K20c");
}

std::unique_ptr<Experiment> fdtd_figure4_7() {
  return std::make_unique<DifferentGpus>();
}

std::unique_ptr<Experiment> fdtd_figure4_8() {
  return std::make_unique<Configurations>();
}

}  // namespace asterism::apps::reproduce
