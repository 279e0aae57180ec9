// SPDX-License-Identifier: Apache-2.0
// Flow by the library: against exact flows and balances of momentum, and to the bit against asterism-lbm.
#include <asterism/lbm.hpp>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "tests/api/hdf5_values.hpp"
#include "tests/api/problems.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;
using Values = std::vector<double>;

constexpr lbm::Face periodic{lbm::Face::Kind::periodic, {}, 1};

/// Density and velocity of all cells.
struct Flow {
  explicit Flow(const lbm::Simulation& simulation)
      : density(static_cast<std::size_t>(simulation.cells())), u(density), v(density), w(density) {
    simulation.fields({density, u, v, w});
  }
  Values density, u, v, w;
};

lbm::Options box(const std::array<int, 3>& cells) {
  lbm::Options options;
  options.cells = cells;
  options.faces.fill(periodic);
  return options;
}

class LibraryLbm : public testing::Test {
 protected:
  Session session_{SessionOptions{.cpus = 2, .gpus = 0}};
};

TEST_F(LibraryLbm, ShearBetweenWallsIsExact) {
  lbm::Options options = box({5, 4, 12});
  options.faces[4] = {};
  options.faces[5].kind = lbm::Face::Kind::wall;
  options.faces[5].velocity = {0.03, 0.02, 0};
  options.tau = 1;
  lbm::Simulation simulation(session_, options);
  simulation.advance(1700);
  const Flow flow(simulation);
  for (std::size_t cell = 0; cell < flow.u.size(); ++cell) {
    const double height = (static_cast<double>(cell / 20) + 0.5) / 12;
    EXPECT_NEAR(flow.u[cell], 0.03 * height, 1e-8);
    EXPECT_NEAR(flow.v[cell], 0.02 * height, 1e-8);
    EXPECT_NEAR(flow.w[cell], 0, 1e-10);
  }
}

/// u = U sin(2 pi z / n) decays by exp(-nu k^2 t): relative error after t = n^2 / 8 steps.
double error_of_decay(Session& session, int n) {
  lbm::Options options = box({4, 3, n});
  options.tau = 0.8;
  lbm::Simulation simulation(session, options);
  const double k = 2 * std::numbers::pi / n;
  Values u(static_cast<std::size_t>(simulation.cells()));
  for (std::size_t cell = 0; cell < u.size(); ++cell)
    u[cell] = 0.01 * std::sin(k * (static_cast<double>(cell / 12) + 0.5));
  lbm::Initial initial;
  initial.u = u;
  simulation.start(initial);
  simulation.advance(n * n / 8);
  const double decay = std::exp(-(0.8 - 0.5) / 3 * k * k * (n * n / 8));
  const Flow flow(simulation);
  double largest = 0;
  for (std::size_t cell = 0; cell < u.size(); ++cell)
    largest = std::max(largest, std::abs(flow.u[cell] / decay - u[cell]) / 0.01);
  return largest;
}

TEST_F(LibraryLbm, AGivenFlowDecaysAndTheErrorFallsByTheSquare) {
  const double coarse = error_of_decay(session_, 16);
  const double fine = error_of_decay(session_, 32);
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3);
}

TEST_F(LibraryLbm, TheForceOnABodyIsThatOnTheFluidInTheEnd) {
  lbm::Options options = box({12, 10, 9});
  options.force = {1e-5, 2e-6, 0};
  options.tau = 1.4;
  lbm::Body body;
  body.length = 4;
  body.position = {6, 5.2, 4.5};
  const std::vector<std::uint8_t> solid = lbm::solid_cells(body, options.cells);
  const auto cells = std::count(solid.begin(), solid.end(), 1);
  EXPECT_NEAR(static_cast<double>(cells), 4.0 / 3 * std::numbers::pi * 8, 8);
  lbm::Simulation simulation(session_, options, solid);
  EXPECT_EQ(simulation.fluid_cells(), simulation.cells() - cells);
  simulation.advance(1500);
  const std::array<double, 3> force = simulation.force();
  const auto fluid = static_cast<double>(simulation.fluid_cells());
  EXPECT_NEAR(force[0], 1e-5 * fluid, 1e-7 * fluid);
  EXPECT_NEAR(force[1], 2e-6 * fluid, 1e-7 * fluid);
  const Flow flow(simulation);
  for (std::size_t cell = 0; cell < solid.size(); ++cell) {
    if (solid[cell] == 0) continue;
    EXPECT_EQ(flow.density[cell], 1);
    EXPECT_EQ(flow.u[cell], 0);
  }
}

TEST_F(LibraryLbm, AParabolaEntersAChannel) {
  lbm::Options options = box({16, 2, 12});
  options.faces[0] = {lbm::Face::Kind::parabola, {0.02, 0, 0}, 1};
  options.faces[1] = {lbm::Face::Kind::pressure, {}, 1};
  options.faces[4] = options.faces[5] = {};
  options.collision = lbm::Collision::trt;
  options.tau = 0.8;
  lbm::Simulation simulation(session_, options);
  simulation.advance(4000);
  const Flow flow(simulation);
  for (std::size_t cell = 8; cell < flow.u.size(); cell += 16) {  // half-way from the inlet to the outlet
    const double s = (static_cast<double>(cell / 32) + 0.5) / 12;
    EXPECT_NEAR(flow.u[cell] * flow.density[cell], 0.12 * s * (1 - s), 1.5e-4) << cell;
  }
}

/// What is left of a hump of density in a stream after it has been at both ends.
double sound_left(Session& session, int sponge) {
  lbm::Options options = box({80, 2, 2});
  options.faces[0] = {lbm::Face::Kind::wall, {0.03, 0, 0}, 1};
  options.faces[1] = {lbm::Face::Kind::pressure, {}, 1};
  options.velocity = {0.03, 0, 0};
  options.sponge = sponge;
  lbm::Simulation simulation(session, options);
  Values density;
  for (int cell = 0; cell < 320; ++cell) density.push_back(1 + 0.01 * std::exp(-std::pow((cell % 80 - 30) / 6.0, 2)));
  lbm::Initial initial;
  initial.density = density;
  simulation.start(initial);
  simulation.advance(400);
  const Flow flow(simulation);
  double most = 0;
  for (int x = 0; x < 40; ++x) most = std::max(most, std::abs(flow.density[static_cast<std::size_t>(x)] - 1));
  return most;
}

TEST_F(LibraryLbm, ASpongeTakesUpSound) {
  const double without = sound_left(session_, 0);
  EXPECT_GT(without, 2e-3);
  EXPECT_LT(sound_left(session_, 40), without / 2);
}

TEST_F(LibraryLbm, ABodyHasWallsAndAMoment) {
  lbm::Options options = box({20, 2, 16});
  options.velocity = {0.05, 0, 0.02};
  lbm::Body body;
  body.shape = lbm::Body::Shape::cylinder;
  body.length = 6.4;
  body.position = {9.7, 1, 8.1};
  const std::vector<std::uint8_t> solid = lbm::solid_cells(body, options.cells);
  EXPECT_NEAR(static_cast<double>(std::count(solid.begin(), solid.end(), 1)), 2 * std::numbers::pi * 3.2 * 3.2, 4);
  lbm::Simulation by_cells(session_, options, solid), by_body(session_, options, body);
  body.walls = lbm::Body::Walls::interpolated;
  lbm::Simulation interpolated(session_, options, body);
  for (lbm::Simulation* const s : {&by_cells, &by_body, &interpolated}) s->advance(20);
  EXPECT_TRUE(same_bits(Flow(by_cells).u, Flow(by_body).u));
  EXPECT_FALSE(same_bits(Flow(by_cells).u, Flow(interpolated).u));
  // M about a = M about 0 - a cross F
  const std::array<double, 3> force = interpolated.force();
  const double about_origin = interpolated.moment({0, 0, 0})[1];
  EXPECT_NEAR(interpolated.moment({9.7, 1, 8.1})[1], about_origin - (8.1 * force[0] - 9.7 * force[2]), 1e-12);
  EXPECT_GT(std::abs(about_origin), 1e-3);
}

TEST_F(LibraryLbm, TotalsAreSumsOfTheFields) {
  lbm::Options options = box({6, 7, 8});
  options.velocity = {0.02, -0.01, 0.03};
  lbm::Simulation simulation(session_, options);
  simulation.advance(10);
  const Flow flow(simulation);
  const lbm::Totals totals = simulation.totals();
  EXPECT_NEAR(totals.momentum[1], std::accumulate(flow.v.begin(), flow.v.end(), 0.0), 1e-12);
  EXPECT_NEAR(totals.speed, std::sqrt(0.02 * 0.02 + 0.01 * 0.01 + 0.03 * 0.03), 1e-12);
  EXPECT_NEAR(totals.energy, 0.5 * totals.speed * totals.speed * 6 * 7 * 8, 1e-9);
  EXPECT_NEAR(totals.mass, 0, 1e-9);
}

TEST_F(LibraryLbm, StepsInPartsHaveTheBitsOfAllAtOnce) {
  lbm::Options options;
  options.cells = {12, 9, 10};
  options.faces[5].velocity = {0.05, 0, 0};
  lbm::Simulation simulation(session_, options);
  simulation.advance(130);
  const Flow whole(simulation);
  simulation.start();
  EXPECT_EQ(simulation.step(), 0);
  std::vector<long> told;
  simulation.advance(
      100,
      [&](long step) {
        told.push_back(step);
        EXPECT_EQ(simulation.step(), step);
        EXPECT_GT(Flow(simulation).u[0], -1);  // other calls may be made here
      },
      30);
  EXPECT_EQ(told, (std::vector<long>{30, 60, 90, 100}));
  EXPECT_THROW(simulation.advance(
                   10, [](long) { throw std::out_of_range("enough"); }, 3),
               std::out_of_range);
  EXPECT_EQ(simulation.step(), 102);
  simulation.advance(28);
  const Flow parts(simulation);
  EXPECT_TRUE(same_bits(whole.u, parts.u));
  EXPECT_TRUE(same_bits(whole.density, parts.density));
}

TEST_F(LibraryLbm, ADivergedFlowIsAnErrorAndAnotherBegins) {
  lbm::Options options;
  options.cells = {16, 16, 16};
  options.tau = 0.5001;
  options.faces[5].velocity = {0.28, 0, 0};
  lbm::Simulation simulation(session_, options);
  expect_error([&] { simulation.advance(100000); }, Error::Kind::failed, {"diverged before step"});
  simulation.start();
  simulation.advance(5);
  EXPECT_LT(simulation.totals().speed, 0.3);
}

TEST_F(LibraryLbm, WrongArgumentsAreNamedAndTheSessionStillWorks) {
  const auto refused = [&](const auto& spoil, const std::vector<std::string>& words) {
    lbm::Options wrong;
    wrong.cells = {5, 4, 3};
    spoil(wrong);
    expect_bad_input([&] { lbm::Simulation(session_, wrong); }, words);
  };
  refused([](lbm::Options& o) { o.cells[1] = 0; }, {"5 x 0 x 3"});
  refused([](lbm::Options& o) { o.tau = 0.5; }, {"relaxation time 0.5"});
  refused([](lbm::Options& o) { o.faces[0] = periodic; }, {"-x", "periodic"});
  refused([](lbm::Options& o) { o.faces[3].velocity[2] = 0.3; }, {"+y", "0.3"});
  refused([](lbm::Options& o) { o.velocity[2] = NAN; }, {"velocity[2] is nan"});
  refused([](lbm::Options& o) { o.gpu_share = 1.5; }, {"gpu_share 1.5"});
  refused([](lbm::Options& o) { o.magic = 0; }, {"magic parameter 0"});
  refused([](lbm::Options& o) { o.sponge = 8; }, {"a sponge lies before an outlet"});
  lbm::Options options = box({5, 4, 3});
  const std::vector<std::uint8_t> solid(59);
  expect_bad_input([&] { lbm::Simulation(session_, options, solid); }, {"59 voxels", "60 cells"});
  lbm::Simulation simulation(session_, options);
  Values few(59), all(60);
  expect_bad_input([&] { simulation.fields({all, few, {}, {}}); }, {"u has 59 values", "60"});
  lbm::Initial initial;
  initial.w = few;
  expect_bad_input([&] { simulation.start(initial); }, {"w has 59 values", "60"});
  all[7] = INFINITY;
  initial.w = all;
  expect_bad_input([&] { simulation.start(initial); }, {"w[7] is inf"});
  expect_bad_input([&] { static_cast<void>(simulation.moment({0, NAN, 0})); }, {"about[1] is nan"});
  expect_bad_input([&] { simulation.advance(-1); }, {"-1 steps"});
  expect_bad_input(
      [&] {
        simulation.advance(
            1, [](long) {}, 0);
      },
      {"every 0"});
  const Values corners{0, 0, 0, 1, 0, 0, 0, 1, 0};
  const std::vector<std::int32_t> triangle{0, 1, 2}, beyond{0, 1, 3};
  lbm::Body body;
  body.vertices = corners;
  body.triangles = triangle;
  expect_bad_input([&] { lbm::solid_cells(body, {8, 8, 8}); }, {"not a closed surface"});
  expect_bad_input([&] { lbm::Simulation(session_, options, body); }, {"not a closed surface"});
  body.triangles = beyond;
  expect_bad_input([&] { lbm::solid_cells(body, {8, 8, 8}); }, {"triangles[2] is 3"});
  simulation.advance(4);
  lbm::Simulation moved = std::move(simulation);
  expect_bad_input([&] { simulation.advance(1); }, {"moved from"});  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.step(), 4);
}

/// The program on the same flow.
class LbmLibraryAndProgram : public ProgramTest {
 protected:
  LbmLibraryAndProgram() : ProgramTest("asterism-lbm", "ASTERISM_LBM", ASTERISM_LBM, {}) {}
};

TEST_F(LbmLibraryAndProgram, HaveTheSameBits) {
  Session session({.cpus = 2, .gpus = 0});
  const std::string surface = "OFF\n4 4 0\n0 0 0\n3 0 0\n0 2 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
  const Values vertices{0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1};
  const std::vector<std::int32_t> triangles{0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  for (const auto& [name, precision] : {std::pair{"double", Precision::double_precision},
                                        {"single", Precision::single_precision},
                                        {"half", Precision::half_precision}}) {
    const bool central = precision == Precision::single_precision;
    const Ran ran = run({"--case",   "stream",   "--size",      "26x18x15",
                         "--re",     "40",       "--velocity",  "0.04",
                         "--length", "9",        "--body",      file(surface, "body.off"),
                         "--rotate", "10,20,30", "--collision", central ? "central-moments" : "trt",
                         "--steps",  "77",       "--precision", name,
                         "--output", "flow.h5",  "--forces",    "force.csv",
                         "--gpus",   "0",        "--walls",     central ? "interpolated" : "staircase",
                         "--sponge", "9",        "--magic",     "0.21"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    lbm::Options options;
    options.cells = {26, 18, 15};
    options.faces.fill(periodic);
    options.faces[0] = {lbm::Face::Kind::wall, {0.04, 0, 0}, 1};
    options.faces[1] = {lbm::Face::Kind::pressure, {}, 1};
    options.tau = lbm::relaxation_time(0.04, 9, 40);
    options.collision = central ? lbm::Collision::central_moments : lbm::Collision::trt;
    options.velocity = {0.04, 0, 0};
    options.precision = precision;
    options.sponge = 9;
    options.magic = 0.21;
    lbm::Body body;
    body.vertices = vertices;
    body.triangles = triangles;
    body.length = 9;
    body.degrees = {10, 20, 30};
    if (central) body.walls = lbm::Body::Walls::interpolated;
    lbm::Simulation simulation(session, options, body);
    simulation.advance(77);
    const Flow flow(simulation);
    EXPECT_TRUE(same_bits(flow.density, hdf5_values(output("flow.h5"), "step_0000000077/rho"))) << name;
    const Values velocity = hdf5_values(output("flow.h5"), "step_0000000077/velocity");
    Values together;
    for (std::size_t cell = 0; cell < flow.u.size(); ++cell)
      together.insert(together.end(), {flow.u[cell], flow.v[cell], flow.w[cell]});
    EXPECT_TRUE(same_bits(together, velocity)) << name;
    const std::string last = lines_of(contents(output("force.csv"))).back();
    const std::array<double, 3> force = simulation.force();
    const std::array<double, 3> moment = simulation.moment({6.5, 9, 7.5});
    std::size_t comma = last.find(',');
    for (const double value : {force[0], force[1], force[2], moment[0], moment[1], moment[2]}) {
      EXPECT_EQ(std::strtod(last.c_str() + comma + 1, nullptr), value) << name;
      comma = last.find(',', comma + 1);
    }
  }
}

}  // namespace
