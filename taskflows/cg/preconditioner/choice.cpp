// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/as_size.hpp"
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"
#include "taskflows/cg/preconditioner/spectrum.hpp"

namespace asterism::cg {
namespace {

/// Iterations of a solve with multigrid that were seen: on grids 8 to 12, on bodies 50 to 180.
constexpr double iterations_on_grids = 12;
constexpr double iterations_on_bodies = 80;
/// Iterations with Jacobi that an iteration with multigrid takes as long as, all levels together (7 to 15 measured on
/// grids and bodies), and that its setup does (130 to 250): experiments/records/cg-preconditioners.json.
constexpr double cost_of_iteration = 8;
constexpr double cost_of_setup = 200;
/// The same setup beside a GPU, whose iterations are short: 1,500 to 2,600 on an H200, where an iteration with
/// multigrid takes as long as 9 to 34 (cg-preconditioners-h200.json). One of five systems gained, by 16 %; what the
/// host would take to tell it from the others was not measured.
constexpr int cost_of_setup_beside_gpus = 2000;
/// Grids of equal cells took 0.84 to 1.3 times as many iterations as there are entries from one end to the other (5, 7
/// and 11 points, 32 to 300 cells along an axis): their values differ by this ratio at most.
constexpr double alike = 4;
/// Steps of conjugate gradient that see a condition up to the square of about their number.
constexpr int steps_on_grids = 60;
constexpr int steps_on_bodies = 150;
/// Entries times iterations up to which those of Jacobi are counted instead: about 0.1 s on one core.
constexpr double entries_counted = 2e8;
/// A small system takes longer per iteration of multigrid than the cost above, for its tasks are short.
constexpr double worth_counting = 2.5;

struct Values {
  double diagonal_ratio, others_ratio;  ///< largest by smallest, of their magnitudes
};
Values values_of(const CsrMatrix& a) {
  constexpr double most = std::numeric_limits<double>::max();
  double smallest[2] = {most, most}, largest[2] = {0, 0};
  for (std::int64_t row = 0; row < a.n; ++row)
    for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k) {
      const int of = a.column[as_size(k)] == row ? 0 : 1;
      const double value = std::abs(a.value[as_size(k)]);
      smallest[of] = std::min(smallest[of], value);
      largest[of] = std::max(largest[of], value);
    }
  return {largest[0] / smallest[0], largest[1] / smallest[1]};
}

/// Rows by their distance from the first one, in entries from row to row.
struct Extent {
  int entries = 0;          ///< to the farthest row; 0 where not all hang together
  std::int64_t widest = 0;  ///< rows of one distance
  /// As wide as it is long, in three dimensions: where it is not, its iterations may be those of its width.
  [[nodiscard]] bool is_bulky() const {
    constexpr double longest = 6;  // by the width; a cube has 3.5
    return entries <= longest * std::sqrt(static_cast<double>(widest));
  }
};
Extent extent_of(const CsrMatrix& a) {
  Extent extent;
  std::vector<char> seen(as_size(a.n), 0);
  std::vector<std::int64_t> front{0}, next;
  std::int64_t count = 1;
  seen[0] = 1;
  for (int entries = 0;; ++entries) {
    next.clear();
    for (const std::int64_t row : front)
      for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k) {
        char& column = seen[as_size(a.column[as_size(k)])];
        if (column == 0) next.push_back(a.column[as_size(k)]);
        column = 1;
      }
    count += static_cast<std::int64_t>(next.size());
    extent.widest = std::max(extent.widest, static_cast<std::int64_t>(front.size()));
    if (next.empty()) {
      extent.entries = count == a.n ? entries : 0;
      return extent;
    }
    front.swap(next);
  }
}

}  // namespace

PreconditionerChoice choose_preconditioner(const CsrMatrix& a, int node_rows, double tolerance, bool on_gpus) {
  std::vector<double> inverse(as_size(a.n), 1.0);
  for (std::int64_t row = 0; row < a.n; ++row)
    for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k)
      if (a.column[as_size(k)] == row) inverse[as_size(row)] = 1 / a.value[as_size(k)];
  const Values values = values_of(a);
  const bool constant = values.diagonal_ratio == 1;
  const char* const plain = constant ? "none" : "jacobi";
  if (on_gpus)
    return {plain,
            fmt::format("the set-up of amg takes as long as some {} iterations on a GPU", cost_of_setup_beside_gpus)};
  const bool body = node_rows > 1;
  const double cost = cost_of_setup + cost_of_iteration * (body ? iterations_on_bodies : iterations_on_grids);
  const bool uniform = !body && constant && values.others_ratio <= alike;
  const Extent extent = uniform ? extent_of(a) : Extent{};
  if (extent.entries > 0 && (extent.entries <= cost || extent.is_bulky()))
    return {extent.entries <= cost ? plain : "amg",
            fmt::format("a grid that is {} entries across takes about as many iterations; amg costs as much as {:.0f}",
                        extent.entries, cost)};
  const SparseBlocks scalars = gather_blocks(a, 1);
  const Spectrum seen = estimate_spectrum(scalars, inverse, body ? steps_on_bodies : steps_on_grids);
  const double condition = seen.largest / seen.smallest;
  if (!(condition >= 1) || !(tolerance > 0)) return {plain, "the condition could not be estimated"};
  const double iterations = std::sqrt(condition) / 2 * std::log(2 / tolerance);
  const bool amg = iterations > cost;
  if (amg && static_cast<double>(a.nnz()) * cost <= entries_counted) {
    // convergence is faster than the condition says where few eigenvalues are small
    const int most = static_cast<int>(worth_counting * cost);
    const int counted = estimate_spectrum(scalars, inverse, most, tolerance).steps;
    if (counted < most)
      return {plain, fmt::format("counted: {} iterations with a vector of random numbers; amg costs as much as {:.0f}",
                                 counted, cost)};
  }
  return {amg ? "amg" : plain,
          fmt::format("{} would take {} {:.0f} iterations (condition seen {:.2g}); amg costs as much as {:.0f}",
                      constant ? "plain conjugate gradient" : plain, amg ? "more than" : "about", iterations, condition,
                      cost)};
}

}  // namespace asterism::cg
