// SPDX-License-Identifier: Apache-2.0
// Absorbing layers on GPUs: the bits of cpml.hpp. `stretches`, psi and the fields in device memory, descriptions by
// value.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/fdtd/kernels/media/cpml.hpp"

namespace asterism::fdtd::cuda {

/// One launch for all layers in the box.
template <class T>
void absorb(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const Layers& layers, const Stretch<T>* stretches, const T* from, const Psi<T>& psi, T* to,
            cudaStream_t stream);

}  // namespace asterism::fdtd::cuda
