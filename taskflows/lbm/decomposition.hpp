// SPDX-License-Identifier: Apache-2.0
// The domain in bricks. Sub-domains of equal size along x, y and z (to a cell); each is cut by xz-planes into the part
// of CPUs and the part of a GPU, at the same share everywhere, and the part of CPUs into one brick per core
// (section 4.2 of the paper). The part of a GPU may be cut, too: it updates one brick while another waits for other
// units. All cuts go through the whole domain, so bricks meet face to face.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "taskflows/lbm/problem.hpp"

namespace asterism::lbm {

/// Cells [begin[axis], end[axis]) of the domain.
struct BrickPlace {
  std::array<int, 3> begin{}, end{};
  std::array<std::optional<int>, faces> neighbour;  ///< number of the brick beyond a face; none: a wall
  int subdomain = 0;
  int core = -1;            ///< number of the core among those of the sub-domain; -1: its GPU
  std::optional<int> rank;  ///< that owns the brick; none: this one
  [[nodiscard]] int size(int axis) const {
    return end[static_cast<std::size_t>(axis)] - begin[static_cast<std::size_t>(axis)];
  }
};

struct Cut {
  std::array<int, 3> subdomains{1, 1, 1};
  double gpu_share = 0;  ///< of the cells of each sub-domain: 0 to 1
  int cores = 1;         ///< bricks of the CPU part of each sub-domain
  int gpu_bricks = 1;    ///< bricks of the GPU part of each sub-domain
};

/// Throws Error (bad input) when there are more pieces along an axis than cells.
std::vector<BrickPlace> decompose(const Problem& problem, const Cut& cut);

/// Gives each rank as many consecutive sub-domains, to within one. Throws Error (bad input) when there are
/// fewer sub-domains than ranks.
void deal(std::vector<BrickPlace>& bricks, int ranks);

}  // namespace asterism::lbm
