// SPDX-License-Identifier: Apache-2.0
// The device code of the plane wave run on the host.
#include "base/as_size.hpp"
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "codelets/fdtd/kernels/sources/incident.cuh"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/illuminated.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdWaveEmulated : public ::testing::Test {
 protected:
  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }
  template <Field field>
  static void correct(const Part<T>& p, const Box& cells, const Incident& wave, const std::vector<T>& line,
                      std::vector<T>& to) {
    for (int axis = 0; axis < 3; ++axis) {
      const Correction<T> c = correction<T>(field, p.grid, p.origin, cells, wave, axis);
      const unsigned blocks = (cuda::entries_of(c) + 63) / 64;
      cuda_on_host::launch(blocks, 64, [&] { cuda::correct_kernel<field>(c, line.data(), to.data()); });
    }
  }
  template <Field field>
  static void advance(const Incident& wave, const Given<T>& given, std::vector<T>& line) {
    const LineStep<T> step = line_step<T>(field, wave);
    const auto blocks = static_cast<unsigned>((3 * wave.line.length + 63) / 64);
    cuda_on_host::launch(blocks, 64, [&] { cuda::line_kernel<field>(step, given, line.data()); });
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdWaveEmulated, Precisions);

TYPED_TEST(FdtdWaveEmulated, IsThatOfCpus) {
  using T = TypeParam;
  Setting s{{7, 9, 11}};
  s.face = cases::boundaries[0].second;
  const Waveform pulse{Pulse::differentiated_gaussian, 1, 4 * s.dt(), 10 * s.dt(), 0};
  const Box box{2, 5, 1, 7, 3, 8};
  for (const Incident& wave : {make_incident(wave_along({-1, 2, 3}, s.d, 0.7, pulse), box, space_of(s)),
                               make_incident(wave_along({0, 0, -1}, s.d, 0.7, pulse), box, graded_space_of(s))}) {
    Illuminated<T> lit(s, wave, {{{4}, {}, {}}});
    std::vector<T> line = new_line<T>(wave);
    for (int n = 1; n <= 60; ++n) {
      lit.step();
      this->template advance<Field::magnetic>(wave, {}, line);
      this->template advance<Field::electric>(wave, given_at<T>(wave, n), line);
      ASSERT_TRUE(this->same(line, lit.lines[0])) << n;
    }
    for (const Part<T>& p : lit.domain.parts)
      for (const Box& b : {p.grid.cells(), Box{1, 3, 0, 9, 2, 9}, Box{0, 1, 1, 2, 0, 11}, Box{2, 2, 0, 9, 0, 11}}) {
        std::vector<T> e = p.e, h = p.h, expected_e = p.e, expected_h = p.h;
        this->template correct<Field::electric>(p, b, wave, line, e);
        cpu::correct(Field::electric, p.grid, p.origin, b, wave, line.data(), expected_e.data());
        EXPECT_TRUE(this->same(e, expected_e));
        this->template correct<Field::magnetic>(p, b, wave, line, h);
        cpu::correct(Field::magnetic, p.grid, p.origin, b, wave, line.data(), expected_h.data());
        EXPECT_TRUE(this->same(h, expected_h));
        if (b.cells() == p.grid.cells().cells()) {
          EXPECT_FALSE(this->same(e, p.e));
          EXPECT_FALSE(this->same(h, p.h));
        }
      }
  }
}

}  // namespace
}  // namespace asterism::fdtd
