// SPDX-License-Identifier: Apache-2.0
// All time steps of a run: the domain is cut, the cut corrected, fields checked and written. Over several ranks all
// make it and call the same functions in the same order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/fdtd/arguments.hpp"
#include "runtime/clock.hpp"
#include "taskflows/fdtd/balance.hpp"

namespace asterism::apps::fdtd {

/// Runs every class of tasks on every kind of unit, for StarPU's models and, with a folder, for bounds.
void calibrate(const Arguments& args, const asterism::fdtd::Problem& problem);

class TimeStepping {
 public:
  /// `steps`: at which it ends.
  TimeStepping(const Arguments& args, const asterism::fdtd::Case& problem_case, const Outputs& outputs, long steps,
               const Session& session);
  /// All steps. Throws Error (failed) when fields are not finite.
  void advance();
  /// Writes the values of probes to --probes, if that is given.
  void write_probes();

  /// Steps x probes, from the first step on; over several ranks on rank 0, though all have to call it.
  [[nodiscard]] std::vector<double> all_probe_values();
  [[nodiscard]] const asterism::fdtd::Division& division() const { return division_; }
  [[nodiscard]] asterism::fdtd::Simulation& simulation() { return *simulation_; }
  [[nodiscard]] const std::optional<Rates>& rates() const { return rates_; }
  /// Weights of the GPUs of this process; empty: all the same.
  [[nodiscard]] const std::vector<double>& gpu_weights() const { return gpu_weights_; }
  [[nodiscard]] int corrections() const { return corrections_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Seconds to bring the fields of GPUs there and back to main memory; 0 without --transfers.
  [[nodiscard]] double load_seconds() const { return load_seconds_; }
  [[nodiscard]] double unload_seconds() const { return unload_seconds_; }
  [[nodiscard]] long timed_steps() const { return timed_steps_; }
  /// Cells per second.
  [[nodiscard]] double rate() const;
  [[nodiscard]] const std::vector<std::string>& written() const { return written_; }

 private:
  [[nodiscard]] std::vector<double> choose_gpu_weights();
  [[nodiscard]] double choose_share();
  [[nodiscard]] std::vector<asterism::fdtd::RankShare> choose_rank_shares();
  [[nodiscard]] bool corrects() const;
  void correct_cut(long now);
  void move_to(double share);
  void save_checkpoint();
  void write_fields();
  void show(long step);
  void start_clock();
  [[nodiscard]] double load_fields(asterism::fdtd::Transfers transfers);
  [[nodiscard]] double unload_fields(asterism::fdtd::Transfers transfers);

  const Arguments& args_;
  const asterism::fdtd::Case& problem_case_;
  const asterism::fdtd::Problem& problem_;
  const long steps_;
  const Session& session_;
  ProgressLine line_;
  KnownRates known_ = known_rates();
  std::string cores_share_;  ///< name of the share of the cores, once it has settled, among the known rates
  std::optional<Rates> rates_;
  std::vector<double> gpu_weights_;  ///< empty: alike
  asterism::fdtd::Division division_;
  std::unique_ptr<asterism::fdtd::Simulation> simulation_;
  std::unique_ptr<Balance> balance_;
  std::vector<double> earlier_probes_;  ///< until the state was last set
  std::optional<asterism::fdtd::FieldFiles> fields_;
  long corrected_at_ = 0;       ///< step at which the cut was last considered
  long next_correction_ = 0;    ///< and the next one
  double correction_time_ = 0;  ///< of the last one, on the clock of the run
  Clock::time_point begin_;
  long timed_from_ = 0;
  double writing_ = 0;
  double seconds_ = 0;
  double load_seconds_ = 0;
  double unload_seconds_ = 0;
  long timed_steps_ = 0;
  int corrections_ = 0;
  std::vector<std::string> written_;
};

}  // namespace asterism::apps::fdtd
