// SPDX-License-Identifier: Apache-2.0
// Particles that are distributed as unevenly as those of users are.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "taskflows/fmm/particles/generate.hpp"

namespace asterism::fmm {

/// Particles [begin, end) moved to `to` and made `scale` times as large.
inline void shrink(Particles& p, std::size_t begin, std::size_t end, double scale, double to) {
  for (std::size_t i = begin; i < end; ++i) {
    p.x[i] = to + scale * p.x[i];
    p.y[i] = to + scale * p.y[i];
    p.z[i] = to + scale * p.z[i];
  }
}

/// A star cluster, a surface, a cube, two small clusters with a few particles between them, a line, and places with
/// many particles each, two of which are closer together than any cell.
inline std::vector<std::pair<std::string, Particles>> clouds(std::size_t n, Charges charges = Charges::random_signs) {
  std::vector<std::pair<std::string, Particles>> all;
  all.emplace_back("plummer", plummer(n, 5, charges, {}));
  all.emplace_back("sphere", sphere(n, 5, charges, {}));
  all.emplace_back("cube", cube(n, 5, charges, {}));

  Particles two = cube(n, 7, charges, {});
  shrink(two, 0, n / 2, 1e-2, 0.1);
  shrink(two, n / 2, n - n / 20, 1e-3, 0.9);
  all.emplace_back("two clusters", std::move(two));

  Particles line = cube(n, 8, charges, {});
  for (std::size_t i = 0; i < n; ++i) {
    line.y[i] = 0.3;
    line.z[i] = 0.7 + 1e-4 * line.x[i];
  }
  all.emplace_back("line", std::move(line));

  Particles piles = cube(n, 9, charges, {});
  for (std::size_t i = 0; i < n - n / 4; ++i) {
    const double where[3] = {0.25, 0.25 + 1e-9, 0.8};
    piles.x[i] = piles.y[i] = piles.z[i] = where[i % 3];
  }
  all.emplace_back("piles", std::move(piles));
  return all;
}

}  // namespace asterism::fmm
