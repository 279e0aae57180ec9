// SPDX-License-Identifier: Apache-2.0
// The device code of the finite-difference time-domain kernels run on the host: what a machine without GPU can check.
#include "base/as_size.hpp"
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "codelets/fdtd/kernels/observers/observe.cuh"
#include "codelets/fdtd/kernels/observers/probes.cuh"
#include "codelets/fdtd/kernels/transfers.cuh"
#include "codelets/fdtd/kernels/update/steps.hpp"
#include "codelets/fdtd/kernels/update/tiles.hpp"
#include "codelets/fdtd/kernels/update/update.cuh"
#include "tests/codelets/fdtd/cases.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdEmulated : public ::testing::Test {
 protected:
  static Domain<T> domain(std::size_t boundary, bool materials, bool graded) {
    Setting s{{6, 5, 19}};
    s.face = cases::boundaries[boundary].second;
    if (graded) s = cases::graded(s);
    Domain<T> d(materials ? cases::with_materials(s) : s);
    d.randomize();
    d.step();
    return d;
  }
  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }
  template <Field field>
  static void update(const Domain<T>& d, const std::vector<Box>& boxes, const cuda::Shape& shape,
                     const std::vector<T>& from, std::vector<T>& to) {
    const Part<T>& p = d.parts[0];
    constexpr bool electric = field == Field::electric;
    const Media<T> media = electric ? p.e_media() : p.h_media();
    for (const cuda::UpdateLaunch<T>& l :
         cuda::describe(field, p.grid, boxes, electric ? d.setting.e_factors() : d.setting.h_factors(), media, shape))
      cuda_on_host::launch(l.blocks, l.threads, [&] {
        const auto kernel = media.graded() ? media.index == nullptr ? cuda::update_kernel<field, false, true, T>
                                                                    : cuda::update_kernel<field, true, true, T>
                            : media.index == nullptr ? cuda::update_kernel<field, false, false, T>
                                                     : cuda::update_kernel<field, true, false, T>;
        kernel(l.update, from.data(), to.data());
      });
  }
  static void expect_steps_at_once(const Setting& s, int steps, int planes, const Planes& needed) {
    Domain<T> d(s);
    d.randomize();
    const Part<T>& p = d.parts[0];
    const std::vector<T> values = {1, 2, 3, 4};
    const std::vector<T> others = {-1, 5, 0.5, 7};
    const std::vector<Source<T>> sources = {
        {2, 3, 11, 25, values.data()}, {0, 0, 12, 24, others.data()}, {0, 3, 1, 36, others.data()}};
    constexpr T nothing = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> e(p.e.size(), nothing), h(p.h.size(), nothing);
    for (const cuda::StepsLaunch<T>& l :
         cuda::describe_steps<T>(p.grid, steps, needed, s.h_factors(), s.e_factors(), p.h_media(), p.e_media(),
                                 sources.data(), 3, {}, planes, 4))
      cuda::with_steps_kernel<T>(steps, l.psi, [&](auto kernel, int columns, std::size_t bytes) {
        cuda_on_host::launch(l.blocks, static_cast<unsigned>(columns), bytes,
                             [&] { kernel(l.steps, p.e.data(), p.h.data(), e.data(), h.data()); });
      });
    for (int step = 0; step < steps; ++step) {
      d.step();
      for (const Source<T>& source : sources)
        cpu::add(p.grid, source.component, source.i, source.j, source.k, source.values[step], d.parts[0].e.data());
      d.exchange(Field::electric);
    }
    // what lies on a magnetic conductor goes with the last plane
    const int end = needed.end == s.n[0] ? p.grid.planes_along(0) : needed.end;
    for (const Field f : {Field::electric, Field::magnetic})
      for (int c = 0; c < 3; ++c) {
        const Box b = p.grid.entries(f, c, p.grid.cells());
        for (int i = 0; i < b.x1; ++i)
          for (int j = 0; j < b.y1; ++j)
            for (int k = 0; k < b.z1; ++k) {
              const std::size_t at = as_size(p.grid.at(c, i, j, k));
              const T found = (f == Field::electric ? e : h)[at];
              if (i < needed.first || i >= end) {
                ASSERT_TRUE(std::isnan(found)) << static_cast<int>(f) << c << ": " << i << ' ' << j << ' ' << k;
                continue;
              }
              ASSERT_EQ(std::memcmp(&found, &p.field(f)[at], sizeof(T)), 0)
                  << static_cast<int>(f) << c << ": " << i << ' ' << j << ' ' << k << ": " << found;
            }
      }
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdEmulated, Precisions);

TYPED_TEST(FdtdEmulated, Update) {
  using T = TypeParam;
  const std::vector<Box> boxes = {
      {0, 6, 0, 5, 0, 19}, {5, 6, 0, 5, 0, 19}, {0, 1, 2, 5, 3, 18}, {1, 5, 1, 4, 0, 1}, {2, 2, 0, 5, 0, 19}};
  for (std::size_t boundary = 0; boundary < cases::boundaries.size(); ++boundary)
    for (const int variant : {0, 1, 2, 3}) {
      const bool materials = variant % 2 == 1, graded = variant / 2 == 1;
      SCOPED_TRACE(cases::boundaries[boundary].first + (materials ? ", materials" : "") + (graded ? ", graded" : ""));
      const Domain<T> d = this->domain(boundary, materials, graded);
      const Part<T>& p = d.parts[0];
      for (const Box& b : boxes)
        for (const cuda::Shape& shape : {cuda::Shape{}, cuda::Shape{8, 4, 4}, cuda::Shape{16, 2, 100}}) {
          std::vector<T> h = p.h, expected_h = p.h, e = p.e, expected_e = p.e;
          this->template update<Field::magnetic>(d, {b}, shape, p.e, h);
          cpu::update(Field::magnetic, p.grid, b, d.setting.h_factors(), p.h_media(), p.e.data(), expected_h.data());
          EXPECT_TRUE(this->same(h, expected_h));
          EXPECT_EQ(this->same(h, p.h), b.empty());
          this->template update<Field::electric>(d, {b}, shape, p.h, e);
          cpu::update(Field::electric, p.grid, b, d.setting.e_factors(), p.e_media(), p.h.data(), expected_e.data());
          EXPECT_TRUE(this->same(e, expected_e));
        }
      std::vector<Box> rows;  // more than a launch takes, and an empty one
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 19; k += 5) rows.push_back({0, 6, j, j + 1, k, std::min(k + 5, 19)});
      rows.push_back(boxes.back());
      std::vector<T> h = p.h, expected = p.h;
      this->template update<Field::magnetic>(d, rows, {}, p.e, h);
      cpu::update(Field::magnetic, p.grid, boxes[0], d.setting.h_factors(), p.h_media(), p.e.data(), expected.data());
      EXPECT_TRUE(this->same(h, expected));
    }
}

TYPED_TEST(FdtdEmulated, StepsAtOnce) {
  for (const std::size_t boundary : {0U, 2U, 4U, 5U, 6U, 7U})
    for (const int steps : cases::steps_at_once<TypeParam>)
      for (const bool materials : {false, true})
        for (const auto& [planes, needed] : std::initializer_list<std::pair<int, Planes>>{
                 {0, {0, 7}}, {2, {1, 7}}, {1000, {0, 7}}, {0, {2, 5}}, {3, {0, 7}}}) {
          if (boundary > 0 && (planes > 2 || (planes == 0) != materials)) continue;
          SCOPED_TRACE(testing::Message() << cases::boundaries[boundary].first << ", " << steps);
          Setting s{{7, 29, 37}};
          s.face = cases::boundaries[boundary].second;
          this->expect_steps_at_once(materials ? cases::with_materials(s) : s, steps, planes, needed);
        }
}

/// Tiles inside, beside conductors along each axis, and at edges.
TYPED_TEST(FdtdEmulated, StepsAtOnceInTilesOfAllKinds) {
  for (const int steps : cases::steps_at_once<TypeParam>)
    for (const bool materials : {false, true}) {
      Setting s{{4 * steps + 5, 90, 67}};
      s.face = cases::boundaries[0].second;
      SCOPED_TRACE(testing::Message() << steps << " steps, materials " << materials);
      this->expect_steps_at_once(materials ? cases::with_materials(s) : s, steps, 0, {0, s.n[0]});
    }
}

TYPED_TEST(FdtdEmulated, Transfers) {
  using T = TypeParam;
  for (const std::size_t boundary : {1U, 3U, 4U, 5U, 2U}) {
    const Domain<T> d = this->domain(boundary, false, false);
    const Part<T>& p = d.parts[0];
    const Grid& g = p.grid;
    std::vector<T> all(p.e.size());
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = static_cast<T>(m);
    for (const Field f : {Field::electric, Field::magnetic})
      for (int axis = 0; axis < 3; ++axis) {
        const Layer out = outgoing(g, f, axis);
        const Layer in = incoming(g, f, axis);
        const auto count = static_cast<std::uint32_t>(out.elements());
        const unsigned blocks = (count + 63) / 64;
        std::vector<T> array(count), expected(count);
        cuda_on_host::launch(blocks, 64, [&] { cuda::pack_kernel<T>(g, out, count, all.data(), array.data()); });
        cpu::pack(g, out, all.data(), expected.data());
        EXPECT_TRUE(this->same(array, expected));
        std::vector<T> u = all, expected_u = all;
        cuda_on_host::launch(blocks, 64, [&] { cuda::unpack_kernel<T>(g, in, count, array.data(), u.data()); });
        cpu::unpack(g, in, array.data(), expected_u.data());
        EXPECT_TRUE(this->same(u, expected_u));
        EXPECT_FALSE(this->same(u, all));
        u = expected_u = all;
        cuda_on_host::launch(blocks, 64, [&] { cuda::copy_kernel<T>(g, out, in, count, 1, u.data()); });
        cpu::wrap(g, f, axis, expected_u.data());
        EXPECT_TRUE(this->same(u, expected_u));
      }
    std::vector<T> h = all, expected_h = all;
    for (int face = 0; face < 6; ++face) {
      if (g.face[face] != Face::magnetic) continue;
      const Image image = image_behind(g, face);
      const auto count = static_cast<std::uint32_t>(image.from.elements());
      cuda_on_host::launch((count + 63) / 64, 64,
                           [&] { cuda::copy_kernel<T>(g, image.from, image.to, count, -1, h.data()); });
    }
    cpu::reflect(g, expected_h.data());
    EXPECT_TRUE(this->same(h, expected_h));
    EXPECT_EQ(this->same(h, all), boundary == 1);
    T value = 3;
    cuda_on_host::launch(1, 1, [&] { cuda::add_kernel<T>(2, &value); });
    EXPECT_EQ(value, 5);
  }
}

TYPED_TEST(FdtdEmulated, SumsAndEnergies) {
  using T = TypeParam;
  for (const std::size_t boundary : {0U, 2U, 3U})
    for (const int variant : {0, 1, 2, 3}) {
      const Domain<T> d = this->domain(boundary, variant % 2 == 1, variant / 2 == 1);
      const Part<T>& p = d.parts[0];
      for (const Box& b : {Box{0, 6, 0, 5, 0, 19}, Box{1, 3, 2, 5, 4, 19}}) {
        const auto planes = static_cast<unsigned>(b.x1 - b.x0);
        for (int c = 0; c < 3; ++c) {
          std::vector<double> sums(planes), expected(planes);
          cuda_on_host::launch(planes, lanes,
                               [&] { cuda::sum_kernel<T>(p.grid, b, Field::electric, c, p.e.data(), sums.data()); });
          cpu::sum(Field::electric, p.grid, b, c, p.e.data(), expected.data());
          EXPECT_EQ(sums, expected);
        }
        std::vector<Energy> energies(planes), expected(planes);
        const Energetic<T> of = energetic(p.grid, d.setting.h_factors(), p.h_media(), p.e_media(),
                                          p.densities(d.setting), p.h.data(), p.e.data());
        cuda_on_host::launch(planes, lanes, [&] { cuda::energy_kernel<T>(of, b, energies.data()); });
        cpu::energy(p.grid, b, d.setting.h_factors(), p.h_media(), p.e_media(), p.densities(d.setting), p.h.data(),
                    p.e.data(), expected.data());
        EXPECT_EQ(std::memcmp(energies.data(), expected.data(), planes * sizeof(Energy)), 0);
        EXPECT_GT(expected[1].electric, 0);
      }
    }
}

TYPED_TEST(FdtdEmulated, Probes) {
  using T = TypeParam;
  const Domain<T> d = this->domain(3, false, false);
  const Part<T>& p = d.parts[0];
  std::vector<ProbePlace> places;
  for (int n = 0; n < 200; ++n)
    places.push_back({p.grid.at(n % 3, n % 6, n % 5, n % 19), n % 2 == 0 ? Field::electric : Field::magnetic});
  const auto count = static_cast<std::int32_t>(places.size());
  std::vector<T> row(places.size() + 1, -1), expected = row;
  cuda_on_host::launch(2, 128,
                       [&] { cuda::record_kernel<T>(count, places.data(), p.e.data(), p.h.data(), row.data()); });
  cpu::record(count, places.data(), p.e.data(), p.h.data(), expected.data());
  EXPECT_TRUE(this->same(row, expected));
  EXPECT_EQ(row[1], p.h[as_size(p.grid.at(1, 1, 1, 1))]);
  EXPECT_EQ(row[2], p.e[as_size(p.grid.at(2, 2, 2, 2))]);
  EXPECT_EQ(row.back(), -1);
}

}  // namespace
}  // namespace asterism::fdtd
