// The command line of asterism-cg.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apps/common/simulate.hpp"
#include "base/array.hpp"
#include "runtime/session.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/options.hpp"
#include "taskflows/cg/partition.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::apps::cg {

struct Arguments {
  // the system
  std::string matrix;
  std::string stencil;
  std::string mesh;
  std::string element = "p2";
  std::string rhs = "ones";
  // the method; choices left open are made when the units are known
  asterism::cg::Options options;
  std::optional<int> blocks;
  std::optional<asterism::cg::Transfer> transfer;
  std::optional<asterism::cg::VectorMode> vector;
  std::optional<asterism::cg::DotMode> dot;
  std::optional<asterism::cg::XUpdate> x_update;
  std::string preconditioner = "none";
  int preconditioner_block = 3;
  std::optional<int> iterations;  ///< exactly so many
  // the machine
  SessionOptions session;
  Simulated platform;  ///< to simulate, if any
  std::string units = "default";
  // results
  std::string solution;
  asterism::cg::Checkpoints checkpoints;
  std::string json;
  std::string trace;       ///< folder
  bool calibrate = false;  ///< measure every codelet on every kind of unit first
  bool verify = false;
  bool efficiency = false;
  bool quiet = false;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

/// The matrix that the arguments name, of which any rows can be had; all of them once, and last.
struct MatrixSource {
  asterism::cg::RowCounts counts;
  std::function<asterism::cg::CsrMatrix(std::int64_t first, std::int64_t last)> rows;
};
/// A file is read here, and checked for symmetry and a positive diagonal; a generated matrix is made by rows().
MatrixSource open_matrix(const Arguments& arguments);

/// The right-hand side of the rows of `a`; `known` receives the solution when the right-hand side was made from one.
Array<double> load_right_hand_side(const Arguments& arguments, const asterism::cg::CsrMatrix& a, Array<double>& known);

/// The choices left open, for the units at hand.
asterism::cg::Options complete_options(const Arguments& arguments, const Session& session);

}  // namespace asterism::apps::cg
