// SPDX-License-Identifier: Apache-2.0
// P2P-Reduction on GPUs against the sum written out. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codelets/fmm/kernels/near/reduction_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/fmm/cases.hpp"

namespace asterism::fmm {
namespace {

using cases::Generator;
using Vector = std::vector<double>;

/// Near results of several sets of particles, and which runs of them belong to a result of `own` particles.
struct Reduction {
  std::int32_t own = 0;
  std::vector<std::int32_t> particles = {};            // of each set
  std::vector<std::vector<ReductionPart>> parts = {};  // of each set

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(particles.size()); }
  /// One array as the kernel reads it: sets, the end, then the parts of all.
  [[nodiscard]] std::vector<ReductionSet> packed() const {
    std::vector<ReductionSet> sets;
    std::vector<ReductionPart> all;
    for (std::size_t s = 0; s < parts.size(); ++s) {
      sets.push_back({particles[s], static_cast<std::int32_t>(all.size())});
      all.insert(all.end(), parts[s].begin(), parts[s].end());
    }
    sets.push_back({0, static_cast<std::int32_t>(all.size())});
    const std::size_t head = sets.size();
    sets.resize(head + all.size() * sizeof(ReductionPart) / sizeof(ReductionSet));
    if (!all.empty()) std::memcpy(&sets[head], all.data(), all.size() * sizeof(ReductionPart));
    return sets;
  }
  [[nodiscard]] std::int32_t most_parts() const {
    std::size_t most = 0;
    for (const auto& of_set : parts) most = std::max(most, of_set.size());
    return static_cast<std::int32_t>(most);
  }
};

class ReductionCuda : public CudaTest {
 protected:
  /// Each particle has at most one part per set, so the order of the additions is that of the sets: the same bits.
  void expect_exact(const Reduction& r, unsigned seed) const {
    Generator random(seed);
    std::vector<Vector> near;
    for (const std::int32_t n : r.particles) {
      near.emplace_back(4 * static_cast<std::size_t>(n));
      for (double& v : near.back()) v = cases::uniform(random);
    }
    Vector expected(4 * static_cast<std::size_t>(r.own));
    for (double& v : expected) v = cases::uniform(random);
    const DeviceArray<double> result(stream_, expected);
    const DeviceArray<ReductionSet> sets(stream_, r.packed());
    for (std::int32_t s = 0; s < r.count(); ++s) {
      const auto set = static_cast<std::size_t>(s);
      for (const ReductionPart& p : r.parts[set])
        for (int component = 0; component < 4; ++component)
          for (std::int32_t i = 0; i < p.count; ++i)
            expected[static_cast<std::size_t>(component * r.own + p.to + i)] +=
                near[set][static_cast<std::size_t>(component * r.particles[set] + p.from + i)];
      const DeviceArray<double> values(stream_, near[set]);
      cuda::reduce(sets.data(), r.count(), s, r.most_parts(), values.data(), r.own, result.data(), stream_);
      check(cudaStreamSynchronize(stream_));
    }
    const Vector actual = result.values();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << "element " << i;
  }
};

TEST_F(ReductionCuda, AddsAWholeGroupDividedAmongBlocks) {
  for (const std::int32_t n : {1, 255, 256, 257, 70001, 1024 * 256 + 3})
    expect_exact({n, {n}, {{{0, 0, 0, n}}}}, static_cast<unsigned>(n));
}

TEST_F(ReductionCuda, AddsTheRunsOfSeveralGroups) {
  Reduction r{5000, {5000, 7001, 33}, {{{0, 0, 0, 5000}}, {}, {{2, 4, 4990, 10}}}};
  for (std::int32_t k = 0; k < 60; ++k) r.parts[1].push_back({1, 6000 - 100 * k, 80 * k + 3, 1 + k});
  expect_exact(r, 7);
}

TEST_F(ReductionCuda, TakesMorePartsThanBlocks) {
  Reduction r{9000, {9000}, {{}}};
  for (std::int32_t k = 0; k < 3000; ++k) r.parts[0].push_back({0, 8997 - 3 * k, 3 * k, 2});
  expect_exact(r, 11);
}

TEST_F(ReductionCuda, AddsNothingWithoutParts) {
  expect_exact({700, {10}, {{}}}, 13);
}

}  // namespace
}  // namespace asterism::fmm
