// SPDX-License-Identifier: Apache-2.0
// Groups of steps for tests: what solutions and radiations one after the other make of them on a CPU.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/tdbem/kernels/march/group_march.hpp"
#include "tests/codelets/tdbem/matrices.hpp"
#include "tests/codelets/tdbem/near.hpp"

namespace asterism::tdbem {

template <class T>
struct GroupCase {
  TotalsShape shape;
  bool illuminated;
  Matrix<T> matrix;
  std::vector<T> inverse;
  NearRows<T> near;
  std::vector<T> totals, solutions, other;
  std::vector<std::vector<T>> incident;  ///< of each wave
  SolveLimits limits{sizeof(T) == 8 ? 1e-13 : 1e-6, 60};

  GroupCase(std::int32_t rows, std::int32_t group, bool ahead, std::int32_t waves, bool lit)
      : shape{0, rows, group, ahead ? 2 * group : group, waves},
        illuminated(lit),
        matrix(small_condition<T>(rows, 5)),
        inverse(as_size(rows)),
        totals(random_vector<T>(waves * rows * shape.width, 11)),
        solutions(as_size(waves * rows * group)),
        other(random_vector<T>(waves * rows * group, 12)) {
    cpu::invert_diagonal(matrix.view(), inverse.data());
    for (std::int32_t w = 0; w < waves; ++w)
      incident.push_back(random_vector<T>(rows * group, 13U + static_cast<unsigned>(w)));
    if (shape.width == 1) return;
    const Scattered lags{5, 2 * shape.width};
    const TileArrays<T> tile = make_tile<T>(
        0, rows, 0, rows,
        [&](std::int32_t i, std::int32_t j) {
          return std::abs(i - j) < 60 ? lags.extent(i, j) : Extent{1, 0};
        },
        [&](std::int32_t i, std::int32_t k, std::int32_t j) { return 1e-5 * lags.value(i, k, j); });
    near = near_rows(near_pairs<T>({tile.tile()}, shape.width), 0, rows);
  }

  /// All arrays in main memory; `scratch`: a row, then two rows of doubles.
  [[nodiscard]] GroupMarch<T> march() {
    GroupMarch<T> m;
    m.matrix = matrix.view();
    m.inverse_diagonal = inverse.data();
    m.limits = limits;
    m.step = 5;
    m.shape = shape;
    m.totals = totals.data();
    m.illuminated = illuminated;
    for (std::size_t w = 0; w < incident.size(); ++w) m.incident[w] = incident[w].data();
    m.solutions = solutions.data();
    m.other = other.data();
    m.near = near.view();
    return m;
  }

  /// Step by step. Returns the iterations.
  std::int64_t march_on_cpu() {
    const std::int64_t line = static_cast<std::int64_t>(shape.rows) * shape.width;
    std::vector<T> rhs(as_size(shape.rows)), workspace(as_size(solve_workspace(shape.rows)));
    std::int64_t iterations = 0;
    for (std::int32_t g = 0; g < shape.group; ++g)
      for (std::int32_t w = 0; w < shape.waves; ++w) {
        T* const of_wave = totals.data() + w * line;
        cpu::right_hand_side(
            shape, g, RightHandSide<T>{illuminated ? incident[as_size(w)].data() : nullptr, of_wave, rhs.data()});
        T* const a = solutions.data() + (static_cast<std::int64_t>(w) * shape.group + g) * shape.rows;
        cpu::extrapolate(shape.rows, guess_of<T>(shape.rows, shape.group, w, g, solutions.data(), other.data()), a);
        iterations += cpu::solve(matrix.view(), inverse.data(), limits, rhs.data(), a, workspace.data()).iterations;
        if (g + 1 < shape.width) cpu::radiate(near.view(), g, Found<T>{a, 0}, Sums<T>{of_wave, 0, line}, 0, shape.rows);
      }
    return iterations;
  }

  void expect(const std::vector<T>& found_solutions, const std::vector<T>& found_totals,
              const std::string& what) const {
    const double tolerance = sizeof(T) == 8 ? 1e-9 : 3e-3;
    double largest = 0;
    for (const T a : solutions) largest = std::max(largest, std::abs(static_cast<double>(a)));
    ASSERT_GT(largest, 0);
    for (std::size_t i = 0; i < solutions.size(); ++i)
      ASSERT_NEAR(found_solutions[i], solutions[i], tolerance * largest) << what << ", solution " << i;
    for (std::size_t i = 0; i < totals.size(); ++i)
      ASSERT_NEAR(found_totals[i], totals[i], tolerance * std::max(1., std::abs(static_cast<double>(totals[i]))))
          << what << ", total " << i;
  }
};

/// Calls f(case, what) for several sizes, groups and waves, with the next group's sums and without.
template <class T, class F>
void for_each_group(const std::vector<std::int32_t>& rows, const F& f) {
  for (const std::int32_t n : rows)
    for (const std::int32_t group : {1, 3, 4, 8})
      for (const bool ahead : {false, true})
        for (const std::int32_t waves : {1, 2}) {
          const bool lit = waves == 2 || group == 3;
          f(GroupCase<T>(n, group, ahead, waves, lit),
            std::to_string(n) + " rows, group " + std::to_string(group) + (ahead ? " ahead" : ""));
        }
}

}  // namespace asterism::tdbem
