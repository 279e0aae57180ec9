// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient: A x = b with a sparse, symmetric and positive definite matrix, in double precision.
#pragma once

#include <asterism/session.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace cg {

/// Whole numbers of 32 or 64 bits in the caller's memory.
using Indices = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>>;

/// A square matrix in compressed sparse rows, in the caller's memory, which has to stay as it is for as long as a
/// solver uses it. Row i has the entries row_begin[i] to row_begin[i + 1] - 1; columns count from 0 and increase within
/// a row; both triangles are there. Columns of 32 bits and values are not copied. Row offsets of 32 bits are widened,
/// and columns of 64 bits narrowed, in a copy.
struct MatrixView {
  Indices row_begin;              ///< rows + 1 offsets
  Indices column;                 ///< a column for each entry
  std::span<const double> value;  ///< a value for each entry
};

/// Consecutive rows of a matrix: over several processes those that this one has, which follow on those of the process
/// before it. The rows of all processes are the matrix.
struct Rows {
  std::int64_t order = 0;  ///< rows of the whole matrix
  std::int64_t first_row = 0;
  MatrixView own;  ///< offsets count from 0, columns those of the whole matrix
};

/// A matrix by a function of its rows. Each process asks for as many rows as any other, to one: for each once, in
/// increasing order, while the solver is made.
struct MatrixRows {
  std::int64_t order = 0;  ///< rows of the whole matrix
  /// Adds the columns of a row, which increase, and their values to two empty vectors.
  std::function<void(std::int64_t row, std::vector<std::int64_t>& column, std::vector<double>& value)> fill;
};

enum class Preconditioner {
  automatic,     ///< none, jacobi or amg, by the estimated condition of the matrix; none unless the flow is fused
  none,          ///< M = 1
  jacobi,        ///< the diagonal
  block_jacobi,  ///< diagonal blocks
  ssor,          ///< symmetric Gauss-Seidel by colours
  amg,           ///< smoothed aggregation multigrid
};

/// The task flow of an iteration, as --flow of asterism-cg.
enum class Flow { naive, refined, fused, pipelined };

struct Options {
  Preconditioner preconditioner = Preconditioner::automatic;
  /// Rows of a diagonal block (block_jacobi, default 3), or of a node (ssor and amg, default as the matrix has them).
  std::optional<int> preconditioner_block = {};
  double tolerance = 1e-8;  ///< stop when ||b - A x|| <= tolerance ||b||
  std::int64_t max_iterations = 10000;
  Flow flow = Flow::fused;
  std::optional<int> blocks = {};  ///< block-rows; default: one per GPU, else one per core, or one of a small matrix
  bool check_symmetry = true;      ///< compare each entry with its mirror; the other checks are always made
};

enum class Outcome {
  converged,       ///< the true residual is within the tolerance
  max_iterations,  ///< it is not, after so many iterations
  stagnated,       ///< it no longer falls: the tolerance is beyond what double precision reaches here
};

struct Result {
  Outcome outcome = Outcome::converged;
  std::int64_t iterations = 0;
  double residual = 0;          ///< ||b - A x|| / ||b||, computed anew at the end
  std::vector<double> history;  ///< ||r|| / ||b|| before the first and after each iteration
  double seconds = 0;           ///< from the first iteration to the end

  [[nodiscard]] bool converged() const noexcept { return outcome == Outcome::converged; }
};

/// What a solve tells on its way.
struct Progress {
  std::int64_t iteration = 0;
  double residual = 0;  ///< ||r|| / ||b|| of the recurrence
};

/// The vector with which a solve begins.
enum class Start {
  zero,   ///< x = 0
  given,  ///< the values that x has
};

/// A matrix, ready to be solved with any number of right-hand sides.
///
/// Over several processes all of them make the solver and its calls in the same order, with the same options. What is
/// wrong on one of them is an error on all.
class ASTERISM_EXPORT Solver {
 public:
  /// Checks the matrix, builds its blocks in the layout of the kernels, and sets up the preconditioner. Throws Error
  /// (bad_input): arrays of wrong lengths, columns that are out of range or do not increase, values that are not
  /// finite, a diagonal entry that is missing or not positive, a matrix that is not symmetric, options out of range.
  Solver(Session& session, const MatrixView& a, const Options& options = {});
  /// Over several processes, too; then Preconditioner::automatic is none, and rows move to the processes whose tasks
  /// need them: ssor and amg put all rows on each. Throws Error (bad_input) also for rows that do not follow on each
  /// other, options that differ, and fewer rows than processes.
  Solver(Session& session, const Rows& rows, const Options& options = {});
  /// What `fill` throws ends the call.
  Solver(Session& session, const MatrixRows& a, const Options& options = {});
  ~Solver();
  Solver(Solver&& other) noexcept;
  Solver& operator=(Solver&& other) noexcept;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Solves for one right-hand side. b and x have own_rows() values and may be the same memory; the bits of x are the
  /// same for every number of blocks, units and processes (naive and refined flows: of blocks and units). `progress` is
  /// called every few iterations; what it throws ends the solve, and the solver can be used again. Throws Error:
  /// bad_input for a wrong length, values that are not finite, and a matrix that turns out not to be positive definite.
  /// A solve that does not converge is no error: see Result::outcome.
  Result solve(std::span<const double> b, std::span<double> x, Start start = Start::zero,
               const std::function<void(const Progress&)>& progress = {});

  /// Solves for several right-hand sides: b and x have own_rows() values for each. On cores, with the fused flow and
  /// without ssor and amg, up to eight at once, for which each product reads the matrix once; then `progress` has the
  /// largest residual, and Result::seconds is of all of them. Otherwise one after the other. The bits are those of
  /// solve().
  std::vector<Result> solve_all(std::span<const double> b, std::span<double> x, Start start = Start::zero,
                                const std::function<void(const Progress&)>& progress = {});

  /// Rows and entries of the whole matrix.
  [[nodiscard]] std::int64_t rows() const noexcept;
  [[nodiscard]] std::int64_t entries() const noexcept;
  /// The rows of this process that right-hand sides and solutions are of; in one process all.
  [[nodiscard]] std::int64_t first_row() const noexcept;
  [[nodiscard]] std::int64_t own_rows() const noexcept;
  /// The preconditioner that Preconditioner::automatic stands for, and why.
  [[nodiscard]] Preconditioner preconditioner() const noexcept;
  [[nodiscard]] const std::string& reason() const noexcept;

 private:
  class ASTERISM_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace cg
ASTERISM_END_INTERFACE
}  // namespace asterism
