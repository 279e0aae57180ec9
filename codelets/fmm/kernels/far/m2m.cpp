// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/shift_lines.hpp"

namespace asterism::fmm::cpu {
using namespace lanes;

ASTERISM_CLONES void m2m(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
                         const CellIndex* child_index, const double* children, double* parents) {
  static const OctantSigns signs;
  const Lines lines(basis);
  const Triangle triangle(shift, basis.order);
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
    shift_all<false>(lines, triangle, w);
    turn(basis, signs, w);
    double* out = parents + static_cast<std::int64_t>(family.parent) * basis.stride;
    for (int s = 0; s < basis.size; ++s) out[s] += sum(w[s]);
  }
}

}  // namespace asterism::fmm::cpu
