// SPDX-License-Identifier: Apache-2.0
// Problems with a name: the thesis' benchmark, a cavity in one of its modes, and a box to be filled by options.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/precision.hpp"
#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

struct CaseOptions {
  std::string name = "benchmark";
  std::array<int, 3> cells{100, 100, 100};
  std::array<double, 3> spacing{1, 1, 1};
  std::optional<double> courant;  ///< none: as the case has it
  Precision precision = Precision::double_precision;
  std::array<int, 3> mode{1, 1, 1};  ///< of the cavity: half waves along x, y and z
  std::array<std::optional<Face>, 6> face;
  std::array<std::optional<int>, 6> layer;  ///< cells of absorbing layers
  std::optional<double> pulse;              ///< width of that of the dipole, s; none: 20 steps
};

struct Case {
  Problem problem;
  std::string describe;
  /// E at a step, where that is known: to be met but for rounding
  std::function<double(long step, int component, int i, int j, int k)> exact;
  /// Is an entry among those for which that is so? None: all are
  std::function<bool(int component, int i, int j, int k)> compared;
  double amplitude = 0;                  ///< of it
  double discretisation = 0;             ///< what the grid may add to errors, by the amplitude
  std::vector<std::string> probe_names;  ///< empty: from their entries
  double resonance = 0;                  ///< of the cavity on the grid: frequency, Hz
  double continuum = 0;                  ///< the same without a grid
  std::optional<double> validation;      ///< published sum of Ez after `validation_steps`
};

inline constexpr long validation_steps = 200;

/// The field (V/m) of a Hertzian dipole p z^, whose moment is that of `moment` (C m) with its first two derivatives, at
/// a place beside it (m):
///   E = ((3 n n - 1) (p / r^3 + p' / (c r^2)) + (n n - 1) p'' / (c^2 r)) z^ / (4 pi eps0),  at t - r / c
double hertzian_field(const std::function<std::array<double, 3>(double)>& moment, double eps0, double mu0, double time,
                      int component, const std::array<double, 3>& at);

/// Names and what they are.
const std::vector<std::pair<std::string, std::string>>& case_names();
/// Throws Error (bad input) for an unknown name, and as check() does.
Case make_case(const CaseOptions& options);

/// Frequency (Hz) at which a mode of a box of electric conductors oscillates on the grid (Taflove and Hagness, chapter
/// 4), and the one that it has without a grid (dt = 0 and vanishing spacings).
///   (sin(w dt / 2) / (c dt))^2 = sum over axes of (sin(k d / 2) / d)^2,  k = p pi / (n d)
double resonance_on_grid(const Problem& problem, const std::array<int, 3>& mode);
double resonance(const Problem& problem, const std::array<int, 3>& mode);

/// Floating-point operations of `steps` steps by formula (4.1) of the thesis.
double benchmark_flops(const std::array<int, 3>& cells, long steps);

/// A pulse exp(-((t - 3 width) / width)^2) of current: A m.
std::function<double(double)> gaussian(double width);

}  // namespace asterism::fdtd
