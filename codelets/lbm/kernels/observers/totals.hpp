// SPDX-License-Identifier: Apache-2.0
// Sums over cells, in double for every T.
#pragma once

#include "codelets/lbm/kernels/cell.hpp"

namespace asterism::lbm {

/// The larger of two speeds; what is not a number stays.
ASTERISM_CELL double faster(double a, double b) {
  return b > a || b != b ? b : a;
}

/// Adds a cell; `speed` holds squares until `finished`.
template <class T>
ASTERISM_CELL void add(Totals& totals, T excess, const T (&momentum)[3], const T (&u)[3]) {
  double energy = 0;
  double square = 0;
  for (int a = 0; a < 3; ++a) {
    const auto m = static_cast<double>(momentum[a]);
    const auto v = static_cast<double>(u[a]);
    totals.momentum[a] += m;
    energy += m * v;
    square += v * v;
  }
  totals.mass += static_cast<double>(excess);
  totals.energy += 0.5 * energy;
  totals.speed = faster(totals.speed, square);
}

ASTERISM_CELL void add(Totals& totals, const Totals& more) {
  totals.mass += more.mass;
  for (int a = 0; a < 3; ++a) totals.momentum[a] += more.momentum[a];
  totals.energy += more.energy;
  totals.speed = faster(totals.speed, more.speed);
}

ASTERISM_CELL Totals finished(Totals totals) {
  totals.speed = root(totals.speed);
  return totals;
}

}  // namespace asterism::lbm
