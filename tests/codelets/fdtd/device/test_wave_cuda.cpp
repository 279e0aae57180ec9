// SPDX-License-Identifier: Apache-2.0
// The plane wave on a GPU gives the bits of that on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/sources/plane_wave_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/illuminated.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdWaveCuda : public CudaTest {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdWaveCuda, Precisions);

TYPED_TEST(FdtdWaveCuda, IsThatOfCpus) {
  using T = TypeParam;
  Setting s{{16, 21, 70}};
  s.face = cases::boundaries[0].second;
  const Waveform pulse{Pulse::differentiated_gaussian, 1, 6 * s.dt(), 20 * s.dt(), 0};
  const Box box{3, 12, 2, 17, 3, 61};
  for (const Incident& wave : {make_incident(wave_along({-1, 2, 3}, s.d, 0.7, pulse), box, space_of(s)),
                               make_incident(wave_along({0, 0, -1}, s.d, 0.7, pulse), box, graded_space_of(s))}) {
    Illuminated<T> lit(s, wave);
    const Part<T>& p = lit.domain.parts[0];
    const Grid& g = p.grid;
    const DeviceArray<T> e(this->stream_, p.e);
    const DeviceArray<T> h(this->stream_, p.h);
    const DeviceArray<T> line(this->stream_, lit.lines[0]);
    for (int n = 1; n <= 120; ++n) {
      for (const Field f : {Field::magnetic, Field::electric}) {
        const bool magnetic = f == Field::magnetic;
        T* const to = magnetic ? h.data() : e.data();
        cuda::update(f, g, g.cells(), magnetic ? s.h_factors() : s.e_factors(), {}, magnetic ? e.data() : h.data(), to,
                     this->stream_);
        cuda::correct(f, g, p.origin, g.cells(), wave, line.data(), to, this->stream_);
        cuda::advance_line(f, wave, given_at<T>(wave, n), line.data(), this->stream_);
      }
      lit.step();
      if (n % 20 != 0) continue;
      expect_same(line.values(), lit.lines[0], "line");
      expect_same(e.values(), p.e, "E");
      expect_same(h.values(), p.h, "H");
    }
  }
}

}  // namespace
}  // namespace asterism::fdtd
