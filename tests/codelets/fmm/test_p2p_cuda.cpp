// SPDX-License-Identifier: Apache-2.0
// P2P on the GPU, every variant, against sums in long double (small sets) and the CPU (large ones). Without a GPU every
// test is skipped; test_fmm_p2p_emulated.cpp runs the same device code on the host.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codelets/fmm/kernels/near/p2p_cuda.hpp"
#include "tests/benchmarks/p2p_grid.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fmm/p2p_cases.hpp"
#include "tests/codelets/fmm/reference.hpp"
#include "tests/codelets/fmm/user_kernel.hpp"

namespace asterism::fmm {
namespace {

using cases::leaf_sizes;
using reference::Field;
using reference::Leaves;

/// Values one element past an aligned address, between guards of NaN: what is read beyond shows in the sums.
template <class T>
DeviceArray<T> guarded(cudaStream_t stream, const std::vector<T>& values) {
  return {stream, values, 1, Guard::nan};
}

/// Leaves on the device; the lists that only the CPU reads stay away.
template <class L>
struct DeviceLeaves {
  DeviceArray<std::int32_t> begin, source_begin, source;
  DeviceArray<P2PItem> item;
  DeviceArray<double> x, y, z, q;
  P2PSet set;

  DeviceLeaves(cudaStream_t stream, const L& l, const std::vector<P2PItem>& items)
      : begin(guarded(stream, l.begin)),
        source_begin(guarded(stream, l.source_begin)),
        source(guarded(stream, l.source)),
        item(stream, items),
        x(guarded(stream, l.x)),
        y(guarded(stream, l.y)),
        z(guarded(stream, l.z)),
        q(guarded(stream, l.q)),
        set{l.set().own_leaves,
            l.set().leaves,
            begin.data(),
            nullptr,
            nullptr,
            source_begin.data(),
            source.data(),
            static_cast<std::int32_t>(items.size()),
            item.data()} {}
  [[nodiscard]] SourceView particles() const { return {x.data(), y.data(), z.data(), q.data()}; }
};

class FmmP2PCuda : public CudaTest, public ::testing::WithParamInterface<cuda::Variant> {
 protected:
  /// Runs twice: no bit may differ.
  template <class Kernel, class L>
  [[nodiscard]] Field run(const Kernel& kernel, const L& leaves, const std::vector<P2PItem>& items = {},
                          std::optional<std::size_t> results = {}) const {
    const DeviceLeaves<L> device(stream_, leaves, items);
    const std::size_t n = results.value_or(leaves.x.size());
    Field f(n);
    for (const bool again : {false, true}) {
      const auto out = [&] { return DeviceArray<double>(stream_, n, 1, Guard::nan); };
      const DeviceArray<double> potential = out(), fx = out(), fy = out(), fz = out();
      cuda::p2p(kernel, device.set, device.particles(), {potential.data(), fx.data(), fy.data(), fz.data()}, stream_,
                GetParam());
      check(cudaStreamSynchronize(stream_));
      const Field last = f;
      f.potential = potential.values();
      f.fx = fx.values(), f.fy = fy.values(), f.fz = fz.values();
      if (again) {
        EXPECT_TRUE(last.potential == f.potential && last.fx == f.fx && last.fy == f.fy && last.fz == f.fz)
            << "two runs differ";
      }
    }
    return f;
  }
  void compare(const std::string& name, const Leaves& leaves) const {
    static cases::References references;
    references.expect_every_kernel(name, leaves, 1e-12, [&](const auto& kernel) { return run(kernel, leaves); });
  }
};

TEST_P(FmmP2PCuda, TwoParticlesByHand) {
  for (const int where : {0, 1, 2}) {  // in one leaf, in two, one of them a ghost
    SCOPED_TRACE(where);
    cases::expect_laplace(run(Laplace{}, cases::two_particles(where)), 6e-16);
  }
}

TEST_P(FmmP2PCuda, OneAndTwoLeaves) {
  for (const int m : sanitized() ? std::vector<int>{1, 33, 65} : leaf_sizes) {
    SCOPED_TRACE(m);
    const std::string name = std::to_string(m);
    compare(name, reference::random_leaves({m}, 1, 1, false, static_cast<std::uint64_t>(m)));
    for (const int n : {0, 1, 31, 65})
      compare(name + " and " + std::to_string(n), reference::random_leaves({m, n}, 1, 1, true, 7));
  }
}

/// The numbers of targets around every way of dividing a thread block.
TEST_P(FmmP2PCuda, EverySizeOfLeaf) {
  for (int first = 1; first < 300; first += sanitized() ? 120 : 30) {
    SCOPED_TRACE(first);
    std::vector<int> particles(30);
    for (int k = 0; k < 30; ++k) particles[static_cast<std::size_t>(k)] = first + k;
    const Leaves l = reference::random_leaves(particles, 30, 0.1, false, 3);
    Field expected(l.x.size());
    p2p(Laplace{}, l.set(), l.particles(), expected.view());
    EXPECT_LE(error(expected, run(Laplace{}, l)), 1e-12);
  }
}

TEST_P(FmmP2PCuda, RandomNeighbours) {
  for (std::uint64_t seed = 0; seed < (sanitized() ? 2 : 6); ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int> particles;
    for (int copies = sanitized() ? 2 : 0; copies < 3; ++copies)
      particles.insert(particles.end(), leaf_sizes.begin(), leaf_sizes.end());
    std::shuffle(particles.begin(), particles.end(), random);
    const auto own = static_cast<std::int32_t>(seed % 3 == 0 ? particles.size() : 5 + seed);
    const std::string name = std::to_string(own) + " own leaves, seed " + std::to_string(seed);
    SCOPED_TRACE(name);
    // 0.95 of 39 leaves: more neighbours than a block looks up at a time
    compare(name, reference::random_leaves(particles, own, seed % 2 == 0 ? 0.3 : 0.95, seed > 2, seed));
  }
}

TEST_P(FmmP2PCuda, LeavesInPieces) {
  for (const std::int32_t own : {8, 5}) {
    const int large = sanitized() ? 1500 : 5000;
    const Leaves l = reference::random_leaves({700, 3, 0, 90, 20, large, 64, 65}, own, 0.9, true, 4);
    const std::vector<P2PItem> items = p2p_items(l.set());
    EXPECT_GT(items.size(), sanitized() ? 20U : 80U);
    Field expected(l.x.size());
    p2p(Laplace{}, l.set(), l.particles(), expected.view());
    EXPECT_LE(error(expected, run(Laplace{}, l, items)), 1e-12);
    EXPECT_LE(error(run(Laplace{}, l), run(Laplace{}, l, items)), 1e-12);
  }
}

/// Targets and sources that are apart: nothing is computed for the leaves of sources.
TEST_P(FmmP2PCuda, OneWay) {
  for (std::uint64_t seed = 0; seed < (sanitized() ? 2 : 4); ++seed) {
    SCOPED_TRACE(seed);
    const Leaves l = cases::apart_case(seed);
    const std::vector<P2PItem> items = p2p_items(l.set());
    const std::size_t targets = l.first(l.own);
    for (const P2PItem& item : items) EXPECT_LT(item.leaf, l.own);
    cases::expect_one_way(l, 1e-12, [&](const auto& kernel) { return run(kernel, l, items, targets); });
  }
}

TEST_P(FmmP2PCuda, NoLeaves) {
  Leaves l;
  l.link({});
  EXPECT_TRUE(run(Laplace{}, l).potential.empty());
}

TEST_P(FmmP2PCuda, GridOfLeaves) {
  for (const int per_leaf : {30, 114}) {
    const P2PGrid grid(sanitized() ? 2 : 6, 5, sanitized() ? 2 : 7, per_leaf);
    Field expected(grid.x.size());
    p2p(Yukawa{2}, grid.set(), grid.particles(), expected.view());
    EXPECT_LE(error(expected, run(Yukawa{2}, grid)), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Variant, FmmP2PCuda, ::testing::ValuesIn(cuda::variants),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace asterism::fmm
