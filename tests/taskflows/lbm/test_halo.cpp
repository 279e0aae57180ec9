// SPDX-License-Identifier: Apache-2.0
// Cutting the domain and what bricks send each other, without StarPU: every population that a brick needs from beyond
// its border comes from where it belongs, whatever the cuts.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "taskflows/lbm/bricks/halo.hpp"
#include "taskflows/lbm/decomposition.hpp"

namespace asterism::lbm {
namespace {

Problem domain(int nx, int ny, int nz, std::array<bool, 3> periodic) {
  Problem p;
  p.cells = {nx, ny, nz};
  for (std::size_t f = 0; f < faces; ++f) p.face[f].periodic = periodic[f / 2];
  p.initial = [](int, int, int) { return Flow{}; };
  return p;
}

using Cell = std::tuple<int, int, int>;

/// A slot of a cell of the domain; ghosts of walls are cells outside.
using Where = std::tuple<int, int, int, int>;

/// Bricks with a marker in each slot, exchanged as Simulation does it.
class Exchange {
 public:
  Exchange(const Problem& problem, const Cut& cut) : problem_(problem), places_(decompose(problem, cut)) {
    for (const BrickPlace& place : places_) {
      bricks_.push_back(make_brick(place.size(0), place.size(1), place.size(2), 8));
      Connected c{};
      for (std::size_t f = 0; f < faces; ++f) c[f] = place.neighbour[f].has_value();
      connected_.push_back(c);
      slots_.emplace_back(static_cast<std::size_t>(bricks_.back().elements()), Where{-9, -9, -9, -9});
    }
  }

  Where& slot(std::size_t b, int i, int x, int y, int z) {
    return slots_[b][static_cast<std::size_t>(bricks_[b].at(i, x, y, z))];
  }
  Where in_domain(std::size_t b, int i, int x, int y, int z) const {
    std::array<int, 3> at{x + places_[b].begin[0], y + places_[b].begin[1], z + places_[b].begin[2]};
    for (std::size_t a = 0; a < 3; ++a) {
      const int n = problem_.cells[a];
      if (problem_.face[2 * a].periodic) at[a] = (at[a] + n) % n;
    }
    return {at[0], at[1], at[2], i};
  }
  bool outside(const Where& w) const {
    const std::array<int, 3> at{std::get<0>(w), std::get<1>(w), std::get<2>(w)};
    for (std::size_t a = 0; a < 3; ++a)
      if (at[a] < 0 || at[a] >= problem_.cells[a]) return true;
    return false;
  }

  void run(Half half) {
    for (int axis = 0; axis < 3; ++axis) {
      std::map<std::pair<std::size_t, int>, std::vector<Where>> sent;
      for (std::size_t b = 0; b < places_.size(); ++b)
        for (const int face : {2 * axis, 2 * axis + 1}) {
          if (!connected_[b][static_cast<std::size_t>(face)]) continue;
          const Transfer t = outgoing(half, bricks_[b], connected_[b], face);
          auto& array = sent[{b, face}];
          each(t, [&](int i, int x, int y, int z) { array.push_back(slot(b, i, x, y, z)); });
          EXPECT_EQ(static_cast<std::int64_t>(array.size()), t.elements());
        }
      for (std::size_t b = 0; b < places_.size(); ++b)
        for (const int face : {2 * axis, 2 * axis + 1}) {
          if (!connected_[b][static_cast<std::size_t>(face)]) continue;
          const auto from = static_cast<std::size_t>(*places_[b].neighbour[static_cast<std::size_t>(face)]);
          const auto& array = sent.at({from, face ^ 1});
          const Transfer t = incoming(half, bricks_[b], connected_[b], face);
          ASSERT_EQ(static_cast<std::int64_t>(array.size()), t.elements());
          std::size_t next = 0;
          each(t, [&](int i, int x, int y, int z) { slot(b, i, x, y, z) = array[next++]; });
        }
    }
  }
  template <class Body>
  static void each(const Transfer& t, const Body& body) {
    for (const int i : t.slots)
      for (int z = t.box.z0; z < t.box.z1; ++z)
        for (int y = t.box.y0; y < t.box.y1; ++y)
          for (int x = t.box.x0; x < t.box.x1; ++x) body(i, x, y, z);
  }

  const Problem& problem_;
  std::vector<BrickPlace> places_;
  std::vector<Brick> bricks_;
  std::vector<Connected> connected_;
  std::vector<std::vector<Where>> slots_;
};

template <class Body>
void each_cell(const Brick& brick, const Body& body) {
  for (int z = 0; z < brick.nz; ++z)
    for (int y = 0; y < brick.ny; ++y)
      for (int x = 0; x < brick.nx; ++x) body(x, y, z);
}

struct Case {
  int nx, ny, nz;
  std::array<bool, 3> periodic;
  Cut cut;
};

std::vector<Case> cases() {
  std::vector<Case> all{
      {5, 4, 3, {false, false, false}, {{1, 1, 1}, 0, 1}}, {5, 4, 3, {true, true, true}, {{1, 1, 1}, 0, 1}},
      {6, 7, 5, {false, false, false}, {{2, 3, 2}, 0, 1}}, {6, 7, 5, {true, true, true}, {{2, 3, 2}, 0, 1}},
      {7, 9, 4, {true, false, true}, {{3, 2, 2}, 0.5, 2}}, {4, 12, 4, {false, true, false}, {{1, 2, 1}, 0.4, 3}},
      {2, 2, 2, {true, true, true}, {{2, 2, 2}, 0, 1}},    {3, 8, 3, {false, true, true}, {{1, 1, 3}, 1, 1}},
  };
  std::mt19937 random(3);
  const auto up_to = [&](int n) { return std::uniform_int_distribution<int>(1, n)(random); };
  for (int k = 0; k < 40; ++k) {
    Case c{up_to(9), up_to(9), up_to(9), {up_to(2) == 1, up_to(2) == 1, up_to(2) == 1}, {}};
    c.cut.subdomains = {up_to(std::min(3, c.nx)), up_to(std::min(3, c.ny)), up_to(std::min(3, c.nz))};
    c.cut.gpu_share = up_to(11) / 10.0 - 0.1;
    c.cut.cores = up_to(3);
    c.cut.gpu_bricks = up_to(3);
    all.push_back(c);
  }
  return all;
}

// beta reads slot opposite(i) of x - c_i for every cell x of the brick: it must be the one of that cell of the domain
TEST(LbmHalo, AfterAlphaGhostsHoldTheirCells) {
  for (const Case& c : cases()) {
    const Problem problem = domain(c.nx, c.ny, c.nz, c.periodic);
    Exchange e(problem, c.cut);
    for (std::size_t b = 0; b < e.bricks_.size(); ++b)
      each_cell(e.bricks_[b], [&](int x, int y, int z) {
        for (int i = 0; i < q; ++i) e.slot(b, i, x, y, z) = e.in_domain(b, i, x, y, z);
      });
    e.run(Half::alpha);
    for (std::size_t b = 0; b < e.bricks_.size(); ++b)
      each_cell(e.bricks_[b], [&](int x, int y, int z) {
        for (int i = 0; i < q; ++i) {
          const Velocity v = velocity(i);
          const Where expected = e.in_domain(b, opposite(i), x - v.x, y - v.y, z - v.z);
          if (!e.outside(expected)) {
            EXPECT_EQ(e.slot(b, opposite(i), x - v.x, y - v.y, z - v.z), expected);
          }
        }
      });
  }
}

// beta leaves population i of x in slot i of x + c_i: afterwards every cell of the domain must have all that came to it
TEST(LbmHalo, AfterBetaCellsHoldWhatWasSentToThem) {
  for (const Case& c : cases()) {
    const Problem problem = domain(c.nx, c.ny, c.nz, c.periodic);
    Exchange e(problem, c.cut);
    for (std::size_t b = 0; b < e.bricks_.size(); ++b)
      each_cell(e.bricks_[b], [&](int x, int y, int z) {
        for (int i = 0; i < q; ++i) {
          const Velocity v = velocity(i);
          e.slot(b, i, x + v.x, y + v.y, z + v.z) = e.in_domain(b, i, x + v.x, y + v.y, z + v.z);
        }
      });
    e.run(Half::beta);
    for (std::size_t b = 0; b < e.bricks_.size(); ++b)
      each_cell(e.bricks_[b], [&](int x, int y, int z) {
        for (int i = 0; i < q; ++i) {
          const Velocity v = velocity(i);
          if (e.outside(e.in_domain(b, i, x - v.x, y - v.y, z - v.z))) continue;  // from a wall
          EXPECT_EQ(e.slot(b, i, x, y, z), e.in_domain(b, i, x, y, z)) << x << ' ' << y << ' ' << z << " slot " << i;
        }
      });
  }
}

TEST(LbmHalo, FivePopulationsOfNineteen) {
  const Brick brick = make_brick(8, 6, 4, 8);
  const Connected all{true, true, true, true, true, true};
  EXPECT_EQ(outgoing(Half::alpha, brick, all, 0).elements(), 5 * 6 * 4);
  EXPECT_EQ(outgoing(Half::beta, brick, all, 5).elements(), 5 * 8 * 6);
  for (int face = 0; face < faces; ++face)
    for (const int i : leaving(face).population) {
      EXPECT_EQ(component(velocity(i), axis_of(face)), side_of(face));
    }
}

TEST(LbmShell, CoversEveryCellOnceAndTheBorderFirst) {
  for (const auto& [element, along_x] : {std::pair{4, 16}, {4, 64}, {8, 8}, {8, 32}})
    for (int mask = 0; mask < 64; ++mask)
      for (const auto& [nx, ny, nz] : std::vector<Cell>{{200, 5, 4}, {1, 1, 1}, {40, 2, 7}, {64, 3, 1}, {300, 1, 3}}) {
        const Brick brick = make_brick(nx, ny, nz, element);
        Connected connected{};
        for (std::size_t f = 0; f < faces; ++f) connected[f] = (mask >> f & 1) != 0;
        const Shell shell = shell_of(brick, connected, along_x);
        std::map<Cell, int> times;
        const auto count = [&](const Box& box, int first) {
          for (int z = box.z0; z < box.z1; ++z)
            for (int y = box.y0; y < box.y1; ++y)
              for (int x = box.x0; x < box.x1; ++x) times[{x, y, z}] += first;
        };
        for (const Box& box : shell.boxes) count(box, 1);
        count(shell.core, 100);
        each_cell(brick, [&](int x, int y, int z) {
          const bool border = (connected[0] && x == 0) || (connected[1] && x == nx - 1) || (connected[2] && y == 0) ||
                              (connected[3] && y == ny - 1) || (connected[4] && z == 0) ||
                              (connected[5] && z == nz - 1);
          const int found = times[Cell{x, y, z}];
          EXPECT_TRUE(found == 1 || (found == 100 && !border)) << x << ' ' << y << ' ' << z << ": " << found;
        });
        EXPECT_EQ(times.size(), static_cast<std::size_t>(brick.interior().cells()));
      }
}

TEST(LbmDecomposition, CoversTheDomainAndMeetsFaceToFace) {
  for (const Case& c : cases()) {
    const Problem problem = domain(c.nx, c.ny, c.nz, c.periodic);
    const std::vector<BrickPlace> bricks = decompose(problem, c.cut);
    std::map<Cell, std::size_t> owner;
    std::int64_t gpu = 0;
    for (std::size_t b = 0; b < bricks.size(); ++b)
      for (int z = bricks[b].begin[2]; z < bricks[b].end[2]; ++z)
        for (int y = bricks[b].begin[1]; y < bricks[b].end[1]; ++y)
          for (int x = bricks[b].begin[0]; x < bricks[b].end[0]; ++x) {
            EXPECT_TRUE(owner.emplace(Cell{x, y, z}, b).second);
            gpu += bricks[b].core < 0 ? 1 : 0;
          }
    EXPECT_EQ(owner.size(), static_cast<std::size_t>(c.nx * c.ny * c.nz));
    const double rows = c.cut.gpu_share * c.ny;
    EXPECT_NEAR(static_cast<double>(gpu) / (c.nx * c.nz), rows, 0.5 * c.cut.subdomains[1] + 1e-9);
    for (const BrickPlace& brick : bricks)
      for (std::size_t f = 0; f < faces; ++f) {
        if (!brick.neighbour[f]) continue;
        const BrickPlace& other = bricks[static_cast<std::size_t>(*brick.neighbour[f])];
        EXPECT_EQ(&bricks[static_cast<std::size_t>(*other.neighbour[f ^ 1U])], &brick);
        for (std::size_t a = 0; a < 3; ++a)
          if (a != f / 2) {
            EXPECT_EQ(brick.begin[a], other.begin[a]);
            EXPECT_EQ(brick.end[a], other.end[a]);
          }
      }
  }
}

TEST(LbmDecomposition, MorePiecesThanCells) {
  const Problem problem = domain(4, 4, 4, {false, false, false});
  EXPECT_THROW((void)decompose(problem, {{5, 1, 1}, 0, 1}), Error);
  EXPECT_THROW((void)decompose(problem, {{1, 1, 0}, 0, 1}), Error);
  EXPECT_THROW((void)decompose(problem, {{1, 1, 1}, 1.5, 1}), Error);
  EXPECT_THROW((void)decompose(problem, {{1, 1, 1}, 1, 1, 0}), Error);
  EXPECT_EQ(decompose(problem, {{1, 1, 1}, 0, 9}).size(), 4U);  // a row of cells per core at least
}

TEST(LbmProblem, SaysWhatCannotWork) {
  const Problem good = domain(4, 4, 4, {false, false, false});
  EXPECT_NO_THROW(check(good));
  const auto bad = [&](const auto& change) {
    Problem p = good;
    change(p);
    EXPECT_THROW(check(p), Error);
  };
  bad([](Problem& p) { p.cells[1] = 0; });
  bad([](Problem& p) { p.collision.tau = 0.5; });
  bad([](Problem& p) { p.collision.tau = std::nan(""); });
  bad([](Problem& p) { p.collision.magic = 0; });
  bad([](Problem& p) { p.collision.smagorinsky = -1; });
  bad([](Problem& p) { p.collision.force[2] = std::nan(""); });
  bad([](Problem& p) { p.face[2].periodic = true; });
  bad([](Problem& p) { p.face[5].wall.u[0] = 0.3; });
  bad([](Problem& p) { p.face[5].wall.u[0] = std::nan(""); });
  bad([](Problem& p) {
    p.face[0].wall.kind = Wall::Kind::pressure;
    p.face[0].wall.rho = 0;
  });
  bad([](Problem& p) {
    p.face[0].wall.kind = Wall::Kind::parabola;
    p.face[0].wall.u[0] = 0.13;  // its peak between four walls is 0.2925
  });
  for (const int axis : {0, 1, 2}) bad([axis](Problem& p) { p.collision.force[axis] = -0.1; });
  Problem forced = good;
  forced.collision.force[0] = forced.collision.force[1] = forced.collision.force[2] = -0.099;
  EXPECT_NO_THROW(check(forced));
  bad([](Problem& p) { p.solid.assign(63, 0); });
  bad([](Problem& p) { p.solid.assign(64, 1); });
}

}  // namespace
}  // namespace asterism::lbm
