// SPDX-License-Identifier: Apache-2.0
// Density and velocity of a lattice that several ranks share, an array [rho, u, v, w][z][y][x]: what files need of it.
// All ranks call these functions together.
#pragma once

#include <filesystem>
#include <vector>

#include "base/array.hpp"
#include "codelets/lbm/kernels/brick.hpp"
#include "runtime/ranks/distributed_array.hpp"
#include "runtime/ranks/distributed_hdf5_series.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/fields/centre_lines.hpp"
#include "taskflows/lbm/fields/fields.hpp"
#include "taskflows/lbm/fields/slice.hpp"

namespace asterism::lbm {

/// What lies in a box, on rank 0; nothing on the others.
template <class T>
class FieldsInBox {
 public:
  FieldsInBox(const DistributedArray& all, const Box& box);

  [[nodiscard]] Fields<T> fields() const;
  [[nodiscard]] Grid grid() const { return {box_.x1 - box_.x0, box_.y1 - box_.y0, box_.z1 - box_.z0}; }
  /// Component 0, 1 or 2 of the velocity of a cell in the box.
  [[nodiscard]] double velocity(int component, int x, int y, int z) const;

 private:
  Box box_;
  Array<char> values_;
};

/// "rho" and "velocity", as long as the array.
template <class T>
std::vector<output::DistributedField> distributed_named(const DistributedArray& all);

/// Written by rank 0, which gets the plane and those beside it: see slice.hpp.
template <class T>
void write_distributed_png(const std::filesystem::path& path, const Grid& grid, const DistributedArray& all,
                           const Slice& slice);

/// On rank 0, which gets the two lines; empty on the others.
template <class T>
CentreLines distributed_centre_lines(const Case& flow, const DistributedArray& all);

}  // namespace asterism::lbm
