// SPDX-License-Identifier: Apache-2.0
#include "codelets/cg/kernels/multi_rows.hpp"

#include <cmath>

#include "base/isa.hpp"

#ifdef ASTERISM_HAS_CLONES
#include <immintrin.h>
#endif

namespace asterism::cg::cpu {
namespace {

constexpr int height = slice_height;
/// How far ahead of its use the matrix is fetched, in entries (spmv.cpp).
constexpr std::int64_t prefetch_distance = 1024;

/// Where the entries of rows l to l + 7 of a slice are.
struct Entries {
  std::int64_t count;          ///< of each row
  const double* value;         ///< entry k of row j: value[k height + j]
  const std::int32_t* column;  ///< of diagonals null, else as value
  const std::int32_t* offset;  ///< of diagonal k
  std::int64_t row;            ///< of x, to which offsets are added
  /// What is fetched with the first entry. A pass reads every fourth line of a slice, but the passes together fetch it
  /// line after line, as memory likes it (measured: up to half of the product's time).
  const double* next_value;
  const void* next_column;  ///< of diagonals nothing else

  ASTERISM_INLINE Entries(const SellView& a, std::int64_t s, int l) {
    const std::int64_t begin = a.slice_begin[s];
    const std::int64_t columns = a.slice_columns != nullptr ? a.slice_columns[s] : begin;
    count = (a.slice_begin[s + 1] - begin) / height;
    value = a.value + begin + l;
    column = columns < 0 ? nullptr : a.column + columns + l;
    offset = columns < 0 ? a.column + ~columns : nullptr;
    row = s * height + l;
    next_value = a.value + begin + prefetch_distance + l * count;
    next_column =
        columns < 0 ? static_cast<const void*>(next_value) : a.column + columns + prefetch_distance + l * count;
  }
  /// The row of x that entry k of row j multiplies.
  [[nodiscard]] ASTERISM_INLINE std::int64_t of_x(std::int64_t k, int j) const {
    return column != nullptr ? column[k * height + j] : row + j + offset[k];
  }
};

template <int K>
void plain(const SellView& a, std::int64_t s, int l, const double* x, double* sum) {
  const Entries e(a, s, l);
  for (int i = 0; i < multi_rows * K; ++i) sum[i] = 0;
  for (std::int64_t k = 0; k < e.count; ++k)
    for (int j = 0; j < multi_rows; ++j)
      for (int v = 0; v < K; ++v)
        sum[j * K + v] = std::fma(e.value[k * height + j], x[e.of_x(k, j) * K + v], sum[j * K + v]);
}

#ifdef ASTERISM_HAS_CLONES

// ROWS rows at once, PARTS registers of WIDTH numbers for the K = PARTS WIDTH vectors of each
#define ASTERISM_ROWS_PRODUCT(NAME, TARGET, REGISTER, ROWS, PARTS, WIDTH, LOAD, ALL, FMA, STORE, ZERO)                \
  __attribute__((target(TARGET))) void NAME(const SellView& a, std::int64_t s, int l, const double* x, double* sum) { \
    constexpr int K = (PARTS) * (WIDTH);                                                                              \
    for (int begin = 0; begin < multi_rows; begin += (ROWS)) {                                                        \
      const Entries e(a, s, l + begin);                                                                               \
      REGISTER part[(ROWS) * (PARTS)];                                                                                \
      _Pragma("GCC unroll 16") for (int i = 0; i < (ROWS) * (PARTS); ++i) part[i] = ZERO();                           \
      for (std::int64_t k = 0; k < e.count; ++k) {                                                                    \
        __builtin_prefetch(e.next_value + k * (ROWS));                                                                \
        __builtin_prefetch(static_cast<const char*>(e.next_column) + k * (ROWS)*4);                                   \
        _Pragma("GCC unroll 8") for (int j = 0; j < (ROWS); ++j) {                                                    \
          const REGISTER value = ALL(e.value[k * height + j]);                                                        \
          const double* const from = x + e.of_x(k, j) * K;                                                            \
          _Pragma("GCC unroll 2") for (int h = 0; h < (PARTS); ++h) part[j * (PARTS) + h] =                           \
              FMA(value, LOAD(from + h * (WIDTH)), part[j * (PARTS) + h]);                                            \
        }                                                                                                             \
      }                                                                                                               \
      _Pragma("GCC unroll 16") for (int i = 0; i < (ROWS) * (PARTS); ++i)                                             \
          STORE(sum + begin * K + i * (WIDTH), part[i]);                                                              \
    }                                                                                                                 \
  }

ASTERISM_ROWS_PRODUCT(eight_by_512, "avx512f,fma", __m512d, 8, 1, 8, _mm512_loadu_pd, _mm512_set1_pd, _mm512_fmadd_pd,
                      _mm512_storeu_pd, _mm512_setzero_pd)
ASTERISM_ROWS_PRODUCT(eight_by_256, "avx2,fma", __m256d, 4, 2, 4, _mm256_loadu_pd, _mm256_set1_pd, _mm256_fmadd_pd,
                      _mm256_storeu_pd, _mm256_setzero_pd)
ASTERISM_ROWS_PRODUCT(four_by_256, "avx2,fma", __m256d, 8, 1, 4, _mm256_loadu_pd, _mm256_set1_pd, _mm256_fmadd_pd,
                      _mm256_storeu_pd, _mm256_setzero_pd)
ASTERISM_ROWS_PRODUCT(two_by_128, "avx2,fma", __m128d, 8, 1, 2, _mm_loadu_pd, _mm_set1_pd, _mm_fmadd_pd, _mm_storeu_pd,
                      _mm_setzero_pd)
#undef ASTERISM_ROWS_PRODUCT

#endif

}  // namespace

RowsProduct rows_product_for(int vectors, Registers registers) {
#ifdef ASTERISM_HAS_CLONES
  static const bool with_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  static const bool with_512 = with_256 && __builtin_cpu_supports("avx512f");
  if (with_512 && vectors == 8 && registers == Registers::suited) return eight_by_512;
  if (with_256 && registers != Registers::plain)
    return vectors == 8 ? eight_by_256 : vectors == 4 ? four_by_256 : two_by_128;
#else
  static_cast<void>(registers);
#endif
  return vectors == 8 ? plain<8> : vectors == 4 ? plain<4> : plain<2>;
}

}  // namespace asterism::cg::cpu
