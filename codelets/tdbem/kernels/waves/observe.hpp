// SPDX-License-Identifier: Apache-2.0
// The scattered pressure at observers: for each observer o and unknown j a short row-vector of weights over lags k, in
// the manner of the slices,
//   p_o^n = sum_j sum_k w_oj^k a_j^(n-k).
#pragma once

#include <cstdint>

namespace asterism::tdbem {

/// Row-vector x = o * unknowns + j holds the lags first[x], first[x] + 1, ...; their weights are
/// weight[start[x] .. start[x + 1]).
template <class T>
struct ObserverView {
  std::int32_t observers = 0;
  std::int32_t unknowns = 0;
  const std::uint64_t* start = nullptr;  ///< observers * unknowns + 1
  const std::int32_t* first = nullptr;   ///< observers * unknowns, at least 0
  const T* weight = nullptr;
};

/// Values of the unknowns in time: that of unknown j in step n is value[j * stride + position + n - step], where `step`
/// is the first one that is observed. All that row-vectors reach has to be there: zeros before the wave arrives,
/// position at least the largest lag.
template <class T>
struct HistoryView {
  const T* value = nullptr;
  std::int64_t stride = 1;
  std::int64_t position = 0;
};

namespace cpu {

/// p[(o - begin) * steps + g], o in [begin, end), g < steps: the pressure at step + g. Sums are taken in double.
template <class T>
void observe(const ObserverView<T>& observers, const HistoryView<T>& history, std::int32_t begin, std::int32_t end,
             std::int32_t steps, T* p);

}  // namespace cpu
}  // namespace asterism::tdbem
