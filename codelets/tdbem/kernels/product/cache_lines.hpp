// SPDX-License-Identifier: Apache-2.0
// Arrays that share memory begin at cache lines of their own.
#pragma once

namespace asterism::tdbem {

/// Bytes in whole cache lines.
template <class Bytes>
constexpr Bytes aligned(Bytes bytes) {
  constexpr Bytes line = 64;
  return (bytes + line - 1) / line * line;
}

}  // namespace asterism::tdbem
