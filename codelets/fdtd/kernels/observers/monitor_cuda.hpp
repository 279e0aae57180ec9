// SPDX-License-Identifier: Apache-2.0
// Frequency-domain monitors on GPUs: asynchronous on a stream, field and array in device memory, phases in that of the
// host. The bits are those of the CPU.
#pragma once

#include <cuda_runtime_api.h>

#include "codelets/fdtd/kernels/observers/monitor.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void record(const MonitorPart& part, const std::complex<double>* phases, const T* field, double* array,
            cudaStream_t stream);

}  // namespace asterism::fdtd::cuda
