// SPDX-License-Identifier: Apache-2.0
// The scalar recurrences of conjugate gradient: by hand, where they stop, and a system solved with them.
#include "tests/codelets/cg/vectors.hpp"

namespace asterism::cg {
namespace {

Dots dots(double rr, double rz, double wu = 0) {
  return {{rr, 0}, {rz, 0}, {wu, 0}};
}

/// Started with r.r = 9 and r.z = 6; converges at r.r <= 1.
State started() {
  State s;
  s.threshold = 1;
  begin(s, dots(9, 6));
  return s;
}

void expect_stopped(State s, Status status) {
  EXPECT_EQ(s.status, status);
  const std::int32_t iteration = s.iteration;
  for (int i = 0; i < 3; ++i) {  // and nothing starts it again
    alpha_step(s, {8, 0});
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.minus_alpha, 0);
    beta_step(s, dots(100, 100));
    EXPECT_EQ(s.beta, 0);
    note_residual(s, dots(100, 100, 100));
    pipelined_step(s, dots(100, 100, 100));
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.minus_alpha, 0);
    EXPECT_EQ(s.beta, 0);
    EXPECT_EQ(s.status, status);
    EXPECT_EQ(s.iteration, iteration);
  }
}

/// A pipelined step that stops keeps what a continuation needs; nothing starts it again.
void expect_pipelined_stopped(State s, Status status) {
  EXPECT_EQ(s.status, status);
  const State before = s;
  for (int i = 0; i < 3; ++i) {
    note_residual(s, dots(100, 100, 100));
    pipelined_step(s, dots(100, 100, 100));
    EXPECT_EQ(s.alpha, before.alpha);
    EXPECT_EQ(s.minus_alpha, before.minus_alpha);
    EXPECT_TRUE(s.beta == before.beta || before.beta != before.beta);
    EXPECT_EQ(s.rho, before.rho);
    EXPECT_EQ(s.status, status);
    EXPECT_EQ(s.iteration, before.iteration);
  }
}

TEST(Recurrence, Begin) {
  const State s = started();
  EXPECT_EQ(s.status, Status::running);
  EXPECT_EQ(s.rr, 9);
  EXPECT_EQ(s.rho, 6);
  EXPECT_EQ(s.beta, 0);
  EXPECT_EQ(s.alpha, 1);
  EXPECT_EQ(s.minus_alpha, -1);
  EXPECT_EQ(s.iteration, 0);

  State sums;
  begin(sums, {{1, 0x1p-52}, {2, 0x1p-51}, {}});
  EXPECT_EQ(sums.rr, 1 + 0x1p-52);
  EXPECT_EQ(sums.rho, 2 + 0x1p-51);
}

TEST(Recurrence, StandardStepsByHand) {
  State s = started();
  alpha_step(s, {3, 0});
  EXPECT_EQ(s.pq, 3);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.minus_alpha, -2);
  EXPECT_EQ(s.iteration, 0);
  beta_step(s, dots(5, 1.5));
  EXPECT_EQ(s.rr, 5);
  EXPECT_EQ(s.rho, 1.5);
  EXPECT_EQ(s.beta, 0.25);
  EXPECT_EQ(s.iteration, 1);
  EXPECT_EQ(s.status, Status::running);
  alpha_step(s, {6, 0});
  EXPECT_EQ(s.alpha, 0.25);
  beta_step(s, dots(1, 0.75));  // r.r equal to the threshold
  EXPECT_EQ(s.status, Status::converged);
  EXPECT_EQ(s.beta, 0.5);  // x still needs this step: alpha stays until the next alpha_step
  EXPECT_EQ(s.alpha, 0.25);
  EXPECT_EQ(s.iteration, 2);
  const HistoryEntry entry = history_entry(s);
  EXPECT_EQ(entry.rr, 1);
  EXPECT_EQ(entry.pq, 6);
  EXPECT_EQ(entry.status, Status::converged);
  EXPECT_EQ(entry.iteration, 2);
  expect_stopped(s, Status::converged);
}

TEST(Recurrence, AlreadyConverged) {
  State s;
  s.threshold = 1;
  begin(s, dots(0.5, 3));
  EXPECT_EQ(s.iteration, 0);
  expect_stopped(s, Status::converged);

  State zero;  // b = 0: r.r = 0 meets the threshold 0, no 0 / 0
  begin(zero, dots(0, 0));
  expect_stopped(zero, Status::converged);
}

TEST(Recurrence, NotPositiveDefinite) {
  for (const double pq : {0.0, -0.0, -3.0}) {
    State s = started();
    alpha_step(s, {pq, 0});
    EXPECT_EQ(s.alpha, 0) << pq;
    expect_stopped(s, Status::not_positive_definite);
  }
  for (const double rho : {0.0, -2.0}) {  // the preconditioner is not
    State s;
    begin(s, dots(9, rho));
    EXPECT_EQ(s.status, Status::running);
    alpha_step(s, {3, 0});
    EXPECT_EQ(s.alpha, 0) << rho;
    expect_stopped(s, Status::not_positive_definite);
  }
  State s = started();
  alpha_step(s, {3, 0});
  beta_step(s, dots(9, 0));
  EXPECT_EQ(s.beta, 0);
  alpha_step(s, {3, 0});
  expect_stopped(s, Status::not_positive_definite);
}

TEST(Recurrence, NotFinite) {
  for (const double bad : {nan, infinity, -infinity}) {
    SCOPED_TRACE(bad);
    State s;
    begin(s, dots(bad, 1));
    expect_stopped(s, Status::not_finite);
    s = State();
    begin(s, dots(1, bad));
    expect_stopped(s, Status::not_finite);

    s = started();
    alpha_step(s, {bad, 0});
    EXPECT_EQ(s.alpha, 0);
    expect_stopped(s, Status::not_finite);
    s = started();
    alpha_step(s, {3, bad});
    EXPECT_EQ(s.alpha, 0);
    expect_stopped(s, Status::not_finite);

    s = started();
    alpha_step(s, {3, 0});
    beta_step(s, dots(bad, 1));
    EXPECT_EQ(s.beta, 0);
    expect_stopped(s, Status::not_finite);
    s = started();
    alpha_step(s, {3, 0});
    beta_step(s, dots(4, bad));
    EXPECT_EQ(s.beta, 0);
    expect_stopped(s, Status::not_finite);

    for (const Dots& d : {dots(bad, 1, 1), dots(4, bad, 1), dots(4, 1, bad)}) {
      s = started();
      pipelined_step(s, d);
      EXPECT_EQ(s.iteration, 0);
      expect_pipelined_stopped(s, Status::not_finite);
    }
  }
}

TEST(Recurrence, PipelinedStepsByHand) {
  State s;
  s.threshold = 1;
  pipelined_step(s, dots(9, 6, 3));
  EXPECT_EQ(s.beta, 0);
  EXPECT_EQ(s.pq, 3);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.minus_alpha, -2);
  EXPECT_EQ(s.rho, 6);
  EXPECT_EQ(s.rr, 9);
  EXPECT_EQ(s.iteration, 1);
  EXPECT_EQ(s.fresh, 0);

  pipelined_step(s, dots(5, 3, 2.25));  // beta = 3/6, p.Ap = 2.25 - 0.5 * 3 / 2
  EXPECT_EQ(s.beta, 0.5);
  EXPECT_EQ(s.pq, 1.5);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.rho, 3);
  EXPECT_EQ(s.rr, 5);
  EXPECT_EQ(s.iteration, 2);

  State restarted = s;
  restarted.fresh = 1;
  pipelined_step(restarted, dots(4, 8, 2));
  EXPECT_EQ(restarted.beta, 0);
  EXPECT_EQ(restarted.alpha, 4);
  EXPECT_EQ(restarted.fresh, 0);
  EXPECT_EQ(restarted.iteration, 3);

  for (const auto& [gamma, delta] : {std::pair{3.0, 0.75}, {3.0, 0.5}, {0.0, 1.0}, {-3.0, 1.0}}) {
    State broken = s;  // gamma = 3: p.Ap = delta - 3 * 3 / 3 / 2
    pipelined_step(broken, dots(4, gamma, delta));
    EXPECT_EQ(broken.iteration, 2);
    EXPECT_EQ(broken.alpha, 2);  // of the last step
    EXPECT_EQ(broken.rho, 3);
    EXPECT_EQ(broken.beta, gamma / 3);  // of the direction whose p.Ap is to be computed
    expect_pipelined_stopped(broken, Status::breakdown);
  }
  for (const Dots& d : {dots(infinity, 3, 1), dots(4, nan, 1), dots(4, 3, infinity)}) {
    State broken = s;  // rounding may also drive the recurrences to infinity: x is finite still
    pipelined_step(broken, d);
    expect_pipelined_stopped(broken, Status::breakdown);
  }
  pipelined_step(s, dots(1, 1, 5));
  EXPECT_EQ(s.rr, 1);
  EXPECT_EQ(s.iteration, 2);
  EXPECT_EQ(s.alpha, 2);
  expect_pipelined_stopped(s, Status::converged);

  State first;
  pipelined_step(first, dots(9, 6, 0));
  expect_pipelined_stopped(first, Status::not_positive_definite);
}

TEST(Recurrence, PipelinedResidualIsReplaced) {
  State s;
  pipelined_step(s, dots(9, 6, 3));
  for (const bool far : {false, true}) {
    State replaced = s;
    note_residual(replaced, dots(4, 100, 100));
    EXPECT_EQ(replaced.rr, 4);
    EXPECT_EQ(replaced.replaced, 1);
    // the square of the true residual: 1.2 times that of the recurrence, or 1.25 times
    pipelined_step(replaced, dots(far ? 5 : 4.8, 3, 2.25));
    EXPECT_EQ(replaced.beta, far ? 0 : 0.5);  // far: another direction
    EXPECT_EQ(replaced.pq, far ? 2.25 : 1.5);
    EXPECT_EQ(replaced.replaced, 0);
    EXPECT_EQ(replaced.iteration, 2);
  }
}

TEST(Recurrence, PipelinedStagnationIsSeen) {
  for (const double threshold : {0.0, 1e-3}) {
    State s;
    s.threshold = threshold;
    pipelined_step(s, dots(9, 6, 3));
    double rr = 4;
    const auto replace = [&] {  // the recurrence says half of the true residual
      note_residual(s, dots(rr / 4, 3, 2.25));
      pipelined_step(s, dots(rr, 3, 2.25));
    };
    for (int k = 0; k < 8; ++k, rr /= 2) replace();  // it falls
    EXPECT_EQ(s.iteration, 9);
    for (int k = 0; k <= most_drifts; ++k) replace();  // no longer
    EXPECT_EQ(s.status, threshold > 0 ? Status::stagnated : Status::running);
    if (threshold > 0) continue;
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.beta, 0);
    const std::int32_t iteration = s.iteration;
    pipelined_step(s, dots(rr, 3, 2.25));
    EXPECT_EQ(s.alpha, 0);
    EXPECT_EQ(s.iteration, iteration + 1);
  }
}

/// [4 1; 1 3] x = [1; 2] from x = 0: every number up to the second alpha is exact.
TEST(Recurrence, SolvesTwoByTwo) {
  const reference::Csr a({2, 2, {{0, 0, 4}, {0, 1, 1}, {1, 0, 1}, {1, 1, 3}}});
  double x[] = {0, 0};
  double r[] = {1, 2};
  double p[] = {1, 2};
  double q[] = {nan, nan};
  State s;
  s.threshold = 1e-28;
  begin(s, cpu::residual_dots(2, r, r));
  EXPECT_EQ(s.rho, 5);

  const auto iterate = [&] {
    alpha_step(s, cpu::spmv_dot(a.view(), p, q, false, p));
    beta_step(s, cpu::update_residual(2, s.alpha, q, r, r, {0, nullptr}, nullptr));
    cpu::update_direction(2, s.alpha, s.beta, r, x, p);
  };
  iterate();
  EXPECT_EQ(s.pq, 20);
  EXPECT_EQ(s.alpha, 0.25);
  EXPECT_EQ(s.beta, 0.0625);
  EXPECT_EQ(x[0], 0.25);
  EXPECT_EQ(x[1], 0.5);
  EXPECT_EQ(p[0], -0.4375);
  EXPECT_EQ(p[1], 0.375);
  iterate();
  EXPECT_EQ(s.alpha, 0.3125 / 0.859375);
  EXPECT_EQ(s.status, Status::converged);
  EXPECT_EQ(s.iteration, 2);
  EXPECT_NEAR(x[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(x[1], 7.0 / 11, 1e-15);

  const double solution[] = {x[0], x[1]};  // further steps leave x and r as they are
  const double residual[] = {r[0], r[1]};
  iterate();
  EXPECT_EQ(x[0], solution[0]);
  EXPECT_EQ(x[1], solution[1]);
  EXPECT_EQ(r[0], residual[0]);
  EXPECT_EQ(r[1], residual[1]);
}

}  // namespace
}  // namespace asterism::cg
