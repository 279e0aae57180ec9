// SPDX-License-Identifier: Apache-2.0
// Dispersive media: coefficients and means, the same bits in every division of a domain, stability, misuse.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/dispersive_cases.hpp"

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;

template <class T>
class FdtdDispersive : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdDispersive, Precisions);

/// The state of an entry of the domain, slot after slot; empty where there are no poles.
template <class T>
std::vector<T> state_of(const OpenDomain<T>& d, int c, int i, int j, int k) {
  for (std::size_t m = 0; m < d.dispersions.size(); ++m) {
    const Part<T>& p = d.domain.parts[m];
    const int at[3] = {i - p.origin[0], j - p.origin[1], k - p.origin[2]};
    const Box b = p.grid.entries(Field::electric, c, p.grid.cells());
    if (at[0] < b.x0 || at[0] >= b.x1 || at[1] < b.y0 || at[1] >= b.y1 || at[2] < b.z0 || at[2] >= b.z1) continue;
    const DispersiveMedia<T>& media = d.dispersions[m].media;
    const PoleRange range = media.ranges[p.e_index[as_size(p.grid.at(c, at[0], at[1], at[2]))]];
    std::vector<T> found;
    if (range.count == 0) return found;
    int slots = 1;
    for (int q = range.first; q < range.first + range.count; ++q)
      slots += media.poles[as_size(q)].has_current + media.poles[as_size(q)].has_polarization;
    for (int s = 0; s < slots; ++s)
      found.push_back(
          d.dispersions[m].state.at(as_size(s * media.states.stride() + media.states.at(c, at[0], at[1], at[2]))));
    return found;
  }
  throw std::out_of_range("no such entry");
}

TYPED_TEST(FdtdDispersive, EveryDivision) {
  using T = TypeParam;
  const std::vector<typename Domain<T>::Cuts> divisions = {
      {{{4}, {}, {}}}, {{{}, {7}, {}}}, {{{}, {}, {5}}}, {{{2, 6}, {5, 10}, {3, 12, 16}}}};
  for (const std::size_t boundary : {0U, 1U, 3U, 7U})
    for (const bool layers : {false, true}) {
      Setting s{{9, 11, 19}};
      s.face = cases::boundaries[boundary].second;
      s = cases::with_materials(s);
      Cpml cpml;
      for (int face = 0; face < 6 && layers; ++face) cpml.cells[face] = s.face[as_size(face)] == Face::electric ? 3 : 0;
      OpenDomain<T> whole(s, cpml, {}, cases::poles());
      cases::randomize(whole);
      for (int n = 0; n < 5; ++n) whole.step();
      for (std::size_t k = 0; k < divisions.size(); ++k)
        for (const Passes passes : {Passes::two, Passes::pieces}) {
          SCOPED_TRACE(testing::Message() << "boundary " << boundary << ", division " << k << ", layers " << layers);
          OpenDomain<T> divided(s, cpml, divisions[k], cases::poles());
          cases::randomize(divided);
          for (int n = 0; n < 5; ++n) divided.step(passes);
          EXPECT_EQ(whole.domain.differences(divided.domain), 0U);
          std::size_t different = 0, compared = 0;
          whole.domain.each_entry([&](Field f, int c, int x, int y, int z) {
            if (f == Field::magnetic) return;
            const std::vector<T> a = state_of(whole, c, x, y, z);
            const std::vector<T> b = state_of(divided, c, x, y, z);
            compared += a.size();
            if (a.size() != b.size() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) != 0) ++different;
          });
          EXPECT_EQ(different, 0U);
          EXPECT_GT(compared, 3000U);
        }
    }
}

/// Random media with and without losses in a box of conductors, and half-spaces of each that go on through absorbing
/// layers, at the limit of stability of vacuum.
TYPED_TEST(FdtdDispersive, NothingGrows) {
  using T = TypeParam;
  const std::vector<std::vector<Pole>> poles = {
      {}, {drude(3e11, 0)}, {lorentz(3, 2e11, 0), lorentz(0.5, 9e11, 0)}, {debye(4, 1e-12), drude(5e11, 1e9)}};
  for (const int below : {-1, 1, 2, 3}) {
    Setting s{{9, 8, 11}};
    s.face = cases::boundaries[0].second;
    s.courant = 0.9999;
    s.materials = {{}, {}, {}, {}};
    for (int cell = 0; cell < 9 * 8 * 11; ++cell) {
      const auto any = static_cast<std::uint16_t>((noise(7, cell, 0, 0, 0) + 1) * 2);
      s.cells.push_back(below < 0 ? any : cell % 11 < 5 ? static_cast<std::uint16_t>(below) : 0);
    }
    const int layer = below < 0 ? 0 : 3;
    OpenDomain<T> d(s, {{layer, layer, 0, layer, layer, 0}}, {}, poles);
    cases::randomize(d);
    for (int n = 1; n <= 10000; ++n) {
      d.step();
      if (n % 500 != 0) continue;
      double largest = 0;
      d.domain.each_entry([&](Field f, int c, int i, int j, int k) {
        if (f == Field::electric) largest = larger(largest, std::abs(static_cast<double>(d.domain.at(f, c, i, j, k))));
      });
      ASSERT_LT(largest, 6) << "after " << n << " steps, half-space of " << below;
      ASSERT_GT(largest, 0);
    }
  }
}

/// Materials without poles through the same path: the bits of the ordinary update.
TYPED_TEST(FdtdDispersive, NoPolesAtAll) {
  Setting s{{6, 5, 19}};
  s.face = cases::boundaries[3].second;
  s = cases::with_materials(s);
  OpenDomain<TypeParam> plain(s, {}), listed(s, {}, {}, {{}, {}, {}});
  plain.domain.randomize();
  listed.domain.randomize();
  EXPECT_EQ(listed.dispersions[0].media.states.elements(), 0);
  for (int n = 0; n < 4; ++n) {
    plain.step();
    listed.step();
  }
  EXPECT_EQ(plain.domain.differences(listed.domain), 0U);
}

TEST(FdtdPoles, Susceptibility) {
  const double w = 3e10;
  const auto expect = [](Complex a, Complex b) { EXPECT_LT(std::abs(a - b), 1e-12); };
  // by hand: omega_p = w, gamma = w: 1 / (j - 1) = (-1 - j) / 2
  expect(susceptibility(drude(w, w), w), Complex(-0.5, -0.5));
  // at resonance: delta_eps omega_0 / (2 j delta)
  expect(susceptibility(lorentz(2, w, w / 4), w), Complex(0, -4));
  expect(susceptibility(lorentz(2, 2 * w, 0), w), Complex(8.0 / 3, 0));
  expect(susceptibility(debye(4, 1 / w), w), Complex(2, -2));
  expect(permittivity({3, 1, 0.5 * w * eps0, 0}, {debye(4, 1 / w), drude(w, w)}, eps0, w), Complex(4.5, -3));
}

/// m for w = 1 and nothing stored, by hand from the trapezoidal rule.
TEST(FdtdPoles, Coefficients) {
  const double dt = 2e-12;
  const auto d = coefficients<double>(drude(1e11, 2e11), dt);  // omega_p dt = 0.2, gamma dt = 0.4
  EXPECT_DOUBLE_EQ(d.of_current, 1 / 1.2);
  EXPECT_DOUBLE_EQ(d.of_field, 0.04 / (4 * 1.2));
  EXPECT_TRUE(d.has_current && !d.has_polarization);
  const auto l = coefficients<float>(lorentz(3, 5e11, 1e11), dt);  // omega_0 dt = 1, delta dt = 0.2
  EXPECT_FLOAT_EQ(l.of_current, static_cast<float>(1 / 1.45));
  EXPECT_FLOAT_EQ(l.of_polarization, static_cast<float>(0.5 / 1.45));
  EXPECT_FLOAT_EQ(l.of_field, static_cast<float>(0.75 / 1.45));
  EXPECT_TRUE(l.has_current && l.has_polarization);
  const auto b = coefficients<double>(debye(5, 3e-12), dt);  // tau / dt = 1.5
  EXPECT_DOUBLE_EQ(b.of_polarization, 0.5);
  EXPECT_DOUBLE_EQ(b.of_field, 1.25);
  EXPECT_TRUE(!b.has_current && b.has_polarization);
}

/// An edge between four cells, a face of the domain, a conductor.
TEST(FdtdPoles, MeansAroundEdges) {
  const std::vector<Material> materials = {{}, {3, 1, 0, 0}, {1, 1, INFINITY, 0}};
  const std::vector<std::vector<Pole>> poles = {{}, {drude(1e11, 1e10), debye(2, 1e-12)}};
  const std::vector<std::uint16_t> cells = {0, 1, 1, 1, 0, 0, 0, 2};  // (0,0,0), (0,0,1), (0,1,0), ...
  const Face faces[6] = {cases::pmc, cases::pec, cases::pec, cases::pec, cases::pec, cases::pmc};
  const Grid g = make_grid(2, 2, 2, faces, 8);
  const Cells all{{2, 2, 2}, {}, cells.data()};
  std::vector<std::uint16_t> e(as_size(g.elements()));
  const double dt = 1e-12;
  const auto m = assign_dispersive<double>(g, {0, 0, 0}, all, materials, poles, eps0, dt, e.data());
  const auto range = [&](int c, int i, int j, int k) { return m.ranges[e[as_size(g.at(c, i, j, k))]]; };
  const double g_drude = coefficients<double>(poles[1][0], dt).of_field;
  const double g_debye = coefficients<double>(poles[1][1], dt).of_field;
  // Ez (1, 1, 0): cells (0,0,0), (0,1,0), (1,0,0), (1,1,0) = 0, 1, 0, 0
  ASSERT_EQ(range(2, 1, 1, 0).count, 2);
  EXPECT_DOUBLE_EQ(m.poles[as_size(range(2, 1, 1, 0).first)].of_field, g_drude / 4);
  EXPECT_DOUBLE_EQ(m.poles[as_size(range(2, 1, 1, 0).first + 1)].of_field, g_debye / 4);
  const Medium& medium = m.media[e[as_size(g.at(2, 1, 1, 0))]];
  EXPECT_DOUBLE_EQ(medium.relative, 1.5);
  EXPECT_DOUBLE_EQ(medium.loss, 2 * eps0 / dt * (g_drude + g_debye) / 4);
  // Ez (0, 1, 1), on the magnetic conductor: cells (0,0,1), (0,1,1) = 1, 1
  EXPECT_DOUBLE_EQ(m.poles[as_size(range(2, 0, 1, 1).first)].of_field, g_drude);
  // Ez (1, 1, 1) touches the conductor, Ey (1, 0, 0) has cells 0, 0 and, on the plane z = 0, no others
  EXPECT_EQ(range(2, 1, 1, 1).count, 0);
  // three slots: E of before, j of the Drude pole, p of the Debye pole
  EXPECT_EQ(m.states.slots, 3);
  EXPECT_EQ(m.states.elements(), 3 * 3 * m.states.box.cells());
  EXPECT_EQ(m.states.box.x0, 0);
  EXPECT_EQ(m.states.box.z1, 3);
  EXPECT_THROW(assign_dispersive<double>(g, {0, 0, 0}, all, {{}}, poles, eps0, dt, e.data()), std::invalid_argument);
}

TEST(FdtdPoles, Misuse) {
  EXPECT_THROW(drude(-1, 0), std::invalid_argument);
  EXPECT_THROW(drude(1e10, -1), std::invalid_argument);
  EXPECT_THROW(drude(INFINITY, 0), std::invalid_argument);
  EXPECT_THROW(lorentz(-0.1, 1e10, 0), std::invalid_argument);
  EXPECT_THROW(lorentz(1, 0, 0), std::invalid_argument);
  EXPECT_THROW(lorentz(1, 1e10, NAN), std::invalid_argument);
  EXPECT_THROW(debye(1, 0), std::invalid_argument);
  EXPECT_THROW(debye(-1, 1e-12), std::invalid_argument);
}

}  // namespace
}  // namespace asterism::fdtd
