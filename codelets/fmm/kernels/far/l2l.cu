// SPDX-License-Identifier: Apache-2.0
// A thread block per family, the transpose of m2m: x for both halves, then y for the two quarters of each half, then z
// for each child.
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"
#include "codelets/fmm/kernels/far/shift.cuh"

namespace asterism::fmm::cuda {
namespace {

__global__ void __launch_bounds__(shift_threads)
    l2l_kernel(const BasisView basis, const double* __restrict__ shift, const Family* __restrict__ families,
               const CellIndex* __restrict__ child_index, const double* __restrict__ parents, double* children) {
  const int l = basis.order;
  const int size = basis.size;
  const ShiftTables tables(basis, shift);
  const double* s = tables.shift;
  const int thread = static_cast<int>(threadIdx.x);
  const Family family = families[blockIdx.x];
  tables.find_children(family, child_index);
  __syncthreads();

  const double* local = parents + static_cast<std::int64_t>(family.parent) * basis.stride;
  for (int i = thread; i < 2 * size; i += shift_threads) {
    const int in_x = i >= size ? 1 : 0;
    const int at = i - in_x * size;
    const int a = tables.degrees[at] & 255;
    const int b = tables.degrees[at] >> 8 & 255;
    const int c = tables.degrees[at] >> 16;
    double sum = 0;
    for (int from = a; from < l && tables.count[from * l + b] > c; ++from)
      sum = fma(entry(s, l, from, a, in_x == 1), local[tables.first[from * l + b] + c], sum);
    tables.outer[in_x][at] = sum;
  }
  __syncthreads();
  for (int in_x = 0; in_x < 2; ++in_x) {
    for (int i = thread; i < 2 * size; i += shift_threads) {
      const int in_y = i >= size ? 1 : 0;
      const int at = i - in_y * size;
      const int a = tables.degrees[at] & 255;
      const int b = tables.degrees[at] >> 8 & 255;
      const int c = tables.degrees[at] >> 16;
      double sum = 0;
      for (int from = b; from < l && tables.count[a * l + from] > c; ++from)
        sum = fma(entry(s, l, from, b, in_y == 1), tables.outer[in_x][tables.first[a * l + from] + c], sum);
      tables.inner[in_y][at] = sum;
    }
    __syncthreads();
    for (int i = thread; i < 4 * size; i += shift_threads) {
      const int quarter = i / size;  // y and z bits
      const int child = tables.child_of[in_x | quarter << 1];
      if (child < 0) continue;
      const int at = i - quarter * size;
      const int c = tables.degrees[at] >> 16;
      const int row = (tables.degrees[at] & 255) * l + (tables.degrees[at] >> 8 & 255);
      const double* of_row = tables.inner[quarter & 1] + (at - c);
      double sum = 0;
      for (int from = c; from < tables.count[row]; ++from)
        sum = fma(entry(s, l, from, c, (quarter & 2) != 0), of_row[from], sum);
      children[static_cast<std::int64_t>(child) * basis.stride + at] += sum;
    }
    __syncthreads();
  }
}

}  // namespace

void l2l(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* parents, double* children, cudaStream_t stream) {
  if (count == 0) return;
  device::launch(l2l_kernel, dim3(static_cast<unsigned>(count)), shift_threads,
                 ShiftTables::bytes(basis.order, basis.size), stream, 1, basis, shift, families, child_index, parents,
                 children);
}

}  // namespace asterism::fmm::cuda
