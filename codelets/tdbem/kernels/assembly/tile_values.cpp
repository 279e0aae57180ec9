// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/tile_values.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/tdbem/kernels/assembly/pair_values.hpp"

namespace asterism::tdbem {
namespace {

/// Adds the nine lines of a pair to where they belong; none where `to` is null. Lines end with zeros, which may reach
/// into the next line of the window.
ASTERISM_CLONES void add_lines(const PairValues& pair, double* const (&to)[9]) {
  for (int e = 0; e < 9; ++e) {
    if (to[e] == nullptr) continue;
    for (std::int32_t k = 0; k < pair.count; k += width<double>)
      *reinterpret_cast<Lanes<double>::Unaligned*>(to[e] + k) +=
          *reinterpret_cast<const Vector<double>*>(pair.value[e] + k);
  }
}

/// Sums of a tile: for row r and slice s, counted from the beginning of their ranges, `stride` lags from origin on.
/// If rows and slices are the same ones, only those with r <= s.
struct Window {
  Range rows, slices;
  std::int32_t stride = 0;
  std::int32_t* origin = nullptr;
  double* sums = nullptr;

  [[nodiscard]] std::int64_t line(std::int64_t r, std::int64_t s) const { return r * slices.size() + s; }
  [[nodiscard]] bool triangular() const { return rows == slices; }
  /// Values of corner a of the triangle on the rows' side and corner c of the other; null if not in the window.
  [[nodiscard]] double* at(std::int32_t row, std::int32_t slice, std::int32_t lag) const {
    const std::uint32_t r = rows.place(row), s = slices.place(slice);
    if (r >= static_cast<std::uint32_t>(rows.size()) || s >= static_cast<std::uint32_t>(slices.size()) ||
        (triangular() && r > s))
      return nullptr;
    const std::int64_t x = line(r, s);
    return sums + x * stride + (lag - origin[x]);
  }
};

/// A tile as it lies in the window: its rows are the window's rows, or its slices.
template <class T>
struct Placed {
  const TileTarget<T>& target;
  const Window& window;
  bool transposed;

  [[nodiscard]] std::int64_t line(std::int64_t r, std::int64_t s) const {
    const bool turn = transposed || (window.triangular() && r > s);
    return turn ? window.line(s, r) : window.line(r, s);
  }
  [[nodiscard]] const double* sums(std::int64_t line) const { return window.sums + line * window.stride; }
};

template <class T>
void set_origins(const Placed<T>& placed) {
  const Tile<T>& tile = placed.target.tile;
  for (std::int32_t r = 0; r < tile.rows; ++r)
    for (std::int32_t s = 0; s < tile.slices; ++s) {
      const std::int64_t x = static_cast<std::int64_t>(r / panel_rows) * tile.slices + s;
      placed.window.origin[placed.line(r, s)] = tile.first[x * panel_rows + r % panel_rows];
    }
  for (std::int32_t r = 0; r < tile.rows; ++r)
    for (std::int32_t e = placed.target.initial_start[r]; e < placed.target.initial_start[r + 1]; ++e)
      placed.window.origin[placed.line(r, placed.target.initial_slice[e])] = 0;
}

template <class T>
void store(const Placed<T>& placed) {
  const Tile<T>& tile = placed.target.tile;
  for (std::int32_t panel = 0; panel < tile.panels(); ++panel)
    for (std::int32_t s = 0; s < tile.slices; ++s) {
      const std::int64_t x = static_cast<std::int64_t>(panel) * tile.slices + s;
      const std::uint32_t begin = tile.start[x], width = tile.start[x + 1] - begin;
      T* const values = placed.target.values + static_cast<std::int64_t>(begin) * panel_rows;
      for (std::int32_t row = 0; row < panel_rows; ++row) {
        const std::uint32_t length = tile.length[x * panel_rows + row];
        const double* sums = nullptr;
        if (length > 0) {
          const std::int64_t line = placed.line(panel * panel_rows + row, s);
          sums = placed.sums(line) + (tile.first[x * panel_rows + row] - placed.window.origin[line]);
        }
        for (std::uint32_t c = 0; c < width; ++c)
          values[c * panel_rows + row] = c < length ? static_cast<T>(sums[c]) : T(0);
      }
    }
  for (std::int32_t r = 0; r < tile.rows; ++r)
    for (std::int32_t e = placed.target.initial_start[r]; e < placed.target.initial_start[r + 1]; ++e)
      placed.target.initial[e] = *placed.sums(placed.line(r, placed.target.initial_slice[e]));
}

template <class T>
Range rows_of(const Tile<T>& tile) {
  return {tile.row_begin, tile.row_begin + tile.rows};
}
template <class T>
Range slices_of(const Tile<T>& tile) {
  return {tile.slice_begin, tile.slice_begin + tile.slices};
}

}  // namespace

template <class T>
void assemble(const SurfaceView& surface, const PairRules& rules, const Discretisation& d, const TileTarget<T>& tile,
              const TileTarget<T>* mirror, TileScratch& scratch) {
  Range rows = rows_of(tile.tile), slices = slices_of(tile.tile);
  if (mirror != nullptr && (rows == slices || !(rows_of(mirror->tile) == slices && slices_of(mirror->tile) == rows)))
    throw std::invalid_argument("assemble: a tile that is not the mirror image of the other");
  // the window has the lower unknowns as rows, so that a pair of unknowns sums in the same order from both sides
  const bool transposed = rows.begin > slices.begin;
  if (transposed) std::swap(rows, slices);

  const std::int64_t row_vectors = static_cast<std::int64_t>(tile.tile.panels()) * tile.tile.slices * panel_rows;
  Window window{rows, slices};
  window.stride = 1 + *std::max_element(tile.tile.length, tile.tile.length + row_vectors);
  const std::int64_t lines = static_cast<std::int64_t>(rows.size()) * slices.size();
  scratch.origin.resize(static_cast<std::size_t>(lines));
  scratch.window.assign(static_cast<std::size_t>((lines * window.stride + 7) / 8 + 1), {});
  window.origin = scratch.origin.data();
  window.sums = scratch.window.data()->lane;
  const Placed<T> placed{tile, window, transposed};
  set_origins(placed);

  PairValues values;
  const auto add = [&](const PairTriangle& row_side, const PairTriangle& slice_side, bool turned) {
    double* to[9];
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < 3; ++c)
        to[turned ? 3 * c + a : 3 * a + c] =
            window.at(row_side.vertices.corner[a], slice_side.vertices.corner[c], values.first);
    add_lines(values, to);
  };
  const TileTriangles triangles = tile_triangles(surface, rules, rows, slices);
  for_each_pair(triangles, [&](const PairTriangle& t, const PairTriangle& u, bool direct, bool turned) {
    pair_values(rules, d, t, u, scratch.pair, values);
    if (direct) add(t, u, false);
    if (turned) add(u, t, true);
  });
  store(placed);
  if (mirror != nullptr) store(Placed<T>{*mirror, window, !transposed});
}
template void assemble(const SurfaceView&, const PairRules&, const Discretisation&, const TileTarget<float>&,
                       const TileTarget<float>*, TileScratch&);
template void assemble(const SurfaceView&, const PairRules&, const Discretisation&, const TileTarget<double>&,
                       const TileTarget<double>*, TileScratch&);

}  // namespace asterism::tdbem
