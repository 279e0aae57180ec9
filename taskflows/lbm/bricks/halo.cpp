// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/bricks/halo.hpp"

#include <algorithm>

namespace asterism::lbm {
namespace {

struct Range {
  std::int32_t begin, end;
};

std::array<std::int32_t, 3> sizes(const Brick& brick) {
  return {brick.nx, brick.ny, brick.nz};
}

Box box_of(const std::array<Range, 3>& r) {
  return {r[0].begin, r[0].end, r[1].begin, r[1].end, r[2].begin, r[2].end};
}

/// One layer at `layer` along the axis of `face`; along the others all cells, and the ghosts where `extended` says so.
template <class Extended>
Box layer_of(const Brick& brick, const Connected& connected, int face, std::int32_t layer, const Extended& extended) {
  const std::array<std::int32_t, 3> n = sizes(brick);
  std::array<Range, 3> range{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    range[a] = {0, n[a]};
    if (axis == axis_of(face)) {
      range[a] = {layer, layer + 1};
    } else if (extended(axis)) {
      if (connected[2 * a]) --range[a].begin;
      if (connected[2 * a + 1]) ++range[a].end;
    }
  }
  return box_of(range);
}

Box layer_of(Half half, const Brick& brick, const Connected& connected, int face, bool border) {
  const std::int32_t n = sizes(brick)[static_cast<std::size_t>(axis_of(face))];
  const std::int32_t lower = border ? 0 : -1;
  const std::int32_t upper = border ? n - 1 : n;
  return layer_of(brick, connected, face, side_of(face) < 0 ? lower : upper,
                  [&](int axis) { return half == Half::alpha ? axis < axis_of(face) : axis > axis_of(face); });
}

Transfer transfer(Half half, const Box& box, int towards) {
  Transfer t{};
  t.box = box;
  const Crossing populations = leaving(towards);
  for (int k = 0; k < crossing; ++k)
    t.slots[k] = half == Half::alpha ? opposite(populations.population[k]) : populations.population[k];
  return t;
}

}  // namespace

Transfer outgoing(Half half, const Brick& brick, const Connected& connected, int face) {
  return transfer(half, layer_of(half, brick, connected, face, half == Half::alpha), face);
}

Transfer incoming(Half half, const Brick& brick, const Connected& connected, int face) {
  return transfer(half, layer_of(half, brick, connected, face, half == Half::beta), face ^ 1);
}

Shell shell_of(const Brick& brick, const Connected& connected, int along_x) {
  Shell shell;
  std::array<Range, 3> rest{Range{0, brick.nx}, Range{0, brick.ny}, Range{0, brick.nz}};
  const std::array<std::int32_t, 3> thickness{along_x, 1, 1};
  for (const int axis : {2, 1, 0}) {
    const auto a = static_cast<std::size_t>(axis);
    for (const int side : {0, 1}) {
      if (!connected[2 * a + static_cast<std::size_t>(side)] || rest[a].begin == rest[a].end) continue;
      std::array<Range, 3> slab = rest;
      if (side == 0) {
        slab[a].end = std::min(rest[a].begin + thickness[a], rest[a].end);
        rest[a].begin = slab[a].end;
      } else {
        slab[a].begin = std::max(rest[a].end - thickness[a], rest[a].begin);
        rest[a].end = slab[a].begin;
      }
      shell.boxes.push_back(box_of(slab));
    }
  }
  shell.core = box_of(rest);
  if (shell.core.cells() == 0) shell.core = {0, 0, 0, 0, 0, 0};
  return shell;
}

}  // namespace asterism::lbm
