// SPDX-License-Identifier: Apache-2.0
// The files that a run of asterism-lbm writes, and the checkpoint from which it resumes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apps/lbm/averages.hpp"
#include "apps/lbm/forces.hpp"
#include "apps/lbm/probes.hpp"
#include "runtime/ranks/distributed_hdf5_series.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/fields/centre_lines.hpp"
#include "taskflows/lbm/fields/fields.hpp"
#include "taskflows/lbm/fields/slice.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

struct OutputOptions {
  std::string series;   ///< NAME.pvd or NAME.h5; empty: none
  long every = 0;       ///< steps between outputs; 0: at the end only
  std::string picture;  ///< PNG of a slice
  bool plain = false;   ///< its pixels alone
  asterism::lbm::Slice slice;
  std::string checkpoint;
  long checkpoint_every = 0;  ///< 0: at the end only
  std::string restart;        ///< checkpoint from which the run resumes
  ForceOptions forces;
  ProbeOptions probes;
  AverageOptions average;
  std::optional<long> average_from;  ///< first step of means; default: half of the steps
  std::string profiles;              ///< CSV of the velocity along the centre lines at the end
  bool charts = false;               ///< also a picture of each CSV
};

/// Throws Error (bad input) for names that cannot be written and unknown extensions.
void check(const OutputOptions& options);

class Output {
 public:
  /// `from`: the time at which the run begins; a series is continued from there.
  Output(const OutputOptions& options, const asterism::lbm::Case& flow, long from, long steps);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Takes the force and the values of probes if they are due. Waits for no more than they need.
  void sample(asterism::lbm::Simulation& simulation);
  /// Writes what is due at the simulation's time.
  void write(asterism::lbm::Simulation& simulation);
  /// The checkpoint, if one was asked for.
  void write_state(asterism::lbm::Simulation& simulation);
  [[nodiscard]] bool due(long time) const;
  /// The first time after `time` at which something is due, or the end.
  [[nodiscard]] long next_due(long time) const;
  /// A picture of each CSV, NAME.png beside NAME.csv, once they are complete; on the root.
  void draw_charts() const;
  /// Files that were written, for the summary.
  [[nodiscard]] std::vector<std::string> written() const;
  /// What the forces were, for the summary and the record.
  void describe(Report& report) const;
  /// How far the centre lines at the end are from published ones, if they were asked for and such a flow was published.
  [[nodiscard]] const std::optional<asterism::lbm::Deviation>& deviation() const { return deviation_; }

 private:
  [[nodiscard]] bool series_due(long time) const;
  [[nodiscard]] bool checkpoint_due(long time) const;
  template <class T>
  void write_fields(asterism::lbm::Simulation& simulation);
  template <class T>
  void write_distributed_fields(asterism::lbm::Simulation& simulation);
  [[nodiscard]] std::string picture_of(long time) const;
  /// The slice with its frame at a time.
  [[nodiscard]] asterism::lbm::Slice slice_of(long time) const;
  void write_profiles(const asterism::lbm::CentreLines& lines);
  void write_tables();

  const OutputOptions& options_;
  const asterism::lbm::Case& flow_;
  long from_;
  long steps_;
  std::optional<std::variant<asterism::lbm::VtkSeries, asterism::lbm::Hdf5Series>> series_;  ///< of one process
  std::optional<asterism::output::DistributedHdf5Series> distributed_series_;
  std::optional<Forces> forces_;
  std::optional<Probes> probes_;
  std::optional<Averages> averages_;
  std::optional<asterism::lbm::Deviation> deviation_;
};

}  // namespace asterism::apps::lbm
