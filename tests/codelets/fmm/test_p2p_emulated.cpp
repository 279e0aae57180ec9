// SPDX-License-Identifier: Apache-2.0
// The device code of P2P run on the host: what a machine without GPU can check of it.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "codelets/fmm/kernels/near/p2p_cuda_kernel.cuh"
#include "tests/codelets/fmm/reference.hpp"
#include "tests/codelets/fmm/user_kernel.hpp"

namespace asterism::fmm {
namespace {

using reference::Field;
using reference::Leaves;

template <int threads, int per_thread, cuda::Staging staging>
struct Shape {
  template <class Kernel>
  static Field run(const Kernel& kernel, const Leaves& l) {
    Field f(l.x.size());
    cuda_on_host::launch(static_cast<unsigned>(l.size()), threads, [&] {
      cuda::p2p_kernel<Kernel, threads, per_thread, staging>(kernel, l.set(), l.particles(), f.view());
    });
    return f;
  }
  static int lanes(int targets) { return cuda::lanes_for<threads, per_thread>(targets); }
  static constexpr int block = threads;
  static constexpr int each = per_thread;
};

template <class S>
class FmmP2PEmulated : public ::testing::Test {};
using Shapes = ::testing::Types<Shape<64, 1, cuda::Staging::shared>, Shape<128, 1, cuda::Staging::shared>,
                                Shape<256, 1, cuda::Staging::shared>, Shape<64, 2, cuda::Staging::shared>,
                                Shape<128, 2, cuda::Staging::shared>, Shape<64, 1, cuda::Staging::direct>,
                                Shape<128, 1, cuda::Staging::direct>, Shape<64, 2, cuda::Staging::direct>>;
TYPED_TEST_SUITE(FmmP2PEmulated, Shapes);

TYPED_TEST(FmmP2PEmulated, LanesOccupyTheBlock) {
  for (int n = 1; n < 2000; ++n) {
    int left = n, passes = 0;
    while (left > 0) {
      const int lanes = TypeParam::lanes(left);
      ASSERT_GE(lanes, 1);
      ASSERT_LE(lanes, TypeParam::block);
      EXPECT_GE(TypeParam::block / lanes * lanes * 16, 13 * TypeParam::block);
      left -= lanes * TypeParam::each;
      ++passes;
    }
    EXPECT_LE(passes, 8 + n / (TypeParam::block * TypeParam::each));
  }
}

TYPED_TEST(FmmP2PEmulated, SmallLeaves) {
  for (const int m : {0, 1, 2, 3, 7, 31, 33, 64, 65, 129, 172}) {
    SCOPED_TRACE(m);
    const Leaves l = reference::random_leaves({m, 33, 0, 5}, 2, 1, m % 2 == 0, 3);
    EXPECT_LE(error(reference::p2p(reference::laplace, l), TypeParam::run(Laplace{}, l)), 1e-12);
  }
}

TYPED_TEST(FmmP2PEmulated, RandomNeighbours) {
  std::mt19937_64 random(5);
  std::vector<int> particles = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 172, 300, 86};
  while (particles.size() < 45) particles.push_back(static_cast<int>(particles.size()) % 7);
  std::shuffle(particles.begin(), particles.end(), random);
  for (const std::int32_t own : {45, 20}) {
    const Leaves l = reference::random_leaves(particles, own, 0.9, true, 9);
    const auto plummer = [](long double r) { return reference::plummer(0.25L, r); };
    EXPECT_LE(error(reference::p2p(reference::laplace, l), TypeParam::run(Laplace{}, l)), 1e-12);
    EXPECT_LE(error(reference::p2p(plummer, l), TypeParam::run(user::Plummer{0.25}, l)), 1e-12);
  }
}

}  // namespace
}  // namespace asterism::fmm
