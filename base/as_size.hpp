// SPDX-License-Identifier: Apache-2.0
// Signed indices, which the methods count with, as the sizes that containers want.
#pragma once

#include <cstddef>
#include <cstdint>

namespace asterism {

/// i, which is not negative, as a std::size_t.
constexpr std::size_t as_size(std::int64_t i) noexcept {
  return static_cast<std::size_t>(i);
}

}  // namespace asterism
