// SPDX-License-Identifier: Apache-2.0
// A picture to draw on: smooth lines, discs and text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace asterism::output {

using Colour = std::array<std::uint8_t, 3>;

/// Pixels, sRGB, row by row, the lowest row first.
struct Raster {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// Coordinates in pixels from the lower left corner, pixel centres at halves. What lies outside is not drawn.
class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height, Colour background);

  /// The pixel of column x and row y, from the lower left corner; it has to be inside.
  void paint(std::size_t x, std::size_t y, Colour colour);
  void line(double x0, double y0, double x1, double y1, double width, Colour colour);
  void disc(double x, double y, double radius, Colour colour) { line(x, y, x, y, 2 * radius, colour); }
  /// `x`, `y`: of the middle of the text's left end; `upwards`: read from below, the end is the lower one.
  /// `align` of the length to its left (below): 0 begins there, 0.5 is centred, 1 ends there. `dot`: pixels of a dot.
  void text(double x, double y, std::string_view text, double align, Colour colour, bool upwards = false, int dot = 2);

  [[nodiscard]] const Raster& raster() const { return raster_; }

 private:
  /// Mixes the colour in by its share of the pixel.
  void blend(std::int64_t x, std::int64_t y, double share, Colour colour);

  Raster raster_;
};

/// Pixels of a text along its line.
int text_length(std::string_view text, int dot = 2);

}  // namespace asterism::output
