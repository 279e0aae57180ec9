// SPDX-License-Identifier: Apache-2.0
// Table 2.5 and Figures 4.1 and 4.2 of the FDTD thesis: a domain on one core to four.
#include <fmt/format.h>

#include "apps/reproduce/fdtd/experiments.hpp"
#include "apps/reproduce/fdtd/runs.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int domain_size = 150;
constexpr int most_cores = 4;

double mflops(const nlohmann::json& record) {
  return 1e3 * fdtd::gflops(record);
}

class CoresOfSkomedal final : public SimulatedExperiment {
 public:
  CoresOfSkomedal()
      : SimulatedExperiment("fdtd-table2.5", "FDTD thesis, Table 2.5: one core to four of an i5-3470, simulated") {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const char* platform : {fdtd::skomedal, "skomedal-half-clock"})
      for (int cores = 1; cores <= most_cores; ++cores) all.push_back(fdtd::cores_alone(platform, domain_size, cores));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto rate = [&](int cores) { return mflops(records[static_cast<std::size_t>(cores - 1)]); };
    const auto performance = figures_of(figures, "Performance");
    performance("2 cores, MFlop/s", rate(2));
    performance("3 cores, MFlop/s", rate(3));
    performance("3 cores over 2, %", fdtd::percent_more(rate(3), rate(2)));
    const auto speedup = figures_of(figures, "Speed-up over one core");
    speedup("2 cores", rate(2) / rate(1));
    speedup("3 cores", rate(3) / rate(1));
    const nlohmann::json* const half = records.data() + most_cores;
    figures_of(figures, "Half of the clock rate")("4 cores over one, times",
                                                  mflops(half[most_cores - 1]) / mflops(half[0]));
  }
};

class CoresOfASystem final : public SimulatedExperiment {
 public:
  CoresOfASystem(int figure, const char* platform, int system)
      : SimulatedExperiment(
            fmt::format("fdtd-figure4.{}", figure),
            fmt::format("FDTD thesis, Figure 4.{}: one core to four of System {}, simulated", figure, system)),
        platform_(platform) {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (int cores = 1; cores <= most_cores; ++cores) all.push_back(fdtd::cores_alone(platform_, domain_size, cores));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto figure = figures_of(figures, "N = 150");
    for (int cores = 1; cores <= most_cores; ++cores)
      figure(fmt::format("{} cores, MFlop/s", cores), mflops(records[static_cast<std::size_t>(cores - 1)]));
  }

  const char* platform_;
};

}  // namespace

std::unique_ptr<Experiment> fdtd_table2_5() {
  return std::make_unique<CoresOfSkomedal>();
}

std::unique_ptr<Experiment> fdtd_figure4_1() {
  return std::make_unique<CoresOfASystem>(1, fdtd::system1, 1);
}

std::unique_ptr<Experiment> fdtd_figure4_2() {
  return std::make_unique<CoresOfASystem>(2, fdtd::system2, 2);
}

}  // namespace asterism::apps::reproduce
