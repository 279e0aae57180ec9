// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::cpu {

template <class T>
void reflect(Half last, const Links& links, T* f) {
  const std::int64_t* from = last == Half::alpha ? links.fluid : links.solid;
  const std::int64_t* to = last == Half::alpha ? links.solid : links.fluid;
  for (std::int32_t l = links.begin[0]; l < links.begin[q]; ++l) f[to[l]] = f[from[l]];
}

template <class T>
void force(Half last, const Links& links, const T* f, double* force) {
  const std::int64_t* left = last == Half::alpha ? links.fluid : links.solid;
  for (int j = 0; j < q; ++j) {
    double sum = 0;
    for (std::int32_t l = links.begin[j]; l < links.begin[j + 1]; ++l) sum += static_cast<double>(value_of(f[left[l]]));
    for (int axis = 0; axis < 3; ++axis) force[axis] += 2 * component(velocity(j), axis) * sum;
  }
}

template void reflect(Half, const Links&, double*);
template void reflect(Half, const Links&, float*);
template void reflect(Half, const Links&, Float16*);
template void force(Half, const Links&, const double*, double*);
template void force(Half, const Links&, const float*, double*);
template void force(Half, const Links&, const Float16*, double*);

}  // namespace asterism::lbm::cpu
