// SPDX-License-Identifier: Apache-2.0
// Absorbing layers: their coefficients, the same bits in every division of a domain, stability, misuse.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/probes.hpp"

namespace asterism::fdtd {
namespace {

/// Random values in the fields and in psi.
template <class T>
void randomize(OpenDomain<T>& d) {
  d.domain.randomize();
  for (std::size_t m = 0; m < d.domain.parts.size(); ++m) {
    const Part<T>& p = d.domain.parts[m];
    const Layers& l = d.absorbers[m].layers;
    for (const Field f : {Field::electric, Field::magnetic})
      for (int along = 0; along < 3; ++along)
        for (int term = 1; term <= 2; ++term) {
          const int c = (along + term) % 3;
          const Box b = p.grid.entries(f, c, p.grid.cells());
          for (int i = b.x0; i < b.x1; ++i)
            for (int j = b.y0; j < b.y1; ++j)
              for (int k = b.z0; k < b.z1; ++k) {
                const int at[3] = {i, j, k};
                if (!l.axis[along].has(at[along])) continue;
                d.absorbers[m].psi[static_cast<int>(f)][along].at(as_size(l.at(along, c, i, j, k))) =
                    static_cast<T>(noise(3 + along, c, p.origin[0] + i, p.origin[1] + j, p.origin[2] + k) /
                                   (f == Field::electric ? 1 : std::sqrt(mu0 / eps0)));
              }
        }
  }
}

template <class T>
class FdtdCpml : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdCpml, Precisions);

TYPED_TEST(FdtdCpml, EveryDivision) {
  using T = TypeParam;
  const std::vector<typename Domain<T>::Cuts> divisions = {
      {{{4}, {}, {}}}, {{{}, {13}, {}}}, {{{}, {}, {5}}}, {{{1, 2, 8}, {3, 15}, {}}}, {{{2, 7}, {5, 15}, {3, 12, 16}}}};
  struct Case {
    std::size_t boundary;
    Cpml cpml;
  };
  const std::vector<Case> all = {{0, {{4, 3, 2, 6, 5, 4}}}, {0, {{0, 9, 0, 0, 0, 0}}}, {3, {{0, 0, 4, 0, 0, 6}}},
                                 {5, {{3, 0, 0, 0, 0, 0}}}, {7, {{2, 0, 7, 0, 9, 0}}}, {6, {{0, 2, 0, 3, 0, 10}}}};
  for (std::size_t m = 0; m < all.size(); ++m)
    for (const bool materials : {false, true}) {
      Setting s{{9, 17, 19}};
      s.face = cases::boundaries[all[m].boundary].second;
      if (materials) s = cases::with_materials(s);
      OpenDomain<T> whole(s, all[m].cpml);
      randomize(whole);
      for (int n = 0; n < 4; ++n) whole.step();
      for (std::size_t k = 0; k < divisions.size(); ++k)
        for (const Passes passes : {Passes::two, Passes::pieces}) {
          SCOPED_TRACE(testing::Message() << "case " << m << ", division " << k << ", materials " << materials);
          OpenDomain<T> divided(s, all[m].cpml, divisions[k]);
          randomize(divided);
          for (int n = 0; n < 4; ++n) divided.step(passes);
          EXPECT_EQ(whole.domain.differences(divided.domain), 0U);
          EXPECT_EQ(different_psi(whole, divided), 0U);
        }
    }
}

/// A wavefront takes the layers with it, and tells whose E it has computed.
TYPED_TEST(FdtdCpml, SeveralStepsAtOnce) {
  using T = TypeParam;
  for (const Cpml& cpml : {Cpml{{4, 3, 2, 6, 5, 4}}, Cpml{{0, 9, 0, 0, 0, 0}}, Cpml{{0, 0, 3, 0, 0, 18}}})
    for (const bool materials : {false, true})
      for (const int rows : {1, 4, 0}) {
        Setting s{{9, 17, 37}};
        s.face = cases::boundaries[0].second;
        if (materials) s = cases::with_materials(s);
        OpenDomain<T> one(s, cpml);
        OpenDomain<T> several(s, cpml);
        randomize(one);
        randomize(several);
        constexpr int steps = 5;
        std::vector<T> seen[2];  // an entry in an edge of the layers, after each step
        const std::int64_t at = one.domain.parts[0].grid.at(2, 2, 15, 3);
        for (int n = 0; n < steps; ++n) {
          one.step();
          seen[0].push_back(one.domain.parts[0].e[as_size(at)]);
        }
        Part<T>& p = several.domain.parts[0];
        seen[1].resize(steps);
        const auto done = [&](int step, int plane, int first, int end) {
          if (plane == 2 && first <= 15 && 15 < end) seen[1][as_size(step)] = p.e[as_size(at)];
        };
        cpu::update_steps<T>(p.grid, steps, {0, p.grid.n[0]}, s.h_factors(), s.e_factors(), p.h_media(), p.e_media(),
                             nullptr, 0, p.h.data(), p.e.data(),
                             {several.absorber(0, Field::magnetic), several.absorber(0, Field::electric), done}, rows);
        EXPECT_EQ(one.domain.differences(several.domain), 0U);
        EXPECT_EQ(different_psi(one, several), 0U);
        EXPECT_EQ(seen[0], seen[1]);
      }
}

/// kappa alone, the same everywhere, is another spacing.
TYPED_TEST(FdtdCpml, KappaIsASpacing) {
  using T = TypeParam;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Setting s{{8, 7, 9}};
    s.face = cases::boundaries[0].second;
    Cpml cpml;
    cpml.cells[2 * axis] = 3;
    cpml.cells[2 * axis + 1] = s.n[axis] - 3;
    cpml.grading = {0, 0, 2.5, 0, 1};
    OpenDomain<T> layered(s, cpml);
    OpenDomain<T> plain(s, {});
    layered.domain.randomize();
    plain.domain.randomize();
    Factors h = s.h_factors(), e = s.e_factors();
    h.along[axis] /= 2.5;
    e.along[axis] /= 2.5;
    Part<T>& p = plain.domain.parts[0];
    for (int n = 0; n < 10; ++n) {
      layered.step();
      cpu::update(Field::magnetic, p.grid, p.grid.cells(), h, {}, p.e.data(), p.h.data());
      cpu::update(Field::electric, p.grid, p.grid.cells(), e, {}, p.h.data(), p.e.data());
    }
    double worst = 0;
    plain.domain.each_entry([&](Field f, int c, int i, int j, int k) {
      const double scale = f == Field::electric ? 1 : std::sqrt(mu0 / eps0);
      worst = larger(worst, scale * std::abs(static_cast<double>(plain.domain.at(f, c, i, j, k)) -
                                             static_cast<double>(layered.domain.at(f, c, i, j, k))));
    });
    EXPECT_LT(worst, sizeof(T) == 8 ? 1e-14 : 1e-5);
  }
}

/// Pulses in media with and without losses, some of them conductors: nothing is left of them, and nothing grows.
TYPED_TEST(FdtdCpml, NothingGrows) {
  using T = TypeParam;
  Setting s{{22, 20, 24}};
  s.face = cases::boundaries[0].second;
  s.materials = {{}, {4, 1, 0, 0}, {2.5, 3, 0.1, 0}, {1, 1, INFINITY, 0}};
  for (int i = 0; i < 22; ++i)
    for (int j = 0; j < 20; ++j)
      for (int k = 0; k < 24; ++k) {
        const bool odd = (i / 4 + j / 4 + k / 4) % 2 == 0;
        const bool conductor = i == 11 && j > 8 && j < 12 && k > 8;
        s.cells.push_back(conductor ? 3 : odd ? 1 : k < 12 ? 2 : 0);
      }
  OpenDomain<T> d(s, {{6, 6, 6, 6, 6, 6}});
  double largest = 0;
  for (int n = 1; n <= 10000; ++n) {
    d.step();
    if (n <= 96)
      for (int c = 0; c < 3; ++c) d.add(c, 9, 11, 13, pulse(n, 12));
    if (n <= 120) {
      largest = larger(largest, d.domain.energy());
    } else if (n % 500 == 0) {
      ASSERT_LT(d.domain.energy(), 1e-5 * largest) << "after " << n << " steps";
    }
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(d.domain.energy(), 1e-6 * largest);
}

TEST(FdtdCpmlCoefficients, FollowTheGrading) {
  const Cpml cpml{{4, 0, 0, 6, 0, 3}, {3, 1.2, 5, 0.1, 2}};
  const double spacing[3] = {1e-3, 2e-3, 0.5e-3};
  const double dt = 7e-13;
  const double eta0 = std::sqrt(mu0 / eps0);
  for (const Field f : {Field::electric, Field::magnetic}) {
    const auto all = stretches<double>(f, cpml, spacing, dt);
    ASSERT_EQ(all.size(), 13U);
    const double half = f == Field::electric ? 0 : 0.5;
    const auto expect = [&](std::size_t row, int axis, double depth) {
      const double sigma = 1.2 * 0.8 * 4 / (eta0 * spacing[axis]) * depth * depth * depth;
      const double kappa = 1 + 4 * depth * depth * depth;
      const double alpha = 0.1 / (eta0 * spacing[axis]) * (1 - depth) * (1 - depth);
      EXPECT_NEAR(all[row].decay, std::exp(-(sigma / kappa + alpha) * dt / eps0), 1e-9);
      EXPECT_NEAR(all[row].slope, 1 / kappa - 1, 1e-14);
      // a constant field is divided by s at frequency 0
      if (alpha > 0)
        EXPECT_NEAR(1 / kappa + all[row].gain / (1 - all[row].decay), 1 / (kappa + sigma / alpha), 1e-9);
      else
        EXPECT_NEAR(1 / kappa + all[row].gain / (1 - all[row].decay), 0, 1e-12);
    };
    expect(0, 0, (4 - half) / 4);  // at -x, beside the conductor
    expect(3, 0, (1 - half) / 4);
    expect(4, 1, half / 6);  // at +y, at the surface
    expect(9, 1, (5 + half) / 6);
    expect(12, 2, (2 + half) / 3);
    EXPECT_EQ(all[4].gain == 0, f == Field::electric);
    const auto single = stretches<float>(f, cpml, spacing, dt);
    EXPECT_EQ(single[7].gain, static_cast<float>(all[7].gain));
  }
}

TEST(FdtdCpmlCoefficients, PsiLiesWhereTheLayersAre) {
  const Face faces[6] = {cases::pec, cases::none, cases::none, cases::pmc, cases::none, cases::none};
  const Grid g = make_grid(5, 6, 7, faces, 8);
  // cells 0 .. 4 of 20 along x, 14 .. 19 along y, 10 .. 16 along z of 20: 3 below, none, and from 15 on
  const Layers l = layers_of({{3, 2, 4, 0, 0, 5}}, g, {0, 14, 10}, {20, 20, 20});
  EXPECT_EQ(l.elements(0), 2 * 3 * 7 * 8);  // rows of whole vectors; plane 6 of y is a magnetic conductor
  EXPECT_EQ(l.elements(1), 0);
  // cells 5 and 6 of a row in a vector of 8, as in the field
  EXPECT_EQ(l.elements(2), 2 * 5 * 7 * 8);
  EXPECT_EQ(layers_of({{3, 2, 4, 0, 0, 5}}, g, {0, 14, 10}, {20, 20, 20}, PsiRows::dense).elements(2), 2 * 5 * 7 * 2);
  EXPECT_EQ(l.at(0, 1, 0, 0, 0), 0);
  EXPECT_EQ(l.at(0, 2, 2, 3, 4), 3 * 7 * 8 + (2 * 7 + 3) * 8 + 4);
  EXPECT_EQ(l.at(2, 0, 4, 6, 6), l.elements(2) / 2 - 2);
  EXPECT_EQ(l.at(2, 1, 4, 6, 6), l.elements(2) - 2);
  EXPECT_TRUE(l.axis[2].has(5) && l.axis[2].has(6) && !l.axis[2].has(4));
  EXPECT_EQ(l.axis[2].row(6), 3 + 2 + 4 + 1);
  EXPECT_TRUE(layers_of({}, g, {0, 14, 10}, {20, 20, 20}).none());
  // Hx: 2 x 6 x 2 beside the layer along z; Hy has plane 6, too
  EXPECT_EQ(absorbing_entries(Field::magnetic, g, {3, 5, 0, 6, 0, 7}, l), 2 * 6 * 2 + 2 * 7 * 2);
}

TEST(FdtdCpmlCoefficients, Misuse) {
  const Face box[6] = {cases::pec, cases::pec, cases::pec, cases::pmc, cases::none, cases::none};
  const Grid g = make_grid(8, 8, 8, box, 8);
  EXPECT_NO_THROW(layers_of({{4, 4, 8, 0, 0, 0}}, g, {0, 0, 0}, {8, 8, 8}));
  EXPECT_THROW(layers_of({{4, 5, 0, 0, 0, 0}}, g, {0, 0, 0}, {8, 8, 8}), std::invalid_argument);
  EXPECT_THROW(layers_of({{-1, 0, 0, 0, 0, 0}}, g, {0, 0, 0}, {8, 8, 8}), std::invalid_argument);
  EXPECT_THROW(layers_of({{0, 0, 0, 2, 0, 0}}, g, {0, 0, 0}, {8, 8, 8}), std::invalid_argument);
  EXPECT_THROW(layers_of({{0, 0, 0, 0, 0, 2}}, g, {0, 0, 0}, {8, 8, 8}), std::invalid_argument);
  EXPECT_NO_THROW(layers_of({{0, 0, 0, 0, 0, 2}}, g, {0, 0, 0}, {8, 8, 18}));
  const double d[3] = {1, 1, 1};
  for (const Grading& wrong : {Grading{-1}, Grading{3, -1}, Grading{3, 1, 0.5}, Grading{3, 1, 2, -0.1},
                               Grading{3, 1, NAN}, Grading{3, INFINITY}})
    EXPECT_THROW(stretches<double>(Field::electric, {{3}, wrong}, d, 1e-12), std::invalid_argument);
}

}  // namespace
}  // namespace asterism::fdtd
