// SPDX-License-Identifier: Apache-2.0
// Bytes and floating-point operations of the kernels.
#pragma once

namespace asterism::decay {

/// A point takes one product.
inline constexpr double flops_per_point = 1;
/// A point reads and writes u.
inline constexpr double bytes_per_point = 2 * sizeof(double);

}  // namespace asterism::decay
