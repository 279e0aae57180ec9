// SPDX-License-Identifier: Apache-2.0
// The lattice Boltzmann method from end to end: against the two-copy reference, and bit for bit against itself in every
// decomposition. The scheduler comes from STARPU_SCHED; StarPU is started once.
#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "taskflows/lbm/reference.hpp"
#include "tests/taskflows/lbm/runs.hpp"

namespace asterism::lbm {
namespace {

const std::vector<Cut> cuts{{{1, 1, 1}, 0, 2}, {{2, 1, 1}, 0, 1}, {{1, 1, 3}, 0, 1},
                            {{2, 2, 2}, 0, 1}, {{3, 1, 2}, 0, 2}, {{1, 2, 2}, 0, 3}};

struct Named {
  const char* name;
  Problem (*make)(int, int, int);
};
/// The cavity by central moments, with a body force.
Problem central(int nx, int ny, int nz) {
  Problem p = cavity(nx, ny, nz);
  p.collision.model = Collision::Model::central_moments;
  p.collision.tau = 0.502;
  p.collision.force[2] = 2e-4;
  return p;
}

const std::vector<Named> problems{{"cavity", cavity},
                                  {"periodic", periodic},
                                  {"channel", channel},
                                  {"central moments", central},
                                  {"interpolated", interpolated},
                                  {"third order", third_order},
                                  {"eddies", eddies}};

constexpr Precision precisions[] = {Precision::double_precision, Precision::single_precision,
                                    Precision::half_precision};

double tolerance_of(Precision precision) {
  return precision == Precision::double_precision ? 1e-14 : precision == Precision::single_precision ? 2e-6 : 2e-4;
}

TEST(LbmFlow, AgreesWithTwoCopies) {
  for (const Named& named : problems)
    for (const Precision precision : precisions)
      for (const int steps : {0, 1, 2, 7}) {
        Problem p = named.make(19, 11, 7);
        p.precision = precision;
        Reference reference(p);
        for (int t = 0; t < steps; ++t) reference.advance();
        const std::vector<double> found =
            numbers(run(p, {{1, 1, 1}, 0, 1}, steps), precision != Precision::double_precision);
        EXPECT_LT(largest_difference(found, reference.fields()), tolerance_of(precision))
            << named.name << ", " << steps << " steps, " << name_of(precision);
      }
}

TEST(LbmFlow, EveryDecompositionGivesTheSameBits) {
  for (const Named& named : problems)
    for (const Precision precision : precisions)
      for (const int steps : {1, 6}) {
        Problem p = named.make(37, 13, 9);
        p.precision = precision;
        const std::vector<char> whole = run(p, {{1, 1, 1}, 0, 1}, steps);
        for (const Cut& cut : cuts) EXPECT_TRUE(whole == run(p, cut, steps)) << named.name << ", " << steps << " steps";
      }
}

TEST(LbmFlow, ACellPerBrick) {
  for (const Named& named : problems) {
    const Problem p = named.make(4, 3, 5);
    EXPECT_TRUE(run(p, {{1, 1, 1}, 0, 1}, 5) == run(p, {{4, 3, 5}, 0, 1}, 5)) << named.name;
  }
}

TEST(LbmFlow, EveryShareOfGpusGivesTheSameBits) {
  const bool gpu = Runtime::session().gpus() > 0;
  const bool cpu = Runtime::session().cpus() > 0;
  for (std::size_t k = 0; k < problems.size() * std::size(precisions); ++k) {
    const Named& named = problems[k / std::size(precisions)];
    Problem p = named.make(23, 16, 6);
    p.precision = precisions[k % std::size(precisions)];
    const Seen whole = seen(p, {{1, 1, 1}, 0, 1}, true);
    for (const double share : {0., 0.3, 0.9, 1.}) {
      if ((share > 0 && !gpu) || (share < 1 && !cpu)) continue;
      for (const int gpu_bricks : {1, 3})
        EXPECT_TRUE(whole == seen(p, {{1, 1, 2}, share, 2, gpu_bricks}, false))
            << named.name << ", " << share << ", " << gpu_bricks << " bricks of a GPU";
    }
  }
}

TEST(LbmFlow, APartForUnitsThatAreNotThereIsRefused) {
  const Problem p = cavity(8, 8, 8);
  if (Runtime::session().gpus() == 0) {
    EXPECT_THROW((void)place(decompose(p, {{1, 1, 1}, 0.5, 1}), Runtime::session()), Error);
  }
}

using State = std::vector<char>;

State state_of(Simulation& s, const Problem& p) {
  const auto element = static_cast<std::size_t>(size_of(p.precision));
  const auto n = static_cast<std::size_t>(p.cells[0] * p.cells[1] * p.cells[2]);
  State all(q * n * element);
  s.get([&](const DomainBox& box, const void* slots) {
    const char* from = static_cast<const char*>(slots);
    const auto row = static_cast<std::size_t>(box.x1 - box.x0) * element;
    for (std::size_t i = 0; i < q; ++i)
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y, from += row)
          std::memcpy(&all[(i * n + static_cast<std::size_t>(box.x0 + p.cells[0] * (y + p.cells[1] * z))) * element],
                      from, row);
  });
  return all;
}

void set_state(Simulation& s, const Problem& p, long time, const State& all) {
  const auto element = static_cast<std::size_t>(size_of(p.precision));
  const auto n = static_cast<std::size_t>(p.cells[0] * p.cells[1] * p.cells[2]);
  s.set(time, [&](const DomainBox& box, void* slots) {
    char* to = static_cast<char*>(slots);
    const auto row = static_cast<std::size_t>(box.x1 - box.x0) * element;
    for (std::size_t i = 0; i < q; ++i)
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y, to += row)
          std::memcpy(
              to, &all[(i * n + static_cast<std::size_t>(box.x0 + p.cells[0] * (y + p.cells[1] * z))) * element], row);
  });
}

TEST(LbmFlow, ResumesFromAnyTimeInAnyDecomposition) {
  for (const Named& named : problems)
    for (const Precision precision : precisions)
      for (const int stop : {0, 1, 2, 5}) {
        Problem p = named.make(21, 10, 8);
        p.precision = precision;
        const std::vector<char> whole = run(p, {{1, 1, 1}, 0, 1}, 7);
        const std::vector<BrickPlace> first = decompose(p, {{2, 1, 2}, 0, 2});
        State kept;
        {
          Simulation s(p, first, anywhere(first));
          s.initialise();
          for (int t = 0; t < stop; ++t) s.advance();
          kept = state_of(s, p);
          for (int t = stop; t < 7; ++t) s.advance();  // having been observed changes nothing
          EXPECT_TRUE(whole == fields(s, p)) << named.name << " after " << stop;
        }
        const std::vector<BrickPlace> second = decompose(p, {{1, 2, 1}, 0, 3});
        Simulation s(p, second, anywhere(second));
        set_state(s, p, stop, kept);
        EXPECT_TRUE(kept == state_of(s, p));
        for (int t = stop; t < 7; ++t) s.advance();
        EXPECT_TRUE(whole == fields(s, p)) << named.name << " from " << stop;
      }
}

TEST(LbmFlow, ObservingChangesNothing) {
  for (const Named& named : problems) {
    const Problem p = named.make(14, 9, 8);
    const std::vector<char> whole = run(p, {{1, 1, 1}, 0, 1}, 6);
    const std::vector<BrickPlace> bricks = decompose(p, {{1, 2, 2}, 0, 1});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    for (int t = 0; t < 6; ++t) {
      s.advance();
      (void)s.totals();
      (void)s.force();
      if (t % 2 == 0) (void)s.exchange_totals();
      (void)fields(s, p);
    }
    EXPECT_TRUE(whole == fields(s, p)) << named.name;
  }
}

// a single brick takes them in one task, others one by one
TEST(LbmFlow, SeveralStepsAtOnceAreThoseSteps) {
  for (const Named& named : problems)
    for (const Cut& cut : {Cut{{1, 1, 1}, 0, 1}, Cut{{1, 2, 1}, 0, 1}}) {
      const Problem p = named.make(21, 10, 8);
      const std::vector<BrickPlace> bricks = decompose(p, cut);
      Simulation s(p, bricks, anywhere(bricks));
      s.initialise();
      s.advance(1);
      s.advance(24);
      s.advance(2);
      EXPECT_EQ(s.time(), 27);
      EXPECT_TRUE(run(p, cut, 27) == fields(s, p)) << named.name;
    }
}

// they have no border cells that are advanced first, unless a neighbour is elsewhere
TEST(LbmFlow, BricksOfOneUnitGiveTheSameBits) {
  const int unit = Runtime::session().units().front().worker;
  const int another = Runtime::session().units().back().worker;
  for (const Named& named : problems) {
    const Problem p = named.make(21, 10, 8);
    const std::vector<char> whole = run(p, {{1, 1, 1}, 0, 1}, 5);
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 2, 2}, 0, 1});
    Placement together(bricks.size(), unit);
    for (const int last : {unit, another}) {
      together.back() = last;
      Simulation s(p, bricks, together);
      s.initialise();
      s.advance(5);
      EXPECT_TRUE(whole == fields(s, p)) << named.name << ", last brick on " << last;
    }
  }
}

TEST(LbmFlow, TotalsAreThoseOfTheFields) {
  for (const int steps : {3, 4}) {
    const Problem p = channel(18, 11, 9);
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, 0, 1});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    for (int t = 0; t < steps; ++t) s.advance();
    const std::vector<double> f = numbers(fields(s, p), false);
    const std::size_t n = f.size() / 4;
    Totals expected{};
    for (std::size_t k = 0; k < n; ++k) {
      if (p.solid[k] != 0) continue;
      const double u2 = f[n + k] * f[n + k] + f[2 * n + k] * f[2 * n + k] + f[3 * n + k] * f[3 * n + k];
      expected.mass += f[k] - 1;
      for (std::size_t a = 0; a < 3; ++a) expected.momentum[a] += f[k] * f[(1 + a) * n + k];
      expected.energy += f[k] * u2 / 2;
      expected.speed = std::max(expected.speed, std::sqrt(u2));
    }
    const Totals found = s.totals();
    EXPECT_NEAR(found.mass, expected.mass, 1e-10);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(found.momentum[a], expected.momentum[a], 1e-10);
    EXPECT_NEAR(found.energy, expected.energy, 1e-10);
    EXPECT_NEAR(found.speed, expected.speed, 1e-14);
  }
}

TEST(LbmFlow, ExchangedTotalsAreOneCallLate) {
  const Problem p = cavity(8, 7, 6);
  const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, 0, 2});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  EXPECT_FALSE(s.exchange_totals());
  const double energy = s.totals().energy;
  EXPECT_FALSE(s.exchange_totals());
  s.advance();
  EXPECT_DOUBLE_EQ(s.exchange_totals()->energy, energy);  // CPUs and GPUs add up in other orders
}

TEST(LbmFlow, ADivergingRunIsNoticed) {
  Problem p = periodic(8, 8, 8);
  p.initial = [](int x, int y, int) { return Flow{x == 3 && y == 4 ? std::nan("") : 1., {0, 0, 0}}; };
  const std::vector<BrickPlace> bricks = decompose(p, {{1, 2, 1}, 0, 1});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance();
  EXPECT_TRUE(std::isnan(s.totals().speed));
}

TEST(LbmFlow, MassStays) {
  Problem p = cavity(20, 14, 12);
  p.initial = [](int, int, int) { return Flow{}; };
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 1}, 0, 2});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  for (int t = 0; t < 400; ++t) s.advance();
  EXPECT_NEAR(s.totals().mass, 0, 1e-12 * 20 * 14 * 12);
  EXPECT_GT(s.totals().energy, 1e-3);
}

// a body in a periodic box under a body force: in the end it holds back what pushes
TEST(LbmFlow, ForceOnABodyBalancesTheBodyForce) {
  Problem p = periodic(12, 12, 12);
  p.initial = [](int, int, int) { return Flow{}; };
  p.collision.tau = 0.9;
  p.collision.force[0] = 1e-5;
  p.solid.assign(12 * 12 * 12, 0);
  for (int z = 0; z < 12; ++z)
    for (int y = 0; y < 12; ++y)
      for (int x = 0; x < 12; ++x)
        if ((2 * x - 11) * (2 * x - 11) + (2 * y - 11) * (2 * y - 11) + (2 * z - 11) * (2 * z - 11) < 60)
          p.solid[static_cast<std::size_t>(x + 12 * (y + 12 * z))] = 1;
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 2, 1}, 0, 1});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  for (int t = 0; t < 4000; ++t) s.advance();
  const double pushed = 1e-5 * static_cast<double>(s.fluid_cells());
  const std::array<double, 3> force = s.force();
  EXPECT_NEAR(force[0], pushed, 1e-6 * pushed);
  EXPECT_NEAR(force[1], 0, 1e-9 * pushed);
  s.advance();
  EXPECT_NEAR(s.force()[0], pushed, 1e-6 * pushed);  // after either half
}

/// Largest deviation of the density along a stream that a crest of sound runs along, when it has reached the outlet and
/// what returns from there is on its way back.
double echo(double width, int sponge) {
  Problem p = problem_of(240, 1, 1);
  for (std::size_t face = 2; face < faces; ++face) p.face[face].periodic = true;
  p.face[0].wall.u[0] = 0.05;
  p.face[1].wall.kind = Wall::Kind::pressure;
  p.sponge = sponge;
  p.initial = [width](int x, int, int) {
    const double crest = 0.01 * std::exp(-std::pow((x - 100) / width, 2));
    return Flow{1 + crest, {0.05 + std::sqrt(1. / 3) * crest, 0, 0}};
  };
  const std::vector<double> rho = numbers(run(p, {{1, 1, 1}, 0, 1}, 380), false);
  double largest = 0;
  for (std::size_t x = 0; x < 240; ++x) largest = std::max(largest, std::abs(rho[x] - 1) / 0.01);
  return largest;
}

TEST(LbmFlow, ASpongeReturnsLittleSound) {
  EXPECT_GT(echo(8, 0), 0.4);
  EXPECT_LT(echo(8, 48), 0.2);
  EXPECT_GT(echo(40, 0), 0.7);
  EXPECT_LT(echo(40, 48), 0.2);
}

TEST(LbmFlow, ProbesAreTheFields) {
  for (const Precision precision :
       {Precision::half_precision, Precision::single_precision, Precision::double_precision}) {
    Problem p = channel(19, 14, 11);
    p.precision = precision;
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, 0, 1});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    const std::vector<std::array<int, 3>> cells{{18, 13, 10}, {0, 0, 0}, {9, 6, 5}, {10, 13, 4}, {0, 0, 0}};
    for (int step = 0; step < 3; ++step) {
      s.advance();
      const std::vector<Flow> probes = s.probe(cells);
      std::size_t found = 0;
      s.observe([&](const DomainBox& box, const void* fields) {
        const auto value = [&](std::size_t k) {
          return precision == Precision::double_precision ? static_cast<const double*>(fields)[k]
                                                          : static_cast<double>(static_cast<const float*>(fields)[k]);
        };
        for (std::size_t k = 0; k < cells.size(); ++k) {
          const auto [x, y, z] = cells[k];
          if (x < box.x0 || x >= box.x1 || y < box.y0 || y >= box.y1 || z < box.z0 || z >= box.z1) continue;
          ++found;
          const auto n = static_cast<std::size_t>(box.cells());
          const auto at = static_cast<std::size_t>(x - box.x0 +
                                                   (box.x1 - box.x0) * (y - box.y0 + (box.y1 - box.y0) * (z - box.z0)));
          EXPECT_EQ(probes[k].rho, value(at));
          for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(probes[k].u[a], value((a + 1) * n + at));
        }
      });
      EXPECT_EQ(found, cells.size());
    }
  }
}

TEST(LbmFlow, ForceAndMomentAreTheSameBitsForEveryCut) {
  for (const auto& make : {channel, interpolated}) {
    const Problem p = make(19, 14, 11);
    const std::array<double, 3> centre{9.5, 7, 5.5};
    std::vector<ForceAndMoment> whole;
    for (const std::array<int, 3>& cut : {std::array{1, 1, 1}, {2, 1, 1}, {1, 3, 2}, {2, 2, 2}}) {
      const std::vector<BrickPlace> bricks = decompose(p, {cut, 0, 2});
      Simulation s(p, bricks, anywhere(bricks));
      s.initialise();
      for (std::size_t step = 0; step < 7; ++step) {
        s.advance();
        const ForceAndMoment found = s.force_and_moment(centre);
        if (whole.size() == step) whole.push_back(found);
        EXPECT_EQ(found.force, whole[step].force) << step;
        EXPECT_EQ(found.moment, whole[step].moment) << step;
        // about another point: the moment differs by arm cross force
        const ForceAndMoment other = s.force_and_moment({9.5, 7, 8.5});
        EXPECT_NEAR(other.moment[0] - found.moment[0], 3 * found.force[1], 1e-12);
        EXPECT_NEAR(other.moment[1] - found.moment[1], -3 * found.force[0], 1e-12);
        EXPECT_NEAR(other.moment[2] - found.moment[2], 0, 1e-12);
        EXPECT_NE(found.moment[2], 0);
      }
    }
  }
}

}  // namespace
}  // namespace asterism::lbm
