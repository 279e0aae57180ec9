// SPDX-License-Identifier: Apache-2.0
// What the tasks of the lattice Boltzmann method do, written once for CPUs and GPUs: `Unit` has the kernels of one of
// them. Data come in the order of codelets.hpp.
#pragma once

#include "codelets/lbm/codelets.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"
#include "runtime/buffers.hpp"

namespace asterism::lbm::codelets::task_functions {

/// The solid cells of a brick, if it has any.
struct Obstacle {
  const std::uint8_t* solid = nullptr;
  Links links{};

  Obstacle(const BrickDescriptor& brick, Buffers& buffers) {
    if (!brick.obstacle) return;
    solid = buffers.take<const std::uint8_t>();
    for (int j = 0; j <= q; ++j) links.begin[j] = brick.link_begin[j];
    links.fluid = buffers.take<const std::int64_t>();
    links.solid = links.fluid + brick.link_begin[q];
    if (brick.interpolated) links.share = reinterpret_cast<const double*>(links.solid + brick.link_begin[q]);
  }
};

/// Puts in place what came from neighbours, and what solid cells return: all but the walls.
template <class Unit, class T>
void finish(const Unit& unit, const Completion& c, const Brick& brick, const Obstacle& obstacle,
            const T* const* received, T* f) {
  if (c.part != Completion::Part::all) return;
  unit.unpack(brick, c.received, c.receive, received, f);
  unit.wrap(c.last, brick, c.wraps, f);
  if (obstacle.solid != nullptr) unit.reflect(c.last, brick, obstacle.links, f);
}

template <class Unit, class T>
void advance(void** b, void* arguments) {
  const auto& a = as<AdvanceArgs>(arguments);
  const Unit unit;
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const Obstacle obstacle(a.brick, buffers);
  const T* received[2]{};
  T* sent[2]{};
  buffers.take(a.completion.received, received);
  buffers.take(a.sent, sent);
  Completion completion = a.completion;
  Half half = a.half;
  bool returned = false;  // some walls, within the half-step before
  for (std::int32_t step = 0; step < a.steps; ++step) {
    finish(unit, completion, a.brick.layout, obstacle, received, f);
    const std::int32_t walls = completion.part == Completion::Part::nothing ? 0 : completion.walls;
    if (completion.part == Completion::Part::all)
      unit.reflect_before_update(completion.last, a.brick.layout, walls, completion.wall, returned, f);
    returned = Unit::returns_at_once && step + 1 < a.steps;
    unit.update(half, a.brick.layout, a.boxes, a.box, a.collision, obstacle.solid, walls,
                returned ? completion.walls : 0, completion.wall, f);
    completion.part = Completion::Part::all;
    completion.received = 0;
    completion.last = half;
    half = other(half);
  }
  unit.pack(a.brick.layout, a.sent, a.send, f, sent);
}

template <class Unit, class T>
void forward(void** b, void* arguments) {
  const auto& a = as<ForwardArgs>(arguments);
  const Unit unit;
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const T* received[2]{};
  T* sent[2]{};
  buffers.take(a.received, received);
  buffers.take(a.sent, sent);
  unit.unpack(a.brick, a.received, a.receive, received, f);
  unit.pack(a.brick, a.sent, a.send, f, sent);
}

template <class Unit, class T>
void complete(void** b, void* arguments) {
  const auto& a = as<CompleteArgs>(arguments);
  const Unit unit;
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  const Obstacle obstacle(a.brick, buffers);
  const T* received[2]{};
  buffers.take(a.completion.received, received);
  Completion completion = a.completion;
  if (completion.part == Completion::Part::all) {  // interpolated links take populations of neighbours
    unit.unpack(a.brick.layout, completion.received, completion.receive, received, f);
    unit.wrap(completion.last, a.brick.layout, completion.wraps, f);
    completion.received = 0;
    completion.wraps = 0;
  }
  if (a.measure_force) {
    auto* const sums = buffers.take<ForceSums>();
    unit.clear(sums);
    if (obstacle.solid != nullptr) unit.force(completion.last, a.brick.layout, a.origin, obstacle.links, f, sums);
  }
  if (completion.part == Completion::Part::nothing || a.measures_only) return;
  finish(unit, completion, a.brick.layout, obstacle, received, f);
  unit.reflect(a.completion.last, a.brick.layout, a.completion.walls, a.completion.wall, f);
}

template <class Unit, class T>
void observe(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  const Obstacle obstacle(a.brick, buffers);
  Unit().observe(a.next, a.brick.layout, a.box, a.collision, obstacle.solid, f, buffers.take<Arithmetic<T>>());
}

template <class Unit, class T>
void total(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  const Obstacle obstacle(a.brick, buffers);
  auto* const totals = buffers.take<Totals>();
  Unit().total(a.next, a.brick.layout, a.box, a.collision, obstacle.solid, f, totals, buffers.take<void>());
}

template <class Unit, class T>
void store(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  const T* const f = buffers.take<const T>();
  Unit().store(a.brick, a.box, f, buffers.take<T>());
}

template <class Unit, class T>
void load(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  T* const f = buffers.take<T>();
  Unit().load(a.brick, a.box, a.fresh, buffers.take<const T>(), f);
}

}  // namespace asterism::lbm::codelets::task_functions
