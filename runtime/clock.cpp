// SPDX-License-Identifier: Apache-2.0
#include "runtime/clock.hpp"

#include <starpu.h>

namespace asterism {

#ifdef ASTERISM_SIMGRID
Clock::time_point Clock::now() {
  return time_point(duration(starpu_timing_now() * 1e-6));
}
#else
Clock::time_point Clock::now() {
  return time_point(std::chrono::steady_clock::now().time_since_epoch());
}
#endif

}  // namespace asterism
