// SPDX-License-Identifier: Apache-2.0
// How far two answers are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// Largest difference, relative to the largest value of its kind.
inline double difference(const Result& a, const Result& b) {
  const auto of = [](const auto& x, const auto& y) {
    double most = 0;
    double size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      most = std::max(most, std::abs(x[i] - y[i]));
      size = std::max(size, std::abs(y[i]));
    }
    return most / size;
  };
  return std::max({of(a.potential, b.potential), of(a.fx, b.fx), of(a.fy, b.fy), of(a.fz, b.fz)});
}

}  // namespace asterism::fmm
