// SPDX-License-Identifier: Apache-2.0
// What a problem may be, and how it is cut. Needs no StarPU.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "taskflows/fdtd/cases.hpp"
#include "taskflows/fdtd/decomposition.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::fdtd {
namespace {

Problem good() {
  Problem p;
  p.cells = {8, 6, 7};
  p.spacing = {1e-3, 2e-3, 1.5e-3};
  p.dt = 0.9 * largest_time_step(p);
  p.materials = {{}, {4, 2, 0.1, 0}};
  p.material.assign(8 * 6 * 7, 1);
  p.sources = {{2, {3, 3, 3}, gaussian(1e-11)}};
  p.probes = {{Field::magnetic, 0, {7, 5, 6}}};
  return p;
}

void refused(const std::function<void(Problem&)>& change, const std::vector<std::string>& words) {
  Problem p = good();
  change(p);
  expect_bad_input([&] { check(p); }, words);
}

TEST(FdtdProblem, TheLimitOfStability) {
  const Problem p = good();
  check(p);
  EXPECT_NEAR(courant_number(p), 0.9, 1e-14);
  const double c = 299792458;
  EXPECT_NEAR(c * largest_time_step(p), 1 / std::sqrt(1e6 + 0.25e6 + 1e6 / 2.25), 1e-13);
}

TEST(FdtdProblem, BadOnesAreRefused) {
  refused([](Problem& p) { p.cells[1] = 0; }, {"8 x 0 x 7"});
  refused([](Problem& p) { p.spacing[2] = 0; }, {"spacing", "0"});
  refused([](Problem& p) { p.spacing[2] = NAN; }, {"spacing", "nan"});
  refused([](Problem& p) { p.dt *= 1.2; }, {"1.08", "Courant"});
  refused([](Problem& p) { p.dt = 0; }, {"time step 0"});
  refused([](Problem& p) { p.face[3] = Face::neighbour; }, {"+y", "periodic", "-y"});
  refused([](Problem& p) { p.materials[1].eps_r = -2; }, {"material 1", "permittivity", "-2"});
  refused([](Problem& p) { p.materials[0].mu_r = 0; }, {"material 0", "permeability", "0"});
  refused([](Problem& p) { p.materials[1].sigma = -1e-3; }, {"material 1", "conductivity", "-0.001"});
  refused([](Problem& p) { p.materials[1].sigma_m = NAN; }, {"material 1", "magnetic loss"});
  refused([](Problem& p) { p.material.pop_back(); }, {"335", "336"});
  refused([](Problem& p) { p.material[17] = 2; }, {"material 2", "there are 2"});
  refused([](Problem& p) { p.materials.clear(); }, {"material 1", "there are 0"});
  refused([](Problem& p) { p.materials[1] = {0.5, 1, 0, 0}; }, {"0.5", "Courant", "0.9", "0.707"});
  refused([](Problem& p) { p.materials[1] = {3, 0.3, 0, 0}; }, {"0.3", "unstable"});
  refused([](Problem& p) { p.sources[0].cell[0] = 9; }, {"source ez", "(9, 3, 3)", "8 x 6 x 7"});
  refused([](Problem& p) { p.sources[0].cell[1] = -1; }, {"source ez", "-1", "outside"});
  refused([](Problem& p) { p.sources[0].cell[0] = 0; }, {"source ez", "(0, 3, 3)", "face"});
  refused([](Problem& p) { p.sources[0].component = 3; }, {"source", "component 3"});
  refused([](Problem& p) { p.probes[0].cell[2] = 7; }, {"probe hx", "7"});
  refused([](Problem& p) { p.probes[0].cell[2] = 100; }, {"probe hx", "outside"});
  Problem slow = good();  // less than vacuum's, but the step is short enough
  slow.dt *= 0.5;
  slow.materials[1] = {0.5, 1, 0, 0};
  check(slow);
  CaseOptions options;
  options.name = "none";
  expect_bad_input([&] { (void)make_case(options); }, {"none", "benchmark"});
  options.name = "cavity";
  options.mode = {1, 0, 0};
  expect_bad_input([&] { (void)make_case(options); }, {"mode", "two axes"});
  options.mode = {1, 100, 1};
  expect_bad_input([&] { (void)make_case(options); }, {"mode", "99"});
}

TEST(FdtdDecomposition, StripsAreAsLargeAsTheyWeigh) {
  Problem p = good();
  p.cells = {100, 3, 4};
  const std::vector<BrickPlace> bricks = decompose(p, {{4, 1, 1}, {1, 5, 3, 1}});
  const std::vector<int> expected{10, 50, 30, 10};
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(bricks[b].size(0), expected[b]);
    EXPECT_EQ(bricks[b].size(1), 3);
    EXPECT_EQ(bricks[b].neighbour[0].has_value(), b > 0);
    EXPECT_EQ(bricks[b].neighbour[1].has_value(), b < 3);
    EXPECT_FALSE(bricks[b].neighbour[2]);
  }
  EXPECT_EQ(bricks[2].neighbour[1], 3);
  p.face[0] = p.face[1] = Face::neighbour;
  EXPECT_EQ(decompose(p, {{4, 1, 1}, {}})[0].neighbour[0], 3);
  EXPECT_EQ(decompose(p, {{1, 1, 1}, {}})[0].neighbour[0], 0);
}

/// At least a plane each, however little they weigh; every cell once.
TEST(FdtdDecomposition, EveryCellOnce) {
  Problem p = good();
  for (const std::array<int, 3>& cells : {std::array<int, 3>{8, 6, 7}, {5, 9, 4}, {31, 3, 5}})
    for (const Cut& cut : {Cut{{5, 1, 1}, {1, 1e-9, 1, 1e6, 1}}, Cut{{5, 3, 4}, {}}, Cut{{2, 3, 1}, {1e-12, 1}},
                           Cut{{4, 1, 1}, {1, 1, 1, 1e-12}}}) {
      p.cells = cells;
      std::vector<int> count(static_cast<std::size_t>(cells_of(p)), 0);
      const std::vector<BrickPlace> bricks = decompose(p, cut);
      EXPECT_EQ(bricks.size(), static_cast<std::size_t>(cut.parts[0] * cut.parts[1] * cut.parts[2]));
      for (const BrickPlace& b : bricks) {
        EXPECT_GE(b.size(0), 1);
        for (int i = b.begin[0]; i < b.end[0]; ++i)
          for (int j = b.begin[1]; j < b.end[1]; ++j)
            for (int k = b.begin[2]; k < b.end[2]; ++k)
              ++count[static_cast<std::size_t>((i * cells[1] + j) * cells[2] + k)];
        for (std::size_t face = 0; face < 6; ++face)
          if (b.neighbour[face]) {
            const BrickPlace& other = bricks[static_cast<std::size_t>(*b.neighbour[face])];
            EXPECT_EQ(other.neighbour[face ^ 1U], static_cast<int>(&b - bricks.data()));
            EXPECT_EQ(face % 2 == 0 ? other.end[face / 2] : other.begin[face / 2],
                      face % 2 == 0 ? b.begin[face / 2] : b.end[face / 2]);
          }
      }
      for (const int c : count) EXPECT_EQ(c, 1);
    }
  p.cells = {4, 4, 4};
  expect_bad_input([&] { decompose(p, {{5, 1, 1}, {}}); }, {"5 parts", "x", "4"});
  expect_bad_input([&] { decompose(p, {{1, 0, 1}, {}}); }, {"0 parts", "y"});
  expect_bad_input([&] { decompose(p, {{2, 1, 1}, {1, 0}}); }, {"weight 0"});
  expect_bad_input([&] { decompose(p, {{2, 1, 1}, {1, 2, 3}}); }, {"3 weights", "2 parts"});
}

}  // namespace
}  // namespace asterism::fdtd
