// SPDX-License-Identifier: Apache-2.0
// How planes of tiles are cut into thread blocks.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "codelets/fdtd/kernels/update/steps.hpp"

namespace asterism::fdtd::cuda {
namespace {

constexpr int processors = 132;
constexpr int four_steps = 4;

/// A box of n cells along each side, layers of 10 cells before all faces.
std::vector<RegionOfSteps> open_box(std::int32_t n) {
  const Face conductors[6] = {Face::electric, Face::electric, Face::electric,
                              Face::electric, Face::electric, Face::electric};
  BesideTiles beside;
  beside.layers = {Box{0, 10, 0, n, 0, n},     Box{n - 10, n, 0, n, 0, n}, Box{0, n, 0, 10, 0, n},
                   Box{0, n, n - 10, n, 0, n}, Box{0, n, 0, n, 0, 10},     Box{0, n, 0, n, n - 10, n}};
  return regions_of_steps(make_grid(n, n, n, conductors, sizeof(float)), four_steps, {0, n}, beside, false);
}

double work_of(const std::vector<BlocksOfSteps>& launch) {
  double work = 0;
  for (const BlocksOfSteps& b : launch)
    work +=
        static_cast<double>(b.tiles()) * b.region.cost * static_cast<double>(b.planes() + b.of_tile() * 2 * four_steps);
  return work;
}

TEST(FdtdBlocks, EachPlaneOfEachTileIsOfOneBlock) {
  for (const std::int32_t n : {40, 100, 257, 400}) {
    SCOPED_TRACE(n);
    const std::vector<RegionOfSteps> regions = open_box(n);
    std::map<std::tuple<int, int, int>, int> times;  // tile along y and z, plane
    for (const BlocksOfSteps& b : best_blocks(regions, four_steps, processors)) {
      const Box& of = b.region.tiles;
      EXPECT_LE(b.chunk, planes_within(b.region, four_steps, b.chunk));
      for (int y = of.y0; y < of.y1; ++y)
        for (int z = of.z0; z < of.z1; ++z)
          for (int x = of.x0; x < of.x1; ++x) ++times[{y, z, x}];
    }
    std::int64_t all = 0;
    for (const RegionOfSteps& r : regions) all += r.tiles.cells();
    EXPECT_EQ(static_cast<std::int64_t>(times.size()), all);
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](const auto& plane) { return plane.second == 1; }));
  }
}

TEST(FdtdBlocks, ThoseWithPsiAreALaunchUnlessAllRunAtOnce) {
  for (const std::int32_t n : {40, 400}) {
    const std::vector<RegionOfSteps> regions = open_box(n);
    const auto launches = blocks_of_launches(regions, four_steps, 0, processors);
    ASSERT_EQ(launches.size(), n == 40 ? 1U : 2U);
    std::int64_t tiles = 0;
    for (std::size_t l = 0; l < launches.size(); ++l)
      for (const BlocksOfSteps& b : launches[l]) {
        EXPECT_TRUE(n == 40 || b.region.psi == (l == 0));
        EXPECT_EQ(b.region.psi, keeps_psi(b.region.with));
        tiles += b.tiles() * b.planes();
      }
    std::int64_t all = 0;
    for (const RegionOfSteps& r : regions) all += r.tiles.cells();
    EXPECT_EQ(tiles, all);
  }
}

TEST(FdtdBlocks, AreDealtToTheProcessorThatIsFreeFirst) {
  const RegionOfSteps three{Box{0, 10, 0, 1, 0, 3}, TilesWith::nothing, false, 1, false};
  // three tiles in blocks of 4, 4 and 2 planes, and eight more that each advances
  EXPECT_EQ(end_of({{three, 4}}, four_steps, 1), 3 * (12 + 12 + 10));
  EXPECT_EQ(end_of({{three, 4}}, four_steps, 3), 12 + 12 + 10);
  EXPECT_EQ(end_of({{three, 4}}, four_steps, 9), 12);
  EXPECT_EQ(end_of({{three, 4}}, four_steps, 4), 12 + 10 + 10);
}

TEST(FdtdBlocks, NoOtherNumberOfEqualPartsIsDoneSooner) {
  for (const std::int32_t n : {100, 400}) {
    SCOPED_TRACE(n);
    const std::vector<RegionOfSteps> regions = open_box(n);
    std::int32_t longest = 0;
    for (const RegionOfSteps& r : regions) longest = std::max(longest, r.tiles.x1 - r.tiles.x0);
    const std::vector<BlocksOfSteps> best = best_blocks(regions, four_steps, processors);
    const double end = end_of(best, four_steps, processors);
    EXPECT_GE(end, work_of(best) / processors);
    EXPECT_LE(end, 1.25 * work_of(best) / processors);
    for (std::int32_t chunks = 1; chunks <= 10; ++chunks)
      for (const std::int32_t short_ones : {1, 2, 4})
        EXPECT_LE(end, end_of(blocks_of_planes(regions, four_steps, (longest + chunks - 1) / chunks, short_ones),
                              four_steps, processors));
  }
}

}  // namespace
}  // namespace asterism::fdtd::cuda
