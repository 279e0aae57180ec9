// SPDX-License-Identifier: Apache-2.0
// Where the wall clock of a program goes, from the start of its process on: at any moment it is in one phase.
#pragma once

#include "apps/common/report.hpp"

namespace asterism::apps {

enum class Phase {
  loading,       ///< the program, its libraries, its command line
  input,         ///< files read and checked, choices made
  measuring,     ///< units, bandwidths, durations
  runtime,       ///< StarPU starts
  set_up,        ///< data are made and distributed
  steps,         ///< or iterations, evaluations
  verification,  ///< against independent answers
  output,        ///< files and reports written
  shutdown,      ///< StarPU ends
};

/// From now on the program is in `phase`.
void enter(Phase phase);

/// The program is in a phase for as long as this lives, then again in the one before.
class InPhase {
 public:
  explicit InPhase(Phase phase);
  ~InPhase();
  InPhase(const InPhase&) = delete;
  InPhase& operator=(const InPhase&) = delete;

 private:
  Phase before_;
};

/// Adds a row with the energy that the machines of all ranks counted in the phase `steps` (runtime/energy_meter.hpp),
/// and `energy` to the record; nothing where they tell none, and on a simulated machine. Collective.
void report_energy(Report& report);

/// Adds a row with the seconds of each phase so far, and `wall_seconds` and `phases` to the record: their sum is the
/// time since the process started. Nothing on a simulated machine, where time is another.
void report_phases(Report& report);

}  // namespace asterism::apps
