// SPDX-License-Identifier: Apache-2.0
// How a process names a place in the memory of its GPU to another process of the same host. Plain enough for nvcc.
#pragma once

#include <cstdint>

namespace asterism {

/// An address as it travels in a message (CUDA's interprocess communication): what the other process opens, and how far
/// behind its beginning the place is. All zero: no place.
struct ExportedAddress {
  std::uint64_t allocation[8];
  std::uint64_t base;  ///< of the allocation, where the process that owns it sees it
  std::uint64_t offset;
};

}  // namespace asterism
