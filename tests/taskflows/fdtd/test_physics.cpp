// SPDX-License-Identifier: Apache-2.0
// Absorbing layers, dispersive media, plane waves, magnetic currents and monitors in the flow: bit for bit in every
// decomposition, through checkpoints as well, and each against physics or the plain scheme.
#include "tests/taskflows/fdtd/physics_problem.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/as_size.hpp"
#include "taskflows/fdtd/checkpoint.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::fdtd {
namespace {

/// Everything that a run has to show: beside fields and probes its auxiliary state and the spectra.
struct Whole {
  Outcome outcome;
  std::vector<StateArray> auxiliary;
  std::vector<Spectrum> spectra;
};

Whole whole(Simulation& s, const Problem& p) {
  return {outcome(s, p), s.auxiliary_state(), s.spectra()};
}

bool same(const std::vector<StateArray>& a, const std::vector<StateArray>& b) {
  bool equal = a.size() == b.size();
  for (std::size_t n = 0; equal && n < a.size(); ++n) equal = a[n].name == b[n].name && a[n].values == b[n].values;
  return equal;
}

bool operator==(const Whole& a, const Whole& b) {
  bool equal = a.outcome == b.outcome && same(a.auxiliary, b.auxiliary) && a.spectra.size() == b.spectra.size();
  for (std::size_t m = 0; equal && m < a.spectra.size(); ++m) equal = a.spectra[m].values == b.spectra[m].values;
  return equal;
}

Whole run_whole(const Problem& p, const Cut& cut, long steps, Placement (*place)(const std::vector<BrickPlace>&)) {
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  Simulation s(p, bricks, place(bricks));
  s.advance(steps);
  return whole(s, p);
}

const std::vector<Cut> physics_cuts{{{2, 1, 1}, {}}, {{5, 1, 1}, {1, 7, 2, 2, 5}}, {{1, 3, 1}, {}},
                                    {{1, 1, 3}, {}}, {{2, 2, 2}, {3, 1}},          {{3, 1, 2}, {}},
                                    {{23, 1, 1}, {}}};

/// One brick of a core and of a GPU; strips that overlap, which exchange what hooks have, also from a state that was
/// set.
void expect_same_of_units_and_strips(const Problem& p, const Whole& expected, const std::vector<double>& weights,
                                     const std::vector<int>& overlaps, bool in_passes) {
  for (const Unit& unit : {Runtime::session().units().front(), Runtime::session().units().back()}) {
    const std::vector<BrickPlace> one = decompose(p, {{1, 1, 1}, {}});
    Simulation s(p, one, {unit.worker});
    s.advance(37);
    EXPECT_TRUE(expected == whole(s, p)) << name_of(p.precision) << unit.gpu;
    // tasks of 16, 16 and 5 steps, of which a GPU takes as many as make whole passes
    if (in_passes) {
      EXPECT_EQ(s.steps_in_passes(), !unit.gpu ? 37 : p.precision == Precision::single_precision ? 32 : 36);
    }
  }
  for (const int overlap : overlaps) {
    const std::vector<BrickPlace> strips = decompose(p, {{3, 1, 1}, weights});
    Simulation s(p, strips, fixed(strips), overlap);
    s.advance(37);
    EXPECT_TRUE(expected == whole(s, p)) << name_of(p.precision) << overlap;
    Simulation on(p, strips, fixed(strips), overlap);
    on.advance(13);
    const State kept = gather_state(on, p);
    on.advance(5);
    scatter_state(on, p, kept);
    on.advance(24);
    const Whole found = whole(on, p);
    EXPECT_TRUE(expected.outcome.fields == found.outcome.fields) << overlap;
    EXPECT_TRUE(same(expected.auxiliary, found.auxiliary)) << overlap;
  }
}

TEST(FdtdPhysics, EveryDecompositionGivesTheSameBits) {
  for (const bool single : {false, true})
    for (const std::array<Face, 2> along_z :
         {std::array{pec, pmc}, std::array{periodic, periodic}, std::array{pec, pec}}) {
      const Problem p = everything(single, along_z);
      const Whole expected = run_whole(p, {{1, 1, 1}, {}}, 37, anywhere);
      EXPECT_GT(expected.auxiliary.size(), 5U);
      for (const StateArray& array : expected.auxiliary)
        EXPECT_TRUE(std::any_of(array.values.begin(), array.values.end(), [](char c) { return c != 0; })) << array.name;
      for (const Cut& cut : physics_cuts)
        for (const auto place : {anywhere, fixed})
          EXPECT_TRUE(expected == run_whole(p, cut, 37, place))
              << fmt::format("{}", fmt::join(cut.parts, " x ")) << (single ? ", float" : ", double")
              << (place == fixed ? ", fixed" : "");
      expect_same_of_units_and_strips(p, expected, {7, 5, 11}, {1, 3, 5}, false);
    }
}

TEST(FdtdPhysics, StripsThatOverlapAroundADomainGiveTheSameBits) {
  for (const bool single : {false, true})
    for (const Beside beside : {Beside::layers, Beside::periodic_y, Beside::magnetic_z}) {
      const Problem p = everything_around(single, beside);
      const Whole expected = run_whole(p, {{1, 1, 1}, {}}, 37, anywhere);
      for (const StateArray& array : expected.auxiliary)
        EXPECT_TRUE(std::any_of(array.values.begin(), array.values.end(), [](char c) { return c != 0; })) << array.name;
      expect_same_of_units_and_strips(p, expected, {7, 5, 11}, {1, 5}, false);
      for (const auto& [strips, overlap] : {std::pair{1, 5}, {1, 23}, {2, 4}, {5, 3}}) {  // one with itself
        const std::vector<BrickPlace> bricks = decompose(p, {{strips, 1, 1}, {}});
        Simulation s(p, bricks, fixed(bricks), overlap);
        s.advance(37);
        EXPECT_TRUE(expected == whole(s, p)) << name_of(p.precision) << strips << ' ' << overlap;
      }
    }
}

/// One brick of a core or GPU goes through memory once for several steps, layers and probes included.
TEST(FdtdPhysics, LayersInOnePassGiveTheSameBits) {
  for (const bool single : {false, true})
    for (const bool materials : {false, true}) {
      Problem p = everything(single, {pec, pec});
      p.poles.clear();
      p.waves.clear();
      p.monitors.clear();
      p.magnetic_sources.clear();
      if (!materials) p.material.clear();
      if (!materials) p.smoothed.clear();
      p.probes.push_back({Field::electric, 1, {4, 3, 0}});  // on a conductor
      const Whole expected = run_whole(p, {{3, 1, 2}, {}}, 37, anywhere);
      EXPECT_FALSE(expected.auxiliary.empty());
      expect_same_of_units_and_strips(p, expected, {7, 5, 11}, {1, 3, 5}, true);
    }
}

/// Hooks in some cells only, and faces that are no conductors: a GPU takes other cells in passes of several steps,
/// cores go on with their wavefront, and strips that overlap exchange what poles have.
TEST(FdtdPhysics, HooksBesidePassesGiveTheSameBits) {
  for (const bool faces : {false, true})
    for (const bool single : {false, true}) {
      Problem p = everything(single, faces ? std::array{pmc, pmc} : std::array{pec, pec});
      if (faces) p.face[2] = p.face[3] = periodic;
      if (faces) p.cpml.cells[2] = p.cpml.cells[3] = 0;
      p.cells = {96, 47, 44};  // of which a GPU takes less than a third apart
      p.material.assign(static_cast<std::size_t>(p.cells[0]) * 47 * 44, 0);
      const int z = faces ? 41 : 9;  // up to a face
      for (int i = 11; i < 17; ++i)
        for (int j = 13; j < 16; ++j)
          for (int k = z; k < z + 3; ++k)
            p.material[as_size((i * 47 + j) * 44 + k)] = static_cast<std::uint16_t>((i + k) % 3);
      p.waves[0].planes = {24, 32, 20, 29, 22, 30};
      p.monitors = {{Field::electric, {{0, {40, 41, 0, 47, 0, 44}}, {2, {40, 41, 3, 15, 7, 8}}}, {0, 1e9, 3e9}, 1},
                    {Field::magnetic, {{1, {14, 15, 10, 19, 8, 16}}}, {2e9}, 2}};
      p.probes.push_back({Field::electric, 0, {40, 7, 8}});
      check(p);
      const Whole expected = run_whole(p, {{3, 1, 2}, {}}, 37, anywhere);
      const std::vector<int> overlaps = faces ? std::vector{4} : std::vector{1, 8};  // through the poles, too
      expect_same_of_units_and_strips(p, expected, {21, 35, 40}, overlaps, true);
    }
}

TEST(FdtdPhysics, StatesGoOnInAnyDecomposition) {
  for (const bool single : {false, true}) {
    const Problem p = everything(single);
    const Whole expected = run_whole(p, {{1, 1, 1}, {}}, 30, anywhere);
    const std::vector<BrickPlace> first = decompose(p, {{2, 1, 2}, {}});
    Simulation s(p, first, fixed(first));
    s.advance(13);
    const State kept = gather_state(s, p);
    s.advance(17);  // having been looked at changes nothing
    EXPECT_TRUE(expected == whole(s, p));
    for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{4, 1, 1}, {}}, Cut{{1, 2, 2}, {}}}) {
      const std::vector<BrickPlace> second = decompose(p, cut);
      Simulation on(p, second, anywhere(second));
      on.advance(3);  // what it has is forgotten
      scatter_state(on, p, kept);
      on.advance(17);
      const Whole found = whole(on, p);
      EXPECT_TRUE(expected.outcome.fields == found.outcome.fields);
      EXPECT_TRUE(same(expected.auxiliary, found.auxiliary));
    }
  }
}

class FdtdPhysicsFiles : public FileTests {};

TEST_F(FdtdPhysicsFiles, CheckpointsGoOnInAnyDecomposition) {
  for (const bool single : {false, true}) {
    const Problem p = everything(single);
    const Whole expected = run_whole(p, {{1, 1, 1}, {}}, 30, anywhere);
    for (const Cut& from : {Cut{{1, 1, 1}, {}}, Cut{{3, 2, 1}, {}}}) {
      {
        const std::vector<BrickPlace> bricks = decompose(p, from);
        Simulation s(p, bricks, anywhere(bricks));
        s.advance(11);
        write_checkpoint(folder_ / "c.h5", s, p, s.probe_values());
      }
      for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{4, 1, 1}, {}}, Cut{{1, 2, 2}, {}}}) {
        const std::vector<BrickPlace> bricks = decompose(p, cut);
        Simulation s(p, bricks, anywhere(bricks));
        std::vector<double> probes = read_checkpoint(folder_ / "c.h5", p, s);
        s.advance(19);
        Whole found = whole(s, p);
        probes.insert(probes.end(), found.outcome.probes.begin(), found.outcome.probes.end());
        found.outcome.probes = probes;
        EXPECT_TRUE(expected == found) << fmt::format("{}", fmt::join(cut.parts, " x "));
      }
    }
  }
}

TEST_F(FdtdPhysicsFiles, CheckpointsOfOtherProblemsAreRefused) {
  const Problem p = everything(false);
  const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.advance(2);
  write_checkpoint(folder_ / "c.h5", s, p, s.probe_values());
  const auto refused = [&](const std::function<void(Problem&)>& change, const std::vector<std::string>& words) {
    Problem other = p;
    change(other);
    expect_bad_input([&] { (void)checkpoint_step(folder_ / "c.h5", other); }, words);
  };
  refused([](Problem& o) { o.cpml.cells[0] = 4; }, {"c.h5", "absorbing_layers", "3 4 5 3", "4 4 5 3"});
  refused([](Problem& o) { o.cpml.grading.alpha = 0.3; }, {"c.h5", "absorbing_layers"});
  refused([](Problem& o) { o.poles[1].pop_back(); }, {"c.h5", "materials"});
  refused([](Problem& o) { o.smoothed[1].medium.loss = 1; }, {"c.h5", "materials"});
  refused([](Problem& o) { o.waves[0].wave.waveform.delay *= 2; }, {"c.h5", "plane_waves"});
  refused([](Problem& o) { o.monitors[1].every = 1; }, {"c.h5", "monitors"});
}

}  // namespace
}  // namespace asterism::fdtd
