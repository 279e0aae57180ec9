// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/waves/observe.hpp"

#include "base/isa.hpp"

namespace asterism::tdbem::cpu {

template <class T>
ASTERISM_CLONES void observe(const ObserverView<T>& observers, const HistoryView<T>& history, std::int32_t begin,
                             std::int32_t end, std::int32_t steps, T* p) {
  for (std::int32_t o = begin; o < end; ++o)
    for (std::int32_t g = 0; g < steps; ++g) {
      double sum = 0;
      for (std::int32_t j = 0; j < observers.unknowns; ++j) {
        const std::int64_t x = static_cast<std::int64_t>(o) * observers.unknowns + j;
        const T* const weight = observers.weight + observers.start[x];
        const auto length = static_cast<std::int64_t>(observers.start[x + 1] - observers.start[x]);
        const T* const latest = history.value + j * history.stride + history.position + g - observers.first[x];
        T part = 0;
        for (std::int64_t c = 0; c < length; ++c) part += weight[c] * latest[-c];
        sum += static_cast<double>(part);
      }
      p[static_cast<std::int64_t>(o - begin) * steps + g] = static_cast<T>(sum);
    }
}

template void observe(const ObserverView<double>&, const HistoryView<double>&, std::int32_t, std::int32_t, std::int32_t,
                      double*);
template void observe(const ObserverView<float>&, const HistoryView<float>&, std::int32_t, std::int32_t, std::int32_t,
                      float*);

}  // namespace asterism::tdbem::cpu
