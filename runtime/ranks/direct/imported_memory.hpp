// SPDX-License-Identifier: Apache-2.0
// Memory of GPUs of other processes of this host, in the address space of this one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "runtime/ranks/direct/exported_address.hpp"

namespace asterism {

/// `place`, in memory that cudaMalloc gave to this process, for others. Throws std::runtime_error where CUDA refuses.
ExportedAddress exported(const void* place);

/// What this process has opened of the memory of others. Each mapping belongs to the GPU that was current when it was
/// opened; it is closed when its owner has put another allocation there, and when this ends. For one thread.
class ImportedMemory {
 public:
  ImportedMemory() = default;
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;

  /// Where the current GPU reaches a place of `rank`. Throws std::runtime_error where it does not.
  void* address(int rank, const ExportedAddress& place);

 private:
  struct Mapping {
    std::uint64_t allocation[8];
    char* base;
  };
  using Key = std::pair<std::pair<int, int>, std::uint64_t>;  // GPU and rank, base
  std::map<Key, Mapping> mappings_;
};

}  // namespace asterism
