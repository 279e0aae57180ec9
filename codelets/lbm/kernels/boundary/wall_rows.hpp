// SPDX-License-Identifier: Apache-2.0
// What velocity walls return to the cells of a row, for CPUs: reflect_cell() of walls.hpp without what a wall at
// uniform velocity does not need.
#pragma once

#include <algorithm>

#include "codelets/lbm/kernels/boundary/walls.hpp"

namespace asterism::lbm::cpu {

inline Box common(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}

/// A velocity wall and those of its cells that lie in a box.
template <class T>
class WallRows {
 public:
  WallRows() = default;
  /// `last`: the half-step whose populations come back.
  WallRows(Half last, const Brick& brick, const Wall& wall, const Box& cells) : pitch_(brick.pitch) {
    const auto all = reflector<Arithmetic<T>>(wall);
    cells_ = common(brick.layer(wall.face), cells);
    const PopulationOffsets left = population_offsets(last, brick), taken = population_offsets(other(last), brick);
    for (int k = 0; k < crossing; ++k) {
      const int i = opposite(all.direction[k].j);
      ways_[k] = {left.offset[i], taken.offset[i], all.direction[k].carried};
    }
  }

  [[nodiscard]] const Box& cells() const { return cells_; }

  /// To the cells of row y, z, if it has any.
  void give_back(const Brick& brick, int y, int z, T* f) const {
    if (y < cells_.y0 || y >= cells_.y1 || z < cells_.z0 || z >= cells_.z1) return;
    T* const row = f + brick.cell(cells_.x0, y, z);
    const int count = cells_.x1 - cells_.x0;
    for (const Way& way : ways_) {
      if (way.carried != 0)
        for (int x = 0; x < count; ++x) row[way.to + x] = stored<T>(value_of(row[way.from + x]) - way.carried);
      else if (count == 1) {
        row[way.to] = row[way.from];
        // one cell of each row, every one in another cache line
        __builtin_prefetch(row + way.from + rows_ahead * pitch_, 0);
        __builtin_prefetch(row + way.to + rows_ahead * pitch_, 1);
      } else if (count > 1)
        std::copy_n(row + way.from, count, row + way.to);
    }
  }

 private:
  static constexpr std::int64_t rows_ahead = 8;
  struct Way {
    std::int64_t from, to;  ///< offsets from the cell
    Arithmetic<T> carried;  ///< by the wall's motion
  };
  Box cells_{};
  std::int64_t pitch_ = 0;
  Way ways_[crossing]{};
};

}  // namespace asterism::lbm::cpu
