// SPDX-License-Identifier: Apache-2.0
// A thread per particle of the group. The polynomials in z are in registers, those in x and y are stepped along with
// the rows, which come by a, then b = 0, 1 ..; the lanes of a warp share one to a few leaves and read their
// coefficients through the L1 cache.
#include "codelets/fmm/kernels/far/device.cuh"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"

namespace asterism::fmm::cuda {
namespace {

constexpr int l2p_threads = 128;

/// The leaf of particle i: the last one that begins at or before it.
__device__ int leaf_of(const LeafView& leaves, int i) {
  int low = 0;
  int high = leaves.cells;  // begin[low] <= i < begin[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (leaves.begin[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// T_a and T'_a at x, one degree after the other.
struct Recurrence {
  double twice;
  double value = 1, before_value;
  double slope = 0, before_slope;
  __device__ explicit Recurrence(double x) : twice(2 * x), before_value(x), before_slope(1) {}  // T_{-1} = T_1
  __device__ void step() {
    const double next_value = twice * value - before_value;
    const double next_slope = 2 * value + twice * slope - before_slope;
    before_value = value;
    value = next_value;
    before_slope = slope;
    slope = next_slope;
  }
};

template <int L>
__global__ void __launch_bounds__(l2p_threads)
    l2p_kernel(const BasisView basis, const Grid grid, const LeafView leaves, const SourceView particles, int count,
               const double* __restrict__ locals, const FieldView result, bool add) {
  auto* row_begin = reinterpret_cast<std::int32_t*>(device::shared_memory());
  auto* row_b = row_begin + basis.rows + 1;
  for (int i = static_cast<int>(threadIdx.x); i <= basis.rows; i += l2p_threads) {
    row_begin[i] = basis.row_begin[i];
    if (i < basis.rows) row_b[i] = basis.row_b[i];
  }
  __syncthreads();
  const int place = static_cast<int>(blockIdx.x) * l2p_threads + static_cast<int>(threadIdx.x);
  if (place >= count) return;
  const int i = leaves.begin[0] + place;
  const int leaf = leaf_of(leaves, i);
  const CellIndex cell = leaves.index[leaf];
  const double* local = locals + static_cast<std::int64_t>(leaf) * basis.stride;
  const double scale = 2 / grid.width;
  const double position_y = (particles.y[i] - (grid.y + cell.y * grid.width)) * scale - 1.0;

  double z[L];
  double dz[L];
  Recurrence in_z((particles.z[i] - (grid.z + cell.z * grid.width)) * scale - 1.0);
#pragma unroll
  for (int c = 0; c < L; ++c) {
    z[c] = in_z.value;
    dz[c] = in_z.slope;
    in_z.step();
  }
  // the first row steps to a = 0; before it, T_{-1} = T_1 and T'_{-1} = T'_1 make a step back the same as one ahead
  Recurrence x((particles.x[i] - (grid.x + cell.x * grid.width)) * scale - 1.0);
  Recurrence y(position_y);
  double potential = 0, fx = 0, fy = 0, fz = 0;
  for (int row = 0; row < basis.rows; ++row) {
    if (row > 0) {
      if (row_b[row] == 0) {
        x.step();
        y = Recurrence(position_y);
      } else {
        y.step();
      }
    }
    const int first = row_begin[row];
    const int width = row_begin[row + 1] - first;
    double value = 0, slope = 0;
#pragma unroll
    for (int c = 0; c < L; ++c) {
      if (c < width) {
        const double coefficient = local[first + c];
        value = fma(coefficient, z[c], value);
        slope = fma(coefficient, dz[c], slope);
      }
    }
    potential += x.value * y.value * value;
    fx += x.slope * y.value * value;
    fy += x.value * y.slope * value;
    fz += x.value * y.value * slope;
  }
  if (add) {
    result.potential[i] += potential;
    result.fx[i] -= scale * fx;
    result.fy[i] -= scale * fy;
    result.fz[i] -= scale * fz;
  } else {
    result.potential[i] = potential;
    result.fx[i] = -scale * fx;
    result.fy[i] = -scale * fy;
    result.fz[i] = -scale * fz;
  }
}

/// Calls start<L>() for the smallest L compiled that holds `order`.
template <class F>
void for_order(int order, F&& f) {
  if (order <= 3)
    f(l2p_kernel<3>);
  else if (order <= 4)
    f(l2p_kernel<4>);
  else if (order <= 5)
    f(l2p_kernel<5>);
  else if (order <= 6)
    f(l2p_kernel<6>);
  else if (order <= 7)
    f(l2p_kernel<7>);
  else if (order <= 9)
    f(l2p_kernel<9>);
  else if (order <= 12)
    f(l2p_kernel<12>);
  else
    f(l2p_kernel<max_order>);
}

}  // namespace

void l2p(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         std::int32_t count, const double* locals, const FieldView& result, bool add, cudaStream_t stream) {
  if (count == 0) return;
  const auto bytes = static_cast<std::size_t>(2 * basis.rows + 1) * sizeof(std::int32_t);
  const dim3 blocks(static_cast<unsigned>((count + l2p_threads - 1) / l2p_threads));
  for_order(basis.order, [&](auto* kernel) {
    device::launch(kernel, blocks, l2p_threads, bytes, stream, 1, basis, grid, leaves, particles, count, locals, result,
                   add);
  });
}

}  // namespace asterism::fmm::cuda
