// SPDX-License-Identifier: Apache-2.0
// Right-hand sides on GPUs: asynchronous on a stream, arrays of the surface and `out` in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/tdbem/kernels/waves/illumination.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void illuminate(const SurfaceView& surface, const Illumination& incident, const Steps& steps, std::int32_t begin,
                std::int32_t end, T* out, cudaStream_t stream);

}  // namespace asterism::tdbem::cuda
