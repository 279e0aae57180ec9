// SPDX-License-Identifier: Apache-2.0
// However a domain is divided and in whatever order its cells are updated: the same bits.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/costs.hpp"
#include "tests/codelets/fdtd/cases.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdPieces : public ::testing::Test {
 protected:
  static Setting setting(std::size_t boundary, bool materials, bool graded = false) {
    Setting s{{9, 30, 21}};
    s.face = cases::boundaries[boundary].second;
    if (graded) s = cases::graded(s);
    return materials ? cases::with_materials(s) : s;
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdPieces, Precisions);

TYPED_TEST(FdtdPieces, EveryDivision) {
  using Cuts = typename Domain<TypeParam>::Cuts;
  const std::vector<Cuts> divisions = {
      {}, {{{4}, {}, {}}}, {{{}, {13}, {}}}, {{{}, {}, {5}}}, {{{1, 2, 8}, {}, {}}}, {{{3, 5}, {1, 29}, {16, 20}}}};
  for (std::size_t boundary = 0; boundary < cases::boundaries.size(); ++boundary)
    for (const int variant : {0, 1, 2, 3}) {
      const bool materials = variant % 2 == 1, graded = variant / 2 == 1;
      SCOPED_TRACE(cases::boundaries[boundary].first + (materials ? ", materials" : "") + (graded ? ", graded" : ""));
      const Setting s = this->setting(boundary, materials, graded);
      Domain<TypeParam> whole(s);
      whole.randomize();
      for (int n = 0; n < 5; ++n) whole.step();
      for (std::size_t k = 0; k < divisions.size(); ++k)
        for (const Passes passes : {Passes::two, Passes::pieces, Passes::one}) {
          Domain<TypeParam> divided(s, divisions[k]);
          divided.randomize();
          for (int n = 0; n < 5; ++n) divided.step(passes);
          EXPECT_EQ(whole.differences(divided), 0U) << "division " << k << ", passes " << static_cast<int>(passes);
        }
    }
}

/// Several steps in one wavefront, with sources, between all kinds of faces but neighbours along x.
TYPED_TEST(FdtdPieces, StepsAtOnce) {
  using T = TypeParam;
  for (const std::size_t boundary : {0U, 2U, 4U, 5U, 6U, 7U})
    for (const int variant : {0, 1, 2, 3})
      for (const int steps : {1, 2, 3, 7, 12})
        for (const int rows : {1, 4, 100}) {
          if (boundary > 0 && steps == 2) continue;
          SCOPED_TRACE(testing::Message() << cases::boundaries[boundary].first << ", variant " << variant << ", "
                                          << steps << " steps, " << rows << " rows");
          const Setting s = this->setting(boundary, variant % 2 == 1, variant / 2 == 1);
          Domain<T> one(s), all(s);
          one.randomize();
          all.randomize();
          std::vector<T> pulse;
          for (int n = 0; n < steps; ++n) pulse.push_back(static_cast<T>(0.3 * n - 0.5));
          Part<T>& p = all.parts[0];
          const bool row_of_face = p.grid.face[2] == Face::neighbour;  // of which there is a ghost
          const Source<T> sources[] = {{2, 4, row_of_face ? 0 : 15, 10, pulse.data()}, {0, 8, 1, 20, pulse.data()}};
          for (int n = 0; n < steps; ++n) {
            one.step(Passes::two, [&](Field field, Part<T>& part) {
              for (const Source<T>& source : sources)
                if (field == Field::electric)
                  cpu::add(part.grid, source.component, source.i, source.j, source.k, pulse[as_size(n)], part.e.data());
            });
          }
          for (const int axis : {1, 2})
            if (p.grid.face[2 * axis] == Face::neighbour) cpu::wrap(p.grid, Field::electric, axis, p.e.data());
          cpu::update_steps(p.grid, steps, {0, p.grid.n[0]}, s.h_factors(), s.e_factors(), p.h_media(), p.e_media(),
                            sources, 2, p.h.data(), p.e.data(), {}, rows);
          EXPECT_EQ(one.differences(all), 0U);
        }
  // some planes, of strips that overlap
  for (const Planes needed : {Planes{2, 7}, Planes{0, 3}, Planes{5, 9}})
    for (const int steps : {1, 2, 5}) {
      const Setting s = this->setting(0, true);
      Domain<T> one(s), some(s);
      one.randomize();
      some.randomize();
      for (int n = 0; n < steps; ++n) one.step();
      Part<T>& p = some.parts[0];
      cpu::update_steps<T>(p.grid, steps, needed, s.h_factors(), s.e_factors(), p.h_media(), p.e_media(), nullptr, 0,
                           p.h.data(), p.e.data(), {}, 4);
      for (const Field f : {Field::electric, Field::magnetic})
        for (int c = 0; c < 3; ++c)
          for (int i = needed.first; i < needed.end; ++i)
            for (int j = 0; j < p.grid.n[1]; ++j) {
              const std::size_t at = as_size(p.grid.at(c, i, j, 0));
              ASSERT_EQ(std::memcmp(&p.field(f)[at], &one.parts[0].field(f)[at], as_size(p.grid.n[2]) * sizeof(T)), 0)
                  << steps << " steps, component " << c << ", plane " << i;
            }
    }
  Domain<T> open(this->setting(3, false));
  Part<T>& p = open.parts[0];
  EXPECT_THROW(cpu::update_steps<T>(p.grid, 2, {0, p.grid.n[0]}, {}, {}, {}, {}, nullptr, 0, p.h.data(), p.e.data()),
               std::invalid_argument);
}

/// A kernel writes its entries only.
TYPED_TEST(FdtdPieces, NothingElseIsWritten) {
  using T = TypeParam;
  for (std::size_t boundary = 0; boundary < cases::boundaries.size(); ++boundary) {
    Domain<T> d(this->setting(boundary, false));
    d.randomize();
    const Part<T>& p = d.parts[0];
    const Grid& g = p.grid;
    for (const Field f : {Field::electric, Field::magnetic})
      for (const Box& b :
           {Box{0, 9, 0, 30, 0, 21}, Box{0, 1, 3, 30, 0, 20}, Box{8, 9, 29, 30, 1, 21}, Box{4, 4, 0, 9, 0, 9}}) {
        std::vector<T> u(p.e.size(), T(3));
        const std::vector<T> from(p.e.size(), T(2));
        const Factors ones{{1e-3, 1e-2, 1e-1}};
        std::vector<T> ramp = from;
        for (std::size_t m = 0; m < ramp.size(); ++m) ramp[m] = static_cast<T>(m % 1009 * (m % 7));
        cpu::update(f, g, b, ones, {}, ramp.data(), u.data());
        std::int64_t entries = 0, changed = 0;
        for (int c = 0; c < 3; ++c) {
          const Box e = g.entries(f, c, b);
          entries += e.cells();
          for (int i = e.x0; i < e.x1; ++i)
            for (int j = e.y0; j < e.y1; ++j)
              for (int k = e.z0; k < e.z1; ++k) u[as_size(g.at(c, i, j, k))] = T(3);
        }
        for (const T v : u) changed += v != T(3) ? 1 : 0;
        EXPECT_EQ(changed, 0);
        EXPECT_EQ(entries * 6.0, flops(f, g, b, false));
      }
  }
}

/// Planes of strips along x give the bits of the whole; so do energies.
TYPED_TEST(FdtdPieces, SumsByPlanes) {
  using T = TypeParam;
  for (const std::size_t boundary : {0U, 1U, 2U, 7U}) {
    const Setting s = this->setting(boundary, true);
    Domain<T> whole(s);
    Domain<T> strips(s, {{{2, 3, 7}, {}, {}}});
    whole.randomize();
    strips.randomize();
    const std::vector<Energy> energies = whole.energies(whole.parts[0]);
    for (const Field f : {Field::electric, Field::magnetic})
      for (int c = 0; c < 3; ++c) {
        std::vector<double> planes(9);
        const Grid& g = whole.parts[0].grid;
        cpu::sum(f, g, g.cells(), c, whole.parts[0].field(f).data(), planes.data());
        double naive = 0;
        whole.each_entry([&](Field field, int component, int i, int j, int k) {
          if (field == f && component == c) naive += static_cast<double>(whole.at(f, c, i, j, k));
        });
        EXPECT_NEAR(std::accumulate(planes.begin(), planes.end(), 0.0), naive, 1e-11);
        for (const Part<T>& p : strips.parts) {
          std::vector<double> own(as_size(p.grid.n[0]));
          cpu::sum(f, p.grid, p.grid.cells(), c, p.field(f).data(), own.data());
          const std::vector<Energy> own_energies = strips.energies(p);
          for (std::size_t i = 0; i < own.size(); ++i) {
            EXPECT_EQ(own[i], planes[i + as_size(p.origin[0])]);
            EXPECT_EQ(own_energies[i].electric, energies[i + as_size(p.origin[0])].electric);
            EXPECT_EQ(own_energies[i].magnetic, energies[i + as_size(p.origin[0])].magnetic);
          }
        }
      }
  }
}

TEST(FdtdGrid, RowsBeginLines) {
  for (const int element : {4, 8}) {
    const Grid g = make_grid(3, 5, 33, {}, element);
    for (int c = 0; c < 3; ++c)
      for (int i = -1; i <= 3; ++i)
        for (int j = -1; j <= 5; ++j) EXPECT_EQ(g.at(c, i, j, 0) * element % 128, 0);
    EXPECT_EQ(g.at(0, -1, -1, -1), g.lead - 1);
    EXPECT_GT(g.pitch, 33 + 1);
    EXPECT_LE(g.at(2, 3, 5, 33), g.elements());
    EXPECT_EQ(g.at(0, 1, 0, 0) - g.at(0, 0, 0, 0), g.stride(0));
    EXPECT_EQ(g.at(0, 0, 1, 0) - g.at(0, 0, 0, 0), g.stride(1));
  }
}

}  // namespace
}  // namespace asterism::fdtd
