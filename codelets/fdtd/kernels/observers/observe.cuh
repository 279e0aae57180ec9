// SPDX-License-Identifier: Apache-2.0
// A thread block per plane of cells, a lane per thread: sums.hpp.
#pragma once

#include "codelets/fdtd/kernels/observers/sums.hpp"

namespace asterism::fdtd::cuda {

/// value(i, j, k) of the entries that this thread's lane has.
template <class Value>
inline __device__ double sum_of_lane(const Box& b, double sum, const Value& value) {
  const std::int64_t count = b.cells();
  const int ny = b.y1 - b.y0;
  const int nz = b.z1 - b.z0;
  for (std::int64_t m = threadIdx.x; m < count; m += lanes) {
    const auto row = static_cast<int>(m / nz);
    sum += value(b.x0 + row / ny, b.y0 + row % ny, b.z0 + static_cast<int>(m - static_cast<std::int64_t>(row) * nz));
  }
  return sum;
}

/// In thread 0.
inline __device__ double sum_of_block(double mine) {
  __shared__ double lane[lanes];
  const auto thread = static_cast<int>(threadIdx.x);
  __syncthreads();  // as it is called twice
  lane[thread] = mine;
  for (int half = lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) lane[thread] += lane[thread + half];
  }
  return lane[thread];
}

template <class T>
__global__ void __launch_bounds__(lanes)
    sum_kernel(const __grid_constant__ Grid grid, const __grid_constant__ Box cells, Field field, int component,
               const T* __restrict__ values, double* planes) {
  const Box b = grid.entries(field, component, plane_of(cells, cells.x0 + static_cast<int>(blockIdx.x)));
  const double mine =
      sum_of_lane(b, 0, [&](int i, int j, int k) { return static_cast<double>(values[grid.at(component, i, j, k)]); });
  const double sum = sum_of_block(mine);
  if (threadIdx.x == 0) planes[blockIdx.x] = sum;
}

template <Field field, class T>
inline __device__ double energy_of_lane(const Energetic<T>& of, const Box& plane, double density) {
  double mine = 0;
  for (int c = 0; c < 3; ++c)
    mine = sum_of_lane(of.grid.entries(field, c, plane), mine, [&](int i, int j, int k) {
      return energy_of<field>(of, c, i, j, k, density * share<field>(of, c, 0, i) * share<field>(of, c, 1, j));
    });
  return mine;
}

template <class T>
__global__ void __launch_bounds__(lanes)
    energy_kernel(const __grid_constant__ Energetic<T> of, const __grid_constant__ Box cells, Energy* planes) {
  const Box plane = plane_of(cells, cells.x0 + static_cast<int>(blockIdx.x));
  const double electric = sum_of_block(energy_of_lane<Field::electric>(of, plane, of.densities.electric));
  const double magnetic = sum_of_block(energy_of_lane<Field::magnetic>(of, plane, of.densities.magnetic));
  if (threadIdx.x == 0) planes[blockIdx.x] = {electric, magnetic};
}

}  // namespace asterism::fdtd::cuda
