// SPDX-License-Identifier: Apache-2.0
// The steps of a level's smoother and its defect on the CPU: some rows of the product at a time, which are used while
// they are in the caches.
#include <algorithm>
#include <cmath>

#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/kernels/slices.hpp"

namespace asterism::cg::cpu {
namespace {

/// Slices at a time; where rows are sorted by length, as many as were sorted together.
constexpr std::int64_t slices_at_once = 16;
constexpr std::int64_t most_node_rows = 32;

/// Calls finish(begin, end, q) for consecutive rows, whole nodes of `size`, with q[i - begin] = (A x)_i.
template <class Finish>
ASTERISM_INLINE void for_rows_of_product(const SellView& a, const double* x, int size, Finish finish) {
  double q[sorted_slices * slice_height + most_node_rows];
  const std::int64_t step = a.row != nullptr ? sorted_slices : slices_at_once;
  std::int64_t done = 0;
  for (std::int64_t slice = 0; slice < a.slices; slice += step) {
    const std::int64_t last = std::min(slice + step, a.slices);
    const std::int64_t summed = std::min(last * slice_height, a.rows);
    slices_product<ProductDot::none>(a, slice, last, x, q - done, false, nullptr);
    const std::int64_t end = summed == a.rows ? summed : summed / size * size;
    finish(done, end, q);
    std::copy(q + (end - done), q + (summed - done), q);
    done = end;
  }
}

/// (M^-1 u)_i of a node, u its rows.
ASTERISM_INLINE double row_of_inverse(const PreconditionerView& m, std::int64_t n, std::int64_t i, int rows,
                                      const double* u) {
  double sum = 0;
  for (int k = 0; k < rows; ++k) sum = std::fma(m.inverse[k * n + i], u[k], sum);
  return sum;
}

/// d = w M^-1 (b - q) in rows [begin, end); without q it is 0.
template <bool with_q>
ASTERISM_INLINE void first_rows(std::int64_t begin, std::int64_t end, std::int64_t n, const PreconditionerView& m,
                                double w, const double* b, const double* q, double* d) {
  if (m.size == 1) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i)
      d[i] = w * std::fma(m.inverse[i], with_q ? b[i] - q[i - begin] : b[i], 0.0);
    return;
  }
  double u[most_node_rows];
  for (std::int64_t node = begin; node < end; node += m.size) {
    const int rows = static_cast<int>(std::min<std::int64_t>(m.size, end - node));
    for (int k = 0; k < rows; ++k) u[k] = with_q ? b[node + k] - q[node + k - begin] : b[node + k];
    for (int k = 0; k < rows; ++k) d[node + k] = w * row_of_inverse(m, n, node + k, rows, u);
  }
}

}  // namespace

ASTERISM_CLONES void smooth_first(std::int64_t n, const SellView* a, const double* x, const PreconditionerView& m,
                                  double w, const double* b, double* d) {
  if (a == nullptr) return first_rows<false>(0, n, n, m, w, b, nullptr, d);
  for_rows_of_product(*a, x, m.size, [&](std::int64_t begin, std::int64_t end, const double* q) {
    first_rows<true>(begin, end, n, m, w, b, q, d);
  });
}

ASTERISM_CLONES void smooth_second(std::int64_t n, const SellView& a, const double* d_all, const PreconditionerView& m,
                                   double e, double w, const double* d, bool add, double* x) {
  for_rows_of_product(a, d_all, m.size, [&](std::int64_t begin, std::int64_t end, const double* q) {
    if (m.size == 1) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        const double step = std::fma(e, d[i], -w * std::fma(m.inverse[i], q[i - begin], 0.0));
        x[i] = add ? x[i] + step : step;
      }
      return;
    }
    for (std::int64_t node = begin; node < end; node += m.size) {
      const int rows = static_cast<int>(std::min<std::int64_t>(m.size, end - node));
      for (std::int64_t i = node; i < node + rows; ++i) {
        const double step = std::fma(e, d[i], -w * row_of_inverse(m, n, i, rows, q + (node - begin)));
        x[i] = add ? x[i] + step : step;
      }
    }
  });
}

ASTERISM_CLONES void defect(const SellView& a, const double* x, const double* b, double* t) {
  for_rows_of_product(a, x, 1, [&](std::int64_t begin, std::int64_t end, const double* q) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) t[i] = b[i] - q[i - begin];
  });
}

}  // namespace asterism::cg::cpu
