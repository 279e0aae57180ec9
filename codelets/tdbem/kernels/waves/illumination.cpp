// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/waves/illumination.hpp"

#include <algorithm>

#include "codelets/tdbem/kernels/waves/illuminate_row.hpp"

namespace asterism::tdbem::cpu {

template <class T>
void illuminate(const SurfaceView& surface, const Illumination& incident, const Steps& steps, std::int32_t begin,
                std::int32_t end, T* out) {
  constexpr std::int32_t at_once = 16;
  for (std::int32_t row = begin; row < end; ++row)
    for (std::int32_t from = 0; from < steps.count; from += at_once) {
      const std::int32_t count = std::min(at_once, steps.count - from);
      double sums[at_once] = {};
      illuminate_row(surface, incident, steps.dt, steps.first + from, count, row, sums);
      for (std::int32_t g = 0; g < count; ++g)
        out[static_cast<std::int64_t>(row - begin) * steps.count + from + g] = static_cast<T>(sums[g]);
    }
}

template void illuminate(const SurfaceView&, const Illumination&, const Steps&, std::int32_t, std::int32_t, double*);
template void illuminate(const SurfaceView&, const Illumination&, const Steps&, std::int32_t, std::int32_t, float*);

}  // namespace asterism::tdbem::cpu
