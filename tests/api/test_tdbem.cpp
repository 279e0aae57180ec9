// SPDX-License-Identifier: Apache-2.0
// Scattered sound by the library: against what long waves and turned bodies have to give, and to the bit against
// asterism-tdbem.
#include <algorithm>
#include <asterism/tdbem.hpp>
#include <iomanip>
#include <map>
#include <stdexcept>

#include "tests/api/hdf5_values.hpp"
#include "tests/api/problems.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;
using Values = std::vector<double>;

/// A closed surface.
struct Body {
  Values vertices;
  std::vector<std::int32_t> triangles;

  [[nodiscard]] tdbem::Surface view() const { return {vertices, triangles}; }
  [[nodiscard]] std::size_t size() const { return vertices.size() / 3; }
  /// Triangles that face inward.
  [[nodiscard]] Body inside_out() const {
    Body other = *this;
    for (std::size_t t = 0; t < triangles.size(); t += 3) std::swap(other.triangles[t], other.triangles[t + 1]);
    return other;
  }
};

/// Vertices and triangles that become more.
struct Mesh {
  std::vector<std::array<double, 3>> points{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<std::array<std::int32_t, 3>> faces{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                 {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;

  std::int32_t middle(std::int32_t a, std::int32_t b) {
    const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(points.size()));
    if (!is_new) return found->second;
    std::array<double, 3> m{};
    for (std::size_t d = 0; d < 3; ++d)
      m[d] = points[static_cast<std::size_t>(a)][d] + points[static_cast<std::size_t>(b)][d];
    const double r = std::hypot(m[0], m[1], m[2]);
    for (double& x : m) x /= r;
    points.push_back(m);
    return found->second;
  }
  void quarter() {
    std::vector<std::array<std::int32_t, 3>> finer;
    for (const auto& [a, b, c] : faces) {
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    faces = finer;
  }
};

/// An octahedron, its triangles quartered `level` times, on an ellipsoid.
Body ellipsoid(int level, const std::array<double, 3>& axes) {
  Mesh mesh;
  for (; level > 0; --level) mesh.quarter();
  Body body;
  for (const auto& p : mesh.points)
    for (std::size_t d = 0; d < 3; ++d) body.vertices.push_back(axes[d] * p[d]);
  for (const auto& f : mesh.faces) body.triangles.insert(body.triangles.end(), f.begin(), f.end());
  return body;
}

class LibraryTdbem : public testing::Test {
 protected:
  Session session_{SessionOptions{.cpus = 2, .gpus = 0}};
};

TEST_F(LibraryTdbem, ALongWavePassesASmallBody) {
  // the total pressure on a body that is small beside the wave is the incident one
  const Body body = ellipsoid(2, {0.05, 0.04, 0.06});
  tdbem::Options options;
  options.wave.frequency = 60;
  options.dt = 1e-4;
  tdbem::Simulation simulation(session_, body.view(), options);
  EXPECT_EQ(simulation.unknowns(), static_cast<std::int64_t>(body.size()));
  const long centre = std::lround(-simulation.time(0) / simulation.time_step());
  simulation.advance(centre + 1);
  Values pressure(body.size());
  simulation.surface(pressure, 0, std::max(centre, simulation.step() - options.group));
  for (const double p : pressure) EXPECT_NEAR(p, 1, 0.1);
}

TEST_F(LibraryTdbem, TurnedWithItsWavesABodySoundsTheSame) {
  const Body body = ellipsoid(2, {0.5, 0.35, 0.25});
  Body turned = body;  // by 90 degrees about z; pairs of triangles come in another order
  for (std::size_t i = 0; i < body.size(); ++i) {
    turned.vertices[3 * i] = -body.vertices[3 * i + 1];
    turned.vertices[3 * i + 1] = body.vertices[3 * i];
  }
  tdbem::Options options;
  options.wave.directions = {{1, 0, 0}, {0, 1, 0.5}};
  options.observers = {{2, 0.3, 0}, {-1, 2, 0.4}};
  tdbem::Options other = options;
  other.wave.directions = {{0, 1, 0}, {-1, 0, 0.5}};
  other.observers = {{-0.3, 2, 0}, {-2, -1, 0.4}};
  tdbem::Simulation one(session_, body.view(), options);
  tdbem::Simulation two(session_, turned.view(), other);
  EXPECT_EQ(one.waves(), 2);
  EXPECT_EQ(one.observers(), 2);
  one.advance(one.steps());
  two.advance(one.steps());
  double largest = 0;
  for (int wave = 0; wave < 2; ++wave)
    for (int observer = 0; observer < 2; ++observer) {
      const Values a = one.scattered(wave, observer), b = two.scattered(wave, observer);
      ASSERT_EQ(a.size(), static_cast<std::size_t>(one.step()));
      for (std::size_t n = 0; n < a.size(); ++n) {
        EXPECT_NEAR(a[n], b[n], 1e-5);
        largest = std::max(largest, std::abs(a[n]));
      }
    }
  EXPECT_GT(largest, 0.02);
  Values a(body.size()), b(body.size());
  one.surface(a, 1);
  two.surface(b, 1);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 5e-5);
  EXPECT_LT(std::abs(one.scattered(0, 0).back()), 1e-2 * largest);  // it has left
}

/// What a source at A is heard as at B is what a source at B is heard as at A.
TEST_F(LibraryTdbem, MonopolesAreReciprocal) {
  const Body body = ellipsoid(2, {0.5, 0.35, 0.25});
  tdbem::Options options;
  options.wave.directions.clear();
  options.wave.monopoles = {{2, 0.3, 0}, {-0.4, 1, 0.7}};
  options.observers = options.wave.monopoles;
  tdbem::Simulation simulation(session_, body.view(), options);
  EXPECT_EQ(simulation.waves(), 2);
  simulation.advance(simulation.steps());
  const Values a = simulation.scattered(0, 1), b = simulation.scattered(1, 0), echo = simulation.scattered(0, 0);
  double all = 0, error = 0, other = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    all += a[n] * a[n];
    error += (a[n] - b[n]) * (a[n] - b[n]);
    other += (a[n] - echo[n]) * (a[n] - echo[n]);
  }
  EXPECT_GT(all, 1e-6);
  EXPECT_LT(error, 1e-4 * all);
  EXPECT_GT(other, 1e-2 * all);
}

TEST_F(LibraryTdbem, AnotherWaveNeedsNoNewMatrices) {
  const Body body = ellipsoid(2, {0.5, 0.35, 0.25});
  tdbem::Options options;
  options.observers = {{2, 0.3, 0}};
  tdbem::Simulation simulation(session_, body.view(), options);
  simulation.advance(40);
  const Values first = simulation.scattered(0, 0);
  tdbem::Wave other;
  other.pulse = tdbem::Pulse::ricker;
  other.directions = {{-1, 0.2, 0.1}};
  simulation.start(other);
  EXPECT_EQ(simulation.step(), 0);
  std::vector<long> told;
  simulation.advance(
      40,
      [&](long step) {
        told.push_back(step);
        EXPECT_EQ(simulation.scattered(0, 0).size(), static_cast<std::size_t>(step));
      },
      10);
  EXPECT_EQ(told, (std::vector<long>{16, 24, 32, 40}));
  options.wave = other;
  tdbem::Simulation fresh(session_, body.view(), options);
  fresh.advance(40);
  EXPECT_TRUE(same_bits(fresh.scattered(0, 0), simulation.scattered(0, 0)));
  EXPECT_TRUE(same_bits(fresh.incident(0, 0), simulation.incident(0, 0)));
  other.frequency = 1e6;
  expect_bad_input([&] { simulation.start(other); }, {"time step"});
  EXPECT_TRUE(same_bits(fresh.scattered(0, 0), simulation.scattered(0, 0)));
  simulation.start({});
  simulation.advance(40);
  EXPECT_TRUE(same_bits(first, simulation.scattered(0, 0)));
  EXPECT_THROW(simulation.advance(
                   16, [](long) { throw std::out_of_range("enough"); }, 8),
               std::out_of_range);
  EXPECT_EQ(simulation.step(), 48);
}

TEST_F(LibraryTdbem, WrongArgumentsAreNamed) {
  const Body body = ellipsoid(1, {0.5, 0.4, 0.3});
  const auto refused = [&](const auto& spoil, const std::vector<std::string>& words) {
    tdbem::Options wrong;
    Body other = body;
    spoil(wrong, other);
    expect_bad_input([&] { tdbem::Simulation(session_, other.view(), wrong); }, words);
  };
  using Options = tdbem::Options;
  refused([](Options&, Body& b) { b.triangles.resize(b.triangles.size() - 3); }, {"surface"});
  refused([](Options&, Body& b) { b.triangles.clear(); }, {"without triangles"});
  refused([](Options&, Body& b) { b.triangles[5] = -1; }, {"triangles[5] is -1"});
  refused([](Options&, Body& b) { b.vertices[4] = NAN; }, {"vertices[4] is nan"});
  refused([](Options&, Body& b) { b.vertices.pop_back(); }, {"coordinates"});
  refused([](Options&, Body& b) { b = b.inside_out(); }, {"inward"});
  refused([](Options& o, Body&) { o.speed = 0; }, {"speed"});
  refused([](Options& o, Body&) { o.dt = 1; }, {"time step 1"});
  refused([](Options& o, Body&) { o.courant = 0; }, {"courant 0"});
  refused([](Options& o, Body&) { o.group = 17; }, {"17"});
  refused([](Options& o, Body&) { o.far_points = 5; }, {"far_points 5"});
  refused([](Options& o, Body&) { o.touching_points = 0; }, {"touching_points 0"});
  refused([](Options& o, Body&) { o.observers = {{0, 0, 0.1}}; }, {"observer 0"});
  refused([](Options& o, Body&) { o.wave.directions = {{0, 0, 0}}; }, {"direction"});
  refused([](Options& o, Body&) { o.wave.directions.clear(); }, {"no incident wave"});
  refused([](Options& o, Body&) { o.wave.monopoles = {{0.1, 0, 0}}; }, {"monopole 0", "inside"});
  refused([](Options& o, Body&) { o.wave.frequency = -3; }, {"frequency -3"});
  refused([](Options& o, Body&) { o.precision = Precision::half_precision; }, {"half precision"});
}

TEST_F(LibraryTdbem, WrongQuestionsAreNamedAndTheMarchGoesOn) {
  const Body body = ellipsoid(1, {0.5, 0.4, 0.3});
  tdbem::Options options;
  options.turn_inward = true;
  const Body inward = body.inside_out();
  tdbem::Simulation simulation(session_, inward.view(), options);
  Values values(body.size());
  expect_bad_input([&] { simulation.surface(values); }, {"step -1"});
  simulation.advance(9);
  EXPECT_EQ(simulation.step(), 16);
  simulation.surface(values);
  expect_bad_input([&] { simulation.surface(values, 0, 7); }, {"step 7", "8 to 15"});
  expect_bad_input([&] { simulation.surface(values, 1); }, {"wave 1"});
  expect_bad_input([&] { static_cast<void>(simulation.scattered(0, 0)); }, {"observer 0", "of 0"});
  expect_bad_input([&] { simulation.surface(std::span(values).first(3)); }, {"3 values"});
  expect_bad_input([&] { simulation.advance(-1); }, {"-1 steps"});
  tdbem::Simulation moved = std::move(simulation);
  expect_bad_input([&] { simulation.advance(1); }, {"moved from"});  // NOLINT(bugprone-use-after-move)
  moved.advance(1);
  EXPECT_EQ(moved.step(), 24);
}

/// The program on the same body.
class TdbemLibraryAndProgram : public ProgramTest {
 protected:
  TdbemLibraryAndProgram() : ProgramTest("asterism-tdbem", "ASTERISM_TDBEM", ASTERISM_TDBEM, {}) {}

  static std::string text_of(const Body& body) {
    std::ostringstream off;
    off << std::setprecision(17) << "OFF\n" << body.size() << ' ' << body.triangles.size() / 3 << " 0\n";
    for (std::size_t i = 0; i < body.vertices.size(); ++i) off << body.vertices[i] << (i % 3 == 2 ? '\n' : ' ');
    for (std::size_t t = 0; t < body.triangles.size(); ++t)
      off << (t % 3 == 0 ? "3 " : "") << body.triangles[t] << (t % 3 == 2 ? '\n' : ' ');
    return off.str();
  }
  /// A column of --listen: 0 the time, then scattered, incident and total of each observer.
  [[nodiscard]] Values column_of(const std::string& name, int column) const {
    Values values;
    for (const std::string& line : lines_of(contents(output(name)))) {
      if (line.starts_with("#") || line.starts_with("time")) continue;
      std::istringstream row(line);
      std::string word;
      for (int c = 0; c <= column; ++c) std::getline(row, word, ',');
      values.push_back(std::strtod(word.c_str(), nullptr));
    }
    return values;
  }
  void compare(Session& session, const std::string& mesh, const Body& body, const std::string& boundary,
               const std::string& precision, const std::string& solver) const;
};

void TdbemLibraryAndProgram::compare(Session& session, const std::string& mesh, const Body& body,
                                     const std::string& boundary, const std::string& precision,
                                     const std::string& solver) const {
  SCOPED_TRACE(boundary + " " + precision + " " + solver);
  const Ran ran = run({"--mesh",
                       mesh,
                       "--boundary",
                       boundary,
                       "--precision",
                       precision,
                       "--solver",
                       solver,
                       "--direction",
                       "1,0.5,0",
                       "--observer",
                       "2,0.3,0.1",
                       "--observer=-1,2,0.4",
                       "--steps",
                       "48",
                       "--listen",
                       "p.csv",
                       "--output",
                       "s.h5",
                       "--gpus",
                       "0"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  tdbem::Options options;
  if (boundary == "soft") options.boundary = tdbem::Boundary::soft;
  if (precision == "single") options.precision = Precision::single_precision;
  if (solver == "mumps") options.solver = tdbem::Solver::factorisation;
  options.wave.directions = {{1, 0.5, 0}};
  options.observers = {{2, 0.3, 0.1}, {-1, 2, 0.4}};
  tdbem::Simulation simulation(session, body.view(), options);
  simulation.advance(48);
  EXPECT_TRUE(same_bits(simulation.scattered(0, 0), column_of("p.csv", 1)));
  EXPECT_TRUE(same_bits(simulation.incident(0, 0), column_of("p.csv", 2)));
  EXPECT_TRUE(same_bits(simulation.scattered(0, 1), column_of("p.csv", 4)));
  EXPECT_EQ(column_of("p.csv", 0)[7], simulation.time(7));
  Values values(body.size());
  simulation.surface(values);
  for (double& value : values) value = static_cast<float>(value);  // as the file has them
  const std::string name = boundary == "soft" ? "normal_derivative_0" : "pressure_0";
  EXPECT_TRUE(same_bits(values, hdf5_values(output("s.h5"), "step_0000000047/" + name)));
}

TEST_F(TdbemLibraryAndProgram, HaveTheSameBits) {
  Session session({.cpus = 2, .gpus = 0});
  const Body body = ellipsoid(2, {0.5, 0.35, 0.25});
  const std::string mesh = file(text_of(body), "body.off");
  for (const char* boundary : {"rigid", "soft"}) {
    compare(session, mesh, body, boundary, "double", "cg");
    compare(session, mesh, body, boundary, "single", "cg");
  }
  compare(session, mesh, body, "rigid", "double", "mumps");
}

}  // namespace
