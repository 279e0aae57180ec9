// SPDX-License-Identifier: Apache-2.0
// The bounds of a recording from its own durations.
#pragma once

#include "bounds/bounds.hpp"

namespace asterism::bounds {

inline Durations durations_of(const traces::Recording& r) {
  Durations d;
  d.add(r, Source::recording);
  return d;
}

inline Bounds bounds_of(const traces::Recording& r, const Options& options = {}) {
  return compute(r, durations_of(r), options);
}

}  // namespace asterism::bounds
