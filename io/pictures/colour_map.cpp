// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace asterism::output {
namespace {

using Rgb = std::array<double, 3>;

/// Polynomial of degree 6 through viridis (Smith and van der Walt, matplotlib 2015; fit: Zucker, 2017, CC0).
Rgb viridis(double t) {
  constexpr std::array<Rgb, 7> c = {{{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
                                     {0.1050930431085774, 1.404613529898575, 1.384590162594685},
                                     {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
                                     {-4.634230498983486, -5.799100973351585, -19.33244095627987},
                                     {6.228269936347081, 14.17993336680509, 56.69055260068105},
                                     {4.776384997670288, -13.74514537774601, -65.35303263337234},
                                     {-5.435455855934631, 4.645852612178535, 26.3124352495832}}};
  Rgb sum = c.back();
  for (std::size_t k = c.size() - 1; k-- > 0;) {
    for (std::size_t d = 0; d < 3; ++d) sum[d] = sum[d] * t + c[k][d];
  }
  return sum;
}

double linear_to_srgb(double x) {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

/// From Msh (magnitude, saturation, hue), the polar form of CIELAB, with white point D65.
Rgb msh_to_rgb(const Rgb& msh) {
  const double lightness = msh[0] * std::cos(msh[1]);
  const double a = msh[0] * std::sin(msh[1]) * std::cos(msh[2]);
  const double b = msh[0] * std::sin(msh[1]) * std::sin(msh[2]);
  const auto inverse = [](double f) {
    constexpr double delta = 6.0 / 29;
    return f > delta ? f * f * f : 3 * delta * delta * (f - 4.0 / 29);
  };
  const double fy = (lightness + 16) / 116;
  const double x = 0.95047 * inverse(fy + a / 500);
  const double y = inverse(fy);
  const double z = 1.08883 * inverse(fy - b / 200);
  return {linear_to_srgb(3.2406 * x - 1.5372 * y - 0.4986 * z), linear_to_srgb(-0.9689 * x + 1.8758 * y + 0.0415 * z),
          linear_to_srgb(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

/// The diverging map of Moreland, "Diverging Color Maps for Scientific Visualization", ISVC 2009: from blue (59, 76,
/// 192) over grey (221, 221, 221) to red (180, 4, 38), hue turned on the way to grey so that lightness bends smoothly.
Rgb cool_warm(double t) {
  constexpr Rgb blue = {80, 1.08, -1.1};
  constexpr Rgb red = {80, 1.08, 0.5};
  constexpr double middle = 88;
  const bool is_low = t < 0.5;
  const Rgb& end = is_low ? blue : red;
  const double spin = 1.08 * std::sqrt(middle * middle - 80 * 80) / (80 * std::sin(1.08));
  const double weight = is_low ? 1 - 2 * t : 2 * t - 1;  // of the end
  const double grey_hue = end[2] + (end[2] > -std::numbers::pi / 3 ? spin : -spin);
  return msh_to_rgb(
      {weight * end[0] + (1 - weight) * middle, weight * end[1], weight * end[2] + (1 - weight) * grey_hue});
}

}  // namespace

std::array<std::uint8_t, 3> colour(ColourMap map, double value) {
  if (std::isnan(value)) return {255, 0, 255};
  const double t = std::clamp(value, 0.0, 1.0);
  const Rgb rgb = map == ColourMap::viridis ? viridis(t) : cool_warm(t);
  std::array<std::uint8_t, 3> result{};
  for (std::size_t d = 0; d < 3; ++d) {
    result[d] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(rgb[d], 0.0, 1.0)));
  }
  return result;
}

}  // namespace asterism::output
