// SPDX-License-Identifier: Apache-2.0
// The device code of frequency-domain monitors run on the host.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <vector>

#include "codelets/fdtd/kernels/observers/monitor.cuh"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/recording.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdMonitorEmulated : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdMonitorEmulated, Precisions);

TYPED_TEST(FdtdMonitorEmulated, IsThatOfCpus) {
  using T = TypeParam;
  Setting s{{6, 5, 9}};
  s.face = cases::boundaries[7].second;
  Domain<T> d(s, {{{4}, {}, {}}});
  d.randomize();
  Monitor m{Field::electric, {{1, {0, 7, 1, 4, 0, 10}}, {2, {3, 6, 0, 6, 4, 5}}}, {}, 1};
  for (int f = 0; f < 35; ++f) m.frequencies.push_back(0.01 * f / s.dt());
  Recording recording(m, d);
  std::vector<std::vector<double>> arrays = recording.arrays;
  for (int n = 1; n <= 5; ++n) {
    d.step();
    recording.record(d, n);
    const std::vector<std::complex<double>> factors = phases(m, n, s.dt());
    for (std::size_t p = 0; p < arrays.size(); ++p) {
      const MonitorPart& part = recording.parts[p];
      const std::uint32_t blocks = cuda::blocks_of_component(part);
      for (int first = 0; first < part.frequencies; first += cuda::Phases::most) {
        const cuda::Phases some = cuda::phases_from(part, first, factors.data());
        cuda_on_host::launch(blocks * static_cast<unsigned>(part.count), cuda::monitor_threads, [&] {
          cuda::record_kernel<T>(part, blocks, first, some, d.parts[p].e.data(), arrays[p].data());
        });
      }
    }
  }
  EXPECT_EQ(arrays, recording.arrays);
  EXPECT_NE(arrays[0].back(), 0);
  EXPECT_NE(arrays[1].back(), 0);
}

}  // namespace
}  // namespace asterism::fdtd
