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
/// Below this the two residuals differ in every correct solver.
constexpr double attainable = 1e-12;

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
               reference.condition() * std::numeric_limits<double>::epsilon());
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

double residual_of(const Answer& answer) {
  return rank_group().distributed() ? distributed_residual(answer.a, answer.partition, answer.b, answer.x)
                                    : extended_residual(answer.a, answer.b, answer.x);
}

/// Compared with the reference, over all ranks.
Verification verify_whole(const Problem& problem, const Answer& answer, double allowed) {
  if (!rank_group().distributed()) return verify(answer.a, answer.b, answer.x, allowed);
  const double residual = residual_of(answer);
  const std::vector<double> whole_b = rank_group().collect(answer.b);
  const std::vector<double> whole_x = rank_group().collect(answer.x);
  Verification v;
  v.not_compared = too_large_to_factorise(answer.a.n);
  if (!v.not_compared.empty())
    v.by_residual = residual_verdict(residual, allowed);
  else if (rank_group().is_root())
    v = verify(open_matrix(problem).rows(0, answer.a.n), whole_b, whole_x, allowed);
  v.residual = residual;
  bool right = v.right();
  rank_group().broadcast(right);
  if (!right && v.right()) v.by_residual.complaint = "rank 0 found the answer wrong";
  return v;
}

/// Judges a run of a fixed number of iterations.
Verification judge_recurrence(const Answer& answer) {
  Verification v;
  v.residual = residual_of(answer);
  const double apart = std::abs(v.residual - answer.result.recurrence_residual);
  v.by_residual = {
      "the residual of the recurrence", apart,
      v.residual < attainable ? std::numeric_limits<double>::infinity() : recurrence_agreement * v.residual, ""};
  if (!v.right())
    v.by_residual.complaint =
        fmt::format("after {} iterations ||b - Ax|| / ||b|| is {:.6e}, but the recurrence says {:.6e}",
                    answer.result.iterations, v.residual, answer.result.recurrence_residual);
  return v;
}

/// Why an answer that did not converge is wrong; empty: it converged.
std::string complaint_of(const SolveResult& result, double residual, double tolerance) {
  switch (result.outcome) {
    case Outcome::converged:
      return {};
    case Outcome::max_iterations:
      return fmt::format(
          "not converged after {} iterations: ||b - Ax|| / ||b|| = {:.3e}, wanted {:.3e} (--max-iterations)",
          result.iterations, residual, tolerance);
    case Outcome::stagnated:
      return fmt::format(
          "stagnated after {} iterations: ||b - Ax|| / ||b|| = {:.3e} falls no further, wanted {:.3e} (--tolerance)",
          result.iterations, residual, tolerance);
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
  v.residual = extended_residual(a, b, x);
  v.by_residual = residual_verdict(v.residual, tolerance);
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
  const double allowed = true_residual_slack * demand.tolerance;
  if (answer.result.outcome == Outcome::converged && demand.with_reference)
    return verify_whole(problem, answer, allowed);
  Verification v;
  v.residual = residual_of(answer);
  v.by_residual = residual_verdict(v.residual, allowed);
  const std::string complaint = complaint_of(answer.result, v.residual, demand.tolerance);
  if (!complaint.empty()) v.by_residual.complaint = complaint;
  return v;
}

}  // namespace asterism::cg
