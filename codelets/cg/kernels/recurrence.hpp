// SPDX-License-Identifier: Apache-2.0
// The scalar recurrences of conjugate gradient, shared by the CPU and the CUDA tasks.
//
// Standard CG (paper, Algorithm 1, lines 8-14; rho = r.z, z = M^-1 r, M = I without preconditioner):
//     alpha = rho / p.q          beta = rho_new / rho
// Pipelined CG (Ghysels and Vanroose 2014, Algorithm 4; gamma = r.u, delta = w.u):
//     beta = gamma / gamma_old   alpha = gamma / (delta - beta gamma / alpha_old)
//
// Once the residual is small enough, or the matrix has shown that it is not positive definite, every
// further step has alpha = 0 and leaves x and r as they are: tasks already submitted do no harm, the host
// needs to read the status only now and then, and the iteration that converged is known exactly.
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/compensated.hpp"

namespace asterism::cg {

enum class Status : std::int32_t { running = 0, converged = 1, not_positive_definite = 2, not_finite = 3 };

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

/// One step of the pipelined recurrence, from the dot products of the current r, u, w.
ASTERISM_HD inline void pipelined_step(State& s, const Dots& dots) {
  const bool first = s.fresh != 0;
  const double gamma = value(dots.rz);
  const double delta = value(dots.wu);
  if (s.status == Status::running) {
    s.rr = value(dots.rr);
    if (!is_finite(s.rr) || !is_finite(gamma) || !is_finite(delta))
      s.status = Status::not_finite;
    else if (s.rr <= s.threshold)
      s.status = Status::converged;
  }
  if (s.status != Status::running) {
    set_alpha(s, 0);
    s.beta = 0;
    return;
  }
  s.beta = first ? 0 : gamma / s.rho;
  s.pq = first ? delta : delta - s.beta * gamma / s.alpha;  // p.Ap of the new direction
  const double alpha = gamma / s.pq;
  if (!is_finite(s.pq))
    s.status = Status::not_finite;
  else if (s.pq <= 0 || gamma <= 0)
    s.status = Status::not_positive_definite;
  else if (!is_finite(alpha))
    s.status = Status::not_finite;
  if (s.status != Status::running) {
    set_alpha(s, 0);
    s.beta = 0;
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
