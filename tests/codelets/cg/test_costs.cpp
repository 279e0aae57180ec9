// SPDX-License-Identifier: Apache-2.0
// What tasks are counted with adds up to what an iteration is counted with.
#include "codelets/cg/kernels/costs.hpp"

#include <gtest/gtest.h>

namespace asterism::cg {
namespace {

constexpr double nnz = 1000;
constexpr double n = 70;

TEST(Costs, FusedTasksAddUpToAnIteration) {
  for (const int block : {0, 1, 5}) {
    const double tasks =
        costs::product_flops(nnz, n, true) + costs::residual_flops(n, block) + costs::direction_flops(n);
    EXPECT_EQ(tasks, iteration_flops(Iteration::fused, nnz, n, block)) << block;
  }
}

TEST(Costs, SeparateTasksAddUpToAnIteration) {
  const double tasks = costs::product_flops(nnz, n, false) + costs::dot_flops(n) + 2 * costs::axpy_flops(n) +
                       costs::dot_flops(n) + costs::scal_axpy_flops(n);
  EXPECT_EQ(tasks, iteration_flops(Iteration::separate, nnz, n));
}

TEST(Costs, PipelinedTasksAddUpToAnIteration) {
  const double tasks = costs::product_flops(nnz, n, false) + costs::pipelined_flops(n, 0);
  EXPECT_EQ(tasks, iteration_flops(Iteration::pipelined, nnz, n));
}

TEST(Costs, PreconditionerReadsItsInverseAndMovesZTwice) {
  EXPECT_EQ(iteration_bytes(Iteration::fused, nnz, n), 12 * nnz + 84 * n);
  EXPECT_EQ(iteration_bytes(Iteration::fused, nnz, n, 3), 12 * nnz + (84 + 3 * 8 + 16) * n);
}

}  // namespace
}  // namespace asterism::cg
