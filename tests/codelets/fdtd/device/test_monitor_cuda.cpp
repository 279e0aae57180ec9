// SPDX-License-Identifier: Apache-2.0
// Frequency-domain monitors on a GPU give the bits of those on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "codelets/fdtd/kernels/observers/monitor_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/recording.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdMonitorCuda : public CudaTest {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdMonitorCuda, Precisions);

TYPED_TEST(FdtdMonitorCuda, IsThatOfCpus) {
  using T = TypeParam;
  Setting s{{12, 9, 70}};
  s.face = cases::boundaries[7].second;
  Domain<T> d(s);
  d.randomize();
  Monitor m{Field::magnetic, {{1, {0, 12, 1, 4, 0, 70}}, {2, {3, 6, 0, 9, 44, 45}}}, {}, 2};
  for (int f = 0; f < 35; ++f) m.frequencies.push_back(0.005 * f / s.dt());
  Recording recording(m, d);
  const DeviceArray<double> array(this->stream_, recording.arrays[0]);
  for (int n = 1; n <= 10; ++n) {
    d.step();
    recording.record(d, n);
    const std::vector<std::complex<double>> factors = phases(m, n, s.dt());
    if (factors.empty()) continue;
    const DeviceArray<T> h(this->stream_, d.parts[0].h);
    cuda::record(recording.parts[0], factors.data(), h.data(), array.data(), this->stream_);
    expect_same(array.values(), recording.arrays[0], "transforms");
  }
}

}  // namespace
}  // namespace asterism::fdtd
