// SPDX-License-Identifier: Apache-2.0
// A thread block per family, one direction after the other: z for each child, y for what children of equal x and y
// add up to, x for those of equal x. The two halves in x follow each other, to need shared memory for 4 k doubles only.
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"
#include "codelets/fmm/kernels/far/shift.cuh"

namespace asterism::fmm::cuda {
namespace {

__global__ void __launch_bounds__(shift_threads)
    m2m_kernel(const BasisView basis, const double* __restrict__ shift, const Family* __restrict__ families,
               const CellIndex* __restrict__ child_index, const double* __restrict__ children, double* parents) {
  const int l = basis.order;
  const int size = basis.size;
  const ShiftTables tables(basis, shift);
  const double* s = tables.shift;
  const int thread = static_cast<int>(threadIdx.x);
  const Family family = families[blockIdx.x];
  tables.find_children(family, child_index);
  __syncthreads();

  for (int in_x = 0; in_x < 2; ++in_x) {
    for (int i = thread; i < 2 * size; i += shift_threads) {
      const int in_y = i >= size ? 1 : 0;
      const int at = i - in_y * size;
      const int c = tables.degrees[at] >> 16;
      double sum = 0;
      for (int in_z = 0; in_z < 2; ++in_z) {
        const int child = tables.child_of[in_x | in_y << 1 | in_z << 2];
        if (child < 0) continue;
        const double* row = children + static_cast<std::int64_t>(child) * basis.stride + (at - c);
        for (int from = 0; from <= c; ++from) sum = fma(entry(s, l, c, from, in_z == 1), row[from], sum);
      }
      tables.inner[in_y][at] = sum;
    }
    __syncthreads();
    for (int at = thread; at < size; at += shift_threads) {
      const int a = tables.degrees[at] & 255;
      const int b = tables.degrees[at] >> 8 & 255;
      const int c = tables.degrees[at] >> 16;
      double sum = 0;
      for (int in_y = 0; in_y < 2; ++in_y)
        for (int from = 0; from <= b; ++from)
          sum = fma(entry(s, l, b, from, in_y == 1), tables.inner[in_y][tables.first[a * l + from] + c], sum);
      tables.outer[in_x][at] = sum;
    }
    __syncthreads();
  }
  double* out = parents + static_cast<std::int64_t>(family.parent) * basis.stride;
  for (int at = thread; at < size; at += shift_threads) {
    const int a = tables.degrees[at] & 255;
    const int b = tables.degrees[at] >> 8 & 255;
    const int c = tables.degrees[at] >> 16;
    double sum = 0;
    for (int in_x = 0; in_x < 2; ++in_x)
      for (int from = 0; from <= a; ++from)
        sum = fma(entry(s, l, a, from, in_x == 1), tables.outer[in_x][tables.first[from * l + b] + c], sum);
    out[at] += sum;
  }
}

}  // namespace

void m2m(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* children, double* parents, cudaStream_t stream) {
  if (count == 0) return;
  device::launch(m2m_kernel, dim3(static_cast<unsigned>(count)), shift_threads,
                 ShiftTables::bytes(basis.order, basis.size), stream, 1, basis, shift, families, child_index, children,
                 parents);
}

}  // namespace asterism::fmm::cuda
