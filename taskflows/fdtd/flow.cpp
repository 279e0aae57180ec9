// SPDX-License-Identifier: Apache-2.0
// The task flow of a time step (section 3.3 of the thesis), from E(n) and H(n - 1/2):
//   update_h   H(n + 1/2) = A H(n - 1/2) - B dt / mu0 rot E(n)
//   exchange   tangential H of the last plane to the upper neighbours
//   update_e   E(n + 1) = A E(n) + B dt / eps0 rot H(n + 1/2) - B dt / eps0 J(n + 1/2)
//   couple     E += what the changes of edges beside do, where surfaces cross the grid
//   exchange   tangential E of the first plane to the lower neighbours
//   record     monitors and probes
// with A and B of the medium of each entry (codelets/fdtd/kernels/media/materials.hpp). The cells beside neighbours are
// tasks of their own that go first, so that what neighbours need travels while the other cells are updated. CPUs, whose
// neighbours read what they need where it is, take update_h and most of update_e in one pass through memory.
// Over several ranks, a rank goes through its own bricks and those next to them, whose tasks are messages to it: those
// of the cells beside neighbours.
#include "taskflows/fdtd/flow.hpp"

#include <starpu.h>

#include <algorithm>

#include "runtime/ranks/direct/direct_messages.hpp"

namespace asterism::fdtd {
namespace {

constexpr Field E = Field::electric;
constexpr Field H = Field::magnetic;

/// Steps of a task whose brick has no neighbours: what a task costs is then little beside them.
constexpr long most_steps = 16;

bool all_empty(const std::vector<Box>& boxes) {
  return std::all_of(boxes.begin(), boxes.end(), [](const Box& box) { return box.empty(); });
}

}  // namespace

void Simulation::advance(long steps) {
  if (overlap_ > 0 && exchange_again_) submit_exchange();
  for (long done = 0; done < steps;) {
    const long now =
        std::min(steps - done, alone_ ? most_steps : std::max<long>(overlap_ / planes_of_step(problem_), 1));
    const long taken = next_recording(now);
    starpu_iteration_push(static_cast<unsigned long>(time_));
    if (alone_)
      for (const std::size_t b : own_) submit_whole_steps(*bricks_[b], static_cast<int>(taken));
    else if (overlap_ > 0)
      submit_round_of_strips(static_cast<int>(taken));
    else
      submit_step();
    starpu_iteration_pop();
    recorded_[turn_] += taken;
    done += taken;
    time_ += taken;
  }
}

void Simulation::submit_step() {
  for (const std::size_t b : near_) update_h_beside_neighbours(*bricks_[b]);
  for (const std::size_t b : own_) update_inner_h(*bricks_[b]);
  for (const std::size_t b : near_) update_e_beside_neighbours(*bricks_[b]);
  for (const std::size_t b : near_) couple_e(*bricks_[b]);
  for (const std::size_t b : own_) update_inner_e(*bricks_[b]);
}

bool Simulation::takes_both_fields(const BrickData& brick) const {
  return brick.fusible && !brick.hooked();
}

void Simulation::update_h_beside_neighbours(const BrickData& brick) {
  const Grid& grid = brick.scheme.grid;
  BrickTask task(*this, brick);
  // E(n) arrives from above; H(n + 1/2) = A H(n - 1/2) - B dt / mu0 rot E(n); H(n + 1/2) leaves upwards
  task.receive(E);
  if (takes_both_fields(brick) && brick.inner[number(H)].empty())
    task.update_both(grid.cells(), fusible(grid));
  else
    task.begin(H).update(H, brick.border[number(H)]);
  task.send(H).submit(Priority::border);
}

void Simulation::update_inner_h(const BrickData& brick) {
  const Box& cells = brick.inner[number(H)];
  if (cells.empty()) return;
  BrickTask task(*this, brick);
  // H(n + 1/2) = A H(n - 1/2) - B dt / mu0 rot E(n), with E(n + 1) wherever that needs no ghosts of H
  if (takes_both_fields(brick))
    task.update_both(cells, fusible(brick.scheme.grid));
  else
    task.update(H, cells);
  if (all_empty(brick.border[number(H)])) task.begin(H);
  task.submit(Priority::inner);
}

void Simulation::update_e_beside_neighbours(const BrickData& brick) {
  const Grid& grid = brick.scheme.grid;
  BrickTask task(*this, brick);
  // H(n + 1/2) arrives from below; E(n + 1) = A E(n) + B dt / eps0 (rot H(n + 1/2) - J); E(n + 1) leaves downwards
  task.receive(H);
  if (takes_both_fields(brick))
    task.update(E, without({grid.cells()}, fusible(grid)));
  else if (!brick.coupling.empty())
    return task.begin(E).update(E, grid.cells()).submit(Priority::border);
  else
    task.begin(E).update(E, brick.border[number(E)]);
  task.send(E);
  if (takes_both_fields(brick) || brick.inner[number(E)].empty()) task.complete();
  task.submit(Priority::border);
}

void Simulation::couple_e(const BrickData& brick) {
  if (brick.coupling.empty()) return;
  BrickTask task(*this, brick);
  // E(n + 1) += factors times what E(n + 1) - E(n) is of edges beside, once all bricks have it; it leaves downwards
  task.couple().send(E).complete().submit(Priority::border);
}

void Simulation::update_inner_e(const BrickData& brick) {
  const Box& cells = brick.inner[number(E)];
  if (takes_both_fields(brick) || cells.empty() || !brick.coupling.empty()) return;
  BrickTask task(*this, brick);
  // E(n + 1) = A E(n) + B dt / eps0 (rot H(n + 1/2) - J)
  task.update(E, cells);
  if (all_empty(brick.border[number(E)])) task.begin(E);
  task.complete().submit(Priority::inner);
}

void Simulation::submit_whole_steps(const BrickData& brick, int steps) {
  const Grid& grid = brick.scheme.grid;
  const Box without_ghosts = fusible(grid);
  BrickTask task(*this, brick);
  // as many times as there are steps: H(n + 1/2) = A H(n - 1/2) - B dt / mu0 rot E(n),
  //                                   E(n + 1) = A E(n) + B dt / eps0 (rot H(n + 1/2) - J)
  task.repeat(steps).receive_overlap().receive(E).receive(H);
  if (takes_both_fields(brick))
    task.update_both(grid.cells(), without_ghosts).update(E, without({grid.cells()}, without_ghosts));
  else
    task.begin(H).update(H, grid.cells()).begin(E).update(E, grid.cells());
  task.in_few_passes().couple().complete().send_overlap().submit(Priority::inner);
}

void Simulation::submit_round_of_strips(int steps) {
  for (const std::size_t b : near_)
    if (!bricks_[b]->here) submit_whole_steps(*bricks_[b], steps);
  for (const std::size_t b : order_) submit_whole_steps(*bricks_[b], steps);
  ++round_;
}

void Simulation::submit_exchange() {
  for (const std::size_t b : near_) {
    BrickTask task(*this, *bricks_[b]);
    // E(n) of a state that was set, to whom the next step needs it
    task.send(E).send_overlap();
    if (overlap_ > 0) task.repeat(0);
    if (task.exchanges()) task.submit(Priority::border);
  }
  if (overlap_ > 0) ++round_;
  exchange_again_ = false;
}

void Simulation::submit_first_exchange() {
  submit_exchange();
  if (overlap_ == 0 || !all_gpus_reach_each_other()) return;
  // rounds send from two sets of planes in turn: the second one, too, finds its place in the memory of other ranks now
  submit_completion();
  submit_exchange();
}

void Simulation::submit_completion() {
  for (const std::size_t b : near_) {
    BrickTask task(*this, *bricks_[b]);
    // ghosts of E(n) in place, as the next step would find them
    task.receive(E).receive_overlap();
    if (overlap_ > 0) task.repeat(0);
    if (task.exchanges()) task.submit(Priority::border);
  }
}

}  // namespace asterism::fdtd
