// SPDX-License-Identifier: Apache-2.0
// What the tasks of time-domain boundary elements do, written once for CPUs and GPUs: `Unit` has the kernels of one of
// them. Data come in the order of codelets.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/tdbem/codelets.hpp"
#include "codelets/tdbem/kernels/march/group_march.hpp"
#include "codelets/tdbem/kernels/march/windows.hpp"
#include "codelets/tdbem/kernels/waves/observe.hpp"

namespace asterism::tdbem::codelets::tasks {

/// Bytes of the tiles' descriptors before what GPUs leave in the scratch memory of a product.
template <class T>
constexpr std::size_t tile_bytes(std::int32_t tiles) {
  return (static_cast<std::size_t>(tiles) * sizeof(Tile<T>) + 255) / 256 * 256;
}

/// The scratch memory of a solution: the right-hand side comes first.
template <class T>
struct SolveScratch {
  T* workspace;
  double* partials;

  SolveScratch(T* memory, std::int32_t rows)
      : workspace(memory + padded(rows)),
        partials(reinterpret_cast<double*>(workspace + padded(static_cast<std::int32_t>(solve_workspace(rows))))) {}
  static constexpr std::size_t bytes(std::int32_t rows) {
    return static_cast<std::size_t>(padded(rows) + padded(static_cast<std::int32_t>(solve_workspace(rows)))) *
               sizeof(T) +
           static_cast<std::size_t>(most_partial_sums) * sizeof(double);
  }

 private:
  static constexpr std::int64_t padded(std::int32_t elements) { return (elements + 31) / 32 * 32; }
  /// Thread blocks of a GPU, six numbers each: far more than any has at once.
  static constexpr std::int64_t most_partial_sums = 6 * 8192;
};

/// Brings the data of a product to add(unit, arguments, blocks, windows, sums, scratch).
template <class Unit, class T, class Add>
void add_products(void** b, void* arguments, const Add& add) {
  const auto& a = as<ProductArgs>(arguments);
  Buffers buffers(b);
  std::array<const void*, most_blocks_at_once> blocks{};
  WindowsOfBlocks<T> windows;
  windows.tiles_of_each = a.place[0].tiles;
  for (std::int32_t k = 0; k < a.blocks; ++k) {
    blocks[static_cast<std::size_t>(k)] = buffers.take<const char>();
    const PartOfBlock& place = a.place[k];
    windows.of[k] = {buffers.take<const T>(), place.slice_begin, a.waves, place.slices * a.shape.stride, a.shape};
  }
  T* const partial = buffers.take<T>();
  const Unit unit;
  const std::int64_t line = static_cast<std::int64_t>(a.rows) * a.shape.group;
  if (a.clear) unit.zero(partial, a.waves * line);
  add(unit, a, blocks.data(), windows, Sums<T>{partial, a.row_begin, line}, [&] { return buffers.take<char>(); });
}

template <class Unit, class T>
void product(void** b, void* arguments) {
  add_products<Unit, T>(b, arguments, [](const Unit& unit, const auto&... of) { unit.product(of...); });
}

/// Full-Blocking: tile by tile, one wave after the other.
template <class Unit, class T>
void full_blocks_product(void** b, void* arguments) {
  add_products<Unit, T>(b, arguments,
                        [](const Unit& unit, const ProductArgs& a, const void* const* blocks,
                           const WindowsOfBlocks<T>& windows, const Sums<T>& sums, const auto& /*scratch*/) {
                          for (std::int32_t k = 0; k < a.blocks; ++k)
                            for (std::int32_t t = 0; t < a.place[k].tiles; ++t) {
                              const auto view = full_blocks_in<T>(
                                  blocks[k], a.full_blocks[k][a.place[k].first_tile + t], a.shape_of_full_blocks);
                              for (std::int32_t wave = 0; wave < a.waves; ++wave)
                                unit.full_blocks_product(view, of_wave(windows.of[k], wave), of_wave(sums, wave));
                            }
                        });
}

template <class Unit, class T>
void combine(void** b, void* arguments) {
  const auto& a = as<CombineArgs>(arguments);
  Buffers buffers(b);
  T* const totals = buffers.take<T>();
  std::array<PartialSums<T>, most_partials> partials;
  for (std::int32_t p = 0; p < a.partials; ++p)
    partials[static_cast<std::size_t>(p)] = {buffers.take<const T>(), a.rows[p].begin, a.rows[p].count,
                                             a.rows[p].arrangement,   a.rows[p].wave,  a.rows[p].first,
                                             a.rows[p].spacing};
  Unit{}.combine(a.shape, a.begun, partials.data(), a.partials, totals);
}

template <class Unit, class T>
void illuminate(void** b, void* arguments) {
  const auto& a = as<IlluminateArgs>(arguments);
  Buffers buffers(b);
  T* const incident = buffers.take<T>();
  SurfaceView surface;
  surface.vertex_count = a.vertices;
  surface.triangle_count = a.triangles;
  surface.vertices = buffers.take<const Point>();
  surface.triangles = buffers.take<const Triangle>();
  surface.normals = buffers.take<const Point>();
  surface.areas = buffers.take<const double>();
  surface.start = buffers.take<const std::int32_t>();
  surface.around = buffers.take<const std::int32_t>();
  Unit{}.illuminate(surface, a.incident, a.steps, a.row_begin, a.row_begin + a.rows, incident);
}

/// M^0 and what all solutions of a group work with.
template <class T>
struct SolveData {
  CsrView<T> m;
  const T* inverse;
  T* solutions;
  const T* other;
  SolveTally* tally;
  T* rhs;

  SolveData(const SolveArgs& a, Buffers& buffers) {
    m.rows = a.rows;
    m.start = buffers.take<const std::int32_t>();
    m.column = buffers.take<const std::int32_t>();
    m.value = buffers.take<const T>();
    inverse = buffers.take<const T>();
    solutions = buffers.take<T>();
    other = buffers.take<const T>();
    tally = buffers.take<SolveTally>();
    rhs = buffers.take<T>();
  }
};

/// M^0 a = s with the right-hand side that is there.
template <class Unit, class T>
void solve_step(const Unit& unit, const SolveArgs& a, const SolveData<T>& data) {
  T* const answer = data.solutions + (static_cast<std::int64_t>(a.wave) * a.group + a.g) * a.rows;
  unit.solve(a, data.m, data.inverse, guess_of<T>(a.rows, a.group, a.wave, a.g, data.solutions, data.other), data.rhs,
             answer, data.tally);
}

template <class Unit, class T>
void solve(void** b, void* arguments) {
  const auto& a = as<SolveArgs>(arguments);
  Buffers buffers(b);
  const SolveData<T> data(a, buffers);
  const Unit unit;
  T* part = data.rhs;
  std::int32_t row = 0;
  for (std::int32_t p = 0; p < a.parts; ++p) {
    const TotalsShape shape{row, a.part_rows[p], a.group, a.width, a.waves};
    const T* const totals = buffers.take<const T>() + static_cast<std::int64_t>(a.totals_wave) * shape.rows * a.width;
    const T* const incident = a.illuminated ? buffers.take<const T>() : nullptr;
    unit.right_hand_side(shape, a.totals_g, RightHandSide<T>{incident, totals, part});
    part += shape.rows;
    row += shape.rows;
  }
  solve_step(unit, a, data);
}

template <class T>
NearRowsView<T> near_rows_in(const char* bytes, const RadiateArgs& a) {
  return {a.row_begin,
          a.rows,
          a.lags,
          reinterpret_cast<const std::int64_t*>(bytes),
          reinterpret_cast<const std::int32_t*>(bytes + a.reached),
          reinterpret_cast<const std::int32_t*>(bytes + a.column),
          reinterpret_cast<const T*>(bytes + a.values)};
}

template <class Unit, class T>
void radiate_step(const Unit& unit, const RadiateArgs& a, const NearRowsView<T>& near, const T* solutions, T* totals) {
  const std::int64_t line = static_cast<std::int64_t>(a.rows) * (a.lags + 1);
  for (std::int32_t wave = 0; wave < a.waves; ++wave) {
    const T* const found = solutions + (static_cast<std::int64_t>(wave) * a.group + a.g0) * a.unknowns;
    unit.radiate(near, a.g0, Found<T>{found, 0}, Sums<T>{totals + wave * line, a.row_begin, line}, a.row_begin,
                 a.row_begin + a.rows);
  }
}

template <class Unit, class T>
void radiate(void** b, void* arguments) {
  const auto& a = as<RadiateArgs>(arguments);
  Buffers buffers(b);
  const auto* const bytes = buffers.take<const char>();
  const T* const solutions = buffers.take<const T>();
  radiate_step(Unit{}, a, near_rows_in<T>(bytes, a), solutions, buffers.take<T>());
}

template <class Unit, class T>
void march(void** b, void* arguments) {
  const auto& a = as<MarchArgs>(arguments);
  Buffers buffers(b);
  SolveArgs step = a.solve;
  const SolveData<T> data(step, buffers);
  T* const totals = buffers.take<T>();
  std::vector<const T*> incident(static_cast<std::size_t>(step.waves), nullptr);
  for (const T*& of_wave : incident)
    if (step.illuminated) of_wave = buffers.take<const T>();
  RadiateArgs radiated = a.radiate;
  const auto* const near = step.width > 1 ? buffers.take<const char>() : nullptr;
  const TotalsShape shape{0, step.rows, step.group, step.width, step.waves};
  const std::int64_t line = static_cast<std::int64_t>(step.rows) * step.width;
  const Unit unit;
  if constexpr (Unit::marches_at_once) {
    unit.march(step, data, shape, incident, near == nullptr ? NearRowsView<T>{} : near_rows_in<T>(near, radiated),
               totals);
    return;
  }
  for (step.g = 0; step.g < step.group; ++step.g, ++step.step) {
    for (step.wave = 0; step.wave < step.waves; ++step.wave) {
      unit.right_hand_side(shape, step.g,
                           RightHandSide<T>{incident[as_size(step.wave)], totals + step.wave * line, data.rhs});
      solve_step(unit, step, data);
    }
    radiated.g0 = step.g;
    if (step.g + 1 < step.width) radiate_step(unit, radiated, near_rows_in<T>(near, radiated), data.solutions, totals);
  }
}

template <class Unit, class T>
void move_on(void** b, void* arguments) {
  const auto& a = as<MoveOnArgs>(arguments);
  Buffers buffers(b);
  MovedBlocks<T> windows;
  windows.count = a.blocks;
  for (std::int32_t k = 0; k < a.blocks; ++k) {
    const auto [begin, slices] = a.slices[k];
    windows.of[k] = {buffers.take<T>(), begin, slices, a.waves, slices * a.shape.stride, a.shape};
  }
  const Done<T> done{buffers.take<const T>(), 0, a.unknowns, static_cast<std::int64_t>(a.shape.group) * a.unknowns};
  Unit{}.move_on(windows, done);
}

template <class Unit, class T>
void observe(void** b, void* arguments) {
  const auto& a = as<ObserveArgs>(arguments);
  Buffers buffers(b);
  ObserverView<T> observers;
  observers.observers = a.observers;
  observers.unknowns = a.slices;
  observers.start = buffers.take<const std::uint64_t>();
  observers.first = buffers.take<const std::int32_t>();
  observers.weight = buffers.take<const T>();
  const T* const window = buffers.take<const T>();
  T* const pressure = buffers.take<T>();
  const Unit unit;
  for (std::int32_t wave = 0; wave < a.waves; ++wave)
    unit.observe(observers,
                 HistoryView<T>{window + static_cast<std::int64_t>(wave) * a.slices * a.shape.stride, a.shape.stride,
                                a.shape.reach - a.shape.group},
                 a.shape.group, pressure + static_cast<std::int64_t>(wave) * a.observers * a.shape.group);
}

}  // namespace asterism::tdbem::codelets::tasks
