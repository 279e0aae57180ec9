// SPDX-License-Identifier: Apache-2.0
// Triangles on a grid of samples, the nearest one wins; several samples a pixel make edges smooth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/pictures/canvas.hpp"

namespace asterism::tdbem {

/// A corner as it is seen.
struct SeenCorner {
  double x = 0, y = 0;  ///< pixels from the lower left corner of the picture, y upwards
  double depth = 0;     ///< larger is nearer to the viewer
  double value = 0;     ///< place in the colour map, 0 to 1
  double light = 1;     ///< share of the colour's brightness, 0 to 1
};

/// Colours of places in a colour map.
using Palette = std::vector<output::Colour>;

class Rasteriser {
 public:
  /// Pixels of the picture.
  Rasteriser(std::size_t width, std::size_t height);

  /// Draws a triangle whose corners turn anticlockwise as it is seen; others show their back and are left out. Values
  /// and light are interpolated. Where a value is not finite: magenta.
  void draw(const std::array<SeenCorner, 3>& corners, const Palette& palette);
  /// Paints what was drawn over the canvas, which is as large; the mean over the samples of each pixel.
  void paint(output::Canvas& canvas, const output::Colour& background) const;

 private:
  std::size_t width_, height_;  ///< samples
  std::vector<float> depth_;
  std::vector<output::Colour> colour_;
};

}  // namespace asterism::tdbem
