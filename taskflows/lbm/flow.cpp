// The task flow of one time step (section 4.3 of the paper, Algorithm 1). Over several ranks, a rank goes through its
// own bricks and those next to them, whose tasks are messages to it.
#include <starpu.h>

#include <algorithm>

#include "codelets/lbm/kernels/costs.hpp"
#include "taskflows/lbm/simulation.hpp"
#include "taskflows/lbm/simulation_codelets.hpp"

namespace asterism::lbm {

namespace {
Half half_of(long time) {
  return time % 2 == 0 ? Half::alpha : Half::beta;
}
// what neighbours wait for goes first
constexpr int priority_of_shell = 2;
constexpr int priority_of_forwarding = 3;
constexpr int priority_of_core = 0;
/// Half-steps of a task whose brick has no neighbours: what a task costs is then little beside them.
constexpr long most_steps = 10;
}  // namespace

void Simulation::advance(long steps) {
  if (!axes_.empty()) {
    for (long t = 0; t < steps; ++t) advance_once();
    return;
  }
  for (long done = 0; done < steps;) {
    const long now = std::min(steps - done, most_steps);
    const Half half = half_of(time_);
    starpu_iteration_push(static_cast<unsigned long>(time_));
    for (BrickData* const brick : near_) submit_advance(*brick, half, static_cast<int>(now));
    starpu_iteration_pop();
    done += now;
    time_ += now;
    pending_ = true;
    last_ = half_of(time_ - 1);
  }
}

void Simulation::advance_once() {
  const Half half = half_of(time_);
  starpu_iteration_push(static_cast<unsigned long>(time_));
  // border cells first; then inner cells, while what neighbours need of the border travels: along x, then y, then z
  for (BrickData* const brick : near_) submit_advance(*brick, half, 1);
  for (std::size_t phase = 0; phase < axes_.size(); ++phase) {
    for (BrickData* const brick : near_) submit_core(*brick, half, phase);
    if (phase + 1 < axes_.size())
      for (BrickData* const brick : near_) submit_forward(*brick, half, axes_[phase], axes_[phase + 1]);
  }
  starpu_iteration_pop();
  pending_ = true;
  last_ = half;
  ++time_;
}

// completes the step before, advances the shell, packs for the neighbours along the first axis
void Simulation::submit_advance(BrickData& brick, Half half, int steps) {
  codelets::AdvanceArgs args;
  std::vector<Access> data = accesses(brick, STARPU_RW);
  args.place = brick.layout;
  args.completion = completion(brick, data);
  args.collision = problem_.collision;
  args.half = half;
  args.steps = steps;
  for (const Box& box : brick.shell) {
    args.box[args.boxes++] = box;
    args.work.cells += box.cells();
  }
  args.work.cells *= steps;
  if (!axes_.empty()) add_sent(brick, half, axes_.front(), args.sent, args.send, data);
  submit(codelets_->advance, args, data, options(brick, static_cast<double>(args.work.cells), priority_of_shell));
  if (brick.here) ++tasks_;
}

// the inner cells, or a part of them
void Simulation::submit_core(BrickData& brick, Half half, std::size_t part) {
  if (brick.core.empty()) return;
  const Box& box = brick.core[part];
  if (box.cells() == 0) return;
  codelets::AdvanceArgs args;
  const std::vector<Access> data = accesses(brick, STARPU_RW);
  args.place = brick.layout;
  args.completion = pending_walls(brick);
  args.completion.first = 0;
  args.collision = problem_.collision;
  args.half = half;
  args.boxes = 1;
  args.box[0] = box;
  args.work.cells = box.cells();
  submit(codelets_->advance, args, data, options(brick, static_cast<double>(args.work.cells), priority_of_core));
  if (brick.here) ++tasks_;
}

// what came along one axis is put in place, and what has to go on along the next is packed
void Simulation::submit_forward(BrickData& brick, Half half, int received_axis, int sent_axis) {
  codelets::ForwardArgs args;
  std::vector<Access> data{{brick.populations, STARPU_RW}};
  args.brick = brick.layout.brick;
  if (received_axis >= 0) add_received(brick, half, received_axis, args.received, args.receive, data);
  add_sent(brick, half, sent_axis, args.sent, args.send, data);
  for (std::int32_t k = 0; k < args.received; ++k) args.work.cells += args.receive[k].box.cells();
  submit(codelets_->forward, args, data, options(brick, 0, priority_of_forwarding));
  if (brick.here) ++tasks_;
}

// everything that the half-step sends, without the half-step: a state that was loaded
void Simulation::submit_exchange(Half half) {
  for (std::size_t phase = 0; phase < axes_.size(); ++phase)
    for (BrickData* const brick : near_) submit_forward(*brick, half, phase == 0 ? -1 : axes_[phase - 1], axes_[phase]);
  pending_ = true;
  last_ = half;
}

// the force on solid cells is known before they return what they were sent
void Simulation::complete() {
  if (!pending_) return;
  for (BrickData* const brick : near_) {
    codelets::CompleteArgs args;
    std::vector<Access> data = accesses(*brick, STARPU_RW);
    args.place = brick->layout;
    args.completion = completion(*brick, data);
    if (links_ > 0) {
      args.measure_force = 1;
      data.push_back({brick->force, STARPU_W});
    }
    args.work.cells = brick->layout.brick.interior().cells();
    submit(codelets_->complete, args, data, options(*brick, 0, priority_of_shell));
    if (brick->here) ++tasks_;
  }
  pending_ = false;
}

std::vector<Access> Simulation::accesses(const BrickData& brick, starpu_data_access_mode populations) const {
  std::vector<Access> data{{brick.populations, populations}};
  if (brick.layout.obstacle != 0) {
    data.push_back({brick.solid, STARPU_R});
    data.push_back({brick.links, STARPU_R});
  }
  return data;
}

codelets::Completion Simulation::pending_walls(const BrickData& brick) const {
  codelets::Completion c;
  c.pending = pending_ ? 1 : 0;
  c.last = last_;
  for (const Wall& wall : brick.walls) c.wall[c.walls++] = wall;
  return c;
}

codelets::Completion Simulation::completion(const BrickData& brick, std::vector<Access>& data) const {
  codelets::Completion c = pending_walls(brick);
  if (!pending_) return c;
  if (!axes_.empty()) add_received(brick, last_, axes_.back(), c.received, c.receive, data);
  return c;
}

void Simulation::add_received(const BrickData& brick, Half half, int axis, std::int32_t& count, Transfer* transfers,
                              std::vector<Access>& data) const {
  for (const int face : {2 * axis, 2 * axis + 1}) {
    const auto neighbour = brick.place.neighbour[static_cast<std::size_t>(face)];
    if (!neighbour) continue;
    transfers[count++] = incoming(half, brick.layout.brick, brick.connected, face);
    const BrickData* const from = bricks_[static_cast<std::size_t>(*neighbour)].get();
    if (from == nullptr) continue;  // far from here, as the brick's other neighbours
    data.push_back({from->sent[static_cast<std::size_t>(half)][static_cast<std::size_t>(face ^ 1)], STARPU_R});
  }
}

void Simulation::add_sent(const BrickData& brick, Half half, int axis, std::int32_t& count, Transfer* transfers,
                          std::vector<Access>& data) const {
  for (const int face : {2 * axis, 2 * axis + 1}) {
    if (!brick.place.neighbour[static_cast<std::size_t>(face)]) continue;
    transfers[count++] = outgoing(half, brick.layout.brick, brick.connected, face);
    data.push_back({brick.sent[static_cast<std::size_t>(half)][static_cast<std::size_t>(face)], STARPU_W});
  }
}

TaskOptions Simulation::options(const BrickData& brick, double cells, int priority) const {
  return {.priority = priority,
          .flops = cells * update_flops(problem_.collision),
          .worker = std::max(brick.worker, -1),
          .rank = brick.place.rank.value_or(this_rank_runs)};
}

}  // namespace asterism::lbm
