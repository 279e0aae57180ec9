// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/coupling.hpp"

namespace asterism::fdtd::cpu {

template <class T>
void keep(std::int32_t count, const std::int64_t* places, const T* e, T* change) {
  for (std::int32_t m = 0; m < count; ++m) change[m] = e[places[m]];
}

template <class T>
void take_change(std::int32_t count, const std::int64_t* places, const T* e, T* change) {
  for (std::int32_t m = 0; m < count; ++m) change[m] = e[places[m]] - change[m];
}

template <class T>
void couple(const CoupledEdges<T>& edges, const Changes<T>& changes, T* e) {
  for (std::int32_t m = 0; m < edges.count; ++m) {
    T sum = 0;
    for (std::int32_t t = edges.first[m]; t < edges.first[m + 1]; ++t)
      sum += edges.terms[t].factor * changes.of[edges.terms[t].brick][edges.terms[t].edge];
    e[edges.places[m]] += sum;
  }
}

template void keep(std::int32_t, const std::int64_t*, const float*, float*);
template void keep(std::int32_t, const std::int64_t*, const double*, double*);
template void take_change(std::int32_t, const std::int64_t*, const float*, float*);
template void take_change(std::int32_t, const std::int64_t*, const double*, double*);
template void couple(const CoupledEdges<float>&, const Changes<float>&, float*);
template void couple(const CoupledEdges<double>&, const Changes<double>&, double*);

}  // namespace asterism::fdtd::cpu
