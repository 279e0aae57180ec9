// SPDX-License-Identifier: Apache-2.0
// The clock that all times a program prints or records are read from: that of the machine which runs the tasks. On a
// simulated machine only tasks, transfers and StarPU's own work take time; what the main program computes takes none.
#pragma once

#include <chrono>

namespace asterism {

/// Seconds since some time in the past, simulated ones on a simulated machine (a TrivialClock).
struct Clock {
  using duration = std::chrono::duration<double>;  ///< SimGrid counts seconds as doubles, too
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now();
};

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace asterism
