// SPDX-License-Identifier: Apache-2.0
// What the tasks of the finite-difference time-domain method do, written once for CPUs and GPUs: `Unit` has the kernels
// of one of them. Data come in the order of codelets.hpp.
#pragma once

#include <array>

#include "codelets/fdtd/advance.hpp"

namespace asterism::fdtd::codelets::tasks {

template <class Unit, class T>
void advance(void** b, void* arguments) {
  Advance<Unit, T>(b, as<AdvanceArgs>(arguments)).run();
}

template <class Unit, class T>
void clear(void** b, void* arguments) {
  const auto& a = as<ClearArgs>(arguments);
  Buffers buffers(b);
  for (int f = 0; f < 2; ++f) Unit().clear(a.grid.elements(), buffers.take<T>());
}

template <class Unit, class T>
void store(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  const T* const field = buffers.take<const T>();
  T* array = buffers.take<T>();
  for (const Layer& layer : layers_of(a.entries)) {
    Unit().pack(a.grid, layer, field, array);
    array += layer.elements();
  }
}

template <class Unit, class T>
void load(void** b, void* arguments) {
  const auto& a = as<CopyArgs>(arguments);
  Buffers buffers(b);
  T* const field = buffers.take<T>();
  const T* array = buffers.take<const T>();
  for (const Layer& layer : layers_of(a.entries)) {
    Unit().unpack(a.grid, layer, array, field);
    array += layer.elements();
  }
}

template <class Unit, class T>
void sum_components(const Unit& unit, Field field, const Grid& grid, const T* values, double* planes) {
  for (int c = 0; c < 3; ++c, planes += grid.n[0]) unit.sum(field, grid, c, values, planes);
}

template <class Unit, class T>
void sum(void** b, void* arguments) {
  const auto& a = as<SumArgs>(arguments);
  Buffers buffers(b);
  const T* const field = buffers.take<const T>();
  sum_components(Unit(), a.field, a.grid, field, buffers.take<double>());
}

template <class Unit, class T>
void domain(void** b, void* arguments) {
  const auto& a = as<DomainArgs>(arguments);
  const Grid& grid = a.advance.scheme.grid;
  const Unit unit;
  Buffers buffers(b);
  T* const field[2] = {buffers.take<T>(), buffers.take<T>()};
  if (a.begins_at_zero)
    for (T* const values : field) unit.clear(grid.elements(), values);
  Advance<Unit, T>(b, a.advance).run();
  if (a.advance.several_steps && a.advance.several_steps->scratch)
    for (int n = 0; n < 2; ++n) static_cast<void>(buffers.take<T>());
  if (a.ends_in_sums)
    sum_components(unit, Field::electric, grid, static_cast<const T*>(field[0]), buffers.take<double>());
}

template <class Unit, class T>
void energy(void** b, void* arguments) {
  const auto& a = as<EnergyArgs>(arguments);
  Buffers buffers(b);
  const T* const e = buffers.take<const T>();
  const T* const h = buffers.take<const T>();
  const std::array<Media<T>, 2> media = take_media<T>(a.scheme, buffers);
  Densities densities{a.density[0], a.density[1]};
  if (a.scheme.media[0]) densities.eps_r = buffers.take<const double>();
  if (a.scheme.media[1]) densities.mu_r = buffers.take<const double>();
  Unit().energy(a.scheme, media, densities, h, e, buffers.take<Energy>());
}

}  // namespace asterism::fdtd::codelets::tasks
