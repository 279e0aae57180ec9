#include "codelets/tdbem/march.hpp"

namespace asterism::tdbem::cpu {

template <class T>
void combine(const TotalsShape& shape, const PartialSums<T>* partials, std::int32_t count, T* totals) {
  for (std::int64_t x = 0; x < shape.elements(); ++x) {
    const bool begun = shape.width > shape.group && x % shape.width < shape.group;
    totals[x] = combined(shape, partials, count, x, begun ? totals[x + shape.group] : T(0));
  }
}

template <class T>
void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r) {
  for (std::int64_t i = 0; i < shape.rows; ++i)
    r.rhs[i] = (r.light == nullptr ? T(0) : r.light[i * shape.group + g]) - r.totals[i * shape.width + g];
}

template <class T>
void extrapolate(std::int32_t rows, const T* last, const T* before, T* guess) {
  for (std::int32_t i = 0; i < rows; ++i) guess[i] = 2 * last[i] - before[i];
}

template void combine(const TotalsShape&, const PartialSums<double>*, std::int32_t, double*);
template void combine(const TotalsShape&, const PartialSums<float>*, std::int32_t, float*);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<double>&);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<float>&);
template void extrapolate(std::int32_t, const double*, const double*, double*);
template void extrapolate(std::int32_t, const float*, const float*, float*);

}  // namespace asterism::tdbem::cpu
