// SPDX-License-Identifier: Apache-2.0
// What programs see of StarPU's structures, by each build of StarPU.
#pragma once

#include <cstddef>
#include <vector>

namespace asterism::tests {

/// Sizes and offsets in bytes, and bounds of arrays: layout.cpp, compiled with the headers of each StarPU.
std::vector<std::size_t> layout_ordinary();
std::vector<std::size_t> layout_simulated();
std::vector<std::size_t> layout_clusters();

}  // namespace asterism::tests
