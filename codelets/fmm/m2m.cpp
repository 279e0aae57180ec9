#include <cstring>

#include "codelets/fmm/far_field.hpp"
#include "codelets/fmm/lanes.hpp"

namespace asterism::fmm::cpu {
namespace {
using namespace lanes;

/// w_abc = sum_{b' <= b ...} S_.. w_.., one direction after the other, in place from high degrees to low: the lower
/// ones that a degree needs are still the old ones.
ASTERISM_INLINE void shift_moments(const BasisView& basis, const double* s, Vector* w) {
  const int l = basis.order;
  for (int row = 0; row < basis.rows; ++row) {
    Vector* of_row = w + basis.row_begin[row];
    for (int c = basis.row_begin[row + 1] - basis.row_begin[row] - 1; c >= 0; --c) {
      Vector v = s[c * l + c] * of_row[c];
      for (int from = 0; from < c; ++from) v += s[c * l + from] * of_row[from];
      of_row[c] = v;
    }
  }
  for (int row = basis.rows - 1; row >= 0; --row) {
    const int a = basis.row_a[row];
    const int b = basis.row_b[row];
    const int count = basis.row_begin[row + 1] - basis.row_begin[row];
    Vector* of_row = w + basis.row_begin[row];
    for (int c = 0; c < count; ++c) {
      Vector v = s[b * l + b] * of_row[c];
      for (int from = 0; from < b; ++from) v += s[b * l + from] * w[basis.row_begin[basis.row_of[a * l + from]] + c];
      of_row[c] = v;
    }
  }
  for (int row = basis.rows - 1; row >= 0; --row) {
    const int a = basis.row_a[row];
    const int b = basis.row_b[row];
    const int count = basis.row_begin[row + 1] - basis.row_begin[row];
    Vector* of_row = w + basis.row_begin[row];
    for (int c = 0; c < count; ++c) {
      Vector v = s[a * l + a] * of_row[c];
      for (int from = 0; from < a; ++from) v += s[a * l + from] * w[basis.row_begin[basis.row_of[from * l + b]] + c];
      of_row[c] = v;
    }
  }
}

}  // namespace

ASTERISM_CLONES void m2m(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
                         const CellIndex* child_index, const double* children, double* parents) {
  static const OctantSigns signs;
  alignas(64) Vector w[max_size];
  auto* lane = reinterpret_cast<double*>(w);
  for (std::int32_t f = 0; f < count; ++f) {
    const Family& family = families[f];
    std::memset(w, 0, static_cast<std::size_t>(basis.size) * sizeof(Vector));
    for (std::int32_t i = 0; i < family.children; ++i) {
      const std::int32_t child = family.first_child + i;
      const int octant = octant_of(child_index[child]);
      const double* moments = children + static_cast<std::int64_t>(child) * basis.stride;
      for (int s = 0; s < basis.size; ++s) lane[s * width + octant] = moments[s];
    }
    turn(basis, signs, w);
    shift_moments(basis, shift, w);
    turn(basis, signs, w);
    double* out = parents + static_cast<std::int64_t>(family.parent) * basis.stride;
    for (int s = 0; s < basis.size; ++s) out[s] += sum(w[s]);
  }
}

}  // namespace asterism::fmm::cpu
