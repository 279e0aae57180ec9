// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/decomposition.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace asterism::lbm {
namespace {

struct Piece {
  int begin, end;
  int subdomain;
  int core = -1;
};

/// n cells in `parts` pieces that differ by one cell at most.
std::vector<int> even_cuts(int n, int parts) {
  std::vector<int> cuts;
  for (int p = 0; p <= parts; ++p) cuts.push_back(static_cast<int>(static_cast<long long>(n) * p / parts));
  return cuts;
}

}  // namespace

std::vector<BrickPlace> decompose(const Problem& problem, const Cut& cut) {
  if (cut.gpu_bricks < 1) bad_input("{} bricks for a GPU: expected 1 at least", cut.gpu_bricks);
  if (!(cut.gpu_share >= 0 && cut.gpu_share <= 1)) bad_input("share of GPUs {}: expected 0 to 1", cut.gpu_share);
  std::array<std::vector<Piece>, 3> pieces;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int parts = cut.subdomains[axis];
    if (parts < 1 || parts > problem.cells[axis])
      bad_input("{} sub-domains along {} of {} cells", parts, "xyz"[axis], problem.cells[axis]);
    const std::vector<int> cuts = even_cuts(problem.cells[axis], parts);
    for (int s = 0; s < parts; ++s) {
      const int begin = cuts[static_cast<std::size_t>(s)];
      const int end = cuts[static_cast<std::size_t>(s) + 1];
      if (axis != 1) {
        pieces[axis].push_back({begin, end, s});
        continue;
      }
      const int of_gpu = static_cast<int>(std::lround((end - begin) * cut.gpu_share));
      const int of_cpus = end - begin - of_gpu;
      const int cores = std::min(of_cpus, cut.cores);
      if (of_cpus > 0 && cores < 1) bad_input("{} rows of cells for CPUs, of which none is used", of_cpus);
      const std::vector<int> inner = even_cuts(of_cpus, std::max(cores, 1));
      for (int c = 0; c < cores; ++c)
        pieces[axis].push_back(
            {begin + inner[static_cast<std::size_t>(c)], begin + inner[static_cast<std::size_t>(c) + 1], s, c});
      const int gpu_bricks = std::min(of_gpu, cut.gpu_bricks);
      const std::vector<int> parts_of_gpu = even_cuts(of_gpu, std::max(gpu_bricks, 1));
      for (int g = 0; g < gpu_bricks; ++g)
        pieces[axis].push_back({begin + of_cpus + parts_of_gpu[static_cast<std::size_t>(g)],
                                begin + of_cpus + parts_of_gpu[static_cast<std::size_t>(g) + 1], s});
    }
  }

  std::vector<BrickPlace> bricks;
  const std::array<int, 3> count{static_cast<int>(pieces[0].size()), static_cast<int>(pieces[1].size()),
                                 static_cast<int>(pieces[2].size())};
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i) {
        const std::array<int, 3> at{i, j, k};
        BrickPlace brick;
        std::array<int, 3> subdomain{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const Piece& piece = pieces[axis][static_cast<std::size_t>(at[axis])];
          brick.begin[axis] = piece.begin;
          brick.end[axis] = piece.end;
          subdomain[axis] = piece.subdomain;
          if (axis == 1) brick.core = piece.core;
        }
        brick.subdomain = subdomain[0] + cut.subdomains[0] * (subdomain[1] + cut.subdomains[1] * subdomain[2]);
        for (int face = 0; face < faces; ++face) {
          const auto axis = static_cast<std::size_t>(axis_of(face));
          std::array<int, 3> beyond = at;
          beyond[axis] += side_of(face);
          if (beyond[axis] < 0 || beyond[axis] >= count[axis]) {
            if (!problem.face[static_cast<std::size_t>(face)].periodic) continue;
            beyond[axis] = (beyond[axis] + count[axis]) % count[axis];
          }
          brick.neighbour[static_cast<std::size_t>(face)] = beyond[0] + count[0] * (beyond[1] + count[1] * beyond[2]);
        }
        bricks.push_back(brick);
      }
  return bricks;
}

void deal(std::vector<BrickPlace>& bricks, int ranks) {
  int subdomains = 0;
  for (const BrickPlace& brick : bricks) subdomains = std::max(subdomains, brick.subdomain + 1);
  if (subdomains < ranks)
    bad_input("{} sub-domains: expected one at least for each of {} processes", subdomains, ranks);
  for (BrickPlace& brick : bricks)
    brick.rank = static_cast<int>(((std::int64_t{brick.subdomain} + 1) * ranks - 1) / subdomains);
}

}  // namespace asterism::lbm
