// SPDX-License-Identifier: Apache-2.0
#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/lanes.hpp"

namespace asterism::fmm::cpu {
namespace {
using namespace lanes;

struct Polynomials {
  Vector x[max_order], y[max_order], z[max_order];     ///< T_a
  Vector dx[max_order], dy[max_order], dz[max_order];  ///< T'_a
};

ASTERISM_INLINE Vector load(const double* p, std::int32_t first, std::int32_t end) {
  if (end - first >= width) return *reinterpret_cast<const Unaligned*>(p + first);
  alignas(64) double tail[width];
  for (int i = 0; i < width; ++i) tail[i] = p[first + i < end ? first + i : end - 1];
  return *reinterpret_cast<const Vector*>(tail);
}

ASTERISM_INLINE void store(const Vector& v, double* out, std::int32_t first, std::int32_t end, bool add) {
  if (end - first >= width) {
    auto& place = *reinterpret_cast<Unaligned*>(out + first);
    place = add ? place + v : v;
    return;
  }
  for (std::int32_t i = first; i < end; ++i) out[i] = add ? out[i] + v[i - first] : v[i - first];
}

ASTERISM_INLINE void evaluate(int order, const Grid& grid, const CellIndex& cell, const SourceView& p,
                              std::int32_t first, std::int32_t end, Polynomials& t) {
  const double scale = 2 / grid.width;
  const Vector x = (load(p.x, first, end) - (grid.x + cell.x * grid.width)) * scale - 1.0;
  const Vector y = (load(p.y, first, end) - (grid.y + cell.y * grid.width)) * scale - 1.0;
  const Vector z = (load(p.z, first, end) - (grid.z + cell.z * grid.width)) * scale - 1.0;
  chebyshev(order, x, t.x);
  chebyshev(order, y, t.y);
  chebyshev(order, z, t.z);
  chebyshev_slopes(order, x, t.x, t.dx);
  chebyshev_slopes(order, y, t.y, t.dy);
  chebyshev_slopes(order, z, t.z, t.dz);
}

}  // namespace

ASTERISM_CLONES void l2p(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
                         const double* locals, const FieldView& result, bool add) {
  const double slope = -2 / grid.width;  // field = -gradient; d/dx of the scaled coordinate
  Polynomials t[2];
  for (std::int32_t leaf = 0; leaf < leaves.cells; ++leaf) {
    const double* local = locals + static_cast<std::int64_t>(leaf) * basis.stride;
    const std::int32_t end = leaves.begin[leaf + 1];
    for (std::int32_t first = leaves.begin[leaf]; first < end; first += 2 * width) {
      const bool both = first + width < end;
      evaluate(basis.order, grid, leaves.index[leaf], particles, first, end, t[0]);
      if (both) evaluate(basis.order, grid, leaves.index[leaf], particles, first + width, end, t[1]);
      Vector out[2][4] = {};
      for (std::int32_t row = 0; row < basis.rows; ++row) {
        const std::int32_t a = basis.row_a[row];
        const std::int32_t b = basis.row_b[row];
        const std::int32_t begin = basis.row_begin[row];
        const std::int32_t count = basis.row_begin[row + 1] - begin;
        Vector value0{};
        Vector slope0{};
        Vector value1{};
        Vector slope1{};
        if (both) {
          for (std::int32_t c = 0; c < count; ++c) {
            const Vector coefficient = Vector{} + local[begin + c];
            value0 += coefficient * t[0].z[c];
            slope0 += coefficient * t[0].dz[c];
            value1 += coefficient * t[1].z[c];
            slope1 += coefficient * t[1].dz[c];
          }
        } else {
          for (std::int32_t c = 0; c < count; ++c) {
            const Vector coefficient = Vector{} + local[begin + c];
            value0 += coefficient * t[0].z[c];
            slope0 += coefficient * t[0].dz[c];
          }
        }
        const Vector ab0 = t[0].x[a] * t[0].y[b];
        out[0][0] += ab0 * value0;
        out[0][1] += t[0].dx[a] * t[0].y[b] * value0;
        out[0][2] += t[0].x[a] * t[0].dy[b] * value0;
        out[0][3] += ab0 * slope0;
        if (both) {
          const Vector ab1 = t[1].x[a] * t[1].y[b];
          out[1][0] += ab1 * value1;
          out[1][1] += t[1].dx[a] * t[1].y[b] * value1;
          out[1][2] += t[1].x[a] * t[1].dy[b] * value1;
          out[1][3] += ab1 * slope1;
        }
      }
      for (int half = 0; half < (both ? 2 : 1); ++half) {
        const std::int32_t from = first + half * width;
        store(out[half][0], result.potential, from, end, add);
        store(out[half][1] * slope, result.fx, from, end, add);
        store(out[half][2] * slope, result.fy, from, end, add);
        store(out[half][3] * slope, result.fz, from, end, add);
      }
    }
  }
}

}  // namespace asterism::fmm::cpu
