// SPDX-License-Identifier: Apache-2.0
// The surface coloured by its values, as a PNG picture: seen from far away, softly lit, with a bar of colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "io/pictures/colour_map.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

/// Where the viewer stands and what is upwards in the picture; any lengths.
struct View {
  Point from = {1, -1.6, 0.9};   ///< direction from the surface to the viewer
  std::optional<Point> up = {};  ///< else z, or y where that is seen along z
};

/// What the ends of the colours mean.
struct ValueRange {
  double low = -1, high = 1;
};
/// As far on both sides of 0 as the values reach; those that are not finite do not count. -1 to 1 if all are 0.
ValueRange symmetric_range(std::span<const double> values);

struct SurfacePicture {
  View view = {};
  std::optional<ValueRange> range = {};  ///< else symmetric_range()
  output::ColourMap map = output::ColourMap::diverging;
  std::string title = {};
  std::string quantity = {};              ///< beside the colours, with its unit
  std::size_t width = 960, height = 720;  ///< pixels
};

/// "total pressure, t = 0.0125 s" or "normal derivative of pressure, t = ..." of a step.
std::string picture_title(const Problem& problem, std::int64_t step);
/// What its colours are.
std::string picture_quantity(const Problem& problem);

/// values: by unknown, interpolated over triangles; where one is not finite its triangles are magenta. Orthographic
/// projection; what is behind is hidden. Throws Error (bad_input) for names that cannot be written, views without
/// direction or along `up`, ranges that do not ascend and pictures below 320 x 240 or above 16384 pixels; Error
/// (failed) for other numbers of values and when the disk is full; then an older picture stays.
void draw_surface(const std::filesystem::path& path, const Surface& surface, std::span<const double> values,
                  const SurfacePicture& picture);

}  // namespace asterism::tdbem
