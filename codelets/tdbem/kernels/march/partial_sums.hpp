// SPDX-License-Identifier: Apache-2.0
// What happens to the sums of a group of time steps between the products with the slices and the solutions with M^0:
// they are put together from the parts that units computed, and become right-hand sides s^n = l^n - sum_k M^k a^(n-k)
// (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), equations 3 to 5).
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "codelets/tdbem/kernels/march/solve.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem {

/// How numbers of rows [row_begin, row_begin + rows), of all waves and of the steps of a group are arranged.
enum class Arrangement : std::uint8_t {
  by_wave,   ///< [wave][i - row_begin][g]
  by_row,    ///< [i - row_begin][wave][g]: what several ranks gave row by row is one piece of the same
  incident,  ///< [i - row_begin][g] of one wave: right-hand sides, which are subtracted
  spaced,    ///< `first` + (i - row_begin) * `spacing`: one step of one wave's totals
};

/// What one unit, or some of them, added to the sums of rows [row_begin, row_begin + rows).
template <class T>
struct PartialSums {
  const T* values = nullptr;
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  Arrangement arrangement = Arrangement::by_wave;
  std::int32_t wave = 0;                ///< Arrangement::incident
  std::int32_t first = 0, spacing = 1;  ///< Arrangement::spaced
};
/// Most of them that one call of combine() takes.
inline constexpr std::int32_t most_partials = 96;

/// Totals of rows [row_begin, row_begin + rows): values[wave * rows * width + (i - row_begin) * width + g] or, by row,
/// values[(i - row_begin) * waves * width + wave * width + g], where width is `group`, or 2 `group` if the next group's
/// sums are begun while this one is being solved.
struct TotalsShape {
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t group = 1;
  std::int32_t width = 1;
  std::int32_t waves = 1;
  Arrangement arrangement = Arrangement::by_wave;  ///< or by_row

  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int64_t elements() const {
    return static_cast<std::int64_t>(waves) * rows * width;
  }
};

/// What partial sums are added to.
enum class Begun : std::uint8_t {
  nothing,
  present,  ///< the totals of the present group
  next,     ///< those of the next group, which becomes the present one; a new one begins with zeros
};

/// A total of the present group: the partial sums are added to `begun` in their order.
template <class T>
ASTERISM_HOST_DEVICE inline T combined(const TotalsShape& shape, const PartialSums<T>* partials, std::int32_t count,
                                       std::int64_t element, T begun) {
  const auto g = static_cast<std::int32_t>(element % shape.width);
  const std::int64_t line = element / shape.width;
  const bool by_row = shape.arrangement == Arrangement::by_row;
  const auto wave = static_cast<std::int32_t>(by_row ? line % shape.waves : line / shape.rows);
  const auto i = static_cast<std::int32_t>(by_row ? line / shape.waves : line % shape.rows) + shape.row_begin;
  T sum = begun;
  for (const PartialSums<T>* p = partials; p != partials + count; ++p) {
    const std::int64_t row = i - p->row_begin;
    if (row < 0 || row >= p->rows) continue;
    if (p->arrangement == Arrangement::by_wave)
      sum += p->values[(static_cast<std::int64_t>(wave) * p->rows + row) * shape.group + g];
    else if (p->arrangement == Arrangement::by_row)
      sum += p->values[(row * shape.waves + wave) * shape.group + g];
    else if (p->arrangement == Arrangement::spaced)
      sum += p->values[p->first + row * p->spacing];
    else if (p->wave == wave)
      sum -= p->values[row * shape.group + g];
  }
  return sum;
}

/// Right-hand sides of some rows in step g of the group, for one wave: rhs[i - row_begin].
template <class T>
struct RightHandSide {
  const T* incident = nullptr;  ///< l: [(i - row_begin) * group + g]; null: the wave has passed
  const T* totals = nullptr;    ///< of the wave, as above
  T* rhs = nullptr;
};

/// How the solutions of all steps went.
struct SolveTally {
  std::int64_t solves = 0;
  std::int64_t iterations = 0;
  std::int32_t most_iterations = 0;
  Ending ending = Ending::converged;  ///< of the first that did not converge
  std::int64_t failed_step = -1;      ///< n of that
  double residual = 0;                ///< the largest one
};
ASTERISM_HOST_DEVICE inline void add(SolveTally& tally, const Convergence& c, std::int64_t step) {
  ++tally.solves;
  tally.iterations += c.iterations;
  if (c.iterations > tally.most_iterations) tally.most_iterations = c.iterations;
  if (tally.residual == tally.residual && !(c.residual <= tally.residual)) tally.residual = c.residual;  // NaN stays
  if (c.ending == Ending::converged || tally.failed_step >= 0) return;
  tally.ending = c.ending;
  tally.failed_step = step;
}

namespace cpu {

/// Totals of the present group. Begun::next needs a width of 2 groups.
template <class T>
void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count, T* totals);

/// s = l - totals.
template <class T>
void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r);

/// a = guess
template <class T>
void extrapolate(std::int32_t rows, const Guess<T>& guess, T* a);

}  // namespace cpu
}  // namespace asterism::tdbem
