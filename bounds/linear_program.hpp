// SPDX-License-Identifier: Apache-2.0
// Linear and mixed-integer programs, minimised by lp_solve.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct _lprec;  // NOLINT(bugprone-reserved-identifier): the name in lp_solve

namespace asterism::bounds {

enum class Relation { at_most, equal, at_least };

struct Coefficient {
  int row = 0;
  double value = 0;
};

struct Solution {
  double objective = 0;
  std::vector<double> value;  ///< per column
  std::vector<double> dual;   ///< per row: d objective / d right-hand side; empty for a mixed-integer program
};

/// Rows first, then columns with their coefficients. Numbers of rows and columns count from 0. lp_solve works with
/// absolute tolerances around 1e-9: bring values near 1.
class LinearProgram {
 public:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  explicit LinearProgram(const std::string& name);

  /// Names: letters, digits and '_', not starting with a digit; they only matter to write().
  int add_row(const std::string& name, Relation relation, double right_hand_side);
  int add_column(const std::string& name, double cost, std::span<const Coefficient> coefficients, double lower = 0,
                 double upper = infinity, bool integer = false);

  [[nodiscard]] int rows() const;
  [[nodiscard]] int columns() const;

  /// Throws Error (failed) when there is no optimum, or none is proven within the time limit (0: none) in seconds.
  Solution minimise(long time_limit = 0);

  /// lp_solve's own format; free MPS, which GLPK, CPLEX and others read, when the name ends in .mps. Throws Error
  /// (failed) when the file cannot be written; it appears complete or not at all.
  void write(const std::filesystem::path& path);

 private:
  struct Delete {
    void operator()(_lprec* lp) const;
  };
  std::unique_ptr<_lprec, Delete> lp_;
  std::string name_;
  bool integer_ = false;
};

/// `text` with everything but letters and digits replaced by '_'.
std::string program_name(const std::string& text);

}  // namespace asterism::bounds
