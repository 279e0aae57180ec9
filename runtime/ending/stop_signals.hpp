// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM, which batch systems send before the end of the time that was asked for. A run that makes steps
// finishes its step, writes the checkpoint that it was asked for and ends with status 128 and the signal's number; at
// any other moment, and at the second signal, the program removes its temporary files and ends at once.
#pragma once

#include <string>

#include "base/error.hpp"

namespace asterism {

/// A run that a signal stopped. Its exit status is 128 and the signal's number.
class Stopped : public Error {
 public:
  Stopped(int signal, const std::string& message) : Error(Kind::failed, message), signal_(signal) {}
  [[nodiscard]] int exit_status() const noexcept { return 128 + signal_; }

 private:
  int signal_;
};

/// Takes over both signals, unless the program ignores them (nohup).
void handle_stop_signals();
/// Whether this program does.
bool stop_signals_are_handled() noexcept;
/// Ends without a line at a signal that comes outside steps: the launcher of several ranks ends them because one
/// failed, which has said why.
void end_quietly_at_signals() noexcept;

/// While one lives, the first signal is noted only: whoever makes it asks stop_wanted() between two steps.
class StoppableSteps {
 public:
  StoppableSteps();
  ~StoppableSteps();
  StoppableSteps(const StoppableSteps&) = delete;
  StoppableSteps& operator=(const StoppableSteps&) = delete;
};

/// Whether a rank was asked to stop; always false in a simulation. Collective.
[[nodiscard]] bool stop_wanted();

/// Ends the run after a step, when tasks are done and the checkpoint is written: throws Stopped. `at`: "step
/// 120"; checkpoint: its file, empty when none was asked for. All ranks call it.
[[noreturn]] void stop(const std::string& at, const std::string& checkpoint);

/// What the first signal does, for a handler that has looked at it before.
void on_stop_signal(int signal) noexcept;

}  // namespace asterism
