// SPDX-License-Identifier: Apache-2.0
// The scalar recurrences of conjugate gradient, shared by the CPU and the CUDA tasks.
//
// Standard CG (paper, Algorithm 1, lines 8-14; rho = r.z, z = M^-1 r, M = I without preconditioner):
//     alpha = rho / p.q          beta = rho_new / rho
// Pipelined CG (Ghysels and Vanroose 2014, Algorithm 4; gamma = r.u, delta = w.u):
//     beta = gamma / gamma_old   alpha = gamma / (delta - beta gamma / alpha_old)
//
// Once the residual is small enough, or the matrix has shown that it is not positive definite, every
// further step has alpha = 0 (pipelined: is not taken) and leaves the vectors as they are: tasks already submitted do
// no harm, the host needs to read the status only now and then, and the iteration that converged is known exactly.
//
// Pipelined CG does not compute p.Ap but derives it from other sums, so that rounding may make it negative for a
// positive definite matrix: Status::breakdown, which the host tells from an indefinite matrix by a true p.Ap. Its
// recurrences for u, w, s, q and z drift from the vectors that they stand for; every so many iterations these are
// computed anew (residual replacement: Cools, Yetkin, Agullo, Giraud, Vanroose, SIAM J. Matrix Anal. Appl. 39 (2018)).
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/compensated.hpp"

namespace asterism::cg {

enum class Status : std::int32_t {
  running = 0,
  converged = 1,
  not_positive_definite = 2,
  not_finite = 3,
  breakdown = 4,  ///< pipelined: the recurrence for p.Ap has lost its sign or its size
  stagnated = 5,  ///< pipelined: replacements show that the true residual falls no further
};

/// Most block-rows whose contributions a kernel on a GPU adds.
inline constexpr int max_partials = 1024;

/// What one block contributes to the two dot products r.r and r.z (pipelined: also w.u).
struct Dots {
  Sum rr;
  Sum rz;
  Sum wu;
};

/// Scalars of one solve. Lives in a StarPU handle; written by the scalar tasks only.
struct State {
  double alpha = 1;         ///< 1 before the first iteration, so that r = b - alpha q starts the recurrence
  double minus_alpha = -1;  ///< the factor that cuBLAS takes for r - alpha q
  double beta = 0;
  double rho = 0;        ///< r.z of the current residual
  double rr = 0;         ///< r.r of the current residual
  double pq = 0;         ///< p.q of the last iteration
  double threshold = 0;  ///< converged when rr <= threshold
  Status status = Status::running;
  std::int32_t iteration = 0;  ///< iterations completed while running
  std::int32_t fresh = 1;      ///< no direction yet: the first step after a start or restart
  std::int32_t replaced = 0;   ///< pipelined: r was computed anew after rr was noted
  std::int32_t drifts = 0;     ///< pipelined: replacements that found a drift since drifted_rr has been halved
  double drifted_rr = 0;       ///< pipelined: true r.r of such a replacement
};

/// One line of the convergence history.
struct HistoryEntry {
  double rr = 0;
  double pq = 0;
  Status status = Status::running;
  std::int32_t iteration = 0;
};

ASTERISM_HD inline bool is_finite(double x) {
  return x - x == 0;
}

ASTERISM_HD inline void set_alpha(State& s, double alpha) {
  s.alpha = alpha;
  s.minus_alpha = -alpha;
}

/// Start or restart: rho and rr of the initial residual.
ASTERISM_HD inline void begin(State& s, const Dots& dots) {
  s.rr = value(dots.rr);
  s.rho = value(dots.rz);
  s.beta = 0;
  if (s.status != Status::running) return;
  if (!is_finite(s.rr) || !is_finite(s.rho))
    s.status = Status::not_finite;
  else if (s.rr <= s.threshold)
    s.status = Status::converged;
}

/// alpha <- rho / p.q
ASTERISM_HD inline void alpha_step(State& s, const Sum& p_dot_q) {
  if (s.status != Status::running) {
    set_alpha(s, 0);
    return;
  }
  s.pq = value(p_dot_q);
  const double alpha = s.rho / s.pq;
  if (!is_finite(s.pq))
    s.status = Status::not_finite;
  else if (s.pq <= 0 || s.rho <= 0)
    s.status = Status::not_positive_definite;
  else if (!is_finite(alpha))
    s.status = Status::not_finite;
  set_alpha(s, s.status == Status::running ? alpha : 0);
}

/// beta <- rho_new / rho; rho <- rho_new
ASTERISM_HD inline void beta_step(State& s, const Dots& dots) {
  if (s.status != Status::running) {
    s.beta = 0;
    return;
  }
  const double rho_new = value(dots.rz);
  s.rr = value(dots.rr);
  s.beta = rho_new / s.rho;
  s.rho = rho_new;
  ++s.iteration;
  if (!is_finite(s.rr) || !is_finite(s.beta)) {
    s.status = Status::not_finite;
    s.beta = 0;
  } else if (s.rr <= s.threshold) {
    s.status = Status::converged;
  }
}

/// A replaced residual whose square exceeds the recurrence's by this factor belongs to other directions.
inline constexpr double replacement_drift = 1.21;
/// After so many drifts without a true residual of half the square, what double precision reaches is reached.
inline constexpr std::int32_t most_drifts = 4;

/// What the replacement of a residual whose recurrence says s.rr has found.
ASTERISM_HD inline void compare_replaced(State& s, double rr) {
  s.replaced = 0;
  if (!(rr > replacement_drift * s.rr)) return;
  s.fresh = 1;  // begin with a new direction
  if (s.drifts == 0 || rr <= 0.5 * s.drifted_rr) {
    s.drifted_rr = rr;
    s.drifts = 1;
  } else {
    ++s.drifts;
  }
}

/// Before r is computed anew: notes r.r of the recurrence.
ASTERISM_HD inline void note_residual(State& s, const Dots& dots) {
  if (s.status != Status::running) return;
  s.rr = value(dots.rr);
  s.replaced = 1;
}

/// One step of the pipelined recurrence, from the dot products of the current r, u, w. A step that is not taken leaves
/// alpha and rho as they are. Without a threshold, which means that a number of iterations is wanted, steps of length
/// 0 follow where the residual falls no further.
ASTERISM_HD inline void pipelined_step(State& s, const Dots& dots) {
  if (s.status != Status::running) return;
  if (s.replaced != 0) compare_replaced(s, value(dots.rr));
  if (s.drifts > most_drifts) {
    s.rr = value(dots.rr);
    if (s.threshold > 0) {
      s.status = Status::stagnated;
      return;
    }
    set_alpha(s, 0);
    s.beta = 0;
    ++s.iteration;
    return;
  }
  const bool first = s.fresh != 0;
  const double gamma = value(dots.rz);
  const double delta = value(dots.wu);
  s.rr = value(dots.rr);
  if (!is_finite(s.rr) || !is_finite(gamma) || !is_finite(delta)) {
    s.status = first ? Status::not_finite : Status::breakdown;
    return;
  }
  if (s.rr <= s.threshold) {
    s.status = Status::converged;
    return;
  }
  const double beta = first ? 0 : gamma / s.rho;
  s.pq = first ? delta : delta - beta * gamma / s.alpha;  // p.Ap of the new direction
  const double alpha = gamma / s.pq;
  s.beta = beta;
  if (!(s.pq > 0) || !(gamma > 0) || !is_finite(alpha)) {
    const bool sign = s.pq <= 0 || gamma <= 0;
    s.status = !first ? Status::breakdown : sign ? Status::not_positive_definite : Status::not_finite;
    return;
  }
  set_alpha(s, alpha);
  s.rho = gamma;
  s.fresh = 0;
  ++s.iteration;
}

ASTERISM_HD inline HistoryEntry history_entry(const State& s) {
  return {s.rr, s.pq, s.status, s.iteration};
}

}  // namespace asterism::cg
