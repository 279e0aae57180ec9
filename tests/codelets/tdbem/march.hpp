// SPDX-License-Identifier: Apache-2.0
// Sums of groups of steps for tests of marching: parts that cover rows in several ways, and totals put together by
// hand.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "codelets/tdbem/kernels/march/partial_sums.hpp"

namespace asterism::tdbem {

template <class T>
struct RandomSums {
  TotalsShape shape;
  std::vector<std::vector<T>> memory;
  std::vector<PartialSums<T>> partials;
  std::vector<T> totals;

  explicit RandomSums(const TotalsShape& s) : shape(s), totals(static_cast<std::size_t>(s.elements())) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> whole(-50, 50);  // sums of whole numbers are exact in any order
    for (T& t : totals) t = static_cast<T>(whole(random));
    // one of all rows and more, one of none of them, and two that share them
    const std::int32_t half = s.rows / 2;
    for (const auto& [begin, rows] : {std::pair{s.row_begin - 3, s.rows + 5}, std::pair{s.row_begin + s.rows, 4},
                                      std::pair{s.row_begin, half}, std::pair{s.row_begin + half, s.rows - half}}) {
      memory.emplace_back(static_cast<std::size_t>(s.waves) * static_cast<std::size_t>(rows) *
                          static_cast<std::size_t>(s.group));
      for (T& t : memory.back()) t = static_cast<T>(whole(random));
      partials.push_back({nullptr, begin, rows});
    }
    // the same again row by row, and the right-hand sides of the last wave
    for (const Arrangement arrangement : {Arrangement::by_row, Arrangement::incident}) {
      const bool incident = arrangement == Arrangement::incident;
      memory.emplace_back(static_cast<std::size_t>(incident ? 1 : s.waves) * static_cast<std::size_t>(s.rows + 1) *
                          static_cast<std::size_t>(s.group));
      for (T& t : memory.back()) t = static_cast<T>(whole(random));
      partials.push_back({nullptr, s.row_begin - 1, s.rows + 1, arrangement, s.waves - 1});
    }
    // and one number for each row
    memory.emplace_back(static_cast<std::size_t>(5 + 3 * s.rows));
    for (T& t : memory.back()) t = static_cast<T>(whole(random));
    partials.push_back({nullptr, s.row_begin, s.rows, Arrangement::spaced, 0, 4, 3});
    for (std::size_t p = 0; p < partials.size(); ++p) partials[p].values = memory[p].data();
  }

  /// What combine() has to leave in totals.
  [[nodiscard]] std::vector<T> expected(Begun begun) const {
    std::vector<T> out = totals;
    for (std::int32_t w = 0; w < shape.waves; ++w)
      for (std::int32_t i = 0; i < shape.rows; ++i)
        for (std::int32_t g = 0; g < shape.group; ++g) {
          const std::int32_t line = shape.arrangement == Arrangement::by_row ? i * shape.waves + w : w * shape.rows + i;
          const auto at = static_cast<std::size_t>(line * shape.width + g);
          const auto next = at + static_cast<std::size_t>(shape.group);
          out[at] = begun == Begun::nothing ? T(0) : begun == Begun::present ? totals[at] : totals[next];
          if (begun == Begun::next) out[next] = 0;
          for (const PartialSums<T>& p : partials)
            for (std::int32_t r = 0; r < p.rows; ++r)
              if (p.row_begin + r == shape.row_begin + i) out[at] += addend(p, w, r, g);
        }
    return out;
  }

 private:
  [[nodiscard]] T addend(const PartialSums<T>& p, std::int32_t wave, std::int32_t row, std::int32_t g) const {
    switch (p.arrangement) {
      case Arrangement::by_wave:
        return p.values[(wave * p.rows + row) * shape.group + g];
      case Arrangement::by_row:
        return p.values[(row * shape.waves + wave) * shape.group + g];
      case Arrangement::spaced:
        return p.values[4 + 3 * row];
      default:
        return wave == p.wave ? -p.values[row * shape.group + g] : T(0);
    }
  }
};

inline const std::vector<TotalsShape>& totals_shapes() {
  static const std::vector<TotalsShape> shapes = {{0, 1, 1, 1, 1},
                                                  {10, 33, 3, 3, 2},
                                                  {5, 97, 8, 16, 3},
                                                  {64, 32, 1, 2, 1},
                                                  {4, 13, 5, 5, 3, Arrangement::by_row},
                                                  {7, 6, 4, 8, 2, Arrangement::by_row}};
  return shapes;
}
inline std::vector<Begun> ways_to_begin(const TotalsShape& shape) {
  if (shape.width == shape.group) return {Begun::nothing, Begun::present};
  return {Begun::nothing, Begun::present, Begun::next};
}

}  // namespace asterism::tdbem
