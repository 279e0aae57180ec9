// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/radiation.hpp"

#include <algorithm>

#include "base/isa.hpp"

namespace asterism::tdbem::cpu {
namespace {

template <class T>
ASTERISM_INLINE void radiate_rows(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found,
                                  const Sums<T>& sums, std::int32_t begin, std::int32_t end) {
  const std::int32_t group = near.lags + 1;
  const std::int32_t from = begin - near.row_begin;
  const std::int32_t to = end - near.row_begin;
  for (std::int32_t panel = from / panel_rows; panel * panel_rows < to; ++panel) {
    const std::int32_t row_begin = std::max(0, from - panel * panel_rows);
    const std::int32_t row_end = std::min(panel_rows, to - panel * panel_rows);
    T* const panel_sums =
        sums.values + static_cast<std::int64_t>(near.row_begin - sums.row_begin + panel * panel_rows) * group + g0;
    for (std::int32_t k = 1; k < group - g0; ++k) {
      alignas(64) T s[panel_rows] = {};
      const std::int32_t places = near.reached[static_cast<std::int64_t>(panel) * near.lags + k - 1];
      for (std::int64_t place = near.begin[panel]; place < near.begin[panel] + places; ++place) {
        const T* const values = near.values + (place * near.lags + k - 1) * panel_rows;
        const std::int32_t* const column = near.column + place * panel_rows;
        for (int row = 0; row < panel_rows; ++row)
          s[row] += values[row] * found.values[column[row] - found.unknown_begin];
      }
      for (std::int32_t row = row_begin; row < row_end; ++row) panel_sums[row * group + k] += s[row];
    }
  }
}

ASTERISM_CLONES void radiate_clones(const NearRowsView<double>& near, std::int32_t g0, const Found<double>& found,
                                    const Sums<double>& sums, std::int32_t begin, std::int32_t end) {
  radiate_rows(near, g0, found, sums, begin, end);
}
ASTERISM_CLONES void radiate_clones(const NearRowsView<float>& near, std::int32_t g0, const Found<float>& found,
                                    const Sums<float>& sums, std::int32_t begin, std::int32_t end) {
  radiate_rows(near, g0, found, sums, begin, end);
}

}  // namespace

template <class T>
void radiate(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found, const Sums<T>& sums,
             std::int32_t begin, std::int32_t end) {
  if (begin < end) radiate_clones(near, g0, found, sums, begin, end);
}

template void radiate(const NearRowsView<double>&, std::int32_t, const Found<double>&, const Sums<double>&,
                      std::int32_t, std::int32_t);
template void radiate(const NearRowsView<float>&, std::int32_t, const Found<float>&, const Sums<float>&, std::int32_t,
                      std::int32_t);

}  // namespace asterism::tdbem::cpu
