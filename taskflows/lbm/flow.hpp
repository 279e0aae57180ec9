// SPDX-License-Identifier: Apache-2.0
// The order of operations: time steps of the A-A pattern as tasks (Riesinger et al. 2017, section 4.3, Algorithm 1).
// Over several ranks, a rank goes through its own bricks and those next to them, whose tasks are messages to it.
#pragma once

#include "taskflows/lbm/bricks/bricks.hpp"

namespace asterism::lbm {

/// What neighbours wait for goes first.
enum Priority : int {
  priority_of_inner_cells = 0,
  priority_of_observers = 0,
  priority_of_state = 0,
  priority_of_border_cells = 2,
  priority_of_exchange = 3,
};

/// Even times are followed by alpha, odd ones by beta.
constexpr Half half_after(long time) {
  return time % 2 == 0 ? Half::alpha : Half::beta;
}

/// Submits tasks; nothing waits. Populations of all bricks have to be written before the first step.
class TaskFlow {
 public:
  explicit TaskFlow(Bricks& bricks) : bricks_(bricks) {}

  /// Time steps: after it, time is `steps` larger. A single brick takes several in one task.
  void advance(long steps);
  /// What the last half-step has left to do: arrays from neighbours, walls, solid cells. Observers need it, and the
  /// state on file. The force on solid cells of that step is measured.
  void complete();
  /// Measures the force of the last half-step, as complete() does, and leaves the rest to the next step.
  void measure_force();
  /// Begins at a time whose state the bricks hold, complete.
  void resume(long time);
  [[nodiscard]] long time() const { return time_; }

 private:
  void submit_step();
  void submit_border_update(BrickData& brick, Half half, int steps);
  void submit_inner_update(BrickData& brick, Half half, std::size_t phase);
  void submit_complete(BrickData& brick, bool measures_only);
  [[nodiscard]] codelets::Completion completion(const BrickData& brick, codelets::Completion::Part part) const;

  Bricks& bricks_;
  long time_ = 0;
  bool pending_ = false;  ///< the last half-step is not completed
};

}  // namespace asterism::lbm
