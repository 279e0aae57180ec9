// SPDX-License-Identifier: Apache-2.0
// A grid of leaves with random particles, every leaf next to the up to 26 around it: what the P2P benchmarks run on.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "codelets/fmm/kernels/near/p2p.hpp"

namespace asterism::fmm {

/// nx x ny x nz leaves of `per_leaf` particles in Morton order, all own. Charges are +-0.5.
struct P2PGrid {
  std::vector<std::int32_t> begin, upper_begin, upper, source_begin, source;
  std::vector<double> x, y, z, q;

  P2PGrid(int nx, int ny, int nz, int per_leaf) {
    struct Cell {
      int at[3];
    };
    std::vector<Cell> cells;
    std::vector<std::int32_t> number(static_cast<std::size_t>(nx) * ny * nz, -1);
    const auto slot = [&](int i, int j, int k) { return (static_cast<std::size_t>(k) * ny + j) * nx + i; };
    const auto morton = [](std::uint32_t code, int axis) {
      int c = 0;
      for (int b = 0; b < 10; ++b) c |= static_cast<int>(code >> (3 * b + axis) & 1u) << b;
      return c;
    };
    for (std::uint32_t code = 0; cells.size() < number.size(); ++code) {
      const int i = morton(code, 0), j = morton(code, 1), k = morton(code, 2);
      if (i >= nx || j >= ny || k >= nz) continue;
      number[slot(i, j, k)] = static_cast<std::int32_t>(cells.size());
      cells.push_back({{i, j, k}});
    }
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> inside(0, 1);
    begin.push_back(0);
    upper_begin.push_back(0);
    source_begin.push_back(0);
    for (std::int32_t a = 0; a < leaves(cells); ++a) {
      const auto& at = cells[static_cast<std::size_t>(a)].at;
      for (int p = 0; p < per_leaf; ++p) {
        x.push_back(at[0] + inside(random));
        y.push_back(at[1] + inside(random));
        z.push_back(at[2] + inside(random));
        q.push_back(inside(random) - 0.5);
      }
      begin.push_back(static_cast<std::int32_t>(x.size()));
      std::vector<bool> near(cells.size());
      for (int k = at[2] - 1; k <= at[2] + 1; ++k)
        for (int j = at[1] - 1; j <= at[1] + 1; ++j)
          for (int i = at[0] - 1; i <= at[0] + 1; ++i)
            if (i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz)
              near[static_cast<std::size_t>(number[slot(i, j, k)])] = true;
      for (std::int32_t b = 0; b < leaves(cells); ++b) {
        if (!near[static_cast<std::size_t>(b)]) continue;
        source.push_back(b);
        if (b > a) upper.push_back(b);
      }
      upper_begin.push_back(static_cast<std::int32_t>(upper.size()));
      source_begin.push_back(static_cast<std::int32_t>(source.size()));
    }
  }

  [[nodiscard]] P2PSet set() const {
    const auto n = static_cast<std::int32_t>(begin.size()) - 1;
    return {n, n, begin.data(), upper_begin.data(), upper.data(), source_begin.data(), source.data()};
  }
  [[nodiscard]] SourceView particles() const { return {x.data(), y.data(), z.data(), q.data()}; }

 private:
  template <class T>
  static std::int32_t leaves(const std::vector<T>& cells) {
    return static_cast<std::int32_t>(cells.size());
  }
};

}  // namespace asterism::fmm
