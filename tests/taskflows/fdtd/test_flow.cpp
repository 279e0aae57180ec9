// SPDX-License-Identifier: Apache-2.0
// The finite-difference time-domain method from end to end: against a simple solver, and bit for bit against itself in
// every decomposition. The scheduler comes from STARPU_SCHED; StarPU is started once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "base/error.hpp"
#include "tests/taskflows/fdtd/compared.hpp"

namespace asterism::fdtd {
namespace {

const std::vector<Cut> cuts{{{2, 1, 1}, {}}, {{5, 1, 1}, {1, 7, 2, 2, 5}}, {{1, 3, 1}, {}},
                            {{1, 1, 3}, {}}, {{2, 2, 2}, {3, 1}},          {{3, 1, 2}, {}},
                            {{19, 1, 1}, {}}};

TEST(FdtdFlow, AgreesWithTheReference) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true}) {
      const Compared found = compare(problem_of(kind, {9, 7, 11}, single), {{1, 1, 1}, {}}, 12);
      EXPECT_GT(found.largest, 0.5);
      EXPECT_LT(found.error, single ? 3e-6 : 1e-14) << kind.name << (single ? ", float" : ", double");
    }
}

TEST(FdtdFlow, EveryDecompositionGivesTheSameBits) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true}) {
      const Problem p = problem_of(kind, {19, 8, 37}, single);
      const Outcome whole = run(p, {{1, 1, 1}, {}}, 7, anywhere);
      for (const Cut& cut : cuts)
        for (const auto place : {anywhere, fixed})
          EXPECT_TRUE(whole == run(p, cut, 7, place))
              << kind.name << ", " << fmt::format("{}", fmt::join(cut.parts, " x "))
              << (single ? ", float" : ", double") << (place == fixed ? ", fixed" : "");
    }
}

TEST(FdtdFlow, OverlappingStripsGiveTheSameBits) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true})
      for (const bool probes : {false, true}) {
        Problem p = problem_of(kind, {37, 8, 37}, single);
        if (!probes) p.probes.clear();
        const Outcome whole = run(p, {{1, 1, 1}, {}}, 21, anywhere);
        std::vector<Cut> strips{{{2, 1, 1}, {}}, {{3, 1, 1}, {2, 1, 4}}, {{4, 1, 1}, {}}};
        if (kind.face[0] == periodic) strips.push_back({{1, 1, 1}, {}});  // with itself
        for (const Cut& cut : strips)
          for (const int overlap : probes ? std::vector{1, 2, 4, 5} : std::vector{2, 5})
            for (const auto place : {fixed, anywhere}) {
              if (place == anywhere && overlap != 5) continue;
              EXPECT_TRUE(whole == run(p, cut, 21, place, overlap))
                  << kind.name << ", " << cut.parts[0] << " strips, " << overlap << " planes"
                  << (single ? ", float" : ", double") << (probes ? ", probes" : "")
                  << (place == fixed ? ", fixed" : "");
            }
      }
}

TEST(FdtdFlow, OverlappingStripsGoOnFromAnyStateAndHaveTheSameSums) {
  Problem p = problem_of(boundaries[1], {30, 7, 12});
  const std::vector<BrickPlace> one = decompose(p, {{1, 1, 1}, {}});
  const std::vector<BrickPlace> three = decompose(p, {{3, 1, 1}, {1, 2, 1}});
  Simulation whole(p, one, anywhere(one));
  Simulation strips(p, three, fixed(three), 4);
  for (Simulation* s : {&whole, &strips}) s->initialise();
  for (const long steps : {3L, 1L, 9L}) {  // no whole rounds
    for (Simulation* s : {&whole, &strips}) s->advance(steps);
    EXPECT_EQ(whole.sums(Field::electric), strips.sums(Field::electric));
    EXPECT_EQ(whole.sums(Field::magnetic), strips.sums(Field::magnetic));
    const Energy expected = whole.energy();
    const Energy found = strips.energy();
    EXPECT_EQ(expected.electric, found.electric);
    EXPECT_EQ(expected.magnetic, found.magnetic);
  }
  const State state = gather_state(strips, p);
  Simulation later(p, three, anywhere(three), 5);
  scatter_state(later, p, state);
  for (Simulation* s : {&whole, &later}) s->advance(6);
  EXPECT_TRUE(outcome(whole, p).fields == outcome(later, p).fields);
}

TEST(FdtdFlow, OverlapsThatCannotBeAreRefused) {
  const auto refuses = [](const Problem& p, const Cut& cut, int overlap) {
    const std::vector<BrickPlace> bricks = decompose(p, cut);
    EXPECT_THROW(Simulation(p, bricks, anywhere(bricks), overlap), Error);
  };
  refuses(problem_of(boundaries[4], {12, 4, 4}), {{1, 1, 1}, {}}, 13);  // periodic along x
  refuses(problem_of(boundaries[0], {12, 4, 4}), {{2, 2, 1}, {}}, 2);
  refuses(problem_of(boundaries[0], {12, 4, 4}), {{3, 1, 1}, {}}, 5);
  refuses(problem_of(boundaries[0], {12, 4, 4}), {{2, 1, 1}, {}}, -1);
}

/// Bricks that are advanced in several tasks even where all are on one unit.
TEST(FdtdFlow, BricksOfOneUnitGiveTheSameBits) {
  const int unit = Runtime::session().units().front().worker;
  const int another = Runtime::session().units().back().worker;
  for (const Named& kind : boundaries) {
    const Problem p = problem_of(kind, {13, 6, 9});
    const Outcome whole = run(p, {{1, 1, 1}, {}}, 5, anywhere);
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 2, 2}, {}});
    Placement together(bricks.size(), unit);
    for (const int last : {unit, another}) {
      together.back() = last;
      Simulation s(p, bricks, together);
      s.initialise();
      s.advance(5);
      EXPECT_TRUE(whole == outcome(s, p)) << kind.name << ", last brick on " << last;
    }
  }
}

/// Neighbours wait for all cells of a brick, and fields go to main memory and back between two steps.
TEST(FdtdFlow, ExchangesAfterTheUpdateAndTransfersGiveTheSameBits) {
  for (const Named& kind : boundaries)
    for (const Transfers transfers : {Transfers::in_turn, Transfers::at_once}) {
      const Problem p = problem_of(kind, {13, 6, 9});
      const Outcome whole = run(p, {{1, 1, 1}, {}}, 5, anywhere);
      const std::vector<BrickPlace> bricks = decompose(p, {{3, 1, 1}, {}});
      Simulation s(p, bricks, fixed(bricks), 0, Exchange::after_update);
      s.initialise();
      s.advance(2);
      s.unload(transfers);
      s.load(transfers);
      s.advance(3);
      s.unload(transfers);
      EXPECT_TRUE(whole == outcome(s, p)) << kind.name;
    }
}

/// Decays towards its own mean over time, kept in an array of the brick; the rate depends on the place in the domain.
class Relaxation : public KernelHook {
 public:
  explicit Relaxation(std::array<int, 3> origin) : origin_(origin) {}
  void apply(const UpdatedBox& box) const override {
    auto* const u = static_cast<double*>(box.values);
    auto* const mean = static_cast<double*>(box.arrays[0]);
    for (int c = 0; c < 3; ++c) {
      const Box b = box.grid.entries(box.field, c, box.cells);
      for (int i = b.x0; i < b.x1; ++i)
        for (int j = b.y0; j < b.y1; ++j)
          for (int k = b.z0; k < b.z1; ++k) {
            const std::int64_t at = box.grid.at(c, i, j, k);
            const double rate = 0.01 * (1 + (3 * (origin_[0] + i) + 5 * (origin_[1] + j) + origin_[2] + k) % 7);
            mean[at] += (u[at] - mean[at]) / static_cast<double>(box.step + 1);
            u[at] += rate * (mean[at] - u[at]);
          }
    }
  }
#ifdef ASTERISM_CUDA
  void apply(const UpdatedBox&, CUstream_st*) const override {
    throw std::logic_error("on CPUs only");
  }
#endif

 private:
  std::array<int, 3> origin_;
};

Outcome run_with_relaxation(const Problem& p, const Cut& cut, bool spread) {
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  std::vector<int> cpus;
  for (const Unit& unit : Runtime::session().units())
    if (!unit.gpu) cpus.push_back(unit.worker);
  Placement placement;
  for (std::size_t b = 0; b < bricks.size(); ++b) placement.push_back(cpus[spread ? b % cpus.size() : 0]);
  std::vector<std::unique_ptr<Relaxation>> kernels;
  std::vector<HostBuffer<char>> memory;
  std::vector<Handle> arrays;
  {
    Simulation s(p, bricks, placement);
    for (std::size_t b = 0; b < s.bricks(); ++b) {
      kernels.push_back(std::make_unique<Relaxation>(s.place(b).begin));
      for (const Field field : {Field::electric, Field::magnetic}) {
        const auto count = static_cast<std::size_t>(s.grid(b).elements());
        memory.emplace_back(count * 8);
        arrays.push_back(Handle::temporary(memory.back().data(), count, 8, "means"));
        s.add_hook(b, field, *kernels.back(), {{arrays.back(), STARPU_RW}});
      }
    }
    s.initialise();
    s.advance(7);
    return outcome(s, p);
  }
}

TEST(FdtdFlow, FurtherKernelsGiveTheSameBitsInEveryDecomposition) {
  if (Runtime::session().cpus() == 0) GTEST_SKIP() << "no CPUs";
  for (const Named& kind : boundaries) {
    Problem p = problem_of(kind, {14, 7, 35});
    const Outcome whole = run_with_relaxation(p, {{1, 1, 1}, {}}, false);
    EXPECT_FALSE(whole == run(p, {{1, 1, 1}, {}}, 7, fixed));
    for (const Cut& cut : {Cut{{3, 1, 1}, {1, 3, 2}}, {{2, 2, 2}, {}}, {{1, 1, 2}, {}}, {{14, 1, 1}, {}}})
      for (const bool spread : {false, true})
        EXPECT_TRUE(whole == run_with_relaxation(p, cut, spread))
            << kind.name << ", " << fmt::format("{}", fmt::join(cut.parts, " x ")) << (spread ? ", spread" : "");
  }
}

// a single brick takes them in one task, in a wavefront where it can, others one by one
TEST(FdtdFlow, SeveralStepsAtOnceAreThoseSteps) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true})
      for (const bool probes : {false, true})
        for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{3, 1, 1}, {}}}) {
          Problem p = problem_of(kind, {11, 30, 9}, single);
          if (!probes) p.probes.clear();
          const std::vector<BrickPlace> bricks = decompose(p, cut);
          Simulation s(p, bricks, anywhere(bricks));
          s.initialise();
          for (int t = 0; t < 30; ++t) s.advance();
          const Outcome expected = outcome(s, p);
          Simulation at_once(p, bricks, anywhere(bricks));
          at_once.initialise();
          at_once.advance(1);
          at_once.advance(27);
          at_once.advance(2);
          EXPECT_EQ(at_once.time(), 30);
          EXPECT_TRUE(expected == outcome(at_once, p)) << kind.name << probes;
        }
}

TEST(FdtdFlow, GoesOnFromAnyTimeInAnyDecomposition) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true}) {
      Problem p = problem_of(kind, {12, 7, 10}, single);
      const Outcome whole = run(p, {{1, 1, 1}, {}}, 9, anywhere);
      const std::vector<BrickPlace> first = decompose(p, {{2, 1, 2}, {}});
      const std::vector<BrickPlace> second = decompose(p, {{1, 2, 1}, {}});
      Simulation s(p, first, anywhere(first));
      s.initialise();
      s.advance(4);
      const State kept = gather_state(s, p);
      EXPECT_EQ(kept.time, 4);
      s.advance(5);  // having been looked at changes nothing
      EXPECT_TRUE(whole == outcome(s, p)) << kind.name;
      Simulation on(p, second, anywhere(second));
      scatter_state(on, p, kept);
      on.advance(5);
      Outcome resumed = outcome(on, p);
      resumed.probes.insert(resumed.probes.begin(), whole.probes.begin(),
                            whole.probes.begin() + static_cast<std::ptrdiff_t>(4 * p.probes.size()));
      EXPECT_TRUE(whole == resumed) << kind.name;
    }
}

/// More steps than a recording holds, beside the fields themselves.
TEST(FdtdFlow, ProbesAreTheFieldsStepAfterStep) {
  Problem p = problem_of(boundaries[3], {5, 4, 6});
  p.materials = {{}};
  p.material.assign(5 * 4 * 6, 0);
  p.probes = {{Field::electric, 0, {4, 4, 3}}, {Field::magnetic, 1, {0, 4, 2}}, {Field::electric, 2, {0, 0, 0}}};
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  std::vector<double> expected;
  for (int t = 0; t < 1200; ++t) {
    s.advance();
    const Array<char> e = gather(s, p, Field::electric);
    const Array<char> h = gather(s, p, Field::magnetic);
    for (const Probe& probe : p.probes)
      expected.push_back(entry(probe.field == Field::electric ? e : h, p, probe.component, probe.cell[0], probe.cell[1],
                               probe.cell[2]));
  }
  EXPECT_EQ(s.probe_values(), expected);
  Simulation alone(p, decompose(p, {{1, 1, 1}, {}}), {-1});
  alone.initialise();
  alone.advance(700);
  EXPECT_EQ(alone.probe_values().size(), 2100U);
  alone.advance(500);
  EXPECT_EQ(alone.probe_values(), expected);
}

TEST(FdtdFlow, SumsAndEnergiesDoNotDependOnTheCutAlongX) {
  for (const Named& kind : boundaries) {
    const Problem p = problem_of(kind, {14, 6, 7});
    std::array<double, 3> first{};
    Energy energy{};
    for (const int parts : {1, 2, 5, 14}) {
      const std::vector<BrickPlace> bricks = decompose(p, {{parts, 1, 1}, {}});
      Simulation s(p, bricks, anywhere(bricks));
      s.initialise();
      EXPECT_FALSE(s.exchange_sums());
      s.advance(3);
      const std::array<double, 3> sums = s.sums(Field::electric);
      const Energy e = s.energy();
      if (parts == 1) {
        first = sums;
        energy = e;
        const Array<char> all = gather(s, p, Field::electric);
        const std::array<int, 3> n = extents(p);
        for (int c = 0; c < 3; ++c) {
          double expected = 0;
          for (int i = 0; i < n[0]; ++i)
            for (int j = 0; j < n[1]; ++j)
              for (int k = 0; k < n[2]; ++k) expected += entry(all, p, c, i, j, k);
          EXPECT_NEAR(sums[static_cast<std::size_t>(c)], expected, 1e-11) << kind.name;
        }
      }
      EXPECT_EQ(sums, first) << kind.name << ", " << parts;
      EXPECT_EQ(e.electric, energy.electric) << kind.name << ", " << parts;
      EXPECT_EQ(e.magnetic, energy.magnetic) << kind.name << ", " << parts;
      EXPECT_GT(e.electric, 0);
      EXPECT_FALSE(s.exchange_sums());
      s.advance(1);
      EXPECT_EQ(s.exchange_sums(), first);  // one call late
    }
  }
}

TEST(FdtdFlow, LookingChangesNothing) {
  for (const Named& kind : boundaries) {
    const Problem p = problem_of(kind, {10, 7, 6});
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    for (int t = 0; t < 6; ++t) {
      s.advance();
      (void)s.energy();
      (void)s.sums(Field::magnetic);
      (void)gather(s, p, Field::magnetic);
    }
    EXPECT_TRUE(run(p, {{1, 1, 1}, {}}, 6, anywhere) == outcome(s, p)) << kind.name;
  }
}

TEST(FdtdFlow, ANumberThatIsNoneIsNoticed) {
  Problem p = problem_of(boundaries[0], {8, 8, 8});
  p.initial = [](Field, int c, int i, int, int) { return c == 1 && i == 3 ? std::nan("") : 0.0; };
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  EXPECT_TRUE(std::isnan(s.sums(Field::electric)[1]));
  s.advance();
  EXPECT_TRUE(std::isnan(s.sums(Field::electric)[0]));
}

}  // namespace
}  // namespace asterism::fdtd
