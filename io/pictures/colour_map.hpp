// SPDX-License-Identifier: Apache-2.0
// Colours of numbers between 0 and 1.
#pragma once

#include <array>
#include <cstdint>

namespace asterism::output {

enum class ColourMap {
  viridis,    ///< perceptually uniform, from dark blue to yellow
  cool_warm,  ///< diverging, from blue over grey to red: for values of either sign
};

/// sRGB; values outside of [0, 1] take the colour of the nearer end, NaN is magenta.
std::array<std::uint8_t, 3> colour(ColourMap map, double value);

}  // namespace asterism::output
