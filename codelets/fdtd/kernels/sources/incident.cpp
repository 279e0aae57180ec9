// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/sources/incident.hpp"

namespace asterism::fdtd {

bool reaches(const Incident& incident, const Grid& grid, const std::int32_t (&origin)[3]) {
  for (const Field field : {Field::electric, Field::magnetic})
    for (int axis = 0; axis < 3; ++axis)
      for (const Box& b : correction<double>(field, grid, origin, grid.cells(), incident, axis).entries)
        if (!b.empty()) return true;
  return false;
}

namespace cpu {
namespace {

template <Field field, class T>
void advance(const LineStep<T>& step, T* line) {
  const std::int32_t fixed = step.line.fixed(field);
  T* const to = line + (field == Field::electric ? 0 : 3) * static_cast<std::int64_t>(step.line.length);
  for (int a = 0; a < 3; ++a)
    for (std::int32_t q = fixed; q < step.line.length - fixed; ++q)
      to[static_cast<std::int64_t>(a) * step.line.length + q] = advanced_on_line<field>(step, line, a, q);
}

template <Field field, class T>
void correct_across(const Correction<T>& c, const T* line, T* to) {
  for (int part = 0; part < 4; ++part) {
    const Box& b = c.entries[part];
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j) {
        T* const row = to + c.grid.at(c.component[part], i, j, 0);
        for (int k = b.z0; k < b.z1; ++k) row[k] = corrected<field>(c, line, part, i, j, k, row[k]);
      }
  }
}

}  // namespace

template <class T>
void advance_line(Field field, const Incident& incident, const Given<T>& given, T* line) {
  const LineStep<T> step = line_step<T>(field, incident);
  if (field == Field::magnetic) {
    advance<Field::magnetic>(step, line);
    return;
  }
  advance<Field::electric>(step, line);
  for (int a = 0; a < 3; ++a)
    std::copy_n(given.value[a], step.line.fixed(field), line + static_cast<std::int64_t>(a) * step.line.length);
}

template <class T>
void correct(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Box& cells, const Incident& incident,
             const T* line, T* to) {
  for (int axis = 0; axis < 3; ++axis) {
    const Correction<T> c = correction<T>(field, grid, origin, cells, incident, axis);
    if (field == Field::electric)
      correct_across<Field::electric>(c, line, to);
    else
      correct_across<Field::magnetic>(c, line, to);
  }
}

template void advance_line(Field, const Incident&, const Given<double>&, double*);
template void advance_line(Field, const Incident&, const Given<float>&, float*);
template void correct(Field, const Grid&, const std::int32_t (&)[3], const Box&, const Incident&, const double*,
                      double*);
template void correct(Field, const Grid&, const std::int32_t (&)[3], const Box&, const Incident&, const float*, float*);

}  // namespace cpu
}  // namespace asterism::fdtd
