// SPDX-License-Identifier: Apache-2.0
// A plane of the lattice as a PNG picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/pictures/colour_map.hpp"
#include "io/pictures/frame.hpp"
#include "taskflows/lbm/fields/fields.hpp"

namespace asterism::lbm {

using output::colour;
using output::ColourMap;

/// The vorticity is that of central differences in units of velocity per cell, one-sided at the faces of the lattice.
enum class Quantity { speed, u, v, w, rho, vorticity_x, vorticity_y, vorticity_z };

struct Slice {
  std::size_t axis = 2;    ///< 0, 1, 2: the plane x, y or z = index
  std::int32_t index = 0;  ///< of cells
  Quantity quantity = Quantity::speed;
  /// What the ends of the colour map mean; else the least and the largest value of the plane, or, for a diverging map,
  /// the largest magnitude on both sides of 0 (of 1 for rho).
  std::optional<double> low = {}, high = {};
  std::optional<ColourMap> map = {};        ///< else viridis for the speed and rho, diverging for what has a sign
  std::int32_t zoom = 1;                    ///< pixels per cell in both directions
  std::optional<output::Frame> frame = {};  ///< with title, axes and colour bar; else the plane's pixels alone
};

/// "speed (cells per step)"
std::string show(Quantity quantity);

/// Rows go from top to bottom. The plane z = index has x to the right and y upwards, y = index x and z, x = index y and
/// z. Cells whose value is not finite are magenta and do not count for the range. Throws Error (bad_input) for a plane
/// outside of the lattice, a zoom below 1 and a name that cannot be written, Error (failed) when the disk is full; then
/// an older picture stays.
template <class T>
void write_png(const std::filesystem::path& path, const Grid& grid, const Fields<T>& fields, const Slice& slice);

}  // namespace asterism::lbm
