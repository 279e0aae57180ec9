// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/lanes.hpp"

namespace asterism::fmm::cpu {
namespace {
using namespace lanes;

struct Polynomials {
  Vector x[max_order], y[max_order], z[max_order];
  Vector charge;
};

/// T_a of up to 8 particles from `first` on; what is beyond the end has no charge.
ASTERISM_INLINE void evaluate(int order, const Grid& grid, const CellIndex& cell, const SourceView& p,
                              std::int32_t first, std::int32_t end, Polynomials& t) {
  Vector x{};
  Vector y{};
  Vector z{};
  Vector q{};
  if (end - first >= width) {
    x = *reinterpret_cast<const Unaligned*>(p.x + first);
    y = *reinterpret_cast<const Unaligned*>(p.y + first);
    z = *reinterpret_cast<const Unaligned*>(p.z + first);
    q = *reinterpret_cast<const Unaligned*>(p.q + first);
  } else {
    alignas(64) double tail[4][width];
    for (int i = 0; i < width; ++i) {
      const std::int32_t j = first + i < end ? first + i : end - 1;
      tail[0][i] = p.x[j];
      tail[1][i] = p.y[j];
      tail[2][i] = p.z[j];
      tail[3][i] = first + i < end ? p.q[j] : 0.0;
    }
    x = *reinterpret_cast<const Vector*>(tail[0]);
    y = *reinterpret_cast<const Vector*>(tail[1]);
    z = *reinterpret_cast<const Vector*>(tail[2]);
    q = *reinterpret_cast<const Vector*>(tail[3]);
  }
  const double scale = 2 / grid.width;
  t.charge = q;
  chebyshev(order, (x - (grid.x + cell.x * grid.width)) * scale - 1.0, t.x);
  chebyshev(order, (y - (grid.y + cell.y * grid.width)) * scale - 1.0, t.y);
  chebyshev(order, (z - (grid.z + cell.z * grid.width)) * scale - 1.0, t.z);
}

}  // namespace

ASTERISM_CLONES void p2m(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
                         double* multipoles) {
  alignas(64) Vector sums[max_size];
  Polynomials t[2];
  const auto padded = static_cast<std::size_t>((basis.size + width - 1) / width * width);
  for (std::int32_t leaf = 0; leaf < leaves.cells; ++leaf) {
    double* moments = multipoles + static_cast<std::int64_t>(leaf) * basis.stride;
    std::memset(moments, 0, padded * sizeof(double));
    const std::int32_t end = leaves.begin[leaf + 1];
    if (leaves.begin[leaf] == end) continue;
    std::memset(sums, 0, static_cast<std::size_t>(basis.size) * sizeof(Vector));
    for (std::int32_t first = leaves.begin[leaf]; first < end; first += 2 * width) {
      const bool both = first + width < end;
      evaluate(basis.order, grid, leaves.index[leaf], particles, first, end, t[0]);
      if (both) evaluate(basis.order, grid, leaves.index[leaf], particles, first + width, end, t[1]);
      for (std::int32_t row = 0; row < basis.rows; ++row) {
        const std::int32_t a = basis.row_a[row];
        const std::int32_t b = basis.row_b[row];
        const std::int32_t begin = basis.row_begin[row];
        const std::int32_t count = basis.row_begin[row + 1] - begin;
        const Vector w0 = t[0].charge * t[0].x[a] * t[0].y[b];
        if (both) {
          const Vector w1 = t[1].charge * t[1].x[a] * t[1].y[b];
          for (std::int32_t c = 0; c < count; ++c) sums[begin + c] += w0 * t[0].z[c] + w1 * t[1].z[c];
        } else {
          for (std::int32_t c = 0; c < count; ++c) sums[begin + c] += w0 * t[0].z[c];
        }
      }
    }
    for (std::int32_t s = 0; s < basis.size; ++s) moments[s] = sum(sums[s]);
  }
}

}  // namespace asterism::fmm::cpu
