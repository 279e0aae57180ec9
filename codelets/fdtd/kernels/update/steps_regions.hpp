// SPDX-License-Identifier: Apache-2.0
// Which tiles and planes of several steps at once touch something beside the plain scheme: only these pay for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/update/boxes.hpp"
#include "codelets/fdtd/kernels/update/steps.cuh"

namespace asterism::fdtd::cuda {

/// Planes along x, tiles along y and z that go together.
struct RegionOfSteps {
  Box tiles;
  TilesWith with;
  bool media;   ///< other than the background
  double cost;  ///< of a plane of a tile, in those of the plain scheme
  bool psi;     ///< in shared memory

  friend bool operator==(const RegionOfSteps& a, const RegionOfSteps& b) {
    return a.tiles == b.tiles && a.with == b.with && a.media == b.media;
  }
};

/// Cells with something beside the plain scheme.
struct BesideTiles {
  std::array<Box, 6> layers{};  ///< before each face
  std::vector<Box> special;     ///< of sources and probes
  std::vector<Box> apart;       ///< which take no part
  Box media{};
};

/// How long a plane of a tile takes in single or double precision, compared with one of the plain scheme: measured on
/// an H200 by bench_fdtd_tiles, with layers where a kind has some. (Two kinds beside conductors are estimated in
/// double, where several launches of the same few tiles find them in the cache.)
inline double cost_of(TilesWith with, bool media, bool twice) {
  constexpr std::array<double, kinds_of_tiles> single{1, 1.15, 1.6, 1.3, 1.3, 1.55, 2.05, 2.3, 2.35, 9.3, 3};
  constexpr std::array<double, kinds_of_tiles> of_double{1, 1, 1.65, 1.1, 1.35, 1.95, 1.85, 2.15, 1.8, 3.7, 2.35};
  const auto kind = static_cast<std::size_t>(with);
  if (with == TilesWith::more) media = false;  // whatever is there
  return twice ? of_double[kind] * (media ? 1.65 : 1) : single[kind] * (media ? 2.1 : 1);
}

/// Does psi go through the shared memory of a tile, where the domain has layers?
inline bool keeps_psi(TilesWith with) {
  return with != TilesWith::nothing && with != TilesWith::sides && with != TilesWith::conductors;
}

/// The entries before a face that are not updated as others are: layers, the last ones before an electric conductor and
/// what lies on it, or those beside another face.
inline Box beside_face(const Grid& grid, const Box& entries, int face, const Box& layers) {
  if (!layers.empty()) return layers;
  Box b = entries;
  std::int32_t* const range[3][2] = {{&b.x0, &b.x1}, {&b.y0, &b.y1}, {&b.z0, &b.z1}};
  auto& [first, end] = range[face / 2];
  const std::int32_t n = grid.n[face / 2];
  if (face % 2 == 0) {
    *end = 1;
  } else if (grid.face[face] == Face::electric) {
    *first = n;
    *end = n + 1;
  } else {
    *first = n - 1;
  }
  return b;
}

/// Numbers of any precision in whole sectors of memory, in which rows along z are written.
inline constexpr int whole_sectors = 8;
/// Columns before the first one where tiles begin, a multiple of something, so that those at both ends have about as
/// many: fewer touch layers.
inline int columns_before(int columns, int steps, int multiple = 1) {
  const int side = tile_side - 2 * steps;
  return ((columns + side - 1) / side * side - columns) / 2 / multiple * multiple;
}

/// Tiles and planes that the steps compute, by what they touch.
class TilesOfSteps {
 public:
  TilesOfSteps(const Grid& grid, int steps, const Planes& needed, const BesideTiles& beside)
      : grid_(grid),
        steps_(steps),
        side_(tile_side - 2 * steps),
        entries_(grid.entries()),
        before_{columns_before(entries_.y1, steps), columns_before(entries_.z1, steps, whole_sectors)},
        layers_along_x_(!beside.layers[0].empty() || !beside.layers[1].empty()),
        any_layers_(std::any_of(beside.layers.begin(), beside.layers.end(), [](const Box& b) { return !b.empty(); })) {
    of(TilesWith::nothing) = {with_own({needed.first, needed.end, 0, entries_.y1, 0, entries_.z1})};
    for (int f = 0; f < 6; ++f)
      if (grid.face[f] != Face::electric)
        take(with(beside_face(grid, entries_, f, {})), TilesWith::faces, {TilesWith::nothing});
    add_faces(beside);
    std::vector<TilesWith> faster;
    for (auto what = std::size_t{0}; what < static_cast<std::size_t>(TilesWith::more); ++what)
      faster.push_back(static_cast<TilesWith>(what));
    for (const Box& b : beside.special)
      if (!b.empty()) take(with(b), TilesWith::more, faster);
    for (const Box& b : beside.apart) take(with_own(b), TilesWith::more, faster);
    for (std::vector<Box>& boxes : of_)
      for (const Box& b : beside.apart) boxes = without(boxes, with_own_within(b));
  }

  /// From what is slow to what is fast. `twice`: in double precision.
  [[nodiscard]] std::vector<RegionOfSteps> regions(const Box& media, bool twice) const {
    std::vector<RegionOfSteps> all;
    const auto add = [&](const std::vector<Box>& boxes, TilesWith what, bool in_media) {
      for (const Box& b : boxes)
        all.push_back({b, what, in_media, cost_of(what, in_media, twice), any_layers_ && keeps_psi(what)});
    };
    for (std::size_t n = of_.size(); n-- > 0;) {
      const auto what = static_cast<TilesWith>(n);
      // beyond a periodic face may be media of the other end
      if (what == TilesWith::faces) {
        add(of_[n], what, !media.empty());
        continue;
      }
      std::vector<Box> in_media;
      std::vector<Box> background = of_[n];
      if (!media.empty()) background = without(background, with(common(media, entries_)), &in_media);
      add(in_media, in_media_of(what), true);
      add(background, what, false);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const RegionOfSteps& a, const RegionOfSteps& b) { return a.cost > b.cost; });
    return all;
  }

 private:
  /// The kernel with media that tiles take.
  [[nodiscard]] TilesWith in_media_of(TilesWith what) const {
    if (what == TilesWith::sides || (what == TilesWith::ends && !layers_along_x_)) return TilesWith::conductors;
    return takes_media(what) ? what : TilesWith::more;
  }
  void add_faces(const BesideTiles& beside) {
    using Tiles = TilesWith;
    for (const int axis : {1, 2, 0})
      for (const int f : {2 * axis, 2 * axis + 1}) {
        if (grid_.face[f] != Face::electric) continue;
        const Box& cells = beside.layers[static_cast<std::size_t>(f)];
        const Box b = with(beside_face(grid_, entries_, f, cells));
        // tiles beside two faces
        if (axis == 1 && !cells.empty()) take(b, Tiles::layers_y, {Tiles::sides});
        if (axis == 2) take(b, cells.empty() ? Tiles::more : Tiles::layers_yz, {Tiles::layers_y});
        if (axis == 2 && !cells.empty()) take(b, Tiles::more, {Tiles::sides});
        if (axis == 0) {
          take(b, Tiles::more, {Tiles::layers_yz});
          take(b, Tiles::layers_xy, {Tiles::layers_y});
          take(b, Tiles::layers_zx, {Tiles::layers_z});
          take(b, layers_along_x_ ? Tiles::more : Tiles::conductors, {Tiles::sides});
        }
        const Tiles sides = cells.empty() ? Tiles::sides : axis == 1 ? Tiles::layers_y : Tiles::layers_z;
        take(b, axis == 0 ? Tiles::ends : sides, {Tiles::nothing});
      }
  }
  std::vector<Box>& of(TilesWith what) { return of_[static_cast<std::size_t>(what)]; }
  void take(const Box& tiles, TilesWith what, const std::vector<TilesWith>& from) {
    for (const TilesWith source : from) {
      std::vector<Box> taken;
      of(source) = without(of(source), tiles, &taken);
      of(what).insert(of(what).end(), taken.begin(), taken.end());
    }
  }
  /// The tile that has a column of its own along an axis, 0: y, 1: z, and how many begin before it.
  [[nodiscard]] int tile_of(int axis, int column) const { return std::max(column + before_[axis], 0) / side_; }
  [[nodiscard]] int tiles_before(int axis, int column) const { return (column + before_[axis] + side_ - 1) / side_; }
  /// Those whose own columns are some of a box, and whose are all.
  [[nodiscard]] Box with_own(const Box& b) const {
    return {b.x0, b.x1, tile_of(0, b.y0), tiles_before(0, b.y1), tile_of(1, b.z0), tiles_before(1, b.z1)};
  }
  [[nodiscard]] Box with_own_within(const Box& b) const {
    const auto first = [&](int axis, int column) { return column <= 0 ? 0 : tiles_before(axis, column); };
    const auto end = [&](int axis, int column, int length) {
      return column >= length ? tiles_before(axis, length) : tile_of(axis, column);
    };
    return {b.x0, b.x1, first(0, b.y0), end(0, b.y1, entries_.y1), first(1, b.z0), end(1, b.z1, entries_.z1)};
  }
  /// Those that have entries of a box in what they compute: `steps` columns and planes more than their own.
  [[nodiscard]] Box with(const Box& b) const { return with_own(widened(b, steps_)); }

  Grid grid_;
  int steps_, side_;
  Box entries_;
  int before_[2];
  bool layers_along_x_, any_layers_;
  std::array<std::vector<Box>, kinds_of_tiles> of_;
};

inline std::vector<RegionOfSteps> regions_of_steps(const Grid& grid, int steps, const Planes& needed,
                                                   const BesideTiles& beside, bool twice) {
  return TilesOfSteps(grid, steps, needed, beside).regions(beside.media, twice);
}

}  // namespace asterism::fdtd::cuda
