// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/links.hpp"

#include "codelets/lbm/kernels/boundary/force_sums.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::cpu {

template <class T>
void reflect(Half last, const Brick& brick, const Links& links, T* f) {
  const std::int64_t* from = last == Half::alpha ? links.fluid : links.solid;
  const std::int64_t* to = last == Half::alpha ? links.solid : links.fluid;
  if (links.share == nullptr) {
    for (std::int32_t l = links.begin[0]; l < links.begin[q]; ++l) f[to[l]] = f[from[l]];
    return;
  }
  for (int j = 1; j < q; ++j)
    for (std::int32_t l = links.begin[j]; l < links.begin[j + 1]; ++l) f[to[l]] = returned(last, brick, links, j, l, f);
}

template <class T>
void force(Half last, const Brick& brick, const Origin& origin, const Links& links, const T* f, ForceSums& sums) {
  const std::int64_t* left = last == Half::alpha ? links.fluid : links.solid;
  for (int j = 1; j < q; ++j)
    for (std::int32_t l = links.begin[j]; l < links.begin[j + 1]; ++l)
      sums.add(exchanged(last, brick, links, j, l, f), velocity(j),
               cell_of(brick, origin, last == Half::alpha ? opposite(j) : j, left[l]));
}

template void reflect(Half, const Brick&, const Links&, double*);
template void reflect(Half, const Brick&, const Links&, float*);
template void reflect(Half, const Brick&, const Links&, Float16*);
template void force(Half, const Brick&, const Origin&, const Links&, const double*, ForceSums&);
template void force(Half, const Brick&, const Origin&, const Links&, const float*, ForceSums&);
template void force(Half, const Brick&, const Origin&, const Links&, const Float16*, ForceSums&);

}  // namespace asterism::lbm::cpu
