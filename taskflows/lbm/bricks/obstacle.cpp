// SPDX-License-Identifier: Apache-2.0
// Solid cells in bricks: the links from the fluid around them.
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/as_size.hpp"
#include "codelets/lbm/kernels/boundary/links.hpp"
#include "taskflows/lbm/bricks/bricks.hpp"

namespace asterism::lbm {
namespace {

/// The cell at +-1 beyond a face of the domain; -1 beyond a wall.
int wrapped(const Problem& problem, int axis, int i) {
  const int n = problem.cells[as_size(axis)];
  if (i >= 0 && i < n) return i;
  if (!problem.face[as_size(2 * axis)].periodic) return -1;
  return (i + n) % n;
}

}  // namespace

void Bricks::build_obstacle(BrickData& brick) {
  const Brick& layout = brick.descriptor.layout;
  fluid_cells += layout.interior().cells();
  if (problem.solid.empty()) return;
  const auto number_of = [&](int x, int y, int z) -> std::optional<std::size_t> {
    const int gx = wrapped(problem, 0, x);
    const int gy = wrapped(problem, 1, y);
    const int gz = wrapped(problem, 2, z);
    if (gx < 0 || gy < 0 || gz < 0) return std::nullopt;
    return as_size(gx) + as_size(problem.cells[0]) * (as_size(gy) + as_size(problem.cells[1]) * as_size(gz));
  };
  const auto solid_at = [&](int x, int y, int z) {
    const auto number = number_of(x, y, z);
    return number && problem.solid[*number] != 0;  // else a wall, not a body
  };
  const auto fluid_at = [&](int x, int y, int z) {
    const auto number = number_of(x, y, z);
    return number && problem.solid[*number] == 0;
  };
  const std::array<int, 3>& begin = brick.place.begin;
  std::vector<std::int64_t> fluid;
  std::vector<std::int64_t> solid;
  std::vector<double> share;
  std::int64_t solid_cells = 0;
  for (int j = 1; j < q; ++j) {
    const Velocity c = velocity(j);
    for (int z = 0; z < layout.nz; ++z)
      for (int y = 0; y < layout.ny; ++y)
        for (int x = 0; x < layout.nx; ++x) {
          if (solid_at(begin[0] + x, begin[1] + y, begin[2] + z)) {
            if (j == 1) ++solid_cells;
            continue;
          }
          if (!solid_at(begin[0] + x + c.x, begin[1] + y + c.y, begin[2] + z + c.z)) continue;
          fluid.push_back(layout.at(opposite(j), x, y, z));
          solid.push_back(layout.at(j, x + c.x, y + c.y, z + c.z));
          if (problem.distances.empty()) continue;
          const std::size_t cell = *number_of(begin[0] + x, begin[1] + y, begin[2] + z);
          share.push_back(link_share(wall_distance(problem, cell, j),
                                     fluid_at(begin[0] + x - c.x, begin[1] + y - c.y, begin[2] + z - c.z)));
        }
    brick.descriptor.link_begin[j + 1] = static_cast<std::int32_t>(fluid.size());
  }
  fluid_cells -= solid_cells;
  links += static_cast<std::int64_t>(fluid.size());
  if (fluid.empty() && solid_cells == 0) return;
  brick.descriptor.obstacle = true;
  brick.descriptor.interpolated = !share.empty();
  brick.links_memory = HostBuffer<std::int64_t>(std::max<std::size_t>(2 * fluid.size() + share.size(), 1));
  std::copy(fluid.begin(), fluid.end(), brick.links_memory.data());
  std::copy(solid.begin(), solid.end(), brick.links_memory.data() + fluid.size());
  static_assert(sizeof(double) == sizeof(std::int64_t));
  if (!share.empty())
    std::memcpy(brick.links_memory.data() + 2 * fluid.size(), share.data(), share.size() * sizeof(double));
  brick.links = Handle::vector(brick.links_memory.data(), brick.links_memory.size(), sizeof(std::int64_t), "links");
  brick.solid_memory = HostBuffer<std::uint8_t>(static_cast<std::size_t>(layout.slot));
  for (int z = 0; z < layout.nz; ++z)
    for (int y = 0; y < layout.ny; ++y)
      for (int x = 0; x < layout.nx; ++x)
        brick.solid_memory[static_cast<std::size_t>(layout.cell(x, y, z))] =
            solid_at(begin[0] + x, begin[1] + y, begin[2] + z) ? 1 : 0;
  brick.solid = Handle::vector(brick.solid_memory.data(), brick.solid_memory.size(), 1, "solid");
}

}  // namespace asterism::lbm
