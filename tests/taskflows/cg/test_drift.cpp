// SPDX-License-Identifier: Apache-2.0
// Recurrences and the truth: past convergence, where rounding drives them apart, and where the pipelined one breaks
// down; and iterations that one task does together.
#include "base/error.hpp"
#include "taskflows/cg/verify.hpp"
#include "tests/taskflows/cg/flow.hpp"

namespace asterism::cg {
namespace {

/// How a run of a fixed number of iterations is judged.
Verification judged(const CsrMatrix& a, const Vector& b, const Options& o, const Solved& s) {
  const Partition partition = partition_rows(a, Vector(as_size(o.blocks), 1.0), o.balance, 1);
  return judge({}, {a, partition, b, s.x, s.result}, {0, true, false});
}

TEST_F(CgFlow, IterationsPastConvergenceAreNoFailure) {
  for (const Flow flow : flows) {
    Options o = with(flow, 2);
    o.tolerance = 0;
    o.max_iterations = 500;
    SCOPED_TRACE(text_of(o));
    const Solved s = solve_with(stencil(), stencil_b(), o);
    EXPECT_EQ(s.result.iterations, 500);
    EXPECT_EQ(s.result.outcome, Outcome::max_iterations);
    EXPECT_LT(s.result.true_residual, 1e-13);
    EXPECT_TRUE(judged(stencil(), stencil_b(), o, s).right());
    // but an answer that the recurrence has nothing to do with is one
    Solved wrong = s;
    wrong.x[3] += 1e-6;
    EXPECT_FALSE(judged(stencil(), stencil_b(), o, wrong).right());
  }
}

TEST_F(CgFlow, PipelinedRecurrenceStaysTrue) {
  const CsrMatrix a = assemble_stencil(parse_stencil("11pts-40"));
  const Vector b(as_size(a.n), 1.0);
  Options o = with(Flow::pipelined, 2);
  o.tolerance = 0;
  for (const int preconditioner : {0, 1})
    for (const std::int64_t iterations : {90, 400}) {  // the second far past convergence
      o.preconditioner_block = preconditioner;
      o.max_iterations = iterations;
      SCOPED_TRACE(fmt::format("{} iterations of {}", iterations, text_of(o)));
      const Solved s = solve_with(a, b, o);
      EXPECT_EQ(s.result.iterations, iterations);
      const double residual = extended_residual(a, b, s.x);
      EXPECT_NEAR(s.result.recurrence_residual, residual, (iterations < 100 ? 1e-6 : 0.5) * residual);
      EXPECT_LT(residual, iterations < 100 ? 1e-5 : 1e-13);
      EXPECT_TRUE(judged(a, b, o, s).right());
    }
}

/// The bracket, on which the pipelined recurrence for p.Ap turns negative although the matrix is positive definite.
TEST_F(CgFlow, PipelinedBreakdownIsNotAnIndefiniteMatrix) {
  const Loaded& m = load("bracket_coarse.msh.gz");
  Options o = with(Flow::pipelined, 2);
  o.preconditioner_block = 0;
  const Solved s = solve_with(m.a, m.b, o);
  EXPECT_EQ(s.result.outcome, Outcome::converged);
  EXPECT_LE(s.result.true_residual, 1e-8);
}

/// Here the recurrence meets these tolerances an iteration or some before the true residual does; the plain restart
/// from the true residual, which forgets the direction, would need as many iterations again.
TEST_F(CgFlow, TheTrueResidualMeetsTheTolerance) {
  const Loaded& m = load("bcsstk16.mtx.gz");
  for (const Flow flow : {Flow::refined, Flow::fused, Flow::pipelined})
    for (const double tolerance : {1e-14, 5e-15, 3e-15}) {
      Options o = with(flow, 2);
      o.tolerance = tolerance;
      SCOPED_TRACE(fmt::format("{}, tolerance {}", text_of(o), tolerance));
      const Solved s = solve_with(m.a, m.b, o);
      if (flow != Flow::pipelined || s.result.outcome == Outcome::converged) {
        EXPECT_EQ(s.result.outcome, Outcome::converged);
        EXPECT_LE(s.result.true_residual, tolerance);
      }
      if (flow == Flow::pipelined) continue;
      EXPECT_GE(s.result.restarts, 1);
      EXPECT_LT(s.result.iterations, 320);
    }
}

TEST_F(CgFlow, IterationsInOneTaskAreTheSame) {
  for (const int preconditioner : {0, 1, 3})
    for (const std::int64_t limit : {7, 10000}) {
      Options o = with(Flow::fused);
      o.preconditioner_block = preconditioner;
      o.max_iterations = limit;
      if (preconditioner > 0 && stencil().n % preconditioner != 0) continue;
      const Solved expected = solve_with(stencil(), stencil_b(), o);
      for (const TaskSize task : {TaskSize::iterations, TaskSize::graph}) {
        o.task = task;
        SCOPED_TRACE(text_of(o) + " " + name_of(task));
        expect_same(expected, solve_with(stencil(), stencil_b(), o));
      }
    }
  Options o = with(Flow::fused, 2);
  o.task = TaskSize::iterations;  // without --transfer packed
  EXPECT_THROW(require_consistent(o), Error);
  o = with(Flow::pipelined);
  o.task = TaskSize::graph;
  EXPECT_THROW(require_consistent(o), Error);
}

/// Block-rows that iterate at the same time and exchange what they need: the bits of one block-row, through restarts,
/// and when the same system is solved again.
TEST_F(CgFlow, BlockRowsThatIterateTogetherAreTheSame) {
  const int units = std::min(session->gpus() > 0 ? session->gpus() : session->cpus(), max_team);
  if (units < 2) GTEST_SKIP() << "needs two units";
  const Loaded& irregular = load("bcsstk16.mtx.gz");
  for (const int preconditioner : {0, 1, 3})
    for (const std::int64_t limit : {std::int64_t{7}, std::int64_t{10000}}) {
      Options o = with(Flow::fused);
      o.preconditioner_block = preconditioner;
      o.max_iterations = limit;
      const Solved expected = solve_with(irregular.a, irregular.b, o);
      o.blocks = units;
      o.transfer = Transfer::packed;
      o.task = limit == 7 ? TaskSize::iterations : TaskSize::graph;
      SCOPED_TRACE(text_of(o));
      require_consistent(o);
      System system(*session, irregular.a, irregular.b, {}, o, Vector(as_size(units), 1.0));
      for (int turn = 0; turn < 2; ++turn) {
        if (turn > 0) system.load(irregular.b, {});
        Solved s;
        s.result = solve(system, irregular.b, irregular.a.name);
        s.x.assign(system.x.memory.data(), system.x.memory.data() + irregular.a.n);
        expect_same(expected, s);
      }
    }
}

/// With one unit for two block-rows the second would wait for the first for ever.
TEST_F(CgFlow, ATeamNeedsAUnitForEachBlockRow) {
  const int units = session->gpus() > 0 ? session->gpus() : session->cpus();
  Options o = with(Flow::fused, units + 1, Decomposition::one_d, Transfer::packed);
  o.task = TaskSize::iterations;
  EXPECT_FALSE(why_no_team(o, *session).empty());
  choose_task(o, *session, true);
  EXPECT_EQ(o.task, TaskSize::operation);
  o.blocks = units;
  EXPECT_TRUE(why_no_team(o, *session).empty());
  choose_task(o, *session, true);
  EXPECT_EQ(o.task, session->scheduler() == "cyclic" ? TaskSize::graph : TaskSize::operation);
}

/// Over ranks a team needs GPUs, enough of them on each rank, on one machine.
TEST(Team, OverRanksNeedsAGpuForEachBlockRow) {
  EXPECT_EQ(why_no_team(4, {{1, 1, 1, 1}}), "");
  EXPECT_EQ(why_no_team(3, {{1, 2}}), "");  // one and two
  EXPECT_NE(why_no_team(3, {{2, 1}}).find("2 block-rows on 1 GPUs of rank 1"), std::string::npos);
  EXPECT_NE(why_no_team(2, {{1, 0}}).find("no GPU on rank 1"), std::string::npos);
  EXPECT_NE(why_no_team(2, {{1, 1}, false}).find("one"), std::string::npos);
  EXPECT_EQ(why_no_team(2, {{1, 1}, true, false}), "");  // when asked for
  EXPECT_THROW(why_no_team(1, {{1, 1}}), Error);
}

TEST(Team, OverRanksIsTheDefaultWhereEachGpuHasABlockRow) {
  EXPECT_TRUE(one_block_row_each(4, {{2, 2}}));
  EXPECT_FALSE(one_block_row_each(3, {{2, 2}}));
  EXPECT_FALSE(one_block_row_each(4, {{1, 2}}));
  EXPECT_FALSE(one_block_row_each(2, {{1, 1}, true, false}));  // one GPU for two ranks
}

}  // namespace
}  // namespace asterism::cg
