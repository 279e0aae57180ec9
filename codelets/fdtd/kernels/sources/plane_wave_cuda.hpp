// SPDX-License-Identifier: Apache-2.0
// The plane wave on GPUs: asynchronous on a stream, arrays in device memory. The bits are those of the CPU.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/fdtd/kernels/sources/plane_wave.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void advance_line(Field field, const Incident& incident, const Given<T>& given, T* line, cudaStream_t stream);

template <class T>
void correct(Field field, const Grid& grid, const std::int32_t (&origin)[3], const Box& cells, const Incident& incident,
             const T* line, T* to, cudaStream_t stream);

}  // namespace asterism::fdtd::cuda
