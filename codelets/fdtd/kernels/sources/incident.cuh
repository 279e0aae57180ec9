// SPDX-License-Identifier: Apache-2.0
// A thread per entry: of the line, component after component, and of the planes beside faces.
#pragma once

#include "codelets/fdtd/kernels/sources/incident.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int incident_threads = 128;

template <Field field, class T>
__global__ void __launch_bounds__(incident_threads)
    line_kernel(const __grid_constant__ LineStep<T> step, const __grid_constant__ Given<T> given, T* line) {
  const auto number = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  const std::int32_t length = step.line.length;
  if (number >= 3 * length) return;
  const int a = number / length;
  const std::int32_t q = number - a * length;
  const std::int32_t fixed = step.line.fixed(field);
  T* const to = line + (field == Field::electric ? 0 : 3) * static_cast<std::int64_t>(length);
  if (q >= fixed && q < length - fixed)
    to[number] = advanced_on_line<field>(step, line, a, q);
  else if (field == Field::electric && q < fixed)
    to[number] = given.value[a][q];
}

/// Entries of all parts of a correction.
template <class T>
std::uint32_t entries_of(const Correction<T>& c) {
  std::int64_t count = 0;
  for (const Box& b : c.entries) count += b.cells();
  return static_cast<std::uint32_t>(count);
}

template <Field field, class T>
__global__ void __launch_bounds__(incident_threads)
    correct_kernel(const __grid_constant__ Correction<T> c, const T* __restrict__ line, T* to) {
  std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int part = 0;
  while (part < 4 && number >= c.entries[part].cells()) number -= c.entries[part++].cells();
  if (part == 4) return;
  const Box& b = c.entries[part];
  const int nz = b.z1 - b.z0;
  const int ny = b.y1 - b.y0;
  const auto row = static_cast<int>(number / nz);
  const int i = b.x0 + row / ny;
  const int j = b.y0 + row % ny;
  const int k = b.z0 + static_cast<int>(number - static_cast<std::int64_t>(row) * nz);
  T* const entry = to + c.grid.at(c.component[part], i, j, k);
  *entry = corrected<field>(c, line, part, i, j, k, *entry);
}

}  // namespace asterism::fdtd::cuda
