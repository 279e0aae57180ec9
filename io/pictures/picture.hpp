// SPDX-License-Identifier: Apache-2.0
// A plane of a grid as a PNG picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "io/pictures/canvas.hpp"
#include "io/pictures/colour_map.hpp"
#include "io/series/series.hpp"

namespace asterism::output {

/// The plane x, y or z = index of a grid.
struct Section {
  std::size_t axis = 2;    ///< 0, 1, 2: x, y, z
  std::int32_t index = 0;  ///< of cells or nodes

  /// The axes that are to the right and upwards: z = index has x and y, y = index x and z, x = index y and z.
  [[nodiscard]] std::size_t right() const { return axis == 0 ? 1 : 0; }
  [[nodiscard]] std::size_t up() const { return axis == 2 ? 1 : 2; }
};

/// Row by row, width x height values, the lowest row first.
struct Plane {
  std::size_t width, height;
  std::vector<double> values;
};

struct Colouring {
  ColourMap map = ColourMap::viridis;
  /// What the ends of the colour map mean; else the least and the largest value of the plane, or, for a diverging map,
  /// the largest distance from `centre` on both sides.
  std::optional<double> low = {}, high = {};
  double centre = 0;
  std::int32_t zoom = 1;  ///< pixels per value in both directions; 0, in a frame: as the picture needs
};

/// What the ends of the colours mean.
std::pair<double, double> range_of(const Plane& plane, const Colouring& colouring);
/// Magenta for what is not finite; a plane of one value only is in the middle of the colours.
Colour colour_of(ColourMap map, double value, double low, double high);

/// Throws Error (bad_input), beginning with `path`: a plane outside of the grid, a zoom below 1, a range that does not
/// ascend, a name that cannot be written.
void check_picture(const std::filesystem::path& path, const std::array<std::int32_t, 3>& n, const Section& section,
                   const Colouring& colouring);

/// value({x, y, z}) in the plane, by all OpenMP threads.
template <class Value>
Plane sample(const std::array<std::int32_t, 3>& n, const Section& section, const Value& value) {
  Plane plane{static_cast<std::size_t>(n[section.right()]), static_cast<std::size_t>(n[section.up()]), {}};
  plane.values.resize(plane.width * plane.height);
#pragma omp parallel for
  for (std::int32_t y = 0; y < n[section.up()]; ++y) {
    std::array<std::int32_t, 3> place{};
    place[section.axis] = section.index;
    place[section.up()] = y;
    for (std::int32_t x = 0; x < n[section.right()]; ++x) {
      place[section.right()] = x;
      plane.values[static_cast<std::size_t>(y) * plane.width + static_cast<std::size_t>(x)] = value(place);
    }
  }
  return plane;
}

/// Rows go from top to bottom. Values that are not finite are magenta and do not count for the range. Throws Error
/// (bad_input) for a name that cannot be written, Error (failed) when the disk is full; then an older picture stays.
void write_png(const std::filesystem::path& path, const Plane& plane, const Colouring& colouring);
/// The pixels as they are.
void write_png(const std::filesystem::path& path, const Raster& raster);
/// A scalar, or the magnitude of a vector. T: float or double.
template <class T>
Plane plane_of(const Grid& grid, const Field<T>& field, const Section& section);

}  // namespace asterism::output
