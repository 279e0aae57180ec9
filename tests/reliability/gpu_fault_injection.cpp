// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: a GPU that fails, or has less memory. Environment:
//   GPU_FAULT_AT      number of the kernel, from 1, that fails; 0 or nothing: none
//   GPU_FAULT_KIND    kernel (an unspecified launch failure, which its caller does not see: later calls do) or lost
//   (the
//                     call and all later ones find no device)
//   GPU_FAULT_MEMORY  bytes that other programs leave: cudaMemGetInfo says so, and cudaMalloc fails beyond
//   GPU_FAULT_COUNT   a file that gets the number of kernels
// As with a real fault, nothing works on the GPU from then on. cuBLAS and its like have a CUDA runtime of their own:
// their kernels are not counted, and go on.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

namespace {

std::atomic<long> kernels{0};
std::atomic<long> allocated{0};
std::atomic<bool> broken{false};

long number(const char* variable) {
  const char* const value = getenv(variable);
  return value == nullptr ? 0 : atol(value);
}

bool lost() {
  const char* const kind = getenv("GPU_FAULT_KIND");
  return kind != nullptr && strcmp(kind, "lost") == 0;
}

cudaError_t code() {
  return lost() ? cudaErrorDevicesUnavailable : cudaErrorLaunchFailure;
}

struct Count {
  ~Count() {
    const char* const name = getenv("GPU_FAULT_COUNT");
    FILE* const file = name == nullptr || kernels == 0 ? nullptr : fopen(name, "w");
    if (file == nullptr) return;
    fprintf(file, "%ld\n", kernels.load());
    fclose(file);
  }
} count;

template <class... Arguments>
cudaError_t call(const char* name, Arguments... arguments) {
  if (broken) return code();
  return reinterpret_cast<cudaError_t (*)(Arguments...)>(dlsym(RTLD_NEXT, name))(arguments...);
}

template <class... Arguments>
cudaError_t launch(const char* name, Arguments... arguments) {
  if (!broken && ++kernels == number("GPU_FAULT_AT")) {
    broken = true;
    return lost() ? code() : cudaSuccess;
  }
  return call(name, arguments...);
}

}  // namespace

extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return launch("__cudaLaunchKernel", kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return launch("cudaLaunchKernel", kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return launch("cudaGraphLaunch", graph, stream);
}
cudaError_t cudaMalloc(void** pointer, size_t size) {
  const long most = number("GPU_FAULT_MEMORY");
  if (most > 0 && allocated.load() + static_cast<long>(size) > most) return cudaErrorMemoryAllocation;
  const cudaError_t status = call("cudaMalloc", pointer, size);
  if (status == cudaSuccess) allocated += static_cast<long>(size);
  return status;
}
cudaError_t cudaMemGetInfo(size_t* available, size_t* all) {
  const cudaError_t status = call("cudaMemGetInfo", available, all);
  const long most = number("GPU_FAULT_MEMORY");
  const long left = most - allocated.load();
  if (status == cudaSuccess && most > 0) *available = left < 0 ? 0 : static_cast<size_t>(left);
  return status;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  return call("cudaMemcpy", to, from, size, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", to, from, size, kind, stream);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpy2DAsync", to, to_pitch, from, pitch, width, height, kind, stream);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream) {
  return call("cudaMemcpy3DAsync", what, stream);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t stream) {
  return call("cudaMemsetAsync", to, value, size, stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call("cudaStreamQuery", stream);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", event);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", event);
}
cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize");
}
cudaError_t cudaGetLastError() {
  return call("cudaGetLastError");
}
}
