// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the plane wave, the same for CPUs and GPUs.
#pragma once

#include "codelets/fdtd/kernels/sources/plane_wave.hpp"

namespace asterism::fdtd {

/// A half-step of the line.
template <class T>
struct LineStep {
  Line line;
  T factor[3];
  T loss;   ///< at the end of the absorbing layer
  T depth;  ///< 1 / the number of places in that layer
};
template <class T>
LineStep<T> line_step(Field field, const Incident& incident) {
  const Line& line = incident.line;
  const Factors& f = field == Field::electric ? incident.e_factors : incident.h_factors;
  LineStep<T> step{line, {}, static_cast<T>(incident.loss), {}};
  for (int a = 0; a < 3; ++a) step.factor[a] = static_cast<T>(f.along[a]);
  step.depth = static_cast<T>(0.5 / (line.length - line.absorber));
  return step;
}

/// The new value of entry q of a component on the line.
template <Field field, class T>
ASTERISM_FDTD_ENTRY T advanced_on_line(const LineStep<T>& s, const T* values, int a, int q) {
  constexpr Field other = field == Field::electric ? Field::magnetic : Field::electric;
  const Line& line = s.line;
  const int b = (a + 1) % 3;
  const int c = (a + 2) % 3;
  const std::int32_t here = line.first(field, a) + 2 * q;
  T rotation =
      curl(s.factor[b], values[line.at(other, c, here + line.m[b])], values[line.at(other, c, here - line.m[b])],
           s.factor[c], values[line.at(other, b, here + line.m[c])], values[line.at(other, b, here - line.m[c])]);
  if (line.graded) rotation *= values[line.elements() + (here - line.origin)];
  const T old = values[line.at(field, a, here)];
  if (q < line.absorber) return advanced<field>(old, rotation);
  const T x = static_cast<T>(here - (line.origin + 2 * line.absorber)) * s.depth;
  const T loss = s.loss * x * x * x;
  return advanced<field>(old, rotation, (T{1} - loss) / (T{1} + loss), T{1} / (T{1} + loss));
}

/// Entries beside the two faces of the box across an axis, in a brick: lower and upper face, two components each.
template <class T>
struct Correction {
  Grid grid;
  Line line;
  std::int32_t origin[3];
  std::int32_t axis;
  std::int32_t component[4];
  Box entries[4];  ///< of the brick
  T factor[2];     ///< along the axis, at both faces
};

/// Is the entry of the wave that is short above the entries beside a face, along the axis? Below otherwise.
ASTERISM_HOST_DEVICE constexpr bool wave_above(Field field, int part) {
  return (field == Field::electric) == (part >= 2);
}

template <class T>
Correction<T> correction(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Box& cells,
                         const Incident& incident, int axis) {
  const bool electric = field == Field::electric;
  const Factors& f = electric ? incident.e_factors : incident.h_factors;
  const Box& planes = incident.total.planes;
  const std::int32_t lower[3] = {planes.x0, planes.y0, planes.z0};
  const std::int32_t upper[3] = {planes.x1, planes.y1, planes.z1};
  Correction<T> found{grid, incident.line, {origin[0], origin[1], origin[2]}, axis, {}, {}, {}};
  for (int face = 0; face < 2; ++face)
    found.factor[face] = static_cast<T>(f.along[axis] * incident.beside[electric ? 0 : 1][axis][face]);
  for (int part = 0; part < 4; ++part) {
    const int c = (axis + 1 + part % 2) % 3;
    found.component[part] = c;
    Box& box = found.entries[part];
    box = grid.entries(field, c, cells);
    std::int32_t* const begin[3] = {&box.x0, &box.y0, &box.z0};
    std::int32_t* const end[3] = {&box.x1, &box.y1, &box.z1};
    for (int a = 0; a < 3; ++a) {
      std::int32_t first = lower[a];
      std::int32_t last = upper[a] - (on_planes(field, c, a) ? 0 : 1);
      if (a == axis && part < 2) last = first = lower[a] - (electric ? 0 : 1);
      if (a == axis && part >= 2) last = first = upper[a];
      *begin[a] = std::max(*begin[a], first - origin[a]);
      *end[a] = std::min(*end[a], last + 1 - origin[a]);
    }
    if (!incident.total.faces[axis] || box.empty()) box = {};
  }
  return found;
}

/// An entry of the brick with the term of its curl that has the wave.
template <Field field, class T>
ASTERISM_FDTD_ENTRY T corrected(const Correction<T>& c, const T* line, int part, int i, int j, int k, T old) {
  constexpr Field other = field == Field::electric ? Field::magnetic : Field::electric;
  const int a = c.component[part];
  const bool above = wave_above(field, part);
  const std::int32_t here = c.line.place(field, a, c.origin[0] + i, c.origin[1] + j, c.origin[2] + k);
  const std::int32_t there = here + (above ? c.line.m[c.axis] : -c.line.m[c.axis]);
  const T term = c.factor[part / 2] * line[c.line.at(other, 3 - a - c.axis, there)];
  // the curl has the difference along the axis that follows its own with plus, the other one with minus
  return above == ((a + 1) % 3 == c.axis) ? old + term : old - term;
}

}  // namespace asterism::fdtd
