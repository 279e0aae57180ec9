// SPDX-License-Identifier: Apache-2.0
// A thread block per leaf. M is the matrix product of X_a Y_b q, rows x particles, and Z_c, particles x l, by tensor
// cores; the polynomials of 64 particles at a time are in shared memory.
#include "codelets/fmm/kernels/far/device.cuh"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"

namespace asterism::fmm::cuda {
namespace {

constexpr int p2m_threads = 128;
constexpr int p2m_warps = p2m_threads / 32;
constexpr int chunk = 64;         ///< particles
constexpr int pitch = chunk + 4;  ///< four rows of four particles each are in different banks

/// T: tiles of 8 rows per warp; C: tiles of 8 degrees c.
template <int T, int C>
__global__ void __launch_bounds__(p2m_threads) p2m_kernel(const BasisView basis, const Grid grid, const LeafView leaves,
                                                          const SourceView particles, double* __restrict__ multipoles) {
  const int l = basis.order;
  double* x = device::shared_memory();  // l x pitch, times the charge
  double* y = x + l * pitch;            // l x pitch
  double* z = y + l * pitch;            // 8 C x pitch
  const int leaf = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int p = thread % 32 / 4;
  const int q = thread % 4;
  const int begin = leaves.begin[leaf];
  const int end = leaves.begin[leaf + 1];
  const CellIndex cell = leaves.index[leaf];
  const double scale = 2 / grid.width;

  int row_x[T];
  int row_y[T];
  double sums[T][C][2] = {};
#pragma unroll
  for (int t = 0; t < T; ++t) {
    const int row = (t * p2m_warps + warp) * 8 + p;
    row_x[t] = row < basis.rows ? basis.row_a[row] * pitch : 0;
    row_y[t] = row < basis.rows ? basis.row_b[row] * pitch : 0;
  }
  for (int i = thread; i < (8 * C - l) * pitch; i += p2m_threads) z[l * pitch + i] = 0;

  for (int first = begin; first < end; first += chunk) {
    __syncthreads();
    for (int i = thread; i < 3 * chunk; i += p2m_threads) {
      const int axis = i / chunk;
      const int j = i % chunk;
      const bool real = first + j < end;
      const double* coordinate = axis == 0 ? particles.x : axis == 1 ? particles.y : particles.z;
      const double origin = axis == 0   ? grid.x + cell.x * grid.width
                            : axis == 1 ? grid.y + cell.y * grid.width
                                        : grid.z + cell.z * grid.width;
      double* out = (axis == 0 ? x : axis == 1 ? y : z) + j;
      const double position = real ? (coordinate[first + j] - origin) * scale - 1.0 : 0.0;
      const double factor = axis > 0 ? 1.0 : real ? particles.q[first + j] : 0.0;
      double before = factor;
      double now = factor * position;
      out[0] = before;
      if (l > 1) out[pitch] = now;
      for (int a = 2; a < l; ++a) {
        const double next = 2 * position * now - before;
        before = now;
        now = next;
        out[a * pitch] = next;
      }
    }
    __syncthreads();
    const int count = end - first < chunk ? end - first : chunk;
    for (int j = q; j < count + q; j += 4) {  // the same number of turns for all lanes; beyond the end, q = 0
      double b[C];
#pragma unroll
      for (int c = 0; c < C; ++c) b[c] = z[(c * 8 + p) * pitch + j];
#pragma unroll
      for (int t = 0; t < T; ++t) {
        const double a = x[row_x[t] + j] * y[row_y[t] + j];
#pragma unroll
        for (int c = 0; c < C; ++c) device::multiply_add_8(sums[t][c], a, b[c]);
      }
    }
  }

  double* out = multipoles + static_cast<std::int64_t>(leaf) * basis.stride;
#pragma unroll
  for (int t = 0; t < T; ++t) {
    const int row = (t * p2m_warps + warp) * 8 + p;
    if (row >= basis.rows) continue;
    const int first = basis.row_begin[row];
    const int count = basis.row_begin[row + 1] - first;
#pragma unroll
    for (int c = 0; c < C; ++c)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int degree = c * 8 + 2 * q + i;
        if (degree < count) out[first + degree] = sums[t][c][i];
      }
  }
  for (int i = basis.size + thread; i < basis.stride; i += p2m_threads) out[i] = 0;
}

template <int T>
void start(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
           double* multipoles, cudaStream_t stream) {
  const int tiles = basis.order > 8 ? 2 : 1;
  const auto bytes = static_cast<std::size_t>((2 * basis.order + 8 * tiles) * pitch) * sizeof(double);
  device::launch(tiles == 1 ? p2m_kernel<T, 1> : p2m_kernel<T, 2>, dim3(static_cast<unsigned>(leaves.cells)),
                 p2m_threads, bytes, stream, 1, basis, grid, leaves, particles, multipoles);
}

}  // namespace

void p2m(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         double* multipoles, cudaStream_t stream) {
  if (leaves.cells == 0) return;
  const int tiles = (basis.rows + 8 * p2m_warps - 1) / (8 * p2m_warps);
  if (tiles <= 1)
    start<1>(basis, grid, leaves, particles, multipoles, stream);
  else if (tiles <= 2)
    start<2>(basis, grid, leaves, particles, multipoles, stream);
  else if (tiles <= 4)
    start<4>(basis, grid, leaves, particles, multipoles, stream);
  else
    start<8>(basis, grid, leaves, particles, multipoles, stream);
}

}  // namespace asterism::fmm::cuda
