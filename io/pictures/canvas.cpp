// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/canvas.hpp"

#include <algorithm>
#include <cmath>

#include "io/pictures/font.hpp"

namespace asterism::output {

Canvas::Canvas(std::size_t width, std::size_t height, Colour background) : raster_{width, height, {}} {
  raster_.rgb.reserve(3 * width * height);
  for (std::size_t p = 0; p < width * height; ++p)
    raster_.rgb.insert(raster_.rgb.end(), background.begin(), background.end());
}

void Canvas::blend(std::int64_t x, std::int64_t y, double share, Colour colour) {
  if (share <= 0 || x < 0 || y < 0 || x >= static_cast<std::int64_t>(raster_.width) ||
      y >= static_cast<std::int64_t>(raster_.height))
    return;
  std::uint8_t* const pixel =
      raster_.rgb.data() + 3 * (static_cast<std::size_t>(y) * raster_.width + static_cast<std::size_t>(x));
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + share * (colour[c] - pixel[c])));
}

void Canvas::paint(std::size_t x, std::size_t y, Colour colour) {
  for (std::size_t c = 0; c < 3; ++c) raster_.rgb[3 * (y * raster_.width + x) + c] = colour[c];
}

/// A pixel is covered by how far its centre is inside the edge, which is half a pixel wide to both sides.
void Canvas::line(double x0, double y0, double x1, double y1, double width, Colour colour) {
  const double dx = x1 - x0, dy = y1 - y0;
  const double square = dx * dx + dy * dy;
  const double reach = width / 2 + 1;
  const auto first = [reach](double a, double b) {
    return static_cast<std::int64_t>(std::floor(std::min(a, b) - reach));
  };
  const auto last = [reach](double a, double b) {
    return static_cast<std::int64_t>(std::ceil(std::max(a, b) + reach));
  };
  for (std::int64_t y = first(y0, y1); y <= last(y0, y1); ++y)
    for (std::int64_t x = first(x0, x1); x <= last(x0, x1); ++x) {
      const double px = static_cast<double>(x) + 0.5 - x0, py = static_cast<double>(y) + 0.5 - y0;
      const double along = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0;
      const double distance = std::hypot(px - along * dx, py - along * dy);
      blend(x, y, std::clamp(width / 2 + 0.5 - distance, 0.0, 1.0), colour);
    }
}

void Canvas::text(double x, double y, std::string_view text, double align, Colour colour, bool upwards, int dot) {
  const double before = align * text_length(text, dot);
  const auto left = static_cast<std::int64_t>(std::lround((upwards ? y : x) - before));
  const auto base = static_cast<std::int64_t>(std::lround((upwards ? -x : y) - dot * glyph_ascent / 2.0));
  for (std::size_t n = 0; n < text.size(); ++n) {
    int row = 0, column = 0;
    for (const char mark : glyph(text[n])) {
      if (mark == '|') {
        ++row;
        column = 0;
        continue;
      }
      for (int p = 0; mark == '#' && p < dot * dot; ++p) {
        const std::int64_t along = left + static_cast<std::int64_t>(n) * glyph_advance * dot + column * dot + p % dot;
        const std::int64_t above = base + static_cast<std::int64_t>(glyph_ascent - 1 - row) * dot + p / dot;
        if (upwards)
          blend(-above - 1, along, 1, colour);
        else
          blend(along, above, 1, colour);
      }
      ++column;
    }
  }
}

int text_length(std::string_view text, int dot) {
  return static_cast<int>(text.size()) * glyph_advance * dot;
}

}  // namespace asterism::output
