// The task flow of a time step (section 3.3 of the thesis; the order is that of codelets/fdtd/kernels/kernels.hpp):
//   1. H of the planes that upper neighbours wait for, which is packed; before, E of planes n is put in place
//   2. H of the other cells, while those layers travel
//   3. E of the planes that lower neighbours wait for, which is packed; before, H of planes -1 is put in place
//   4. E of the other cells, while those layers travel
// CPUs, whose neighbours read what they need where it is, take 2 and most of 3 and 4 in one pass through memory.
// Over several ranks, a rank goes through its own bricks and those next to them, whose tasks are messages to it: 1
// and 3.
#include <starpu.h>

#include <algorithm>

#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/update/shape.hpp"
#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {
namespace {

using codelets::AdvanceArgs;
using codelets::Half;

// what neighbours wait for goes first
constexpr int priority_of_border = 2;
constexpr int priority_of_inner = 0;
/// Steps of a task whose brick has no neighbours: what a task costs is then little beside them.
constexpr long most_steps = 16;

constexpr int most_sources_on_gpus = cuda::most_steps_sources;

/// Cells of `all` around `inner`.
void add_around(const Box& all, const Box& inner, Half& half) {
  const auto add = [&](const Box& box) {
    if (!box.empty()) half.box[half.boxes++] = box;
  };
  if (inner.empty()) return add(all);
  add({all.x0, inner.x0, all.y0, all.y1, all.z0, all.z1});
  add({inner.x1, all.x1, all.y0, all.y1, all.z0, all.z1});
  add({inner.x0, inner.x1, all.y0, inner.y0, all.z0, all.z1});
  add({inner.x0, inner.x1, inner.y1, all.y1, all.z0, all.z1});
  add({inner.x0, inner.x1, inner.y0, inner.y1, all.z0, inner.z0});
  add({inner.x0, inner.x1, inner.y0, inner.y1, inner.z1, all.z1});
}

}  // namespace

void Simulation::advance(long steps) {
  for (long done = 0; done < steps;) {
    const long now = std::min(steps - done, alone_ ? most_steps : std::max<long>(overlap_, 1));
    const long taken = next_recording(now);
    starpu_iteration_push(static_cast<unsigned long>(time_));
    if (alone_)
      for (const std::size_t b : own_) submit_alone(*bricks_[b], static_cast<int>(taken));
    else if (overlap_ > 0)
      submit_round(static_cast<int>(taken));
    else
      advance_once();
    starpu_iteration_pop();
    recorded_[turn_] += taken;
    done += taken;
    time_ += taken;
  }
}

void Simulation::advance_once() {
  for (const std::size_t b : near_) submit_first(*bricks_[b], Field::magnetic);
  for (const std::size_t b : own_) {
    if (fuses(*bricks_[b]))
      submit_fused(*bricks_[b]);
    else
      submit_inner(*bricks_[b], Field::magnetic);
  }
  for (const std::size_t b : near_) {
    if (fuses(*bricks_[b]))
      submit_rest_of_e(*bricks_[b]);
    else
      submit_first(*bricks_[b], Field::electric);
  }
  for (const std::size_t b : own_)
    if (!fuses(*bricks_[b])) submit_inner(*bricks_[b], Field::electric);
}

/// Both fields in one pass: no kernel comes between them.
bool Simulation::fuses(const BrickData& brick) const {
  return brick.fusible && brick.extensions[0].empty() && brick.extensions[1].empty();
}

// border planes, and what neighbours need of them
void Simulation::submit_first(const BrickData& brick, Field field) {
  AdvanceArgs args = task_of(brick);
  const std::size_t f = number(field);
  Half& half = args.half[f];
  complete(brick, field, half);
  const bool everything = brick.inner[f].empty();
  if (everything && fuses(brick)) {
    args.fused = 1;
    args.fused_cells[0] = fusible(brick.scheme.grid);
    args.fused_cells[1] = brick.scheme.grid.cells();
  } else {
    for (const Box& box : brick.border[f])
      if (!box.empty()) half.box[half.boxes++] = box;
    half.begins = half.boxes > 0 ? 1 : 0;
  }
  add_sent(brick, field, half);
  submit_advance(brick, args, priority_of_border, everything && field == Field::electric);
}

// all other cells
void Simulation::submit_inner(const BrickData& brick, Field field) {
  const std::size_t f = number(field);
  if (brick.inner[f].empty()) return;
  AdvanceArgs args = task_of(brick);
  args.half[f].boxes = 1;
  args.half[f].box[0] = brick.inner[f];
  args.half[f].begins =
      std::all_of(brick.border[f].begin(), brick.border[f].end(), [](const Box& box) { return box.empty(); }) ? 1 : 0;
  submit_advance(brick, args, priority_of_inner, field == Field::electric);
}

// all other cells of H, and E wherever it needs no ghosts of H
void Simulation::submit_fused(const BrickData& brick) {
  if (brick.inner[1].empty()) return;
  AdvanceArgs args = task_of(brick);
  args.fused = 1;
  args.fused_cells[0] = fusible(brick.scheme.grid);
  args.fused_cells[1] = brick.inner[1];
  submit_advance(brick, args, priority_of_inner, false);
}

// E beside the faces, and what neighbours need of it
void Simulation::submit_rest_of_e(const BrickData& brick) {
  AdvanceArgs args = task_of(brick);
  Half& half = args.half[0];
  complete(brick, Field::electric, half);
  add_around(brick.scheme.grid.cells(), fusible(brick.scheme.grid), half);
  add_sent(brick, Field::electric, half);
  submit_advance(brick, args, priority_of_border, true);
}

// steps of overlapping strips, each with the planes that it has of its neighbours
void Simulation::submit_round(int steps) {
  for (const std::size_t b : near_)
    if (!bricks_[b]->here) submit_alone(*bricks_[b], steps);
  for (const std::size_t b : order_) submit_alone(*bricks_[b], steps);
  ++round_;
}

// whole steps of a brick without neighbours, or that need nothing of them
void Simulation::submit_alone(const BrickData& brick, int steps) {
  AdvanceArgs args = task_of(brick);
  const Grid& grid = brick.scheme.grid;
  args.steps = steps;
  complete(brick, Field::magnetic, args.half[1]);
  complete(brick, Field::electric, args.half[0]);
  args.overlap = overlap_of(brick, true, true);
  if (fuses(brick)) {
    args.fused = 1;
    args.fused_cells[0] = fusible(grid);
    args.fused_cells[1] = grid.cells();
    add_around(grid.cells(), fusible(grid), args.half[0]);
  } else {
    for (Half& half : args.half) {
      half.box[half.boxes++] = grid.cells();
      half.begins = 1;
    }
  }
  const bool extended = !brick.extensions[0].empty() || !brick.extensions[1].empty();
  if (closed(grid) && !extended && brick.probes.empty() &&
      (brick.fusible || brick.sources.size() <= most_sources_on_gpus)) {
    args.wave = steps_at_once(problem_.single_precision);
    args.scratch = scratch_[0] ? 1 : 0;
  }
  submit_advance(brick, args, priority_of_inner, true);
}

// what is needed of E, without a step: a state that was set
void Simulation::submit_exchange() {
  for (const std::size_t b : near_) {
    const BrickData& brick = *bricks_[b];
    AdvanceArgs args = task_of(brick);
    add_sent(brick, Field::electric, args.half[0]);
    args.overlap = overlap_of(brick, false, true);
    if (overlap_ > 0) args.steps = 0;
    if (args.half[0].sent > 0 || overlap_ > 0) submit_advance(brick, args, priority_of_border, false);
  }
  if (overlap_ > 0) ++round_;
}

// ghosts of E in place, as the next step would find them
void Simulation::submit_completion() {
  for (const std::size_t b : near_) {
    const BrickData& brick = *bricks_[b];
    AdvanceArgs args = task_of(brick);
    complete(brick, Field::magnetic, args.half[1]);
    args.overlap = overlap_of(brick, true, false);
    if (overlap_ > 0) args.steps = 0;
    if (args.half[1].received + args.half[1].wrapped > 0 || overlap_ > 0)
      submit_advance(brick, args, priority_of_border, false);
  }
}

codelets::Overlap Simulation::overlap_of(const BrickData& brick, bool receive, bool send) const {
  codelets::Overlap o;
  if (overlap_ == 0) return o;
  o.planes = overlap_;
  o.first = brick.first_plane();
  o.end = brick.end_plane();
  for (std::size_t side = 0; side < 2; ++side) {
    if (brick.overlap[side] == 0) continue;
    o.receive[side] = receive ? 1 : 0;
    o.send[side] = send ? 1 : 0;
  }
  return o;
}

/// What was sent in the round before comes from the neighbours.
void Simulation::add_overlap(const BrickData& brick, const codelets::Overlap& overlap,
                             std::vector<Access>& data) const {
  for (std::size_t side = 0; side < 2; ++side) {
    if (overlap.receive[side] == 0) continue;
    if (const BrickData* const from = bricks_[static_cast<std::size_t>(*brick.place.neighbour[side])].get())
      data.push_back({from->overlap_sent[(round_ + 1) % 2][1 - side], STARPU_R});
  }
  for (std::size_t side = 0; side < 2; ++side)
    if (overlap.send[side] != 0) data.push_back({brick.overlap_sent[round_ % 2][side], STARPU_W});
}

AdvanceArgs Simulation::task_of(const BrickData& brick) const {
  AdvanceArgs args;
  args.scheme = brick.scheme;
  args.step = time_;
  args.dt = problem_.dt;
  return args;
}

/// The first task of a half-step puts ghosts of the other field in place: H from below, E from above.
void Simulation::complete(const BrickData& brick, Field field, Half& half) const {
  half.complete = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (brick.connected[2 * axis + (field == Field::electric ? 0 : 1)])
      half.receive[half.received++] = static_cast<std::int32_t>(axis);
    if (brick.wrapped[axis]) half.wrap[half.wrapped++] = static_cast<std::int32_t>(axis);
  }
}

void Simulation::add_sent(const BrickData& brick, Field field, Half& half) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (brick.connected[2 * axis + (field == Field::electric ? 0 : 1)])
      half.send[half.sent++] = static_cast<std::int32_t>(axis);
}

std::vector<Access> Simulation::accesses(const BrickData& brick, starpu_data_access_mode e,
                                         starpu_data_access_mode h) const {
  std::vector<Access> data{{brick.field[0], e}, {brick.field[1], h}};
  for (std::size_t f = 0; f < 2; ++f) {
    if (brick.scheme.media[f] == 0) continue;
    data.push_back({brick.index[f], STARPU_R});
    data.push_back({brick.table[f], STARPU_R});
  }
  return data;
}

/// `last`: all entries are those of the new step, and probes look at them.
void Simulation::submit_advance(const BrickData& brick, AdvanceArgs& args, int priority, bool last) {
  const auto changes = [&](std::size_t f) {
    const Half& next = args.half[1 - f];  // puts ghosts of this field in place
    return args.half[f].boxes > 0 || args.fused != 0 || args.overlap.receive[0] + args.overlap.receive[1] > 0 ||
           (next.complete != 0 && (f == 1 || next.received + next.wrapped > 0));
  };
  std::vector<Access> data = accesses(brick, changes(0) ? STARPU_RW : STARPU_R, changes(1) ? STARPU_RW : STARPU_R);
  double operations = 0;
  const auto count = [&](Field field, const Box& box) {
    args.work.cells += box.cells() * args.steps;
    operations += args.steps * flops(field, brick.scheme.grid, box, brick.scheme.media[number(field)] != 0);
  };
  for (const Field field : {Field::electric, Field::magnetic}) {
    const std::size_t f = number(field);
    Half& half = args.half[f];
    for (std::int32_t n = 0; n < half.received; ++n) {
      const auto axis = static_cast<std::size_t>(half.receive[n]);
      const auto from = *brick.place.neighbour[2 * axis + (field == Field::electric ? 0 : 1)];
      if (const BrickData* const sender = bricks_[static_cast<std::size_t>(from)].get())  // else far from here
        data.push_back({sender->sent[1 - f][axis], STARPU_R});
    }
    for (std::int32_t n = 0; n < half.sent; ++n)
      data.push_back({brick.sent[f][static_cast<std::size_t>(half.send[n])], STARPU_W});
    for (std::int32_t b = 0; b < half.boxes; ++b) count(field, half.box[b]);
    if (args.fused != 0) count(field, args.fused_cells[f]);
    if (half.boxes == 0 || brick.extensions[f].empty()) continue;
    half.extensions = static_cast<std::int32_t>(brick.extensions[f].size());
    half.extension = brick.extensions[f].data();
    data.insert(data.end(), brick.extension_arrays[f].begin(), brick.extension_arrays[f].end());
  }
  add_overlap(brick, args.overlap, data);
  if (args.scratch != 0)
    for (const Handle& scratch : scratch_) data.push_back({scratch, STARPU_SCRATCH});
  if (args.half[0].boxes > 0 || args.fused != 0) {
    args.sources = static_cast<std::int32_t>(brick.sources.size());
    args.source = brick.sources.data();
  }
  args.ends = last ? 1 : 0;
  if (last && !brick.probes.empty()) {
    args.probes = static_cast<std::int32_t>(brick.probes.size());
    args.row = static_cast<std::int32_t>(recorded_[turn_]);
    data.push_back({brick.places, STARPU_R});
    data.push_back({brick.recordings[turn_].values, STARPU_RW});
  }
  args.work.variant = 4 * args.scheme.media[0] + 2 * args.fused + (args.half[0].boxes > 0 ? 1 : 0) +
                      (args.half[0].extensions + args.half[1].extensions > 0 ? 8 : 0) + (args.wave > 0 ? 16 : 0);
  submit(codelets_->advance, args, data,
         {.priority = priority,
          .flops = operations,
          .worker = std::max(brick.worker, -1),
          .rank = brick.place.rank.value_or(this_rank_runs)});
  if (brick.here) ++tasks_;
}

}  // namespace asterism::fdtd
