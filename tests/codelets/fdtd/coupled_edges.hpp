// SPDX-License-Identifier: Apache-2.0
// Edges of two bricks that are coupled, any of them with any.
#pragma once

#include <cmath>
#include <vector>

#include "codelets/fdtd/kernels/media/coupling.hpp"

namespace asterism::fdtd {

template <class T>
struct CoupledCase {
  std::vector<T> e, change, other;  ///< the other brick's changes
  std::vector<std::int64_t> places;
  std::vector<std::int32_t> first{0};
  std::vector<CoupledTerm<T>> terms;

  CoupledCase() {
    constexpr int entries = 1000, edges = 301, others = 57;
    const auto noise = [](int n) { return static_cast<T>(std::sin(12.9898 * n) * 3.7); };
    for (int n = 0; n < entries; ++n) e.push_back(noise(n));
    for (int m = 0; m < edges; ++m) {
      places.push_back((m * 3 + 7) % entries);
      for (int t = 0; t < m % 12; ++t) {
        const std::int32_t brick = (m + t) % 3 == 0 ? 1 : 0;
        terms.push_back({noise(m * 17 + t), brick, (m * 31 + t * 11) % (brick == 0 ? edges : others)});
      }
      first.push_back(static_cast<std::int32_t>(terms.size()));
    }
    change.resize(edges);
    for (int m = 0; m < others; ++m) other.push_back(noise(m + 5000));
  }
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(places.size()); }
  /// What changes E in a step.
  void update() {
    for (std::size_t n = 0; n < e.size(); ++n) e[n] += T{0.25} * e[(n + 1) % e.size()];
  }
};

}  // namespace asterism::fdtd
