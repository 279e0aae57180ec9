// SPDX-License-Identifier: Apache-2.0
// What the far-field kernels use of the GPU beyond plain C++: launches, shared memory, tensor cores, clusters.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/cuda_check.hpp"

namespace asterism::fmm::cuda::device {

/// The dynamic shared memory of the thread block.
__device__ inline double* shared_memory() {
  extern __shared__ __align__(16) double fmm_shared_memory[];
  return fmm_shared_memory;
}

/// kernel<<<grid, threads, bytes, stream>>>, with clusters of `cluster` thread blocks in x.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t bytes, cudaStream_t stream, int cluster,
            const Arguments&... arguments) {
  if (bytes > 48 * 1024)
    ASTERISM_CHECK_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1 ? 1 : 0;
  ASTERISM_CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

/// Properties of the current device.
inline int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// Whether the kernel's code for the current device knows clusters, which came with compute capability 9.
/// ASTERISM_CLUSTERS=off in the environment is for tools that do not know them, as compute-sanitizer's racecheck.
template <class... Parameters>
bool has_clusters(void (*kernel)(Parameters...)) {
  static const char* const asked = std::getenv("ASTERISM_CLUSTERS");
  cudaFuncAttributes attributes{};
  ASTERISM_CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion >= 90 && (asked == nullptr || std::strcmp(asked, "off") != 0);
}

/// c (8 x 8) += a (8 x 4) b (4 x 8) by a warp. Of lane i: a[i / 4][i % 4], b[i % 4][i / 4], c[i / 4][2 (i % 4) + {0,
/// 1}].
__device__ inline void multiply_add_8(double (&c)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}

/// c (16 x 8) += a (16 x 8) b (8 x 8) by a warp. Of lane i, with p = i / 4 and q = i % 4: a = {a[p][q], a[p + 8][q],
/// a[p][q + 4], a[p + 8][q + 4]}, b = {b[q][p], b[q + 4][p]}, c = {c[p][2 q + {0, 1}], c[p + 8][2 q + {0, 1}]}.
__device__ inline void multiply_add_16(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  for (int k = 0; k < 2; ++k)
    for (int half = 0; half < 2; ++half)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
          : "d"(a[2 * k + half]), "d"(b[k]));
#endif
}

/// The lanes of the warp for which `flag` holds.
__device__ inline unsigned ballot(bool flag) {
  return __ballot_sync(0xffffffffU, flag);
}

__device__ inline void sync_warp() {
  __syncwarp();
}

__device__ inline int population(unsigned flags) {
  return __popc(flags);
}

/// Place in the cluster; an address of shared memory in its thread block `block`; waits for all its thread blocks.
__device__ inline int cluster_rank() {
#if __CUDA_ARCH__ >= 900
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
#else
  return 0;
#endif
}
template <class T>
__device__ inline const T* shared_of(const T* here, [[maybe_unused]] int block) {
#if __CUDA_ARCH__ >= 900
  std::uint64_t there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(reinterpret_cast<std::uint64_t>(here)), "r"(block));
  return reinterpret_cast<const T*>(there);
#else
  return here;
#endif
}
__device__ inline void sync_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

}  // namespace asterism::fmm::cuda::device
