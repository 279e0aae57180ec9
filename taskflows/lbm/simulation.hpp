// SPDX-License-Identifier: Apache-2.0
// A lattice Boltzmann simulation: its data and their life. Which file holds which part:
//   problem, cases     what is computed
//   decomposition      the domain in bricks, their owners and neighbours
//   bricks/halo        which populations bricks send each other
//   bricks/bricks      the data: memory and StarPU's handles of each brick (obstacle: those of its solid cells)
//   flow               the order of operations of time steps
//   exchange           the tasks between bricks
//   initial, state     the state at time 0; the state to and from main memory (bricks/slabs: part by part)
//   observers          density and velocity, of single cells too (probe), sums over the domain, force and moment
//   forces             forces over time: coefficients, means, vortex shedding
//   checkpoint, fields files; geometry: bodies as solid cells
//   balance            how fast units are, for the share of the GPUs
//   verify, reference  judgement; an answer that shares no code
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/lbm/bricks/bricks.hpp"
#include "taskflows/lbm/flow.hpp"

namespace asterism::lbm {

/// A box of the domain.
using DomainBox = Box;

/// What the fluid does to solid cells.
struct ForceAndMoment {
  std::array<double, 3> force{};
  std::array<double, 3> moment{};
};

class Simulation {
 public:
  /// Bricks as decompose() gives them. `problem` is kept by reference. The state is not set.
  /// Over several ranks all make it, with the same bricks, and call the same functions in the same order; parts of the
  /// state and of the fields are those of this rank's bricks, sums are over the whole domain.
  Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Equilibrium at Problem::initial, time 0.
  void initialise();
  /// Submits time steps: after it, time is `steps` larger. Nothing waits. A single brick takes several in one task.
  void advance(long steps = 1) { flow_.advance(steps); }
  /// Submits the exchange that the last step leaves to the next one: after it all populations are in place.
  void complete() { flow_.complete(); }
  [[nodiscard]] long time() const { return flow_.time(); }

  /// A part of the state: nineteen slots of a box of the domain, slot by slot, x fastest, float or double.
  using Read = std::function<void(const DomainBox& box, void* slots)>;
  using Write = std::function<void(const DomainBox& box, const void* slots)>;
  /// Sets the state at a time, from parts that are asked for one after the other.
  void set(long time, const Read& read);
  /// Hands over the state, in parts that cover the domain, zeros in solid cells. Given to `set` in any decomposition,
  /// it continues with bit-identical results.
  void get(const Write& write);

  /// rho, u, v, w of parts of the domain at the present time, four arrays with x fastest, float or double.
  void observe(const Write& write);
  /// Density and velocity of single cells at the present time, in the order of `cells`. Blocking.
  std::vector<Flow> probe(const std::vector<std::array<int, 3>>& cells);
  /// Sums over the domain. Blocking.
  Totals totals();
  /// Submits the sums of the present time and returns those submitted before, none the first time. Waits for those
  /// only.
  std::optional<Totals> exchange_totals();
  /// Force on solid cells during the step to the present time, and its moment about a point, in cells. Bit-identical
  /// for every cut. Blocking.
  ForceAndMoment force_and_moment(const std::array<double, 3>& centre);
  std::array<double, 3> force() { return force_and_moment({}).force; }

  [[nodiscard]] std::int64_t fluid_cells() const { return bricks_.fluid_cells; }
  [[nodiscard]] std::int64_t tasks() const { return bricks_.tasks; }  ///< of this rank
  [[nodiscard]] std::size_t bricks() const { return bricks_.number.size(); }
  [[nodiscard]] std::int64_t links() const { return bricks_.links; }

 private:
  void submit_totals();
  [[nodiscard]] Totals sum_totals();

  Bricks bricks_;
  TaskFlow flow_{bricks_};
  bool totals_submitted_ = false;
  Handle scratch_;
};

/// Throws Error (failed) for a flow that has diverged, before `step`: sums that are not finite, and speeds beyond that
/// of sound. `remedies`: what may help.
void require_flow(
    const Totals& totals, long step,
    const std::string& remedies = "a smaller velocity, a larger tau, more cells, central moments, smagorinsky");

}  // namespace asterism::lbm
