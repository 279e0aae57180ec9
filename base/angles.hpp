// SPDX-License-Identifier: Apache-2.0
// Angles in degrees, for people; the mathematics counts in radians.
#pragma once

#include <numbers>

namespace asterism {

/// One degree in radians.
constexpr double degree = std::numbers::pi / 180;

}  // namespace asterism
