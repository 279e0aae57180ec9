// SPDX-License-Identifier: Apache-2.0
// What the surface does to a wave, and so which unknowns and integral equations it has.
#pragma once

#include <cstdint>

namespace asterism::tdbem {

enum class Boundary : std::uint8_t {
  rigid,  ///< no normal velocity: unknown is the total pressure at times t_n, linear in time (hypersingular operator)
  soft,   ///< no total pressure: unknown is its normal derivative, constant in (t_(n-1), t_n] (single layer)
};

}  // namespace asterism::tdbem
