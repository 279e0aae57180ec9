// SPDX-License-Identifier: Apache-2.0
// A plane of a grid as a picture for a page: title, axes with units, outlines of bodies, and what the colours mean.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/pictures/canvas.hpp"
#include "io/pictures/picture.hpp"

namespace asterism::output {

/// What is written around a plane.
struct Frame {
  std::string title;
  std::string quantity;                    ///< beside the colours, with its unit
  std::string unit;                        ///< of the axes; m: or mm, um, nm where these are shorter
  std::array<double, 3> origin{0, 0, 0};   ///< lower corner of the grid
  std::array<double, 3> spacing{1, 1, 1};  ///< sides of a cell
  /// A number for each cell of the plane, by its place to the right and upwards: lines are drawn where it changes.
  std::function<int(std::int32_t right, std::int32_t up)> body = {};
};

inline constexpr std::size_t frame_width = 800;  ///< pixels at least

/// `colouring.zoom` 0: so many pixels per value that the longer side has 640 or little less, one at least.
/// Throws as write_png of a plane.
void write_png(const std::filesystem::path& path, const Plane& plane, const Colouring& colouring,
               const Section& section, const Frame& frame);

/// Colours from below to above, with their values to the right, the ends below and above, and what they are.
struct ColourBar {
  double left, bottom, top;  ///< pixels
  ColourMap map;
  double low, high;  ///< values of the ends
  std::string quantity = {};
};
inline constexpr double bar_width = 26;
void draw_bar(Canvas& canvas, const ColourBar& bar);

}  // namespace asterism::output
