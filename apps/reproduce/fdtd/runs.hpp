// SPDX-License-Identifier: Apache-2.0
// Runs of the solver as the thesis made them, and what its figures take from their records.
#pragma once

#include <string>
#include <vector>

#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce::fdtd {

inline constexpr const char* system1 = "system1-k20c";  ///< two K20c
inline constexpr const char* system2 = "system2-k40c";  ///< a K40c and a GTX 760
inline constexpr const char* system3 = "system3-gtx470";
inline constexpr const char* skomedal = "skomedal-gtx480";

/// Shares in whole percent that are tried in turn.
struct TriedShares {
  int least;
  int largest = 99;
  /// --least-share and --largest-share; `whose` they are, for the help.
  void add_options(CLI::App& app, const std::string& whose);
  [[nodiscard]] nlohmann::json settings() const;
  /// From the least to the largest. Throws Error (bad_input) when there are none.
  [[nodiscard]] std::vector<int> all() const;
};

inline constexpr int sizes[] = {100, 200, 400};  // section 4.1
inline constexpr int cores_beside_gpus = 2;      // section 4.2: more give "a negligible increase"

/// The thesis' flow, 200 steps of one domain: one strip for each GPU and core, borders exchanged after each half of a
/// step, when all cells are updated; fields of GPUs are loaded before and unloaded after (sections 3.7.1, 4.1).
/// `cells`: as --size.
Simulation simulation_of(const std::string& platform, const std::string& label, const std::string& cells,
                         const std::vector<std::string>& options);
/// The same of a cube with `size` cells along each axis; `units` is for the label.
Simulation simulation(const std::string& platform, int size, const std::string& units,
                      const std::vector<std::string>& options);
Simulation gpus_alone(const std::string& platform, int size, int gpus);
Simulation cores_alone(const std::string& platform, int size, int cores);

/// Operations of formula 4.1 "and the total execution time (including data transfers)" (section 4.1).
double gflops(const nlohmann::json& record);
/// By the time of the steps alone.
double gflops_of_steps(const nlohmann::json& record);

/// Domains that are scheduled as a whole, 200 steps each (section 2.6).
Simulation farm(const std::string& platform, int size, int domains, int cores, int gpus,
                const std::vector<std::string>& options = {});

/// a over b, in percent more.
double percent_more(double a, double b);

}  // namespace asterism::apps::reproduce::fdtd
