// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/results/rasteriser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace asterism::tdbem {
namespace {

constexpr std::size_t samples = 3;  // per pixel and direction
constexpr float nothing = -std::numeric_limits<float>::infinity();
constexpr output::Colour magenta{255, 0, 255};

/// Twice the area of (a, b, p): positive if p is to the left of the way from a to b.
double left_of(const SeenCorner& a, const SeenCorner& b, double x, double y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

output::Colour lit(const Palette& palette, double value, double light) {
  if (!std::isfinite(value)) return magenta;
  const auto last = static_cast<double>(palette.size() - 1);
  output::Colour c = palette[static_cast<std::size_t>(std::lround(std::clamp(value, 0.0, 1.0) * last))];
  for (std::uint8_t& channel : c) channel = static_cast<std::uint8_t>(std::lround(channel * light));
  return c;
}

struct Samples {
  std::size_t first, end;
};
/// Those whose centres are between two places, in samples.
Samples between(double low, double high, std::size_t count) {
  const double most = static_cast<double>(count);
  const double first = std::clamp(std::ceil(low - 0.5), 0.0, most);
  const double end = std::clamp(std::floor(high - 0.5) + 1, first, most);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(end)};
}

}  // namespace

Rasteriser::Rasteriser(std::size_t width, std::size_t height)
    : width_(width * samples),
      height_(height * samples),
      depth_(width_ * height_, nothing),
      colour_(width_ * height_) {}

void Rasteriser::draw(const std::array<SeenCorner, 3>& corners, const Palette& palette) {
  std::array<SeenCorner, 3> c = corners;
  for (SeenCorner& corner : c) {
    corner.x *= samples;
    corner.y *= samples;
  }
  const double area = left_of(c[0], c[1], c[2].x, c[2].y);
  if (!(area > 0)) return;
  const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x});
  const auto [low, high] = std::minmax({c[0].y, c[1].y, c[2].y});
  const Samples columns = between(left, right, width_), rows = between(low, high, height_);
  for (std::size_t row = rows.first; row < rows.end; ++row)
    for (std::size_t column = columns.first; column < columns.end; ++column) {
      const double x = static_cast<double>(column) + 0.5, y = static_cast<double>(row) + 0.5;
      const double share[3] = {left_of(c[1], c[2], x, y) / area, left_of(c[2], c[0], x, y) / area,
                               left_of(c[0], c[1], x, y) / area};
      if (share[0] < 0 || share[1] < 0 || share[2] < 0) continue;
      const auto mix = [&](double SeenCorner::*of) {
        return share[0] * c[0].*of + share[1] * c[1].*of + share[2] * c[2].*of;
      };
      const std::size_t at = row * width_ + column;
      const auto depth = static_cast<float>(mix(&SeenCorner::depth));
      if (depth <= depth_[at]) continue;
      depth_[at] = depth;
      colour_[at] = lit(palette, mix(&SeenCorner::value), mix(&SeenCorner::light));
    }
}

void Rasteriser::paint(output::Canvas& canvas, const output::Colour& background) const {
  for (std::size_t y = 0; y < height_ / samples; ++y)
    for (std::size_t x = 0; x < width_ / samples; ++x) {
      std::array<std::uint32_t, 3> sum{};
      std::size_t covered = 0;
      for (std::size_t s = 0; s < samples * samples; ++s) {
        const std::size_t at = (y * samples + s / samples) * width_ + x * samples + s % samples;
        const bool drawn = depth_[at] != nothing;
        covered += drawn ? 1 : 0;
        for (std::size_t d = 0; d < 3; ++d) sum[d] += drawn ? colour_[at][d] : background[d];
      }
      if (covered == 0) continue;
      output::Colour mean{};
      constexpr std::uint32_t all = samples * samples;
      for (std::size_t d = 0; d < 3; ++d) mean[d] = static_cast<std::uint8_t>((sum[d] + all / 2) / all);
      canvas.paint(x, y, mean);
    }
}

}  // namespace asterism::tdbem
