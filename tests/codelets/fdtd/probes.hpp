// SPDX-License-Identifier: Apache-2.0
// Fields recorded over time at some entries, and how far two records of the same are apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/codelets/fdtd/open.hpp"

namespace asterism::fdtd {

/// An entry of E: component, i, j, k.
using Entry = std::array<int, 4>;
/// The record of each entry, a value per step.
using Record = std::vector<std::vector<double>>;

/// Derivative of a Gaussian; `width` in steps. At 2 pi / (4 / width) steps per period it has fallen by 25 dB.
inline double pulse(int step, double width) {
  const double t = (step - 4 * width) / width;
  return -2 * t * std::exp(-t * t);
}

/// The same pulse added to all sources.
template <class T>
Record record(OpenDomain<T>& d, const std::vector<Entry>& sources, const std::vector<Entry>& probes, int steps,
              double width) {
  Record found(probes.size());
  for (int n = 0; n < steps; ++n) {
    for (const Entry& s : sources) d.add(s[0], s[1], s[2], s[3], pulse(n, width));
    d.step();
    for (std::size_t p = 0; p < probes.size(); ++p) {
      const Entry& at = probes[p];
      found[p].push_back(static_cast<double>(d.domain.at(Field::electric, at[0], at[1], at[2], at[3])));
    }
  }
  return found;
}

/// Largest difference over the largest value, of the worst entry: what is reflected, in dB.
inline double reflection(const Record& found, const Record& expected) {
  double worst = 0;
  for (std::size_t p = 0; p < expected.size(); ++p) {
    double difference = 0, largest = 0;
    for (std::size_t n = 0; n < expected[p].size(); ++n) {
      difference = larger(difference, std::abs(found[p][n] - expected[p][n]));
      largest = larger(largest, std::abs(expected[p][n]));
    }
    worst = larger(worst, difference / largest);
  }
  return 20 * std::log10(worst);
}

inline std::vector<Entry> shifted(std::vector<Entry> entries, const std::array<int, 3>& by) {
  for (Entry& e : entries)
    for (std::size_t a = 0; a < 3; ++a) e[a + 1] += by[a];
  return entries;
}

}  // namespace asterism::fdtd
