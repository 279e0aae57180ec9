// SPDX-License-Identifier: Apache-2.0
// The time of the machine a program runs on, also where it simulates another one (runtime/clock.hpp has that one's).
#pragma once

#include <chrono>

namespace asterism {

/// Seconds since some moment in the past; never goes back.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace asterism
