// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/product.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/isa.hpp"
#include "codelets/tdbem/kernels/product/panel_by_lanes.hpp"
#include "codelets/tdbem/kernels/product/panel_by_rows.hpp"
#include "codelets/tdbem/kernels/product/with_group.hpp"

namespace asterism::tdbem::cpu {
namespace {

/// Waves whose sums are kept in the cache while a panel is read once.
constexpr int waves_at_once = 4;
/// How far ahead of their use values are asked for, in bytes.
constexpr std::int64_t ahead = 6144;

template <class T, int group, template <class, int> class Panel>
ASTERISM_INLINE void add_tile(const Tile<T>& tile, const Windows<T>& windows, const Sums<T>& sums) {
  const T* const presents =
      windows.values + (tile.slice_begin - windows.slice_begin) * windows.shape.stride + windows.shape.reach;
  for (std::int32_t wave = 0; wave < windows.waves; wave += waves_at_once) {
    const std::int32_t waves = std::min(waves_at_once, windows.waves - wave);
    for (std::int32_t panel = 0; panel < tile.panels(); ++panel) {
      Panel<T, group> of[waves_at_once];
      for (std::int32_t w = 0; w < waves; ++w) of[w].clear();
      for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
        const std::int64_t x = static_cast<std::int64_t>(panel) * tile.slices + slice;
        const T* const values = tile.values + static_cast<std::int64_t>(tile.start[x]) * panel_rows;
        const auto columns = static_cast<std::int32_t>(tile.start[x + 1] - tile.start[x]);
        for (std::int32_t w = 0; w < waves; ++w)
          of[w].add(values, columns, tile.first + x * panel_rows,
                    presents + (wave + w) * windows.wave_stride + slice * windows.shape.stride, windows.shape,
                    reinterpret_cast<const char*>(values) + ahead);
      }
      const std::int32_t row = panel * panel_rows;
      const std::int32_t rows = std::min(panel_rows, tile.rows - row);
      for (std::int32_t w = 0; w < waves; ++w) {
        T* const to = sums.values + (wave + w) * sums.wave_stride +
                      static_cast<std::int64_t>(tile.row_begin - sums.row_begin + row) * group;
        for (std::int32_t r = 0; r < rows; ++r)
          for (int g = 0; g < group; ++g) to[r * group + g] += of[w].sum(r, g);
      }
    }
  }
}

template <int group>
ASTERISM_CLONES void by_rows(const Tile<double>& tile, const Windows<double>& windows, const Sums<double>& sums) {
  add_tile<double, group, PanelByRows>(tile, windows, sums);
}
template <int group>
ASTERISM_CLONES void by_rows(const Tile<float>& tile, const Windows<float>& windows, const Sums<float>& sums) {
  add_tile<float, group, PanelByRows>(tile, windows, sums);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
template <class T, int group>
[[gnu::target("arch=x86-64-v4,prefer-vector-width=512")]] void by_lanes(const Tile<T>& tile, const Windows<T>& windows,
                                                                        const Sums<T>& sums) {
  add_tile<T, group, PanelByLanes>(tile, windows, sums);
}
bool has_lanes() {
  return __builtin_cpu_supports("x86-64-v4") != 0;
}
#else
template <class T, int group>
void by_lanes(const Tile<T>& tile, const Windows<T>& windows, const Sums<T>& sums) {
  add_tile<T, group, PanelByRows>(tile, windows, sums);
}
bool has_lanes() {
  return false;
}
#endif

}  // namespace

bool permutes_two_registers() {
  return has_lanes();
}

template <class T>
void product(const Tile<T>* tiles, std::int32_t count, const Windows<T>& windows, const Sums<T>& sums, Panels panels) {
  const std::int32_t group = windows.shape.group;
  if (group < 1 || group > max_group) throw std::invalid_argument("product: groups have 1 to 16 summation vectors");
  const bool lanes = permutes_two_registers();
  if (panels == Panels::by_lanes && !lanes) throw std::invalid_argument("product: rows in lanes need AVX-512");
  with_group<max_group>(group, [&](auto n) {
    for (std::int32_t t = 0; t < count; ++t)
      if (lanes && panels != Panels::by_rows)
        by_lanes<T, n.value>(tiles[t], windows, sums);
      else
        by_rows<n.value>(tiles[t], windows, sums);
  });
}

template void product(const Tile<double>*, std::int32_t, const Windows<double>&, const Sums<double>&, Panels);
template void product(const Tile<float>*, std::int32_t, const Windows<float>&, const Sums<float>&, Panels);

}  // namespace asterism::tdbem::cpu
