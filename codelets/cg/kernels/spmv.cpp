// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector on the CPU, and the same fused with p.y.
#include <cmath>

#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/kernels/slices.hpp"

namespace asterism::cg::cpu {
namespace {

template <bool dot>
ASTERISM_INLINE Sum csr(const CsrView& a, const double* x, double* y, bool accumulate, const double* p) {
  Sum result;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = accumulate ? y[i] : 0;
    for (std::int32_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) sum = std::fma(a.value[k], x[a.column[k]], sum);
    y[i] = sum;
    if constexpr (dot) add_product(result, p[i], sum);
  }
  return result;
}

}  // namespace

ASTERISM_CLONES void spmv(const CsrView& a, const double* x, double* y, bool accumulate) {
  csr<false>(a, x, y, accumulate, nullptr);
}
ASTERISM_CLONES void spmv(const SellView& a, const double* x, double* y, bool accumulate) {
  slices_product<ProductDot::none>(a, 0, a.slices, x, y, accumulate, nullptr);
}
ASTERISM_CLONES Sum spmv_dot(const CsrView& a, const double* x, double* y, bool accumulate, const double* p) {
  return csr<true>(a, x, y, accumulate, p);
}
ASTERISM_CLONES Sum spmv_dot(const SellView& a, const double* x, double* y, bool accumulate, const double* p,
                             ProductDot dot) {
  return dot == ProductDot::own ? slices_product<ProductDot::own>(a, 0, a.slices, x, y, accumulate, p)
                                : slices_product<ProductDot::total>(a, 0, a.slices, x, y, accumulate, p);
}

}  // namespace asterism::cg::cpu
