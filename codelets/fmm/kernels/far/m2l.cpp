// SPDX-License-Identifier: Apache-2.0
// All pairs of a direction are the columns of two matrix products (equation 7): G = V^T W, F = U G, where W and F are
// read and written through the pairs' cells. The first is tiled with r along the vector registers, the second with the
// coefficients along them; both keep some 24 registers of sums.
#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/lanes.hpp"

namespace asterism::fmm::cpu {
namespace {
using namespace lanes;

constexpr int registers = 24;      ///< sums held at once
constexpr int block = 48;          ///< columns between the two products
constexpr int max_vectors = 8;     ///< vectors of r in one pass of the first product
constexpr int rank_limit = 512;    ///< doubles per column of the block buffer
constexpr int second_vectors = 4;  ///< vectors of coefficients in one pass of the second product

/// g[c][0 .. 8 NV) = scale sum_k V[k][..] w_c[k] for C columns.
template <int NV, int C>
ASTERISM_INLINE void first_product(int size, const double* v, int padded, const double* const* w, double scale,
                                   double* g) {
  Vector sums[C][NV] = {};
  for (int k = 0; k < size; ++k) {
    Vector row[NV];
#pragma GCC unroll 8
    for (int i = 0; i < NV; ++i)
      row[i] = *reinterpret_cast<const Unaligned*>(v + static_cast<std::int64_t>(k) * padded + i * width);
#pragma GCC unroll 24
    for (int c = 0; c < C; ++c) {
      const Vector x = Vector{} + w[c][k];
#pragma GCC unroll 8
      for (int i = 0; i < NV; ++i) sums[c][i] += row[i] * x;
    }
  }
#pragma GCC unroll 24
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
    for (int i = 0; i < NV; ++i) *reinterpret_cast<Unaligned*>(g + c * padded + i * width) = sums[c][i] * scale;
}

template <int NV>
ASTERISM_INLINE void first_products(int size, const double* v, int padded, const double* const* w, int columns,
                                    double scale, double* g) {
  constexpr int most = registers / NV < 12 ? registers / NV : 12;
  int c = 0;
  for (; c + most <= columns; c += most) first_product<NV, most>(size, v, padded, w + c, scale, g + c * padded);
  if constexpr (most >= 6)
    for (; c + most / 2 <= columns; c += most / 2)
      first_product<NV, most / 2>(size, v, padded, w + c, scale, g + c * padded);
  for (; c + 2 <= columns; c += 2) first_product<NV, 2>(size, v, padded, w + c, scale, g + c * padded);
  if (c < columns) first_product<NV, 1>(size, v, padded, w + c, scale, g + c * padded);
}

/// l_c[0 .. 8 NV) += sum_r U^T[r][..] g[c][r] for C columns.
template <int NV, int C>
ASTERISM_INLINE void second_product(int rank, const double* u, int stride, const double* g, int padded,
                                    double* const* l) {
  Vector sums[C][NV] = {};
  for (int r = 0; r < rank; ++r) {
    Vector row[NV];
#pragma GCC unroll 4
    for (int i = 0; i < NV; ++i)
      row[i] = *reinterpret_cast<const Unaligned*>(u + static_cast<std::int64_t>(r) * stride + i * width);
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const Vector x = Vector{} + g[c * padded + r];
#pragma GCC unroll 4
      for (int i = 0; i < NV; ++i) sums[c][i] += row[i] * x;
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 4
    for (int i = 0; i < NV; ++i) *reinterpret_cast<Unaligned*>(l[c] + i * width) += sums[c][i];
}

template <int NV>
ASTERISM_INLINE void second_products(int rank, const double* u, int stride, const double* g, int padded,
                                     double* const* locals, int offset, int columns) {
  constexpr int most = 6;
  double* at[block];
  for (int c = 0; c < columns; ++c) at[c] = locals[c] + offset;
  int c = 0;
  for (; c + most <= columns; c += most)
    second_product<NV, most>(rank, u + offset, stride, g + c * padded, padded, at + c);
  for (; c + 4 <= columns; c += 4) second_product<NV, 4>(rank, u + offset, stride, g + c * padded, padded, at + c);
  for (; c + 2 <= columns; c += 2) second_product<NV, 2>(rank, u + offset, stride, g + c * padded, padded, at + c);
  if (c < columns) second_product<NV, 1>(rank, u + offset, stride, g + c * padded, padded, at + c);
}

}  // namespace

ASTERISM_CLONES void m2l(const M2LView& operators, double scale, const M2LList& list, const double* const* sources,
                         double* locals, int vectors) {
  const int pairs = block / vectors;  // at a time
  alignas(64) double g[block * rank_limit];
  const double* w[block];
  double* l[block];
  for (int d = 0; d < directions; ++d) {
    const std::int32_t begin = list.begin[static_cast<std::int64_t>(d) * (list.tiles + 1)];
    const std::int32_t end = list.begin[static_cast<std::int64_t>(d) * (list.tiles + 1) + list.tiles];
    if (begin == end) continue;
    const M2LDirection& direction = operators.direction[d];
    const double* v = operators.data + direction.v;
    const double* u = operators.data + direction.u;
    const int padded = direction.padded;
    const int stride = operators.stride;
    for (std::int32_t first = begin; first < end; first += pairs) {
      const std::int32_t last = end - first < pairs ? end : first + pairs;
      int columns = 0;
      for (std::int32_t p = first; p < last; ++p) {
        const M2LPair& pair = list.pairs[p];
        const double* const source =
            sources[pair.source >> source_bits] +
            static_cast<std::int64_t>(pair.source & ((1U << source_bits) - 1)) * stride * vectors;
        double* const target = locals + static_cast<std::int64_t>(pair.target) * stride * vectors;
        for (int v = 0; v < vectors; ++v, ++columns) {
          w[columns] = source + static_cast<std::int64_t>(v) * stride;
          l[columns] = target + static_cast<std::int64_t>(v) * stride;
        }
      }
      for (int r = 0; r < padded;) {
        const int vectors = (padded - r) / width;
        switch (vectors < max_vectors ? vectors : max_vectors) {
          case 1:
            first_products<1>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          case 2:
            first_products<2>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          case 3:
            first_products<3>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          case 4:
            first_products<4>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          case 5:
            first_products<5>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          case 6:
            first_products<6>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          case 7:
            first_products<7>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
          default:
            first_products<8>(operators.size, v + r, padded, w, columns, scale, g + r);
            break;
        }
        r += (vectors < max_vectors ? vectors : max_vectors) * width;
      }
      int offset = 0;
      for (; offset + second_vectors * width <= stride; offset += second_vectors * width)
        second_products<second_vectors>(direction.rank, u, stride, g, padded, l, offset, columns);
      for (; offset + 2 * width <= stride; offset += 2 * width)
        second_products<2>(direction.rank, u, stride, g, padded, l, offset, columns);
      if (offset < stride) second_products<1>(direction.rank, u, stride, g, padded, l, offset, columns);
    }
  }
}

}  // namespace asterism::fmm::cpu
