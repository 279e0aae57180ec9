// SPDX-License-Identifier: Apache-2.0
// The device code of dispersive media run on the host: the bits of the CPU.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "codelets/fdtd/kernels/media/dispersive.cuh"
#include "tests/codelets/fdtd/dispersive_cases.hpp"

namespace asterism::fdtd {
namespace {

template <class T>
class FdtdDispersiveEmulated : public ::testing::Test {
 protected:
  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdDispersiveEmulated, Precisions);

TYPED_TEST(FdtdDispersiveEmulated, Disperse) {
  using T = TypeParam;
  for (const std::size_t boundary : {0U, 1U, 3U, 7U}) {
    Setting s{{6, 5, 19}};
    s.face = cases::boundaries[boundary].second;
    OpenDomain<T> d(cases::with_materials(s), {}, {}, cases::poles());
    cases::randomize(d);
    d.step();
    d.step();
    const Part<T>& p = d.domain.parts[0];
    const auto& own = d.dispersions[0];
    for (const Box& b : {Box{0, 6, 0, 5, 0, 19}, Box{5, 6, 0, 5, 0, 19}, Box{0, 1, 2, 5, 3, 18}, Box{1, 5, 1, 4, 0, 1},
                         Box{2, 2, 0, 5, 0, 19}}) {
      std::vector<T> e = p.e, expected_e = p.e, state = own.state, expected_state = own.state;
      const cuda::Disperse<T> described = cuda::describe_poles(p.grid, b, p.e_media(), own.poles(), own.media.states);
      cuda_on_host::launch((described.first[3] + 31) / 32, 32,
                           [&] { cuda::disperse_kernel<T>(described, state.data(), e.data()); });
      cpu::disperse(p.grid, b, p.e_media(), own.poles(), own.media.states, expected_state.data(), expected_e.data());
      EXPECT_TRUE(this->same(e, expected_e));
      EXPECT_TRUE(this->same(state, expected_state));
      EXPECT_EQ(this->same(state, own.state), b.empty());
    }
  }
}

}  // namespace
}  // namespace asterism::fdtd
