// SPDX-License-Identifier: Apache-2.0
// The floating type in which a simulation stores and computes.
#pragma once

#include <asterism/export.hpp>

namespace asterism {
ASTERISM_BEGIN_INTERFACE

enum class Precision {
  double_precision,  ///< 64 bits
  single_precision,  ///< 32 bits
  half_precision,    ///< 16 bits are stored, arithmetic has 32; of lbm alone
};

ASTERISM_END_INTERFACE
}  // namespace asterism
