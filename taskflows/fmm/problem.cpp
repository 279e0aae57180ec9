// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace asterism::fmm {
namespace {

/// Measured on K = 1 / r, uniform cube and ellipsoid, charges +-1/2 (tests/taskflows/fmm/test_flow.cpp holds them to
/// it).
constexpr std::array<Accuracy, highest_accuracy - lowest_accuracy + 1> table{{
    {{3, 8}, 5e-3},      // 2
    {{4, 14}, 7e-4},     // 3
    {{6, 27}, 4e-5},     // 4
    {{7, 45}, 2e-6},     // 5
    {{9, 65}, 2e-7},     // 6
    {{10, 90}, 2e-8},    // 7
    {{11, 120}, 2e-9},   // 8
    {{13, 152}, 2e-10},  // 9
}};

}  // namespace

Accuracy accuracy(int acc) {
  if (acc < lowest_accuracy || acc > highest_accuracy)
    bad_input("accuracy {}: expected {} to {}", acc, lowest_accuracy, highest_accuracy);
  return table[static_cast<std::size_t>(acc - lowest_accuracy)];
}

Accuracy softened_accuracy(int acc) {
  Accuracy softened = accuracy(acc);
  softened.epsilon /= 4;
  return softened;
}

Accuracy periodic_accuracy(int acc) {
  static_cast<void>(accuracy(acc));
  return accuracy(std::min(acc + 1, highest_accuracy));
}

Accuracy paper_accuracy(int acc) {
  if (acc < 1 || acc > max_order) bad_input("order {}: expected 1 to {}", acc, max_order);
  return {{acc, -1}, std::pow(10.0, -acc)};
}

}  // namespace asterism::fmm
