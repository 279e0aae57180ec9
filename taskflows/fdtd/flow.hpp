// SPDX-License-Identifier: Apache-2.0
// The order of operations: priorities, and the parts of a time step from which flow.cpp composes its tasks. A task may
// have several parts, so that a brick goes through memory as seldom as possible; the names are those of the
// mathematics, whatever goes together.
#pragma once

#include <span>

#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {

/// What neighbours wait for goes first.
enum class Priority : int { inner = 0, border = 2 };

/// A task of a brick: a description of its parts (codelets/fdtd/steps.hpp), and the data that they need. Parts are done
/// in the order of a time step, whatever the order of the calls.
class Simulation::BrickTask {
 public:
  BrickTask(Simulation& simulation, const BrickData& brick);

  /// Ghosts of a field, before its curl is taken: E of plane n from the upper neighbours, H of plane -1 from the lower
  /// ones, and images behind magnetic conductors.
  BrickTask& receive(Field field);
  /// The boxes are the first ones of the half-step of `field`.
  BrickTask& begin(Field field);
  /// H = A H - B dt / mu0 rot E, or E = A E + B dt / eps0 rot H less what currents take, with hooks, in these cells.
  BrickTask& update(Field field, std::span<const Box> boxes);
  BrickTask& update(Field field, const Box& cells) { return update(field, std::span(&cells, 1)); }
  /// H of some cells and E of others, which need no ghosts of H, in one pass through memory.
  BrickTask& update_both(const Box& h_cells, const Box& e_cells);
  /// The changes of coupled edges in this brick and around it are added to E, where there are some.
  BrickTask& couple();
  /// Layers of a field for neighbours: H goes up, E goes down.
  BrickTask& send(Field field);

  /// All of this so many times; 0: the exchange alone.
  BrickTask& repeat(int steps);
  /// Several of these steps in one pass through memory, where nothing comes between them.
  BrickTask& in_few_passes();
  /// Planes that strips have of their neighbours, before the steps, and those that neighbours have of them, after.
  BrickTask& receive_overlap();
  BrickTask& send_overlap();

  /// All entries are those of the new step: monitors and probes look at them.
  BrickTask& complete();

  /// Does it receive or send anything, or put its own ghosts in place?
  [[nodiscard]] bool exchanges() const;
  void submit(Priority priority);

 private:
  [[nodiscard]] const BesidePasses& beside_passes() const;
  template <class T>
  static Box media_of(const BrickData& brick);
  codelets::HalfStep& half(Field field) { return args_.half[number(field)]; }
  void describe_overlap();
  void add_exchanged(Field field, std::vector<Access>& data) const;
  void add_hooks(Field field, std::vector<Access>& data);
  void add_coupling(std::vector<Access>& data) const;
  void add_overlap(std::vector<Access>& data) const;
  void add_recording(std::vector<Access>& data);
  void describe_work();

  Simulation& simulation_;
  const BrickData& brick_;
  codelets::AdvanceArgs args_;
};

}  // namespace asterism::fdtd
