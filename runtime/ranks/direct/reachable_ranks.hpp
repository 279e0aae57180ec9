// SPDX-License-Identifier: Apache-2.0
// Which ranks' GPUs this rank's can write to.
#pragma once

#include <span>
#include <vector>

namespace asterism {

/// By trying: whether each of `gpus` (CUDA's numbers, of this rank) opens memory of each GPU of a rank, and those of
/// that rank memory of these. False for this rank itself. Ranks together.
std::vector<char> reachable_ranks(std::span<const int> gpus);

}  // namespace asterism
