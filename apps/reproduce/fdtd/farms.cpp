// SPDX-License-Identifier: Apache-2.0
// Table 2.6 and Figure 4.9 of the FDTD thesis: many domains, each on one unit, as Skomedal's scheduler deals them out,
// and domains one after the other, each on all units.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/fdtd/experiments.hpp"
#include "apps/reproduce/fdtd/runs.hpp"

namespace asterism::apps::reproduce {
namespace {

/// Streams of the thesis' GPU. A simulated GPU does one task after the other: one stream has half of that.
constexpr int streams = 2;

class Scheduler final : public SimulatedExperiment {
 public:
  Scheduler()
      : SimulatedExperiment("fdtd-table2.6",
                            "FDTD thesis, Table 2.6: domains dealt out to cores and a GTX 480, simulated") {}

 private:
  struct Row {
    const char* name;
    int cores, gpus;
  };
  /// Row 2x0 has the rates of the platform's cores. StarPU gives a core that drives a GPU no tasks: three are left of
  /// four.
  static constexpr Row rows[] = {{"2x2", 2, 1}, {"0x2", 0, 1}, {"4x0", 4, 0}, {"4x2", 3, 1}};
  static constexpr int domain_sizes[] = {150, 200, 250};

  void add_own_options(CLI::App& app) override {
    app.add_option("--domains", domains_, "Domains that are dealt out, for each size and choice of units")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"domains", domains_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : domain_sizes)
      for (const Row& row : rows)
        all.push_back(
            fdtd::farm(fdtd::skomedal, size, row.gpus > 0 ? domains_ : domains_ / 10 + 1, row.cores, row.gpus));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    auto record = records.begin();
    for (const int size : domain_sizes) {
      const auto figure = figures_of(figures, fmt::format("N = {}", size));
      for (const Row& row : rows) {
        if (row.cores > 0) figure(fmt::format("{}, CPU, MFlop/s", row.name), rate(*record, false));
        if (row.gpus > 0)
          figure(fmt::format("{}, GPU, MFlop/s of each stream", row.name), rate(*record, true) / streams);
        ++record;
      }
    }
  }

  /// Rate of the cores together, or the GPU, in MFlop/s.
  static double rate(const nlohmann::json& record, bool gpu) {
    double own = 0, all = 0;
    for (const auto& unit : record.at("units")) {
      const double domains = unit.at("domains").get<double>();
      all += domains;
      if (unit.at("gpu").get<bool>() == gpu) own += domains;
    }
    return 1e3 * record.at("gflops").get<double>() * own / all;
  }

  int domains_ = 1000;
};

class Original final : public SimulatedExperiment {
 public:
  Original()
      : SimulatedExperiment("fdtd-figure4.9",
                            "FDTD thesis, Figure 4.9: 20 domains, dealt out or each on all units, simulated") {}

 private:
  static constexpr int domains = 20;
  static constexpr int domain_sizes[] = {50, 100, 200, 400};
  fdtd::TriedShares shares_{85};  // of the GPU beside two cores: around the best of Figure 4.4

  void add_own_options(CLI::App& app) override { shares_.add_options(app, "the GPU"); }
  [[nodiscard]] nlohmann::json settings() const override { return shares_.settings(); }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const int size : domain_sizes) {
      // units get what their measured speed is worth, all domains known beforehand (section 2.6.1)
      all.push_back(fdtd::farm(fdtd::system1, size, domains, fdtd::cores_beside_gpus, 1,
                               {"--transfers", "--window", std::to_string(domains), "--scheduler", "dmda"}));
      all.push_back(fdtd::gpus_alone(fdtd::system1, size, 2));
      for (const int share : shares_.all())
        all.push_back(fdtd::simulation(fdtd::system1, size, fmt::format("GPU {} %", share),
                                       {"--cpus", std::to_string(fdtd::cores_beside_gpus), "--gpus", "1", "--gpu-share",
                                        fmt::format("{:.2f}", share / percent)}));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const nlohmann::json* of = records.data();
    for (const int size : domain_sizes) {
      const nlohmann::json* const end = of + 2 + shares_.all().size();
      const double original = of[0].at("gflops").get<double>();
      double with_cores = 0;
      for (const nlohmann::json* shared = of + 2; shared < end; ++shared)
        with_cores = std::max(with_cores, fdtd::gflops(*shared));
      const double two = fdtd::gflops(of[1]);
      const auto figure = figures_of(figures, fmt::format("N = {}", size));
      figure("original, two cores and a K20c, GFlop/s", original);
      figure("new, two cores and a K20c, GFlop/s", with_cores);
      figure("new, two K20c, GFlop/s", two);
      figure("new with two cores and a K20c over the original, %", fdtd::percent_more(with_cores, original));
      figure("new with two K20c over the original, %", fdtd::percent_more(two, original));
      of = end;
    }
  }
};

}  // namespace

std::unique_ptr<Experiment> fdtd_table2_6() {
  return std::make_unique<Scheduler>();
}

std::unique_ptr<Experiment> fdtd_figure4_9() {
  return std::make_unique<Original>();
}

}  // namespace asterism::apps::reproduce
