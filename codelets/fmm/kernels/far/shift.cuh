// SPDX-License-Identifier: Apache-2.0
// What m2m and l2l share: tables in shared memory from which a thread finds the degrees of a coefficient.
#pragma once

#include "codelets/fmm/kernels/far/device.cuh"
#include "codelets/fmm/kernels/far/views.hpp"

namespace asterism::fmm::cuda {

inline constexpr int shift_threads = 256;

/// S_row,column of the upper or lower child: that of m2m is S_to,from, that of l2l S_from,to.
inline __device__ double entry(const double* shift, int order, int row, int column, bool upper) {
  const double s = shift[row * order + column];
  return upper || ((row + column) & 1) == 0 ? s : -s;
}

/// Where the tables and the buffers of a family begin in the shared memory of a thread block.
struct ShiftTables {
  double* shift;           ///< l x l
  double* outer[2];        ///< expansions with one direction shifted, per octant bit of x
  double* inner[2];        ///< with two, per octant bit of y
  std::int32_t* degrees;   ///< k: a | b << 8 | c << 16
  std::int32_t* first;     ///< l x l: where the row of (a, b) begins
  std::int32_t* count;     ///< l x l: its length, 0 when there is none
  std::int32_t* child_of;  ///< 8: child of the family at each octant, -1 when there is none

  __host__ __device__ static std::size_t bytes(int order, int size) {
    return static_cast<std::size_t>(order * order + 4 * size) * sizeof(double) +
           static_cast<std::size_t>(size + 2 * order * order + 8) * sizeof(std::int32_t);
  }

  __device__ ShiftTables(const BasisView& basis, const double* shift_matrix) {
    const int l = basis.order;
    shift = device::shared_memory();
    outer[0] = shift + l * l;
    outer[1] = outer[0] + basis.size;
    inner[0] = outer[1] + basis.size;
    inner[1] = inner[0] + basis.size;
    degrees = reinterpret_cast<std::int32_t*>(inner[1] + basis.size);
    first = degrees + basis.size;
    count = first + l * l;
    child_of = count + l * l;
    for (int i = static_cast<int>(threadIdx.x); i < l * l; i += shift_threads) {
      shift[i] = shift_matrix[i];
      const int row = basis.row_of[i];
      const int begin = row < 0 ? 0 : basis.row_begin[row];
      first[i] = begin;
      count[i] = row < 0 ? 0 : basis.row_begin[row + 1] - begin;
      for (int c = 0; c < count[i]; ++c) degrees[begin + c] = i / l | i % l << 8 | c << 16;
    }
  }

  /// Fills child_of with the children of a family. Called by the whole thread block, between two barriers.
  __device__ void find_children(const Family& family, const CellIndex* child_index) const {
    if (threadIdx.x < 8) child_of[threadIdx.x] = -1;
    device::sync_warp();
    if (static_cast<int>(threadIdx.x) < family.children) {
      const int child = family.first_child + static_cast<int>(threadIdx.x);
      child_of[octant_of(child_index[child])] = child;
    }
  }
};

}  // namespace asterism::fmm::cuda
