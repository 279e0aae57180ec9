// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/direct/imported_memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#ifdef ASTERISM_CUDA
#include <cuda.h>

#include "base/cuda_check.hpp"
#endif

namespace asterism {

#ifndef ASTERISM_CUDA

ExportedAddress exported(const void* /*place*/) {
  throw std::runtime_error("memory of a GPU in a program that was built without CUDA");
}
ImportedMemory::~ImportedMemory() = default;
void* ImportedMemory::address(int /*rank*/, const ExportedAddress& /*place*/) {
  throw std::runtime_error("memory of a GPU in a program that was built without CUDA");
}

#else

namespace {

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(ExportedAddress::allocation));

/// The driver's cuMemGetAddressRange: the runtime has no call for where an allocation begins.
auto address_range() {
  using Function = CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr);
  static const Function function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    constexpr int version = 12000;
    ASTERISM_CHECK_CUDA(
        cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &found, version, cudaEnableDefault, &result));
    if (found == nullptr) throw std::runtime_error("the CUDA driver has no cuMemGetAddressRange");
    return reinterpret_cast<Function>(found);
  }();
  return function;
}

}  // namespace

ExportedAddress exported(const void* place) {
  const auto address = reinterpret_cast<CUdeviceptr>(place);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (address_range()(&base, &bytes, address) != CUDA_SUCCESS)
    throw std::runtime_error("cuMemGetAddressRange: not the memory of a GPU");
  cudaIpcMemHandle_t handle;
  ASTERISM_CHECK_CUDA(cudaIpcGetMemHandle(&handle, reinterpret_cast<void*>(base)));
  ExportedAddress result{};
  std::memcpy(result.allocation, &handle, sizeof handle);
  result.base = base;
  result.offset = address - base;
  return result;
}

ImportedMemory::~ImportedMemory() {
  for (const auto& [key, mapping] : mappings_)
    if (cudaSetDevice(key.first.first) == cudaSuccess) cudaIpcCloseMemHandle(mapping.base);
}

void* ImportedMemory::address(int rank, const ExportedAddress& place) {
  int device = 0;
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  const Key key{{device, rank}, place.base};
  auto found = mappings_.find(key);
  if (found != mappings_.end() && !std::ranges::equal(found->second.allocation, place.allocation)) {
    ASTERISM_CHECK_CUDA(cudaIpcCloseMemHandle(found->second.base));
    mappings_.erase(found);
    found = mappings_.end();
  }
  if (found == mappings_.end()) {
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, place.allocation, sizeof handle);
    void* base = nullptr;
    ASTERISM_CHECK_CUDA(cudaIpcOpenMemHandle(&base, handle, cudaIpcMemLazyEnablePeerAccess));
    Mapping mapping{};
    std::ranges::copy(place.allocation, mapping.allocation);
    mapping.base = static_cast<char*>(base);
    found = mappings_.emplace(key, mapping).first;
  }
  return found->second.base + place.offset;
}

#endif

}  // namespace asterism
