// SPDX-License-Identifier: Apache-2.0
// Observers for tests of kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/waves/observe.hpp"

namespace asterism::tdbem {

/// Rows of different lengths and first lags, some empty.
template <class T>
struct RandomObservers {
  std::vector<std::uint64_t> start{0};
  std::vector<std::int32_t> first;
  std::vector<T> weight, history;
  std::int32_t observers, unknowns;
  std::int64_t stride = 61, position = 50;

  RandomObservers(std::int32_t o, std::int32_t u) : observers(o), unknowns(u) {
    for (std::int32_t x = 0; x < o * u; ++x) {
      first.push_back(x * 7 % 31);
      for (std::int32_t c = 0; c < x * 5 % 17; ++c) weight.push_back(static_cast<T>(std::sin(x + 3 * c)));
      start.push_back(weight.size());
    }
    for (std::int64_t k = 0; k < u * stride; ++k) history.push_back(static_cast<T>(std::cos(k * k % 1013)));
  }
  [[nodiscard]] ObserverView<T> view() const {
    return {observers, unknowns, start.data(), first.data(), weight.data()};
  }
  [[nodiscard]] HistoryView<T> past() const { return {history.data(), stride, position}; }
};

}  // namespace asterism::tdbem
