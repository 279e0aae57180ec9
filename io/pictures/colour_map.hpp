// SPDX-License-Identifier: Apache-2.0
// Colours of numbers between 0 and 1.
#pragma once

#include <array>
#include <cstdint>

namespace asterism::output {

enum class ColourMap {
  viridis,    ///< perceptually uniform, from dark blue to yellow
  diverging,  ///< for values of either sign: from dark blue over grey to pale orange, lighter all the way, so that a
              ///< print without colours shows the sign
};

/// sRGB; values outside of [0, 1] take the colour of the nearer end, NaN is magenta.
std::array<std::uint8_t, 3> colour(ColourMap map, double value);

}  // namespace asterism::output
