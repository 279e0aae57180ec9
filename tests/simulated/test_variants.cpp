// SPDX-License-Identifier: Apache-2.0
// Sources that see StarPU are compiled once, for programs on this machine and for simulated ones
// (cmake/AsterismTargets.cmake).
#include <gtest/gtest.h>

#include "tests/simulated/layout.hpp"

namespace {

using namespace asterism::tests;

TEST(Variants, StructuresLookTheSameInAllBuildsOfStarPU) {
#ifdef SIMULATED
  EXPECT_EQ(layout_simulated(), layout_ordinary());
#endif
#ifdef CLUSTERS
  EXPECT_EQ(layout_clusters(), layout_ordinary());
#endif
}

}  // namespace
