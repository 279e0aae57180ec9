// SPDX-License-Identifier: Apache-2.0
// A problem of time-domain boundary elements: bodies, what they do to waves, the waves, and how time is cut. It is
// solved by marching on in time (equation (2) of Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015)),
//   M^0 a^n = l^n - sum_(k=1)^Kmax M^k a^(n-k),
// n the time step, a^n the unknowns, l^n the incident wave at the bodies, M^k(i, j) what unknown j radiates to i in k
// steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "codelets/tdbem/kernels/assembly/boundary.hpp"
#include "codelets/tdbem/kernels/assembly/pair_rules.hpp"
#include "codelets/tdbem/kernels/march/solve.hpp"
#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/waves/pulse.hpp"
#include "taskflows/tdbem/surface/surface.hpp"

namespace asterism::tdbem {

/// How M^0 a = s is solved.
enum class Solver : std::uint8_t {
  conjugate_gradients,  ///< on any unit, from where the last steps point to
  factorisation,        ///< MUMPS, on a core
};

struct Problem {
  Surface surface;  ///< its numbering is that of the unknowns
  Boundary boundary = Boundary::rigid;
  double speed = 1;  ///< of sound, m/s
  double dt = 1;     ///< s
  /// Step n is at (first_step + n) dt. Before step 0 all is still: a pulse that is cut off there drives a rigid body's
  /// constant mode, which then grows with time.
  std::int64_t first_step = 0;
  std::vector<IncidentWave> waves;  ///< scattered one by one, with the same matrices
  std::vector<Point> observers;     ///< outside of the bodies
  PairRuleOptions rules;
  /// Type of Matrices and Simulation; matrices are computed in double precision whatever it is.
  Precision precision = Precision::double_precision;
  SolveLimits limits;
  Solver solver = Solver::conjugate_gradients;
};

/// Which rows' radiation stage a rank of several takes part in.
enum class Radiation : std::uint8_t {
  suitable,  ///< all of them where some rank has a GPU, which needs microseconds for it, else its own
  all_rows,  ///< every rank that of all rows: ranks exchange once in a group of steps
  own_rows,  ///< each that of its rows: ranks exchange right-hand sides before each step
};

/// What computes the products of the summation stage.
enum class Kernel : std::uint8_t {
  panels,               ///< multi-vectors/vector, panels of 32 rows, each as wide as its longest row-vector
  contiguous_blocking,  ///< the same with panels as wide as the longest row-vector of all, as published (section 5.2)
  full_blocking,        ///< dense blocks of b_r rows and b_c lags (section 5.1)
  scalar,               ///< a scalar product per row-vector and summation vector (section 3.2); CPUs only
  matrix_vector,        ///< a row-vector times a matrix of past values (section 3.3); CPUs only
};
inline constexpr Kernel kernels[] = {Kernel::panels, Kernel::contiguous_blocking, Kernel::full_blocking, Kernel::scalar,
                                     Kernel::matrix_vector};
/// As on command lines: "full-blocking".
const char* name_of(Kernel kernel);
/// Throws Error (bad_input) with all names, and with the nearest one.
Kernel kernel_named(const std::string& name);
/// Whether GPUs have it.
constexpr bool runs_on_gpus(Kernel kernel) {
  return kernel != Kernel::scalar && kernel != Kernel::matrix_vector;
}

/// How a problem is solved; the answer depends on it by rounding only.
struct Method {
  /// n_g: summation vectors computed at once, 1 to 16
  std::int32_t group = 8;
  /// Products for the next group run while this group is being solved; what its solutions add to the next one is left
  /// to the radiation stage, which then reaches over two groups: group up to 8.
  bool ahead = false;
  /// Unknowns of a block of slices and of a tile, a multiple of panel_rows; 0: by the number of unknowns and units
  std::int32_t block_size = 0;
  Radiation radiation = Radiation::suitable;
  Kernel kernel = Kernel::panels;
  BlockShape shape_of_full_blocks{64, 32};  ///< of Kernel::full_blocking
};

/// Throws Error (bad_input), one line: speeds, steps, groups, block sizes and shapes that cannot be, no wave, waves of
/// another speed.
void check(const Problem& problem, const Method& method);

/// Times between which the waves are at the bodies: their right-hand sides are zero before and after, s.
struct Passage {
  double begin = 0, end = 0;
};
Passage passage(const Problem& problem);
/// The latest first step before which all is still.
std::int64_t first_step_of(const Problem& problem);

}  // namespace asterism::tdbem
