// SPDX-License-Identifier: Apache-2.0
// The summation stage: the multi-vectors/vector product of Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015),
// section 3.3, over tiles of slices. It is limited by reading the tiles' values once; each takes part in `group`
// multiply-adds, and in `group` times `waves` where several incident waves share the matrices.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// Largest number of summation vectors computed at once, n_g in the paper.
inline constexpr std::int32_t max_group = 16;

/// The windows (slices.hpp) of consecutive slices, for every wave: that of slice j begins at
/// values + wave * wave_stride + (j - slice_begin) * shape.stride.
template <class T>
struct Windows {
  const T* values = nullptr;
  std::int32_t slice_begin = 0;
  std::int32_t waves = 1;
  std::int64_t wave_stride = 0;
  WindowShape shape;
};

/// The summation vectors of consecutive rows, for every wave: s^(n+g) of row i is
/// values[wave * wave_stride + (i - row_begin) * group + g], group being that of the windows.
template <class T>
struct Sums {
  T* values = nullptr;
  std::int32_t row_begin = 0;
  std::int64_t wave_stride = 0;
};

/// The windows and the sums of one wave of several, for kernels that take one.
template <class T>
Windows<T> of_wave(Windows<T> windows, std::int32_t wave) {
  windows.values += wave * windows.wave_stride;
  windows.waves = 1;
  return windows;
}
template <class T>
Sums<T> of_wave(Sums<T> sums, std::int32_t wave) {
  sums.values += wave * sums.wave_stride;
  return sums;
}

/// Most blocks of slices that a GPU takes at once: small ones leave it without enough to do.
inline constexpr std::int32_t most_blocks_at_once = 14;
/// The windows of some blocks, whose tiles come one block after the other, as many of each and of the same rows.
template <class T>
struct WindowsOfBlocks {
  std::int32_t tiles_of_each = 0;
  Windows<T> of[most_blocks_at_once];  ///< all of one shape and of as many waves
};

/// Work of a GPU: panels per tile at most, and parts into which the slices of each tile are cut so that many warps have
/// something to do. Each part leaves its sums in scratch memory and they are added in the order of the slices, which
/// gives the same bits on every GPU.
struct ProductShape {
  std::int32_t tiles = 0;   ///< of all blocks
  std::int32_t panels = 0;  ///< of the tile that has most
  std::int32_t parts = 1;
};
/// `slices` per tile. A function of its arguments only.
constexpr ProductShape product_shape(std::int32_t tiles, std::int32_t panels, std::int32_t slices) {
  // Several times the warps that the largest GPUs hold at once, unless what is left for each becomes less than what its
  // sums cost.
  constexpr std::int64_t warps = 16384;
  constexpr std::int64_t slices_of_part = 24;
  const std::int64_t columns = static_cast<std::int64_t>(tiles) * panels;
  const std::int64_t wanted = columns == 0 ? 1 : (warps + columns - 1) / columns;
  const std::int64_t most = (slices + slices_of_part - 1) / slices_of_part;
  const std::int64_t parts = wanted < most ? wanted : most;
  return {tiles, panels, static_cast<std::int32_t>(parts < 1 ? 1 : parts)};
}
/// Elements of the scratch memory.
constexpr std::int64_t product_scratch(const ProductShape& shape, std::int32_t group, std::int32_t waves) {
  return static_cast<std::int64_t>(waves) * shape.parts * shape.tiles * shape.panels * group * panel_rows;
}

namespace cpu {

/// How a panel's rows are in vector registers.
enum class Panels {
  suited,    ///< by_lanes where the processor has AVX-512, else by_rows
  by_rows,   ///< the sums of a row in a register (panel_by_rows.hpp): any processor, but two loads per multiply-add
  by_lanes,  ///< a row in each lane (panel_by_lanes.hpp): about twice as fast in the cache; permutes two registers
};

/// s_i^(n+g) += sum over the tiles' slices j and lags k of M^k(i, j) a_j^(n+g-k), for all rows of the tiles, g < group
/// and waves. Throws std::invalid_argument unless 1 <= group <= max_group, and for by_lanes without AVX-512.
template <class T>
void product(const Tile<T>* tiles, std::int32_t count, const Windows<T>& windows, const Sums<T>& sums,
             Panels panels = Panels::suited);
/// Whether this processor can do Panels::by_lanes.
bool permutes_two_registers();

}  // namespace cpu
}  // namespace asterism::tdbem
