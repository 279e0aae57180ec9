// All nineteen slots of a box of cells to and from a contiguous array, slot by slot, x fastest: what checkpoints hold
// and how a state gets into bricks of another shape.
#pragma once

#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

#include "codelets/lbm/brick.hpp"

namespace asterism::lbm {

namespace cpu {
template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array);
template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f);
}  // namespace cpu

#ifdef ASTERISM_CUDA
namespace cuda {
template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array, cudaStream_t stream);
template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f, cudaStream_t stream);
}  // namespace cuda
#endif

}  // namespace asterism::lbm
