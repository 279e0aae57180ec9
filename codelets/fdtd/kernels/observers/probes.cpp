// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/probes.hpp"

namespace asterism::fdtd::cpu {

template <class T>
void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row) {
  for (std::int32_t p = 0; p < count; ++p) row[p] = (places[p].field == Field::electric ? e : h)[places[p].at];
}

template void record(std::int32_t, const ProbePlace*, const double*, const double*, double*);
template void record(std::int32_t, const ProbePlace*, const float*, const float*, float*);

}  // namespace asterism::fdtd::cpu
