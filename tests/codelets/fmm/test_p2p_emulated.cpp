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
  /// In pieces, as tasks have them.
  static Field run_items(const Leaves& l, const std::vector<P2PItem>& items) {
    Field f(l.x.size());
    P2PSet set = l.set();
    set.items = static_cast<std::int32_t>(items.size());
    set.item = items.data();
    cuda_on_host::launch(static_cast<unsigned>(items.size()), threads, [&] {
      cuda::p2p_kernel<Laplace, threads, per_thread, staging>(Laplace{}, set, l.particles(), f.view());
    });
    return f;
  }
  /// Only the targets of leaves that are apart from their sources.
  template <class Kernel>
  static Field run_one_way(const Kernel& kernel, const Leaves& l) {
    Field f(l.first(l.own));
    const std::vector<P2PItem> items = p2p_items(l.set());
    P2PSet set = l.set();
    set.items = static_cast<std::int32_t>(items.size());
    set.item = items.data();
    cuda_on_host::launch(static_cast<unsigned>(items.size()), threads, [&] {
      cuda::p2p_kernel<Kernel, threads, per_thread, staging>(kernel, set, l.particles(), f.view());
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

TYPED_TEST(FmmP2PEmulated, OneWay) {
  const Leaves l = reference::apart_leaves({3, 0, 70, 172}, {31, 8, 0, 65, 300}, 0.8, 3);
  EXPECT_LE(error(reference::p2p_one_way(reference::laplace, l), TypeParam::run_one_way(Laplace{}, l)), 1e-12);
  const auto softened = [](long double r) { return reference::softened(reference::laplace, 0.125L, r); };
  EXPECT_LE(error(reference::p2p_one_way(softened, l, reference::Coincident::act),
                  TypeParam::run_one_way(Softened<Laplace>{{Laplace{}, 0.015625}}, l)),
            1e-12);
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
    // with coincident particles, which softening lets act on each other but not on themselves
    const auto softened = [](long double r) { return reference::softened(reference::laplace, 0.125L, r); };
    EXPECT_LE(error(reference::p2p(softened, l, reference::Coincident::act),
                    TypeParam::run(Softened<Laplace>{{Laplace{}, 0.015625}}, l)),
              1e-12);
  }
}

TYPED_TEST(FmmP2PEmulated, LeavesInPieces) {
  const Leaves l = reference::random_leaves({700, 3, 0, 90, 20, 5, 64, 65}, 6, 0.8, true, 4);
  const std::vector<P2PItem> items = p2p_items(l.set());
  EXPECT_GT(items.size(), 7U) << "a leaf of 700 particles is to be cut";
  EXPECT_LE(error(reference::p2p(reference::laplace, l), TypeParam::run_items(l, items)), 1e-12);
}

TEST(FmmP2PItems, HaveEveryParticleOnceAndHeavyOnesFirst) {
  std::vector<int> particles(3000, 12);
  particles[1700] = 1500;
  particles[2500] = 400;
  particles[10] = 0;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int32_t a = 0; a + 1 < 3000; ++a) pairs.emplace_back(a, a + 1);
  Leaves l = reference::random_leaves(particles, 3000, 0, false, 1);
  l.link(pairs);
  const std::vector<P2PItem> items = p2p_items(l.set());
  std::vector<int> seen(l.x.size(), 0);
  for (const P2PItem& item : items) {
    EXPECT_LT(item.first, item.end);
    EXPECT_GE(item.first, l.begin[static_cast<std::size_t>(item.leaf)]);
    EXPECT_LE(item.end, l.begin[static_cast<std::size_t>(item.leaf) + 1]);
    for (std::int32_t i = item.first; i < item.end; ++i) ++seen[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
  // 1500 particles in pieces of 64, then the leaf of 400, then the small leaves in their order, each whole
  const auto pieces = (1500 + p2p_least_targets - 1) / p2p_least_targets;
  for (int i = 0; i < pieces - 1; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)].leaf, 1700);
  std::int32_t before = -1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int32_t leaf = items[i].leaf;
    if (particles[static_cast<std::size_t>(leaf)] != 12) continue;
    EXPECT_EQ(items[i].end - items[i].first, 12);
    if (leaf == 1699 || leaf == 1701 || leaf == 2499 || leaf == 2501) continue;  // beside the heavy ones
    EXPECT_GT(leaf, before);
    before = leaf;
  }
}

TEST(FmmP2PItems, EqualLeavesStayWhole) {
  const Leaves l = reference::random_leaves(std::vector<int>(3000, 9), 3000, 0, false, 1);
  const std::vector<P2PItem> items = p2p_items(l.set());
  ASSERT_EQ(items.size(), 3000U);
  for (std::int32_t i = 0; i < 3000; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)].leaf, i);
}

}  // namespace
}  // namespace asterism::fmm
