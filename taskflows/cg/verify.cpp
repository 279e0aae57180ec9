// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/verify.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/cg/cases.hpp"
#include "taskflows/cg/reference.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::cg {
namespace {

/// The residuals of the recurrence and of the answer may differ by this share of the latter.
constexpr double recurrence_agreement = 1e-3;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// A residual of so many times the rounding of A x is one that double precision does not lower: rounding of x, and of
/// the products on the way.
constexpr double worst_of_rounding = 10;

/// How far rounding may bring the recurrence of a correct solver from the true residual: each iteration adds an error
/// of the size of the residual's own rounding (Greenbaum, SIAM J. Matrix Anal. Appl. 18 (1997)), and these errors
/// have either sign.
double drift(const ResidualNorms& norms, std::int64_t iterations) {
  return 10 * std::sqrt(static_cast<double>(iterations + 1)) * epsilon * norms.magnitude;
}

/// What a residual may be: the solver stops at the tolerance with one that it has computed in double precision.
double with_rounding(double tolerance, const ResidualNorms& norms) {
  return std::isfinite(norms.magnitude) ? tolerance + epsilon * norms.magnitude : tolerance;
}

Verdict residual_verdict(double residual, double allowed) {
  Verdict verdict{"||b - Ax|| / ||b||", residual, allowed, ""};
  if (!verdict.right())
    verdict.complaint = fmt::format("||b - Ax|| / ||b|| = {:.3e}, expected at most {:.3e}", residual, allowed);
  return verdict;
}

/// ||x - x*|| <= ||b - A x|| / lambda_min; the factorisation's own error is of the order of condition x epsilon. Both
/// eigenvalues are estimated from inside, hence the factor 10.
double allowed_distance(const CholeskyAnswer& reference, double residual, double b_norm, double x_norm) {
  return 10 * (residual * (b_norm > 0 ? b_norm : 1) / (reference.smallest * (x_norm > 0 ? x_norm : 1)) +
               reference.condition() * epsilon);
}

Verdict reference_verdict(const CholeskyAnswer& reference, std::span<const double> b, std::span<const double> x,
                          double residual) {
  std::vector<double> difference(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) difference[i] = x[i] - reference.x[i];
  const auto norm = static_cast<double>(extended_norm(reference.x));
  Verdict verdict{"the solution by Cholesky factorisation",
                  static_cast<double>(extended_norm(difference)) / (norm > 0 ? norm : 1),
                  allowed_distance(reference, residual, static_cast<double>(extended_norm(b)), norm), ""};
  if (!verdict.right())
    verdict.complaint =
        fmt::format("x differs from the solution by Cholesky factorisation by {:.3e} relative, expected at most {:.3e}",
                    verdict.error, verdict.allowed);
  return verdict;
}

ResidualNorms norms_of(const Answer& answer) {
  return rank_group().distributed() ? distributed_residual(answer.a, answer.partition, answer.b, answer.x)
                                    : residual_norms(answer.a, answer.b, answer.x);
}

/// Compared with the reference, over all ranks.
Verification verify_whole(const Problem& problem, const Answer& answer, double tolerance) {
  if (!rank_group().distributed()) return verify(answer.a, answer.b, answer.x, tolerance);
  const ResidualNorms norms = norms_of(answer);
  const std::vector<double> whole_b = rank_group().collect(answer.b);
  const std::vector<double> whole_x = rank_group().collect(answer.x);
  Verification v;
  v.not_compared = too_large_to_factorise(answer.a.n);
  if (!v.not_compared.empty())
    v.by_residual = residual_verdict(norms.residual, with_rounding(tolerance, norms));
  else if (rank_group().is_root())
    v = verify(open_matrix(problem).rows(0, answer.a.n), whole_b, whole_x, tolerance);
  v.residual = norms.residual;
  bool right = v.right();
  rank_group().broadcast(right);
  if (!right && v.right()) v.by_residual.complaint = "rank 0 found the answer wrong";
  return v;
}

/// Judges a run of a fixed number of iterations.
Verification judge_recurrence(const Answer& answer) {
  Verification v;
  const ResidualNorms norms = norms_of(answer);
  v.residual = norms.residual;
  const double apart = std::abs(v.residual - answer.result.recurrence_residual);
  const double allowed = recurrence_agreement * v.residual + drift(norms, answer.result.iterations);
  v.by_residual = {"the residual of the recurrence", apart, std::isfinite(allowed) ? allowed : 0, ""};
  if (!v.right())
    v.by_residual.complaint =
        fmt::format("after {} iterations ||b - Ax|| / ||b|| is {:.6e}, but the recurrence says {:.6e}",
                    answer.result.iterations, v.residual, answer.result.recurrence_residual);
  return v;
}

/// Why an answer that did not converge is wrong; empty: it converged.
std::string complaint_of(const SolveResult& result, const ResidualNorms& norms, const Demand& demand) {
  const double residual = norms.residual;
  const double tolerance = demand.tolerance;
  const char* const advice = demand.preconditioner == "amg"    ? "; a direct solver may suit this system"
                             : demand.preconditioner == "none" ? "; --preconditioner amg or jacobi may help"
                             : demand.preconditioner.empty()   ? ""
                                                               : "; --preconditioner amg may help";
  switch (result.outcome) {
    case Outcome::converged:
      return {};
    case Outcome::max_iterations:
      return fmt::format(
          "not converged after {} iterations: ||b - Ax|| / ||b|| = {:.3e}, wanted {:.3e} (--max-iterations){}",
          result.iterations, residual, tolerance, advice);
    case Outcome::stagnated:
      // a direct solve leaves a residual of that size, too
      if (const double rounding = epsilon * norms.magnitude; residual <= worst_of_rounding * rounding)
        return fmt::format(
            "stagnated after {} iterations: ||b - Ax|| / ||b|| = {:.3e}, wanted {:.3e}; the rounding of A x alone is "
            "{:.1e} of ||b|| in double precision: ask for no less than {:.0e} (--tolerance)",
            result.iterations, residual, tolerance, rounding, 2 * residual);
      return fmt::format(
          "stagnated after {} iterations: ||b - Ax|| / ||b|| = {:.3e} falls no further, wanted {:.3e} (--tolerance){}",
          result.iterations, residual, tolerance, advice);
  }
  return {};
}

}  // namespace

std::vector<Verdict> Verification::verdicts() const {
  if (by_answer) return {*by_answer, by_residual};
  return {by_residual};
}

Verification verify(const CsrMatrix& a, std::span<const double> b, std::span<const double> x, double tolerance) {
  Verification v;
  const ResidualNorms norms = residual_norms(a, b, x);
  v.residual = norms.residual;
  v.by_residual = residual_verdict(v.residual, with_rounding(tolerance, norms));
  const CholeskyAnswer reference = solve_by_cholesky(a, b);
  v.not_compared = reference.why_not;
  if (!reference.positive_definite) v.by_residual.complaint = "CHOLMOD finds the matrix not positive definite";
  if (reference.x.empty()) return v;
  v.condition = reference.condition();
  v.by_answer = reference_verdict(reference, b, x, v.residual);
  return v;
}

Verification judge(const Problem& problem, const Answer& answer, const Demand& demand) {
  if (demand.fixed_iterations) return judge_recurrence(answer);
  if (answer.result.outcome == Outcome::converged && demand.with_reference)
    return verify_whole(problem, answer, demand.tolerance);
  Verification v;
  const ResidualNorms norms = norms_of(answer);
  v.residual = norms.residual;
  v.by_residual = residual_verdict(v.residual, with_rounding(demand.tolerance, norms));
  const std::string complaint = complaint_of(answer.result, norms, demand);
  if (!complaint.empty()) v.by_residual.complaint = complaint;
  return v;
}

}  // namespace asterism::cg
