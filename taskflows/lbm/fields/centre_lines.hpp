// SPDX-License-Identifier: Apache-2.0
// Velocity along the centre lines of the x-z mid-plane, and published ones of the lid-driven cavity.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/fields/fields.hpp"

namespace asterism::lbm {

/// Positions in units of the domain's length along the line, from 0 to 1, ascending; velocities in units of the flow's.
struct Line {
  std::vector<double> position, velocity;
  /// Between the points: by the cubic through the four nearest.
  [[nodiscard]] double at(double where) const;
};

struct CentreLines {
  Line u;  ///< u(z) at half of x and y
  Line w;  ///< w(x) at half of y and z
};

/// Component 0, 1 or 2 of a cell's velocity.
using VelocityOfCell = std::function<double(int component, int x, int y, int z)>;

/// Cell centres, and the walls where the lines meet some; a line between cells is the mean of its two or four
/// neighbours.
CentreLines centre_lines(const Case& flow, const VelocityOfCell& velocity);
template <class T>
CentreLines centre_lines(const Case& flow, const Fields<T>& fields);

/// CSV: line, position, velocity. Throws Error.
void write_centre_lines(const std::filesystem::path& path, const CentreLines& lines);

/// How far centre lines are from published ones.
struct Deviation {
  std::string source;
  double u = 0;  ///< largest difference, in units of the lid's velocity
  std::optional<double> w;
};

/// Steady cavities with a lid of the same Reynolds number: cubic at 1000 (Albensoeder and Kuhlmann, Journal of
/// Computational Physics 206, 2005), two-dimensional (periodic along y) at 100 and 400 (Ghia, Ghia and Shin, ibid. 48,
/// 1982). Nothing for other flows.
std::optional<Deviation> deviation_from_published(const Case& flow, const CentreLines& lines);

}  // namespace asterism::lbm
