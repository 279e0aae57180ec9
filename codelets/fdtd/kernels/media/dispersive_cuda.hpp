// SPDX-License-Identifier: Apache-2.0
// Dispersive media on GPUs: the bits of dispersive.hpp. All tables, the state and E in device memory, descriptions by
// value.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/fdtd/kernels/media/dispersive.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void disperse(const Grid& grid, const Box& cells, const Media<T>& media, const Poles<T>& poles,
              const PoleStates& states, T* state, T* e, cudaStream_t stream);

}  // namespace asterism::fdtd::cuda
