// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codelets/fdtd/kernels/media/coupling.hpp"

struct CUstream_st;

namespace asterism::fdtd::cuda {

/// As on the CPU, bit for bit; asynchronous, all pointers to device memory.
template <class T>
void keep(std::int32_t count, const std::int64_t* places, const T* e, T* change, CUstream_st* stream);
template <class T>
void take_change(std::int32_t count, const std::int64_t* places, const T* e, T* change, CUstream_st* stream);
template <class T>
void couple(const CoupledEdges<T>& edges, const Changes<T>& changes, T* e, CUstream_st* stream);

}  // namespace asterism::fdtd::cuda
