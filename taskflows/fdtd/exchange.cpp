// SPDX-License-Identifier: Apache-2.0
// The exchange: what bricks send each other and who receives it, which of their cells go first because neighbours wait
// for them, and in which order bricks that overlap are advanced. Over several ranks a rank has, of the bricks next to
// its own, what they send to it.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <map>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "taskflows/fdtd/flow.hpp"

namespace asterism::fdtd {
namespace {

/// The same unit, or the same GPU.
bool next_to_each_other(int worker, int other) {
  if (worker == other) return true;
  return worker >= 0 && other >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER &&
         starpu_worker_get_memory_node(static_cast<unsigned>(worker)) ==
             starpu_worker_get_memory_node(static_cast<unsigned>(other));
}

/// Cells [first, end) along an axis and what is left of `rest`, which loses them.
Box take_from(Box& rest, int axis, bool upper, int thickness) {
  std::int32_t* const first[3] = {&rest.x0, &rest.y0, &rest.z0};
  std::int32_t* const end[3] = {&rest.x1, &rest.y1, &rest.z1};
  const std::int32_t cut =
      upper ? std::max(*first[axis], *end[axis] - thickness) : std::min(*end[axis], *first[axis] + thickness);
  Box taken = rest;
  std::int32_t* const taken_first[3] = {&taken.x0, &taken.y0, &taken.z0};
  std::int32_t* const taken_end[3] = {&taken.x1, &taken.y1, &taken.z1};
  (upper ? *taken_first[axis] : *taken_end[axis]) = cut;
  (upper ? *end[axis] : *first[axis]) = cut;
  return taken;
}

/// How many planes are advanced before the others: one, but whole lines of memory along z.
int border_thickness(const Grid& grid, int axis, bool upper, int element) {
  if (axis != 2) return 1;
  const int per_line = line_bytes / element;
  return upper ? (grid.n[2] - 1) % per_line + 1 : std::min(per_line, grid.n[2]);
}

/// The tag of messages of a datum that a brick sends.
std::int64_t tag_of(std::int64_t tags, std::size_t brick, std::size_t datum) {
  return tags + static_cast<std::int64_t>(brick) * messages_of_brick + static_cast<std::int64_t>(datum);
}

}  // namespace

void Simulation::build_halo(BrickData& brick, const Placement& placement) {
  const Grid& grid = brick.scheme.grid;
  bool hide = false;
  for (std::size_t f = 0; f < 6 && exchange_ == Exchange::hidden; ++f)
    hide = hide ||
           (brick.connected[f] &&
            (brick.worker < 0 || !next_to_each_other(placement[as_size(*brick.place.neighbour[f])], brick.worker)));
  // H goes up and E goes down: upper planes of H are wanted first, lower ones of E
  for (const Field field : {Field::electric, Field::magnetic}) {
    const std::size_t f = number(field);
    const bool upper = field == Field::magnetic;
    Box rest = grid.cells();
    for (int axis = 0; hide && axis < 3; ++axis)
      if (brick.connected[as_size(2 * axis + (upper ? 1 : 0))])
        brick.border[f].push_back(take_from(rest, axis, upper, border_thickness(grid, axis, upper, element_)));
    if (!hide) {
      brick.border[f] = {rest};
      rest = Box{};
    }
    brick.inner[f] = rest;
  }
}

void Simulation::build_sent(BrickData& brick, std::size_t number, const std::vector<BrickPlace>& bricks,
                            std::int64_t tags) {
  const Grid& grid = brick.scheme.grid;
  for (const Field field : {Field::electric, Field::magnetic}) {
    const std::size_t f = fdtd::number(field);
    const bool upper = field == Field::magnetic;
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t face = as_size(2 * axis + (upper ? 1 : 0));
      if (!brick.connected[face]) continue;
      const bool to_here = is_here(bricks[as_size(*brick.place.neighbour[face])]);
      if (!brick.here && !to_here) continue;
      const auto bytes = static_cast<std::size_t>(outgoing(grid, field, axis).elements()) * as_size(element_);
      brick.sent_memory[f][as_size(axis)] = HostBuffer<char>::of_tasks(bytes);
      Handle sent = Handle::temporary(brick.sent_memory[f][as_size(axis)].data(), bytes, 1,
                                      fmt::format("{} along {}", upper ? "H" : "E", "xyz"[axis]));
      if (!brick.here || !to_here)
        sent = std::move(sent).shared(*brick.place.rank, tag_of(tags, number, 3 * f + as_size(axis)));
      brick.sent[f][as_size(axis)] = std::move(sent);
    }
  }
}

Layers Simulation::layers_of(const BrickData& brick) const {
  const std::array<int, 3> o = brick.origin();
  return fdtd::layers_of(problem_.cpml, brick.scheme.grid, {o[0], o[1], o[2]},
                         {problem_.cells[0], problem_.cells[1], problem_.cells[2]});
}

void Simulation::build_overlap(BrickData& brick, std::size_t number, const std::vector<BrickPlace>& bricks,
                               std::int64_t tags) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (brick.overlap[side] == 0) continue;
    const bool to_here = is_here(bricks[as_size(*brick.place.neighbour[side])]);
    if (!brick.here && !to_here) continue;
    const Grid& grid = brick.scheme.grid;
    const int first = side == 0 ? brick.first_plane() : brick.end_plane() - overlap_;
    const auto poles_in = [&](std::int32_t from, std::int32_t end) {
      const std::vector<Planes> runs = planes_with_poles(poles_, grid, brick.origins());
      return state_elements(poles_of_strip(poles_, runs), runs, from, end);
    };
    const std::int64_t numbers = 6 * grid.planes(first, first + overlap_).cells() +
                                 2 * psi_elements(layers_of(brick), first, first + overlap_) +
                                 poles_in(first, first + overlap_);
    const std::size_t bytes = static_cast<std::size_t>(numbers) * as_size(element_);
    for (std::size_t parity = 0; parity < 2; ++parity) {
      brick.overlap_memory[parity][side] = HostBuffer<char>::of_tasks(bytes);
      Handle sent = Handle::temporary(brick.overlap_memory[parity][side].data(), bytes / as_size(element_),
                                      as_size(element_), side == 0 ? "overlap downwards" : "overlap upwards");
      if (!brick.here || !to_here)
        sent = std::move(sent).shared(*brick.place.rank, tag_of(tags, number, 2 * parity + side));
      brick.overlap_sent[parity][side] = std::move(sent);
    }
  }
}

namespace {

/// The face through which layers of a field arrive from a neighbour along an axis, and through which they leave, are
/// opposite ones: H goes up and E goes down.
std::size_t leaving_face(Field field, std::size_t axis) {
  return 2 * axis + (field == Field::magnetic ? 1 : 0);
}
std::size_t arriving_face(Field field, std::size_t axis) {
  return 2 * axis + (field == Field::magnetic ? 0 : 1);
}

constexpr Field other(Field field) {
  return field == Field::electric ? Field::magnetic : Field::electric;
}

}  // namespace

Simulation::BrickTask& Simulation::BrickTask::receive(Field field) {
  codelets::HalfStep& next = half(other(field));  // takes the curl of the field
  next.ghosts = codelets::Ghosts::put_in_place;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (brick_.connected[arriving_face(field, axis)]) next.received.push_back(static_cast<std::int32_t>(axis));
    if (brick_.wrapped[axis]) next.wrapped.push_back(static_cast<std::int32_t>(axis));
  }
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::send(Field field) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (brick_.connected[leaving_face(field, axis)]) half(field).sent.push_back(static_cast<std::int32_t>(axis));
  return *this;
}

void Simulation::BrickTask::describe_overlap() {
  if (simulation_.overlap_ == 0) return;
  args_.overlap.planes = simulation_.overlap_;
  args_.overlap.first = brick_.first_plane();
  args_.overlap.end = brick_.end_plane();
}

Simulation::BrickTask& Simulation::BrickTask::receive_overlap() {
  describe_overlap();
  for (std::size_t side = 0; side < 2; ++side) args_.overlap.receives[side] = brick_.overlap[side] > 0;
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::send_overlap() {
  describe_overlap();
  for (std::size_t side = 0; side < 2; ++side) args_.overlap.sends[side] = brick_.overlap[side] > 0;
  return *this;
}

/// Layers that the half-step of `field` receives, those of the other field, and layers that it sends.
void Simulation::BrickTask::add_exchanged(Field field, std::vector<Access>& data) const {
  const codelets::HalfStep& step = args_.half[number(field)];
  for (const std::int32_t along : step.received) {
    const auto axis = static_cast<std::size_t>(along);
    const auto from = static_cast<std::size_t>(*brick_.place.neighbour[arriving_face(other(field), axis)]);
    if (const BrickData* const sender = simulation_.bricks_[from].get())  // else far from here
      data.push_back({sender->sent[number(other(field))][axis], STARPU_R});
  }
  for (const std::int32_t axis : step.sent)
    data.push_back({brick_.sent[number(field)][static_cast<std::size_t>(axis)], STARPU_W});
}

/// What was sent in the round before comes from the neighbours.
void Simulation::BrickTask::add_overlap(std::vector<Access>& data) const {
  for (std::size_t side = 0; side < 2; ++side) {
    if (!args_.overlap.receives[side]) continue;
    const auto from = static_cast<std::size_t>(*brick_.place.neighbour[side]);
    if (const BrickData* const sender = simulation_.bricks_[from].get())
      data.push_back({sender->overlap_sent[(simulation_.round_ + 1) % 2][1 - side], STARPU_R});
  }
  for (std::size_t side = 0; side < 2; ++side)
    if (args_.overlap.sends[side]) data.push_back({brick_.overlap_sent[simulation_.round_ % 2][side], STARPU_W});
}

/// Bricks beside other units first: what they send travels while the others are advanced.
void Simulation::build_order(const Placement& placement) {
  const auto waits = [&](std::size_t b) {
    const auto& neighbours = bricks_[b]->place.neighbour;
    return std::any_of(neighbours.begin(), neighbours.end(),
                       [&](const auto& n) { return n && !next_to_each_other(placement[as_size(*n)], placement[b]); });
  };
  order_ = own_;
  std::stable_partition(order_.begin(), order_.end(), waits);
  const auto lines = [&](const BrickData& brick) {  // of a field with its psi
    const std::int64_t numbers = brick.scheme.grid.elements() + layers_of(brick).elements();
    return (static_cast<std::size_t>(numbers) * as_size(element_) + line_bytes - 1) / line_bytes;
  };
  std::size_t largest = 0;
  for (const std::size_t b : own_)
    if (!is_cpu(bricks_[b]->worker)) largest = std::max(largest, lines(*bricks_[b]));
  if (largest == 0 || problem_.mesh.graded()) return;  // whose kernels of GPUs take one step
  // fields that leave no room for them are advanced in two passes
  std::map<unsigned, std::size_t> needed;  // lines by memory node
  for (const std::size_t b : own_)
    if (bricks_[b]->worker >= 0 && !is_cpu(bricks_[b]->worker))
      needed[starpu_worker_get_memory_node(static_cast<unsigned>(bricks_[b]->worker))] += 2 * lines(*bricks_[b]);
  for (const auto& [node, fields] : needed) {
    const starpu_ssize_t memory = starpu_memory_get_total(node);
    if (memory >= 0 && (fields + 2 * largest) * line_bytes > static_cast<std::size_t>(memory)) return;
  }
  for (Handle& scratch : scratch_) scratch = Handle::vector(nullptr, largest, line_bytes, "scratch");
}

}  // namespace asterism::fdtd
