// SPDX-License-Identifier: Apache-2.0
// How solves start and end, whatever the flow: from any vector, converged, stopped, broken down; and that they neither
// hang nor race, which shows only now and then.
#include <limits>
#include <random>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/cg/verify.hpp"
#include "tests/taskflows/cg/flow.hpp"

namespace asterism::cg {
namespace {

// ---- starts and ends

TEST_F(CgFlow, HistoryHasOneValuePerIterationAndOneBefore) {
  for (const Flow flow : flows)
    for (const std::int64_t limit : {std::int64_t{5}, std::int64_t{10000}}) {
      Options o = with(flow, 2);
      o.max_iterations = limit;
      SCOPED_TRACE(fmt::format("{}, at most {} iterations", text_of(o), limit));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.history.size(), as_size(s.result.iterations) + 1);
      EXPECT_NEAR(s.result.history.front(), 1, 1e-15);
      EXPECT_EQ(s.result.history.back(), s.result.recurrence_residual);
      // the last residual is that of the x returned
      EXPECT_NEAR(s.result.recurrence_residual, extended_residual(stencil(), stencil_b(), s.x),
                  1e-3 * s.result.recurrence_residual);
    }
}

TEST_F(CgFlow, StartsFromAnyVector) {
  Vector x0(as_size(stencil().n));
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (double& value : x0) value = number(generator);
  for (const bool pipelined : {false, true}) {
    const Solved expected = solve_with(stencil(), stencil_b(), with(pipelined ? Flow::pipelined : Flow::fused), x0);
    EXPECT_EQ(expected.result.outcome, Outcome::converged);
    EXPECT_NEAR(expected.result.history.front(), extended_residual(stencil(), stencil_b(), x0), 1e-12);
    EXPECT_TRUE(verify(stencil(), stencil_b(), expected.x, 1.1e-8).right());
    for (const Flow flow : flows) {
      if ((flow == Flow::pipelined) != pipelined) continue;
      const Options o = with(flow, 3, Decomposition::two_d, Transfer::packed);
      SCOPED_TRACE(text_of(o));
      expect_same(expected, solve_with(stencil(), stencil_b(), o, x0));
    }
  }
}

TEST_F(CgFlow, StartsFromTheSolution) {
  const CsrMatrix a = assemble_stencil(parse_stencil("7pts-9x8x7"));  // integers: the residual is 0
  Vector x(as_size(a.n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 11) - 3;
  const Vector b = as_vector(multiply(a, x));
  for (const Flow flow : flows)
    for (const double tolerance : {0.0, 1e-8}) {
      Options o = with(flow, 3);
      o.tolerance = tolerance;
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(a, b, o, x);
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_EQ(s.result.iterations, 0);
      EXPECT_EQ(s.result.true_residual, 0);
      EXPECT_EQ(s.x, x);
    }
}

TEST_F(CgFlow, RightHandSideZero) {
  const Vector zero(as_size(stencil().n));
  for (const Flow flow : flows)
    for (const int blocks : {1, 3}) {
      const Options o = with(flow, blocks);
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(stencil(), zero, o);
      EXPECT_EQ(s.result.outcome, Outcome::converged);
      EXPECT_EQ(s.result.iterations, 0);
      EXPECT_EQ(s.x, zero);
      // the tolerance is then absolute
      const Solved back = solve_with(stencil(), zero, o, stencil_b());
      EXPECT_EQ(back.result.outcome, Outcome::converged);
      EXPECT_GT(back.result.iterations, 5);
      EXPECT_LE(extended_residual(stencil(), zero, back.x), 1.1e-8);
    }
}

TEST_F(CgFlow, FixedNumberOfIterations) {
  for (const Flow flow : flows)
    for (const std::int64_t count : {1, 2, 17, 33}) {
      Options o = with(flow, 3);
      o.tolerance = 0;
      o.max_iterations = count;
      SCOPED_TRACE(fmt::format("{}, {} iterations", text_of(o), count));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.outcome, Outcome::max_iterations);
      EXPECT_EQ(s.result.iterations, count);
      EXPECT_EQ(s.result.restarts, 0);
      if (flow != Flow::pipelined) {
        EXPECT_TRUE(same_bits(textbook(stencil(), stencil_b(), true, 0, count).x, s.x));
      }
      expect_as_reference(stencil(), stencil_b(), o);
    }
}

TEST_F(CgFlow, NoIterations) {
  Options o = with(Flow::fused, 2);
  o.max_iterations = 0;
  const Solved s = solve_with(stencil(), stencil_b(), o);
  EXPECT_EQ(s.result.outcome, Outcome::max_iterations);
  EXPECT_EQ(s.result.iterations, 0);
  EXPECT_EQ(s.x, Vector(as_size(stencil().n)));
}

TEST_F(CgFlow, ToleranceBeyondDoublePrecisionStagnates) {
  for (const Flow flow : flows)
    for (const int blocks : {1, 3}) {
      Options o = with(flow, blocks);
      o.tolerance = 1e-30;
      SCOPED_TRACE(text_of(o));
      const Solved s = solve_with(stencil(), stencil_b(), o);
      EXPECT_EQ(s.result.outcome, Outcome::stagnated);
      EXPECT_GE(s.result.restarts, 1);
      EXPECT_LT(s.result.iterations, 2000);
      EXPECT_LT(extended_residual(stencil(), stencil_b(), s.x), 1e-14);
    }
}

/// The second difference shifted by one: diagonal 1, neighbours -1, eigenvalues from -1 to 3.
CsrMatrix indefinite(std::int64_t n) {
  CsrMatrix a = assemble_stencil({StencilKind::points5, n, 1, 1});
  for (std::int64_t k = 0; k < a.nnz(); ++k)
    if (a.value[as_size(k)] > 0) a.value[as_size(k)] = 1;
  a.name = "indefinite";
  return a;
}

TEST_F(CgFlow, IndefiniteMatrixIsNamed) {
  const CsrMatrix a = indefinite(100);
  const Vector b(100, 1.0);
  for (const Flow flow : flows)
    for (const int blocks : {1, 3}) {
      const Options o = with(flow, blocks);
      SCOPED_TRACE(text_of(o));
      try {
        const Solved s = solve_with(a, b, o);
        ADD_FAILURE() << "no error after " << s.result.iterations << " iterations";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::bad_input);
        EXPECT_NE(std::string(error.what()).find("indefinite: not positive definite"), std::string::npos)
            << error.what();
      }
    }
  expect_as_reference(stencil(), stencil_b(), with(Flow::naive, 3));  // StarPU goes on
}

TEST_F(CgFlow, SingularDiagonalBlockIsNamed) {
  // rows 4 to 6 have the block [1 -1 0; -1 1 -1; 0 -1 1], which is indefinite
  const CsrMatrix a = indefinite(9);
  Options o = with(Flow::fused, 3);
  o.preconditioner_block = 3;
  try {
    solve_with(a, Vector(9, 1.0), o);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_NE(std::string(error.what()).find("rows 1 to 3"), std::string::npos) << error.what();
  }
  expect_as_reference(stencil(), stencil_b(), with(Flow::fused, 3));
}

TEST_F(CgFlow, NotANumberFails) {
  for (const Flow flow : flows)
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Vector b = stencil_b();
      b[200] = wrong;
      const Options o = with(flow, 3);
      SCOPED_TRACE(text_of(o));
      try {
        solve_with(stencil(), b, o);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::failed);
        EXPECT_NE(std::string(error.what()).find("not finite"), std::string::npos) << error.what();
      }
    }
}

TEST_F(CgFlow, ScalesOfTheRightHandSide) {
  // a power of two changes no bit of the mantissas, whatever the exponents
  const Solved& expected = reference(stencil(), stencil_b(), with(Flow::fused));
  for (const double scale : {0x1p-300, 0x1p300}) {
    Vector b = stencil_b();
    for (double& value : b) value *= scale;
    const Solved s = solve_with(stencil(), b, with(Flow::refined, 3));
    EXPECT_EQ(s.result.iterations, expected.result.iterations);
    Vector x = expected.x;
    for (double& value : x) value *= scale;
    EXPECT_TRUE(same_bits(x, s.x)) << scale;
  }
}

TEST_F(CgFlow, DiagonalMatrixInOneIteration) {
  CsrMatrix a = assemble_stencil({StencilKind::points5, 1, 1, 1});
  const std::int64_t n = 70;
  a.n = n;
  a.row_begin = Array<std::int64_t>(as_size(n + 1));
  a.column = Array<std::int32_t>(as_size(n));
  a.value = Array<double>(as_size(n));
  a.row_begin[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    a.row_begin[as_size(i + 1)] = i + 1;
    a.column[as_size(i)] = static_cast<std::int32_t>(i);
    a.value[as_size(i)] = static_cast<double>(i + 1) * static_cast<double>(i + 1);
  }
  Vector b(as_size(n), 3.0);
  for (const Flow flow : flows)
    for (const Transfer transfer : transfers)
      for (const Decomposition decomposition : decompositions) {  // nothing to transfer, empty blocks
        const Options o = with(flow, 5, decomposition, transfer);
        SCOPED_TRACE(text_of(o));
        const Solved s = solve_with(a, b, o);
        EXPECT_EQ(s.result.outcome, Outcome::converged);
        EXPECT_EQ(s.result.iterations, 1);
        for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(s.x[as_size(i)] * a.value[as_size(i)], 3, 1e-14);
      }
}

TEST_F(CgFlow, OneRowEach) {
  const CsrMatrix a = assemble_stencil(parse_stencil("5pts-4x3"));
  const Vector b(12, 1.0);
  for (const Flow flow : flows)
    for (const Decomposition decomposition : decompositions)
      for (const Transfer transfer : transfers) {
        const Options o = with(flow, 12, decomposition, transfer);
        expect_as_reference(a, b, o);
      }
}

TEST_F(CgFlow, ProgressIsReported) {
  const Options o = with(Flow::fused, 2);
  const Vector shares(2, 1.0);
  System system(*session, stencil(), stencil_b(), {}, o, shares);
  std::vector<Progress> seen;
  const SolveResult result = solve(system, stencil_b(), "progress", [&](const Progress& p) { seen.push_back(p); });
  ASSERT_FALSE(seen.empty());
  for (std::size_t k = 1; k < seen.size(); ++k) EXPECT_GE(seen[k].iteration, seen[k - 1].iteration);
  EXPECT_EQ(seen.back().iteration, result.iterations);
  EXPECT_EQ(seen.back().residual, result.recurrence_residual);
  EXPECT_EQ(seen.back().tolerance, 1e-8);
}

TEST_F(CgFlow, ASystemCanBeSolvedAgain) {
  for (const Flow flow : flows) {
    const Options o = with(flow, 3);
    const Vector shares(3, 1.0);
    System system(*session, stencil(), stencil_b(), {}, o, shares);
    const SolveResult first = solve(system, stencil_b(), "first");
    EXPECT_GT(first.iterations, 5);
    const Vector x(system.x.memory.data(), system.x.memory.data() + stencil().n);
    const SolveResult second = solve(system, stencil_b(), "second");  // from the solution
    EXPECT_LE(second.iterations, 1) << name_of(flow);
    EXPECT_EQ(second.outcome, Outcome::converged);
    EXPECT_LT(distance(x, Vector(system.x.memory.data(), system.x.memory.data() + stencil().n)), 1e-7);
  }
}

// ---- hangs and races show only now and then

void many_times(Flow flow, VectorMode mode, int count) {
  for (int k = 0; k < count; ++k) {
    Options o = with(flow, 3);
    o.vector = mode;
    SCOPED_TRACE(fmt::format("run {}", k));
    expect_as_reference(stencil(), stencil_b(), o);
    if (testing::Test::HasFailure()) return;
  }
}
TEST_F(CgFlow, StressNaiveBlocking) {
  many_times(Flow::naive, VectorMode::blocking, 100);
}
TEST_F(CgFlow, StressRefinedPlan) {
  many_times(Flow::refined, VectorMode::plan, 100);
}
TEST_F(CgFlow, StressFusedPlan) {
  many_times(Flow::fused, VectorMode::plan, 100);
}
TEST_F(CgFlow, StressFusedPieces) {
  many_times(Flow::fused, VectorMode::pieces, 100);
}

}  // namespace
}  // namespace asterism::cg
