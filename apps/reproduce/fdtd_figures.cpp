// Figures 4.4 to 4.6 and 4.8 of the FDTD thesis: the load shared out between GPUs and two cores, by the GPUs' share.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/simulations.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr double percent = 100;
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

class LoadBalance final : public Experiment {
 public:
  LoadBalance(int figure, std::string platform, int gpus, std::string units)
      : figure_(figure), platform_(std::move(platform)), gpus_(gpus), units_(std::move(units)) {}

  [[nodiscard]] std::string name() const override { return fmt::format("fdtd-figure4.{}", figure_); }
  [[nodiscard]] std::string summary() const override {
    return fmt::format("FDTD thesis, Figure 4.{}: load balance between {} and two cores, simulated", figure_, units_);
  }
  void add_options(CLI::App& app) override {
    app.add_option("--least-share", least_, "Smallest share of the GPUs that is tried, %")
        ->check(CLI::Range(1, 99))
        ->capture_default_str();
    simulations_.add_options(app);
  }

  [[nodiscard]] Outcome run(const Paper&) const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(gpus_alone(platform_, size, gpus_));
      for (int share = least_; share < percent; ++share) all.push_back(shared_out(platform_, size, gpus_, share));
    }
    const Simulated done = simulations_.run(all);
    Outcome outcome;
    outcome.settings = {{"least_share", least_}, {"runs", done.commands}};
    const std::size_t each = all.size() / std::size(sizes);
    for (std::size_t n = 0; n < std::size(sizes); ++n) {
      const nlohmann::json* const of = &done.records[n * each];
      const auto* const best =
          std::max_element(of + 1, of + each, [](const auto& a, const auto& b) { return gflops(a) < gflops(b); });
      const auto figure = [&](const char* name, double value) {
        outcome.figures[{fmt::format("N = {}", sizes[n]), name}] = {value};
      };
      figure("GPUs alone, GFlop/s", gflops(of[0]));
      figure("with two cores at the best share, GFlop/s", gflops(*best));
      figure("GPUs' share at the best, %", least_ + static_cast<double>(best - of - 1));
      figure("with two cores over GPUs alone, %", percent * (gflops(*best) / gflops(of[0]) - 1));
    }
    return outcome;
  }

 private:
  int figure_;
  std::string platform_;
  int gpus_;
  std::string units_;
  int least_ = 75;
  Simulations simulations_;
};

class Configurations final : public Experiment {
 public:
  [[nodiscard]] std::string name() const override { return "fdtd-figure4.8"; }
  [[nodiscard]] std::string summary() const override {
    return "FDTD thesis, Figure 4.8: cores, one GPU and two GPUs, simulated";
  }
  void add_options(CLI::App& app) override { simulations_.add_options(app); }

  [[nodiscard]] Outcome run(const Paper&) const override {
    std::vector<Simulation> all;
    for (const int size : sizes) {
      all.push_back(cores_alone("system2-k40c", size, cores_beside_gpus));
      all.push_back(gpus_alone("system1-k20c", size, 1));
      all.push_back(gpus_alone("system1-k20c", size, 2));
      all.push_back(gpus_alone("system2-k40c", size, 1));
    }
    const Simulated done = simulations_.run(all);
    Outcome outcome;
    outcome.settings = {{"runs", done.commands}};
    const nlohmann::json* of = done.records.data();
    for (const int size : sizes) {
      const auto figure = [&](const char* name, double value) {
        outcome.figures[{fmt::format("N = {}", size), name}] = {value};
      };
      figure("two cores, GFlop/s", gflops(of[0]));
      figure("K20c, GFlop/s", gflops(of[1]));
      figure("two K20c, GFlop/s", gflops(of[2]));
      figure("K40c, GFlop/s", gflops(of[3]));
      figure("two K20c over one, %", percent * (gflops(of[2]) / gflops(of[1]) - 1));
      of += 4;
    }
    return outcome;
  }

 private:
  Simulations simulations_;
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
