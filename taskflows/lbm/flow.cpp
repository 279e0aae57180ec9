// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/flow.hpp"

#include <starpu.h>

#include <algorithm>

#include "taskflows/lbm/exchange.hpp"

namespace asterism::lbm {
namespace {

using codelets::Completion;

/// Half-steps of a task whose brick has no other neighbours: what a task costs is then little beside them.
constexpr long most_steps = 10;

}  // namespace

void TaskFlow::advance(long steps) {
  for (long done = 0; done < steps;) {
    const long now = bricks_.axes.empty() ? std::min(steps - done, most_steps) : 1;
    starpu_iteration_push(static_cast<unsigned long>(time_));
    if (bricks_.axes.empty())
      for (BrickData* const brick : bricks_.near)
        submit_border_update(*brick, half_after(time_), static_cast<int>(now));
    else
      submit_step();
    starpu_iteration_pop();
    done += now;
    time_ += now;
    pending_ = true;
  }
}

// One time step. f*_i = f_i + Omega_i(f) + S_i is the population after collision. One copy of the populations serves:
//   alpha, after even times:  f_i(x) = slot i of x                          f*_i(x) -> slot opposite(i) of x
//   beta, after odd times:    f_i(x) = slot opposite(i) of x - c_i          f*_i(x) -> slot i of x + c_i
void TaskFlow::submit_step() {
  const Half half = half_after(time_);
  const std::vector<int>& axes = bricks_.axes;

  // border cells: f*_i(x) for all x that a neighbour needs something of
  for (BrickData* const brick : bricks_.near) submit_border_update(*brick, half, 1);

  // what crosses the borders of bricks travels along x, then y, then z; meanwhile inner cells: f*_i(x) for all other x
  for (std::size_t phase = 0; phase < axes.size(); ++phase) {
    for (BrickData* const brick : bricks_.near) submit_inner_update(*brick, half, phase);

    // edges: populations that came along this axis and leave along the next one
    if (phase + 1 < axes.size())
      for (BrickData* const brick : bricks_.near) submit_forward(bricks_, *brick, half, axes[phase], axes[phase + 1]);
  }
}

// completes the step before, updates border cells, packs for the neighbours along the first axis
void TaskFlow::submit_border_update(BrickData& brick, Half half, int steps) {
  codelets::AdvanceArgs args;
  args.brick = brick.descriptor;
  args.completion = completion(brick, Completion::Part::all);
  args.collision = brick.collision;
  args.half = half;
  args.steps = steps;
  for (const Box& box : brick.border) {
    args.box[args.boxes++] = box;
    args.work.cells += box.cells();
  }
  args.work.cells *= steps;
  std::vector<Access> data = brick.accesses(STARPU_RW);
  if (pending_) receive_last_phase(bricks_, brick, args.completion, data);
  if (!bricks_.axes.empty()) args.sent = send(brick, half, bricks_.axes.front(), args.send, data);
  submit(codelets::advance.of(bricks_.problem.precision), args, data, brick.options(priority_of_border_cells));
  if (brick.here) ++bricks_.tasks;
}

// the part of the inner cells that hides a phase of the exchange
void TaskFlow::submit_inner_update(BrickData& brick, Half half, std::size_t phase) {
  if (brick.inner.empty()) return;
  const Box& box = brick.inner[phase];
  if (box.cells() == 0) return;
  codelets::AdvanceArgs args;
  args.brick = brick.descriptor;
  args.completion = completion(brick, Completion::Part::velocity_walls);
  args.collision = brick.collision;
  args.half = half;
  args.boxes = 1;
  args.box[0] = box;
  args.work.cells = box.cells();
  const std::vector<Access> data = brick.accesses(STARPU_RW);
  submit(codelets::advance.of(bricks_.problem.precision), args, data, brick.options(priority_of_inner_cells));
  if (brick.here) ++bricks_.tasks;
}

void TaskFlow::complete() {
  if (!pending_) return;
  // F = sum over links of 2 c_j (f*_j - w_j), then f_opposite(j) = f*_j - 6 w_j c_j.u_w at walls and solid cells
  for (BrickData* const brick : bricks_.near) submit_complete(*brick, false);
  pending_ = false;
}

void TaskFlow::measure_force() {
  if (!pending_) return;
  for (BrickData* const brick : bricks_.near) submit_complete(*brick, true);
}

// the force on solid cells is known before they return what they were sent
void TaskFlow::submit_complete(BrickData& brick, bool measures_only) {
  codelets::CompleteArgs args;
  args.work.cells = brick.descriptor.layout.interior().cells();
  args.brick = brick.descriptor;
  args.completion = completion(brick, Completion::Part::all);
  args.measures_only = measures_only;
  std::vector<Access> data = brick.accesses(STARPU_RW);
  receive_last_phase(bricks_, brick, args.completion, data);
  if (bricks_.links > 0) {
    args.measure_force = true;
    args.origin = {brick.place.begin[0], brick.place.begin[1], brick.place.begin[2]};
    data.push_back({brick.force, STARPU_W});
  }
  submit(codelets::complete.of(bricks_.problem.precision), args, data, brick.options(priority_of_border_cells));
  if (brick.here) ++bricks_.tasks;
}

void TaskFlow::resume(long time) {
  time_ = time;
  pending_ = time % 2 != 0;
  if (pending_) submit_exchange(bricks_, half_after(time - 1));
}

// without what comes from neighbours: see receive_last_phase
Completion TaskFlow::completion(const BrickData& brick, Completion::Part part) const {
  Completion c;
  c.part = pending_ ? part : Completion::Part::nothing;
  c.last = half_after(time_ - 1);
  c.wraps = bricks_.wraps;
  for (const Wall& wall : brick.walls) c.wall[c.walls++] = wall;
  return c;
}

}  // namespace asterism::lbm
