// Bytes and floating-point operations of the summation stage, for programs, bounds and benchmarks alike.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// What a tile holds.
struct SliceCounts {
  std::int64_t values = 0;   ///< of the row-vectors
  std::int64_t stored = 0;   ///< with those that pad panels
  std::int64_t extents = 0;  ///< first lags, as many lengths
  std::int64_t starts = 0;   ///< of panels
  constexpr SliceCounts& operator+=(const SliceCounts& o) {
    values += o.values;
    stored += o.stored;
    extents += o.extents;
    starts += o.starts;
    return *this;
  }
};
/// Of a tile in main memory.
template <class T>
constexpr SliceCounts count(const Tile<T>& tile) {
  const std::int64_t panels = static_cast<std::int64_t>(tile.panels()) * tile.slices;
  SliceCounts c{0, static_cast<std::int64_t>(tile.start[panels]) * panel_rows, panels * panel_rows, panels + 1};
  for (std::int64_t x = 0; x < c.extents; ++x) c.values += tile.length[x];
  return c;
}

/// Memory of tiles; `element` is the size of a value.
constexpr double stored_bytes(const SliceCounts& c, int element) {
  return static_cast<double>(c.stored * element + c.extents * (2 + 1) + c.starts * 4);
}
/// What one product reads of them: all but the lengths. Windows and sums stay in caches.
constexpr double product_bytes(const SliceCounts& c, int element) {
  return static_cast<double>(c.stored * element + c.extents * 2 + c.starts * 4);
}
/// Of a product for `group` summation vectors: a multiplication and an addition each, as the paper counts (2 d n_g for
/// a row-vector of d values, section 3.3).
constexpr double product_flops(const SliceCounts& c, int group, int waves = 1) {
  return 2.0 * static_cast<double>(c.values) * group * waves;
}
/// Those done, zeros that pad panels included.
constexpr double padded_product_flops(const SliceCounts& c, int group, int waves = 1) {
  return 2.0 * static_cast<double>(c.stored) * group * waves;
}

}  // namespace asterism::tdbem
