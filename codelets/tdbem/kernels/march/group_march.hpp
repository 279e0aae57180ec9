// SPDX-License-Identifier: Apache-2.0
// Solutions and radiations of a group of time steps on a GPU, one after the other in one kernel. A kernel for each
// would wait each time for a place beside the products of the next group.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/assembly/near_rows.hpp"
#include "codelets/tdbem/kernels/march/partial_sums.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem {

/// Incident waves that a march takes at most.
inline constexpr std::int32_t most_lit_waves = 24;

/// All arrays in device memory.
template <class T>
struct GroupMarch {
  CsrView<T> matrix;  ///< M^0
  const T* inverse_diagonal = nullptr;
  SolveLimits limits;
  std::int64_t step = 0;  ///< n of the first one
  TotalsShape shape;      ///< all rows, by wave
  T* totals = nullptr;
  const T* incident[most_lit_waves]{};  ///< as RightHandSide::incident
  bool illuminated = false;
  T* solutions = nullptr;    ///< [wave][g][row]
  const T* other = nullptr;  ///< those of the group before
  NearRowsView<T> near;      ///< lags up to shape.width - 1
  T* rhs = nullptr;          ///< a row each
  double* shared = nullptr;  ///< two rows
  double* partial = nullptr;
  SolveTally* tally = nullptr;
};

/// The guess from the four values before step g of a wave, or from two in groups of fewer than four steps. In groups of
/// one step the value before the last is gone, and the last one is the guess.
template <class T>
ASTERISM_HOST_DEVICE inline Guess<T> guess_of(std::int32_t rows, std::int32_t group, std::int32_t wave, std::int32_t g,
                                              const T* solutions, const T* other) {
  constexpr std::int32_t points = 4;
  const auto earlier = [&](std::int32_t places) {
    const std::int32_t at = g - places;
    const T* const from = at >= 0 ? solutions : other;
    return from + (static_cast<std::int64_t>(wave) * group + (at >= 0 ? at : at + group)) * rows;
  };
  Guess<T> guess;
  guess.last = earlier(1);
  guess.before = group > 1 ? earlier(2) : guess.last;
  if (group >= points) {
    guess.third = earlier(3);
    guess.fourth = earlier(points);
  }
  return guess;
}

}  // namespace asterism::tdbem
