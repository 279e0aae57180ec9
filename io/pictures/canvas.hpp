// SPDX-License-Identifier: Apache-2.0
// A picture to draw on: smooth lines, discs, text and pixels, by Cairo.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace asterism::output {

using Colour = std::array<std::uint8_t, 3>;
inline constexpr Colour paper{255, 255, 255}, ink{30, 30, 30};

/// Pixels, sRGB, row by row, the lowest row first.
struct Raster {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// What a canvas becomes: pixels, or lines and letters that stay sharp at any size.
enum class Drawing { pixels, svg };

/// Coordinates in pixels from the lower left corner, pixel centres at halves. What lies outside is not drawn.
/// Throws Error (failed) when there is not enough memory.
class Canvas {
 public:
  static constexpr double font_size = 16;  ///< pixels

  Canvas(std::size_t width, std::size_t height, Colour background, Drawing drawing = Drawing::pixels);
  ~Canvas();
  Canvas(Canvas&&) noexcept;
  Canvas& operator=(Canvas&&) noexcept;

  /// The pixel of column x and row y, from the lower left corner; it has to be inside. Of pixels.
  void paint(std::size_t x, std::size_t y, Colour colour);
  /// With round ends.
  void line(double x0, double y0, double x1, double y1, double width, Colour colour);
  /// From point to point; lengths of dashes and gaps in turn, none: without gaps.
  void path(std::span<const std::array<double, 2>> points, double width, Colour colour, std::span<const double> dashes);
  void disc(double x, double y, double radius, Colour colour);
  /// `x`, `y`: of the middle of the text's left end; `upwards`: read from below, the end is the lower one.
  /// `align` of the length to its left (below): 0 begins there, 0.5 is centred, 1 ends there. UTF-8.
  void text(double x, double y, const std::string& text, double align, Colour colour, bool upwards = false,
            double size = font_size);
  /// Pixels of a text along its line.
  [[nodiscard]] double text_length(const std::string& text, double size = font_size) const;

  [[nodiscard]] Raster raster() const;  ///< of pixels
  /// The file of an SVG; nothing can be drawn afterwards.
  [[nodiscard]] std::string svg();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace asterism::output
