// SPDX-License-Identifier: Apache-2.0
// What CPUs and GPUs both call, for compilers that know CUDA and those that do not.
#pragma once

#ifdef __CUDACC__
#define ASTERISM_HOST_DEVICE __host__ __device__
#else
#define ASTERISM_HOST_DEVICE
#endif
