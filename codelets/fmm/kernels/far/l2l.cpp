// SPDX-License-Identifier: Apache-2.0
#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/shift_lines.hpp"

namespace asterism::fmm::cpu {
using namespace lanes;

ASTERISM_CLONES void l2l(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
                         const CellIndex* child_index, const double* parents, double* children) {
  static const OctantSigns signs;
  const Lines lines(basis);
  const Triangle triangle(shift, basis.order);
  alignas(64) Vector w[max_size];
  const auto* lane = reinterpret_cast<const double*>(w);
  for (std::int32_t f = 0; f < count; ++f) {
    const Family& family = families[f];
    const double* local = parents + static_cast<std::int64_t>(family.parent) * basis.stride;
    for (int s = 0; s < basis.size; ++s) w[s] = Vector{} + local[s];
    turn(basis, signs, w);
    shift_all<true>(lines, triangle, w);
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
