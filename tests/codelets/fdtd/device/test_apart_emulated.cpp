// SPDX-License-Identifier: Apache-2.0
// Cells around hooks apart from several steps of a GPU, with its device code run on the host: the bits of one step
// after the other.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "codelets/fdtd/kernels/observers/probes.cuh"
#include "codelets/fdtd/kernels/update/apart.hpp"
#include "codelets/fdtd/kernels/update/copy_boxes.cuh"
#include "codelets/fdtd/kernels/update/steps.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/open.hpp"

namespace asterism::fdtd {
namespace {

TEST(FdtdBoxes, AreDisjointAndHaveTheSameCells) {
  const std::vector<Box> boxes{{0, 5, 0, 5, 0, 5}, {3, 8, 2, 4, 1, 9}, {4, 6, 0, 9, 4, 5}, {1, 1, 0, 9, 0, 9}};
  const auto count = [](const std::vector<Box>& all, int i, int j, int k) {
    return std::count_if(all.begin(), all.end(), [&](const Box& b) {
      return i >= b.x0 && i < b.x1 && j >= b.y0 && j < b.y1 && k >= b.z0 && k < b.z1;
    });
  };
  const std::vector<Box> found = disjoint(boxes);
  const std::vector<Box> two = in_few({boxes[0], boxes[1], boxes[2]}, 2);
  const std::vector<Box> left = without(boxes, boxes[1]);
  EXPECT_EQ(two.size(), 2U);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 10; ++k) {
        const bool inside = count(boxes, i, j, k) > 0;
        EXPECT_EQ(count(found, i, j, k), inside ? 1 : 0);
        EXPECT_TRUE(!inside || count(two, i, j, k) > 0);
        EXPECT_EQ(count(left, i, j, k), count({boxes[1]}, i, j, k) > 0 ? 0 : count(boxes, i, j, k));
      }
}

template <class T>
class FdtdApartEmulated : public ::testing::Test {
 protected:
  /// A hook: E is damped in some cells, but for the last plane.
  static void damp(const Grid& grid, const Box& cells, const Box& body, std::vector<T>& e) {
    for (int c = 0; c < 3; ++c) {
      const Box b = common(grid.entries(Field::electric, c, cells), body);
      for (int i = b.x0; i < b.x1; ++i)
        for (int j = b.y0; j < b.y1; ++j)
          for (int k = b.z0; k < b.z1; ++k) e[as_size(grid.at(c, i, j, k))] *= static_cast<T>(0.75);
    }
  }
  static constexpr Box monitored{17, 18, 0, 40, 0, 44};  ///< into layers
  static constexpr T nothing = std::numeric_limits<T>::quiet_NaN();

  /// All cells apart, from a state to arrays of which nothing is known.
  static void advance_apart(const Apart& apart, const Box& body, OpenDomain<T>& from, OpenDomain<T>& to,
                            const std::vector<ProbePlace>& places, std::vector<T>& record) {
    Part<T>& p = to.domain.parts[0];
    std::vector<cuda::BlockCopy<T>> copies;
    for (const Box& box : apart.begin)
      for (const Field f : {Field::electric, Field::magnetic}) {
        cuda::add_field(p.grid, box, from.domain.parts[0].field(f).data(), p.field(f).data(), copies);
        cuda::add_psi(to.absorbers[0].layers, common(box, p.grid.entries()), from.absorbers[0].of(f),
                      to.absorbers[0].of(f), copies);
      }
    for (const cuda::BlockCopies<T>& some : cuda::launches_of(copies))
      cuda_on_host::launch(static_cast<unsigned>(some.count) * cuda::copy_blocks, cuda::copy_threads,
                           [&] { cuda::copy_boxes_kernel<T>(some); });
    T* row = record.data();
    for (const Apart::Step& step : apart.steps) {
      to.domain.exchange(Field::electric);
      for (const Box& b : step.h)
        cpu::update(Field::magnetic, p.grid, b, to.domain.setting.h_factors(), p.h_media(), p.e.data(), p.h.data(),
                    to.absorber(0, Field::magnetic));
      to.domain.exchange(Field::magnetic);
      cpu::reflect(p.grid, p.h.data());
      for (const Box& b : step.e) {
        cpu::update(Field::electric, p.grid, b, to.domain.setting.e_factors(), p.e_media(), p.h.data(), p.e.data(),
                    to.absorber(0, Field::electric));
        damp(p.grid, b, body, p.e);
      }
      for (const Box& box : apart.result)
        cuda_on_host::launch(1, cuda::record_threads, [&] {
          cuda::record_in_kernel<T>(p.grid, box, static_cast<std::int32_t>(places.size()), places.data(), p.e.data(),
                                    p.h.data(), row);
        });
      row += places.size();
    }
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdApartEmulated, Precisions);

TYPED_TEST(FdtdApartEmulated, BitsOfOneStepAfterTheOther) {
  using T = TypeParam;
  struct Case {
    std::array<Face, 6> face;
    Cpml cpml;
    Box body, cells, media;  ///< where materials are in cells, and around them in entries
    std::size_t results;
  };
  const std::array<Face, 6> others{cases::pec, cases::pec, cases::none, cases::none, cases::pmc, cases::pmc};
  const Case inside{cases::boundaries[0].second, {{3, 2, 4, 6, 4, 7}},    {9, 13, 16, 23, 17, 22},
                    {4, 9, 14, 20, 10, 44},      {4, 10, 14, 21, 10, 44}, 2};
  const Case around{others, {{3, 2, 0, 0, 0, 0}}, {9, 13, 0, 5, 17, 22}, {4, 9, 36, 40, 30, 44}, {4, 10, 0, 40, 30, 45},
                    3};
  for (const Case& c : {inside, around})
    for (const int steps : cases::steps_at_once<T>) {
      const bool materials = steps == 2;
      SCOPED_TRACE(testing::Message() << steps << " steps, materials " << materials << ", " << c.results);
      Setting s{{21, 40, 44}};
      s.face = c.face;
      if (materials) {
        s = cases::with_materials(s);
        for (int i = 0; i < s.n[0]; ++i)
          for (int j = 0; j < s.n[1]; ++j)
            for (int k = 0; k < s.n[2]; ++k)
              if (common(c.cells, {i, i + 1, j, j + 1, k, k + 1}).empty())
                s.cells[as_size((i * s.n[1] + j) * s.n[2] + k)] = 0;
      }
      OpenDomain<T> d(s, c.cpml);
      d.domain.randomize();
      d.step();
      OpenDomain<T> from = d;
      OpenDomain<T> to = d;
      Part<T>& p = to.domain.parts[0];
      for (const Field f : {Field::electric, Field::magnetic}) {
        std::fill(p.field(f).begin(), p.field(f).end(), this->nothing);
        for (std::vector<T>& psi : to.absorbers[0].psi[static_cast<int>(f)])
          std::fill(psi.begin(), psi.end(), this->nothing);
      }
      const std::vector<ProbePlace> places = {{p.grid.at(2, 11, 18, 20), Field::electric},
                                              {p.grid.at(0, 7, 1, 2), Field::magnetic},
                                              {p.grid.at(1, 17, 13, 20), Field::magnetic}};
      std::vector<T> record(places.size() * as_size(steps)), expected;
      const Apart apart = cells_apart(p.grid, {{c.body, true}, {this->monitored, false}}, steps);
      EXPECT_EQ(apart.result.size(), c.results);
      EXPECT_EQ(apart.steps.size(), as_size(steps));
      this->advance_apart(apart, c.body, from, to, places, record);
      cuda::BesideSteps<T> beside{
          from.absorber(0, Field::magnetic),
          from.absorber(0, Field::electric),
          to.absorbers[0].of(Field::magnetic),
          to.absorbers[0].of(Field::electric),
          {static_cast<std::int32_t>(places.size()), places.data(), places.data(), record.data()},
          apart.result};
      beside.media = c.media;
      const Part<T>& q = from.domain.parts[0];
      for (const cuda::StepsLaunch<T>& l :
           cuda::describe_steps<T>(p.grid, steps, {0, s.n[0]}, s.h_factors(), s.e_factors(), q.h_media(), q.e_media(),
                                   nullptr, 0, beside, 7, 4))
        cuda::with_steps_kernel<T>(steps, l.psi, [&](auto kernel, int columns, std::size_t bytes) {
          cuda_on_host::launch(l.blocks, static_cast<unsigned>(columns), bytes,
                               [&] { kernel(l.steps, q.e.data(), q.h.data(), p.e.data(), p.h.data()); });
        });
      OpenDomain<T> plain = d;
      for (int step = 0; step < steps; ++step) {
        plain.step();
        d.step();
        this->damp(p.grid, p.grid.cells(), c.body, d.domain.parts[0].e);
        d.domain.exchange(Field::electric);
        for (const ProbePlace& place : places)
          expected.push_back(d.domain.parts[0].field(place.field)[as_size(place.at)]);
      }
      EXPECT_EQ(d.domain.differences(to.domain), 0U);
      EXPECT_EQ(different_psi(d, to), 0U);
      EXPECT_EQ(record, expected);
      EXPECT_GT(d.domain.differences(plain.domain), 0U);
    }
}

}  // namespace
}  // namespace asterism::fdtd
