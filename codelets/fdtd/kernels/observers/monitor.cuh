// SPDX-License-Identifier: Apache-2.0
// A thread per entry of a component of a monitor, z fastest, which takes all frequencies.
#pragma once

#include <algorithm>

#include "codelets/fdtd/kernels/observers/monitor.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int monitor_threads = 128;

/// Frequencies of a launch, as kernel parameters.
struct Phases {
  static constexpr int most = 32;
  std::int32_t count;
  double real[most];
  double imaginary[most];
};
inline Phases phases_from(const MonitorPart& part, int first, const std::complex<double>* phases) {
  Phases some{};
  some.count = std::min(part.frequencies - first, Phases::most);
  for (int f = 0; f < some.count; ++f) {
    some.real[f] = phases[first + f].real();
    some.imaginary[f] = phases[first + f].imag();
  }
  return some;
}

/// Thread blocks of each component, as many as that with the most entries needs.
inline std::uint32_t blocks_of_component(const MonitorPart& part) {
  std::int64_t most = 0;
  for (int m = 0; m < part.count; ++m) most = std::max(most, part.entries[m].cells());
  return static_cast<std::uint32_t>((most + monitor_threads - 1) / monitor_threads);
}

/// The components one after the other in blocks; `array` has all their frequencies, of which these are from `first` on.
template <class T>
__global__ void __launch_bounds__(monitor_threads)
    record_kernel(const __grid_constant__ MonitorPart part, std::uint32_t blocks, int first,
                  const __grid_constant__ Phases phases, const T* __restrict__ field, double* array) {
  const auto m = static_cast<int>(blockIdx.x / blocks);
  const Box& b = part.entries[m];
  const std::int64_t cells = b.cells();
  const std::int64_t number =
      static_cast<std::int64_t>(blockIdx.x - static_cast<std::uint32_t>(m) * blocks) * blockDim.x + threadIdx.x;
  if (number >= cells) return;
  for (int before = 0; before < m; ++before) array += 2 * part.frequencies * part.entries[before].cells();
  array += 2 * first * cells;
  const int nz = b.z1 - b.z0;
  const int ny = b.y1 - b.y0;
  const auto row = static_cast<int>(number / nz);
  const int k = b.z0 + static_cast<int>(number - static_cast<std::int64_t>(row) * nz);
  const auto u = static_cast<double>(field[part.grid.at(part.component[m], b.x0 + row / ny, b.y0 + row % ny, k)]);
  for (int f = 0; f < phases.count; ++f) {
    double* const re = array + 2 * f * cells + number;
    re[0] += phases.real[f] * u;
    re[cells] += phases.imaginary[f] * u;
  }
}

}  // namespace asterism::fdtd::cuda
