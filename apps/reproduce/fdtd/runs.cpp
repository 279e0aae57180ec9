// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/fdtd/runs.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"

namespace asterism::apps::reproduce::fdtd {

void TriedShares::add_options(CLI::App& app, const std::string& whose) {
  const CLI::Range percents(1, 99);
  app.add_option("--least-share", least, "Smallest share of " + whose + " that is tried, %")
      ->check(percents)
      ->capture_default_str();
  app.add_option("--largest-share", largest, "Largest share of " + whose + " that is tried, %")
      ->check(percents)
      ->capture_default_str();
}

nlohmann::json TriedShares::settings() const {
  return {{"least_share", least}, {"largest_share", largest}};
}

std::vector<int> TriedShares::all() const {
  if (largest < least) bad_input("--largest-share {}: is below --least-share {}", largest, least);
  std::vector<int> shares(static_cast<std::size_t>(largest - least + 1));
  std::iota(shares.begin(), shares.end(), least);
  return shares;
}

Simulation simulation_of(const std::string& platform, const std::string& label, const std::string& cells,
                         const std::vector<std::string>& options) {
  Simulation s{label, "fdtd", platform, {}, {}};
  s.arguments = {"--size",           cells, "--precision", "single",       "--overlap",   "0",
                 "--bricks-per-gpu", "1",   "--exchange",  "after-update", "--transfers", "in-turn"};
  s.arguments.insert(s.arguments.end(), options.begin(), options.end());
  return s;
}

Simulation simulation(const std::string& platform, int size, const std::string& units,
                      const std::vector<std::string>& options) {
  return simulation_of(platform, fmt::format("{}, N = {}, {}", platform, size, units), std::to_string(size), options);
}

Simulation gpus_alone(const std::string& platform, int size, int gpus) {
  return simulation(platform, size, fmt::format("{} GPUs", gpus), {"--cpus", "0", "--gpus", std::to_string(gpus)});
}

Simulation cores_alone(const std::string& platform, int size, int cores) {
  return simulation(platform, size, fmt::format("{} cores", cores), {"--cpus", std::to_string(cores), "--gpus", "0"});
}

double gflops(const nlohmann::json& record) {
  return record.at("gflops_with_transfers").get<double>();
}

double gflops_of_steps(const nlohmann::json& record) {
  return record.at("gflops").get<double>();
}

Simulation farm(const std::string& platform, int size, int domains, int cores, int gpus,
                const std::vector<std::string>& options) {
  Simulation s{fmt::format("{}, {} domains, N = {}, {} cores, {} GPUs", platform, domains, size, cores, gpus),
               "fdtd",
               platform,
               {},
               {}};
  s.arguments = {"farm",   "--size", std::to_string(size),  "--domains", std::to_string(domains), "--precision",
                 "single", "--cpus", std::to_string(cores), "--gpus",    std::to_string(gpus)};
  s.arguments.insert(s.arguments.end(), options.begin(), options.end());
  return s;
}

double percent_more(double a, double b) {
  return percent * (a / b - 1);
}

}  // namespace asterism::apps::reproduce::fdtd
