// Figures 4.4 to 4.6 and 4.8 of the FDTD thesis: the load shared out between GPUs and two cores, by the GPUs' share.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int sizes[] = {100, 200, 400};  // section 4.1
constexpr int cores_beside_gpus = 2;      // section 4.2: more give "a negligible increase"

/// Operations of 200 steps, 36 of a cell but for the boundaries (formula 4.1), over the time: what the solver reports.
double gflops(const nlohmann::json& record) {
  return record.at("gflops").get<double>();
}

/// The thesis' flow: one strip for each GPU and core, borders exchanged after each half of a step.
Simulation simulation(const std::string& platform, int size, const std::string& units,
                      const std::vector<std::string>& options) {
  Simulation s{fmt::format("{}, N = {}, {}", platform, size, units), "fdtd", platform, {}, {}};
  s.arguments = {"--size", std::to_string(size), "--precision", "single", "--overlap", "0", "--bricks-per-gpu", "1"};
  s.arguments.insert(s.arguments.end(), options.begin(), options.end());
  return s;
}

Simulation gpus_alone(const std::string& platform, int size, int gpus) {
  return simulation(platform, size, fmt::format("{} GPUs", gpus), {"--cpus", "0", "--gpus", std::to_string(gpus)});
}

Simulation cores_alone(const std::string& platform, int size, int cores) {
  return simulation(platform, size, fmt::format("{} cores", cores), {"--cpus", std::to_string(cores), "--gpus", "0"});
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
  void add_own_options(CLI::App& app) override {
    app.add_option("--least-share", least_, "Smallest share of the GPUs that is tried, %")
        ->check(CLI::Range(1, 99))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"least_share", least_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(gpus_alone(platform_, size, gpus_));
      for (int share = least_; share < percent; ++share) all.push_back(shared_out(platform_, size, gpus_, share));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::size_t each = records.size() / std::size(sizes);
    for (std::size_t n = 0; n < std::size(sizes); ++n) {
      const nlohmann::json* const of = &records[n * each];
      const auto* const best =
          std::max_element(of + 1, of + each, [](const auto& a, const auto& b) { return gflops(a) < gflops(b); });
      const auto figure = figures_of(figures, fmt::format("N = {}", sizes[n]));
      figure("GPUs alone, GFlop/s", gflops(of[0]));
      figure("with two cores at the best share, GFlop/s", gflops(*best));
      figure("GPUs' share at the best, %", least_ + static_cast<double>(best - of - 1));
      figure("with two cores over GPUs alone, %", percent * (gflops(*best) / gflops(of[0]) - 1));
    }
  }

  std::string platform_;
  int gpus_;
  int least_ = 75;
};

class Configurations final : public SimulatedExperiment {
 public:
  Configurations()
      : SimulatedExperiment("fdtd-figure4.8", "FDTD thesis, Figure 4.8: cores, one GPU and two GPUs, simulated") {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(cores_alone("system2-k40c", size, cores_beside_gpus));
      all.push_back(gpus_alone("system1-k20c", size, 1));
      all.push_back(gpus_alone("system1-k20c", size, 2));
      all.push_back(gpus_alone("system2-k40c", size, 1));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const nlohmann::json* of = records.data();
    for (const int size : sizes) {
      const auto figure = figures_of(figures, fmt::format("N = {}", size));
      figure("two cores, GFlop/s", gflops(of[0]));
      figure("K20c, GFlop/s", gflops(of[1]));
      figure("two K20c, GFlop/s", gflops(of[2]));
      figure("K40c, GFlop/s", gflops(of[3]));
      figure("two K20c over one, %", percent * (gflops(of[2]) / gflops(of[1]) - 1));
      of += 4;
    }
  }
};

}  // namespace

std::unique_ptr<Experiment> fdtd_figure4_4() {
  return std::make_unique<LoadBalance>(4, "system1-k20c", 1, "a K20c");
}

std::unique_ptr<Experiment> fdtd_figure4_5() {
  return std::make_unique<LoadBalance>(5, "system2-k40c", 1, "a K40c");
}

std::unique_ptr<Experiment> fdtd_figure4_6() {
  return std::make_unique<LoadBalance>(6, "system1-k20c", 2, "two K20c");
}

std::unique_ptr<Experiment> fdtd_figure4_8() {
  return std::make_unique<Configurations>();
}

}  // namespace asterism::apps::reproduce
