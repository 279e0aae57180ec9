#include "codelets/fmm/far_field.hpp"
#include "codelets/fmm/lanes.hpp"

namespace asterism::fmm::cpu {
namespace {
using namespace lanes;

/// w_abc = sum_{a' >= a ...} S_.. w_..: the transpose of m2m's, in place from low degrees to high.
ASTERISM_INLINE void shift_polynomial(const BasisView& basis, const double* s, Vector* w) {
  const int l = basis.order;
  for (int row = 0; row < basis.rows; ++row) {
    Vector* of_row = w + basis.row_begin[row];
    const int count = basis.row_begin[row + 1] - basis.row_begin[row];
    for (int c = 0; c < count; ++c) {
      Vector v{};
      for (int from = c; from < count; ++from) v += s[from * l + c] * of_row[from];
      of_row[c] = v;
    }
  }
  const auto count_of = [&](int row) __attribute__((always_inline)) {
    return row < 0 ? 0 : basis.row_begin[row + 1] - basis.row_begin[row];
  };
  for (int row = 0; row < basis.rows; ++row) {
    const int a = basis.row_a[row];
    const int b = basis.row_b[row];
    Vector* of_row = w + basis.row_begin[row];
    const int count = count_of(row);
    for (int c = 0; c < count; ++c) {
      Vector v = s[b * l + b] * of_row[c];
      for (int from = b + 1; from < l && count_of(basis.row_of[a * l + from]) > c; ++from)
        v += s[from * l + b] * w[basis.row_begin[basis.row_of[a * l + from]] + c];
      of_row[c] = v;
    }
  }
  for (int row = 0; row < basis.rows; ++row) {
    const int a = basis.row_a[row];
    const int b = basis.row_b[row];
    Vector* of_row = w + basis.row_begin[row];
    const int count = count_of(row);
    for (int c = 0; c < count; ++c) {
      Vector v = s[a * l + a] * of_row[c];
      for (int from = a + 1; from < l && count_of(basis.row_of[from * l + b]) > c; ++from)
        v += s[from * l + a] * w[basis.row_begin[basis.row_of[from * l + b]] + c];
      of_row[c] = v;
    }
  }
}

}  // namespace

ASTERISM_CLONES void l2l(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
                         const CellIndex* child_index, const double* parents, double* children) {
  static const OctantSigns signs;
  alignas(64) Vector w[max_size];
  const auto* lane = reinterpret_cast<const double*>(w);
  for (std::int32_t f = 0; f < count; ++f) {
    const Family& family = families[f];
    const double* local = parents + static_cast<std::int64_t>(family.parent) * basis.stride;
    for (int s = 0; s < basis.size; ++s) w[s] = Vector{} + local[s];
    turn(basis, signs, w);
    shift_polynomial(basis, shift, w);
    turn(basis, signs, w);
    for (std::int32_t i = 0; i < family.children; ++i) {
      const std::int32_t child = family.first_child + i;
      const int octant = octant_of(child_index[child]);
      double* out = children + static_cast<std::int64_t>(child) * basis.stride;
      for (int s = 0; s < basis.size; ++s) out[s] += lane[s * width + octant];
    }
  }
}

}  // namespace asterism::fmm::cpu
