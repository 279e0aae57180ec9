// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/partial_sums.hpp"

namespace asterism::tdbem::cpu {

template <class T>
void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count, T* totals) {
  for (std::int64_t line = 0; line < shape.elements(); line += shape.width)
    for (std::int64_t x = line; x < line + shape.group; ++x) {
      T& next = totals[x + shape.group];
      totals[x] = combined(shape, partials, count, x,
                           begun == Begun::nothing   ? T(0)
                           : begun == Begun::present ? totals[x]
                                                     : next);
      if (begun == Begun::next) next = 0;
    }
}

template <class T>
void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r) {
  for (std::int64_t i = 0; i < shape.rows; ++i)
    r.rhs[i] = (r.incident == nullptr ? T(0) : r.incident[i * shape.group + g]) - r.totals[i * shape.width + g];
}

template <class T>
void extrapolate(std::int32_t rows, const Guess<T>& guess, T* a) {
  for (std::int32_t i = 0; i < rows; ++i) a[i] = guess(i);
}

template void combine(const TotalsShape&, Begun, const PartialSums<double>*, std::int32_t, double*);
template void combine(const TotalsShape&, Begun, const PartialSums<float>*, std::int32_t, float*);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<double>&);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<float>&);
template void extrapolate(std::int32_t, const Guess<double>&, double*);
template void extrapolate(std::int32_t, const Guess<float>&, float*);

}  // namespace asterism::tdbem::cpu
