// SPDX-License-Identifier: Apache-2.0
// Figures 4.3, 4.10 and 4.11 of the FDTD thesis: what exchanges cost a GPU, a Kepler beside a Fermi, and two machines
// on a slow network.
#include <fmt/format.h>

#include "apps/reproduce/fdtd/experiments.hpp"
#include "apps/reproduce/fdtd/runs.hpp"

namespace asterism::apps::reproduce {
namespace {

/// The thesis makes a single GPU exchange borders with main memory. Here two have the domain each, one behind the other
/// and periodic, so that each sends and receives two borders after each half of a step: "a total of four border
/// exchanges" of its own.
class ExchangeOverhead final : public SimulatedExperiment {
 public:
  ExchangeOverhead()
      : SimulatedExperiment("fdtd-figure4.3", "FDTD thesis, Figure 4.3: overhead of border exchanges, simulated") {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : fdtd::sizes) {
      all.push_back(fdtd::gpus_alone(fdtd::system1, size, 1));
      all.push_back(fdtd::simulation_of(
          fdtd::system1, fmt::format("N = {}, a domain for each of two GPUs", size),
          fmt::format("{}x{}x{}", 2 * size, size, size),
          {"--case", "box", "--face=-x=periodic", "--face=+x=periodic", "--cpus", "0", "--gpus", "2"}));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    for (std::size_t n = 0; n < std::size(fdtd::sizes); ++n) {
      const nlohmann::json &without = records[2 * n], &with = records[2 * n + 1];
      const double seconds = without.at("seconds_with_transfers").get<double>();
      const double more = with.at("seconds").get<double>() - without.at("seconds").get<double>();
      const auto figure = figures_of(figures, fmt::format("N = {}", fdtd::sizes[n]));
      figure("without exchanges, GFlop/s", fdtd::gflops(without));
      figure("with exchanges, GFlop/s", fdtd::gflops(without) * seconds / (seconds + more));
      figure("reduction, %", percent * more / (seconds + more));
    }
  }
};

class FermiAndKepler final : public SimulatedExperiment {
 public:
  FermiAndKepler()
      : SimulatedExperiment("fdtd-figure4.10", "FDTD thesis, Figure 4.10: a K20c beside a GTX 470, simulated") {}

 private:
  static constexpr int domain_of_1280_mb = 330;  // section 4.7: "instead of N=400"
  static constexpr int domain_sizes[] = {100, 200, domain_of_1280_mb};

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : domain_sizes)
      for (const char* platform : {fdtd::system1, fdtd::system3}) all.push_back(fdtd::gpus_alone(platform, size, 1));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    for (std::size_t n = 0; n < std::size(domain_sizes); ++n) {
      const double k20c = fdtd::gflops(records[2 * n]), gtx470 = fdtd::gflops(records[2 * n + 1]);
      const auto figure = figures_of(figures, fmt::format("N = {}", domain_sizes[n]));
      figure("K20c, GFlop/s", k20c);
      figure("GTX 470, GFlop/s", gtx470);
      const double more = fdtd::percent_more(k20c, gtx470);
      // as the thesis says it
      if (domain_sizes[n] == domain_of_1280_mb)
        figure("K20c below the GTX 470, %", -more);
      else
        figure("K20c over the GTX 470, %", more);
    }
  }
};

class SlowNetwork final : public SimulatedExperiment {
 public:
  SlowNetwork()
      : SimulatedExperiment("fdtd-figure4.11", "FDTD thesis, Figure 4.11: two machines on a slow network, simulated") {}

 private:
  struct Units {
    const char* name;
    int cores, gpus;
  };
  static constexpr Units units[] = {{"two cores", 2, 0}, {"one GPU", 0, 1}, {"two GPUs", 0, 2}};

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : fdtd::sizes)
      for (const Units& of : units) {
        all.push_back(fdtd::simulation(fdtd::system1, size, fmt::format("{} of each machine", of.name),
                                       {"--cpus", std::to_string(of.cores), "--gpus", std::to_string(of.gpus),
                                        "--gpu-share", of.gpus > 0 ? "1" : "0"}));
        all.back().nodes = 2;
      }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    auto record = records.begin();
    for (const int size : fdtd::sizes)
      for (const Units& of : units)
        figures_of(figures, fmt::format("N = {}", size))(fmt::format("{} of each machine, GFlop/s", of.name),
                                                         fdtd::gflops(*record++));
  }
};

}  // namespace

std::unique_ptr<Experiment> fdtd_figure4_3() {
  return std::make_unique<ExchangeOverhead>();
}

std::unique_ptr<Experiment> fdtd_figure4_10() {
  return std::make_unique<FermiAndKepler>();
}

std::unique_ptr<Experiment> fdtd_figure4_11() {
  return std::make_unique<SlowNetwork>();
}

}  // namespace asterism::apps::reproduce
