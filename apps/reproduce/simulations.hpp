// SPDX-License-Identifier: Apache-2.0
// Runs of solvers on simulated machines: each is a process of its own, since a simulation takes a whole one.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace asterism::apps::reproduce {

struct Simulation {
  std::string label;   ///< says which run it is, in records and as the name of its recording
  std::string solver;  ///< cg, fdtd, fmm, lbm, tdbem
  std::string platform;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< set for this run
  int nodes = 0;                                                 ///< of a cluster of that platform; 0: the machine
};

/// The solver's record (its --json) of a run, and of all runs what was run.
struct Simulated {
  std::vector<nlohmann::json> records;  ///< in the order of the simulations
  nlohmann::json commands;              ///< label, command and simulated seconds of each
};

/// A folder that goes, with its files, when this does. Throws Error (failed).
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

class Simulations {
 public:
  /// --trace and --quiet.
  void add_options(CLI::App& app);

  /// One after the other, with a line of progress on a terminal. With --trace each is recorded into a folder of its
  /// label. STARPU_NCPU, STARPU_NCUDA and STARPU_SCHED of the environment do not reach them. Throws Error: bad_input
  /// when there is no such platform or simulated program, failed with the solver's own words when one fails.
  [[nodiscard]] Simulated run(const std::vector<Simulation>& all) const { return run(all, trace_); }
  /// Recorded into folders of `recordings`, unless that is empty; see folder_of.
  [[nodiscard]] Simulated run(const std::vector<Simulation>& all, const std::filesystem::path& recordings) const;

  /// The folder given by --trace; empty when it was not given.
  [[nodiscard]] const std::string& trace() const noexcept { return trace_; }

 private:
  std::string trace_;
  bool quiet_ = false;
};

/// Where in `recordings` a simulation of this label is recorded.
std::filesystem::path folder_of(const std::filesystem::path& recordings, const std::string& label);

}  // namespace asterism::apps::reproduce
