// SPDX-License-Identifier: Apache-2.0
// All nineteen slots of a box of cells to and from a contiguous array, slot by slot, x fastest: what checkpoints hold
// and how a state gets into bricks of another shape.
#pragma once

struct CUstream_st;  // what cudaStream_t points to

#include "codelets/lbm/kernels/brick.hpp"

namespace asterism::lbm {

namespace cpu {
template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array);
template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f);
}  // namespace cpu

namespace cuda {
template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array, CUstream_st* stream);
template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f, CUstream_st* stream);
}  // namespace cuda

}  // namespace asterism::lbm
