// SPDX-License-Identifier: Apache-2.0
// Figures 8 and 9 and Table 3 of the lattice Boltzmann paper: a CPU, a GPU, and what both reach by the GPU's share of
// the domain.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "apps/reproduce/lbm/experiments.hpp"
#include "apps/reproduce/simulated_experiment.hpp"
#include "codelets/lbm/kernels/costs.hpp"

namespace asterism::apps::reproduce {
namespace {

/// Bytes per second of memories, as specified.
struct PeakBandwidths {
  double cpu = 0;
  double gpu = 0;
};
constexpr PeakBandwidths piz_daint{68e9, 719.872e9};  // section 5.1, Table 2

/// A domain on one GPU and one CPU of a node.
struct Setting {
  std::string section;
  std::string platform;
  int cores = 0;  ///< of the CPU; one of them drives the GPU
  std::string size;
  std::string precision;
  std::optional<PeakBandwidths> peak = {};  ///< none: without the theoretical gain
};

/// Domain sizes of section 5.1, both precisions.
std::vector<Setting> settings_of_figure9() {
  std::vector<Setting> all;
  for (const char* precision : {"double", "single"})
    for (const char* size : {"64x64x64", "128x128x128", "256x256x256", "512x512x128", "384x384x384"})
      all.push_back({fmt::format("{}, {} precision", size, precision), "piz-daint", 12, size, precision});
  return all;
}

/// One entire CPU and one GPU of each cluster (section 5.2). Memories of the GPUs: Table 2. Of the CPUs: data sheets,
/// four channels of DDR3-1866 (E5-2680v2), three of DDR3-1333 (X5670).
std::vector<Setting> settings_of_table3() {
  return {{"Hydra", "hydra", 10, "512x512x128", "double", PeakBandwidths{59.7e9, 249.6e9}},
          {"TSUBAME2.5", "tsubame25", 6, "512x512x128", "double", PeakBandwidths{32e9, 249.6e9}},
          {"Piz Daint", "piz-daint", 12, "512x512x128", "double", piz_daint}};
}

double glups_of(const nlohmann::json& record) {
  return 1e-3 * record.at("mlups").get<double>();
}

void add_steps_option(CLI::App& app, int& steps) {
  app.add_option("--steps", steps, "Steps of each run; the paper has 1024")
      ->check(CLI::Range(10, 1 << 20))
      ->capture_default_str();
}

/// Section 5.1: a CPU and a GPU of Piz Daint by themselves. Cache blocks and thread blocks are not simulated: a
/// platform has one rate for each precision.
class LbmKernels final : public SimulatedExperiment {
 public:
  LbmKernels()
      : SimulatedExperiment("lbm-figure8",
                            "LBM paper, Figure 8: the kernels on a CPU and a GPU of Piz Daint, simulated") {}

 private:
  void add_own_options(CLI::App& app) override { add_steps_option(app, steps_); }
  [[nodiscard]] nlohmann::json settings() const override { return {{"steps", steps_}}; }

  /// On the CPU, then on the GPU: double, then single precision, in the order of `sizes`.
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const bool gpu : {false, true})
      for (const char* size : sizes)
        for (const char* precision : {"double", "single"})
          all.push_back({fmt::format("{}, {}, {}", gpu ? "GPU" : "CPU", size, precision),
                         "lbm",
                         "piz-daint",
                         {"--size", size, "--precision", precision, "--steps", std::to_string(steps_), "--gpu-bricks",
                          "1", "--cpus", gpu ? "0" : "12", "--gpus", gpu ? "1" : "0"},
                         {}});
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto glups = [&](bool gpu, std::size_t size, bool single) {
      return glups_of(records[((gpu ? sizes.size() : 0) + size) * 2 + (single ? 1 : 0)]);
    };
    const auto share = [](double rate, bool single, double peak) {
      return percent * 1e9 * rate * lbm::update_bytes(single ? 4 : 8) / peak;
    };
    const auto cpu = figures_of(figures, "CPU, E5-2690v3");
    cpu("double precision, GLUPS", glups(false, cube_384, false));
    cpu("double precision, of the peak bandwidth, %", share(glups(false, cube_384, false), false, piz_daint.cpu));
    cpu("single precision, GLUPS", glups(false, cube_384, true));
    cpu("single precision, of the peak bandwidth, %", share(glups(false, cube_384, true), true, piz_daint.cpu));
    const auto gain = [&](bool gpu, std::size_t size) { return glups(gpu, size, true) / glups(gpu, size, false) - 1; };
    cpu("single over double, 256^3, blocks 64x1x1, %", percent * gain(false, cube_256));
    cpu("single over double, 64^3, blocks 64x128x1, %", percent * gain(false, cube_64));
    const auto gpu = figures_of(figures, "GPU, P100");
    gpu("double precision, GLUPS", glups(true, slab, false));
    gpu("double precision, of the peak bandwidth, %", share(glups(true, slab, false), false, piz_daint.gpu));
    gpu("single precision, GLUPS", glups(true, cube_256, true));
    gpu("single precision, of the peak bandwidth, %", share(glups(true, cube_256, true), true, piz_daint.gpu));
    const double single = with_launches(glups(true, cube_256, true)), twice = with_launches(glups(true, slab, false));
    for (const char* threads : {"64x8x1", "512x1x1"}) {
      gpu(fmt::format("single precision, 64^3, threads {}, GLUPS", threads), single);
      gpu(fmt::format("double precision, 64^3, threads {}, GLUPS", threads), twice);
      gpu(fmt::format("single over double, 64^3, threads {}, times more", threads), single / twice - 1);
    }
    const auto over = figures_of(figures, "GPU over CPU");
    over("double precision, times", glups(true, slab, false) / glups(false, cube_384, false));
    over("single precision, times", glups(true, cube_256, true) / glups(false, cube_384, true));
    over("peak bandwidth, times", piz_daint.gpu / piz_daint.cpu);
  }

  /// Of 64^3 cells at such a rate, as the paper's program updates them: algorithm 1 launches a kernel for each face and
  /// one for the inner cells in every step; our task does ten steps. A launch takes what the platform assumes.
  static double with_launches(double glups) {
    constexpr double cells = 64 * 64 * 64, launches = 7, launch = 1e-5;
    return 1e-9 * cells / (1e-9 * cells / glups + launches * launch);
  }

  static constexpr std::array sizes{"64x64x64", "256x256x256", "512x512x128", "384x384x384"};
  static constexpr std::size_t cube_64 = 0, cube_256 = 1, slab = 2, cube_384 = 3;
  int steps_ = 128;
};

class LbmShares final : public SimulatedExperiment {
 public:
  LbmShares(std::string name, std::string summary, std::vector<Setting> settings)
      : SimulatedExperiment(std::move(name), std::move(summary)), settings_(std::move(settings)) {}

 private:
  void add_own_options(CLI::App& app) override {
    add_steps_option(app, steps_);
    app.add_option("--least-share", least_, "Smallest GPU share that is tried, %")
        ->check(CLI::Range(1, 99))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"steps", steps_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Setting& s : settings_) {
      all.push_back(simulation(s, "GPU alone", {"--cpus", "0", "--gpus", "1"}));
      all.push_back(simulation(s, "CPU alone", {"--cpus", std::to_string(s.cores), "--gpus", "0"}));
      for (int share = least_; share < percent; ++share)
        all.push_back(simulation(s, fmt::format("GPU {} %", share),
                                 {"--cpus", std::to_string(s.cores - 1), "--gpus", "1", "--gpu-share",
                                  fmt::format("{:.2f}", share / percent)}));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::size_t each = records.size() / settings_.size();
    for (std::size_t i = 0; i < settings_.size(); ++i) add_figures_of(settings_[i], &records[i * each], each, figures);
  }

  [[nodiscard]] Simulation simulation(const Setting& s, const std::string& units,
                                      const std::vector<std::string>& options) const {
    Simulation simulated{s.section + ", " + units, "lbm", s.platform, {}, {}};
    simulated.arguments = {"--size",       s.size, "--precision", s.precision, "--steps", std::to_string(steps_),
                           "--gpu-bricks", "1"};
    simulated.arguments.insert(simulated.arguments.end(), options.begin(), options.end());
    return simulated;
  }

  /// Adds the figures of a section from its records, in the order of runs(): the GPU, the CPU, and both by share.
  void add_figures_of(const Setting& s, const nlohmann::json* of, std::size_t count, OurFigures& figures) const {
    const auto glups = [&](std::size_t i) { return glups_of(of[i]); };
    std::size_t best = 2;
    for (std::size_t i = 3; i < count; ++i)
      if (glups(i) > glups(best)) best = i;
    const auto figure = figures_of(figures, s.section);
    figure("GPU alone, GLUPS", glups(0));
    figure("CPU alone, GLUPS", glups(1));
    figure("GPU share at the best, %", least_ + static_cast<double>(best - 2));
    const double gain = glups(best) / glups(0) - 1;
    figure("both over the GPU, %", percent * gain);
    figure("both over the CPU, times", glups(best) / glups(1));
    if (!s.peak) return;
    const double theoretical = s.peak->cpu / s.peak->gpu;
    figure("theoretical gain over the GPU, %", percent * theoretical);
    figure("both over the GPU, of the theoretical gain, %", percent * gain / theoretical);
  }

  std::vector<Setting> settings_;
  int steps_ = 128;
  int least_ = 70;
};

}  // namespace

std::unique_ptr<Experiment> lbm_figure8() {
  return std::make_unique<LbmKernels>();
}

std::unique_ptr<Experiment> lbm_figure9() {
  return std::make_unique<LbmShares>(
      "lbm-figure9", "LBM paper, Figure 9: a node of Piz Daint by the GPU's share, simulated", settings_of_figure9());
}

std::unique_ptr<Experiment> lbm_table3() {
  return std::make_unique<LbmShares>(
      "lbm-table3", "LBM paper, Table 3: a GPU and a CPU of Hydra, TSUBAME2.5 and Piz Daint, simulated",
      settings_of_table3());
}

}  // namespace asterism::apps::reproduce
