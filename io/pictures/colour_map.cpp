// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

/// Linear between five colours, whose luma (Rec. 601) rises by about as much each time.
Rgb diverging(double t) {
  constexpr std::array<Rgb, 5> c = {
      {{0.05, 0.1, 0.45}, {0.2, 0.37, 0.72}, {0.55, 0.55, 0.55}, {0.94, 0.68, 0.35}, {1, 0.97, 0.76}}};
  const double place = t * (c.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(place), c.size() - 2);
  const double weight = place - static_cast<double>(k);
  Rgb rgb{};
  for (std::size_t d = 0; d < 3; ++d) rgb[d] = (1 - weight) * c[k][d] + weight * c[k + 1][d];
  return rgb;
}

}  // namespace

std::array<std::uint8_t, 3> colour(ColourMap map, double value) {
  if (std::isnan(value)) return {255, 0, 255};
  const double t = std::clamp(value, 0.0, 1.0);
  const Rgb rgb = map == ColourMap::viridis ? viridis(t) : diverging(t);
  std::array<std::uint8_t, 3> result{};
  for (std::size_t d = 0; d < 3; ++d) {
    result[d] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(rgb[d], 0.0, 1.0)));
  }
  return result;
}

}  // namespace asterism::output
