// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/tree/box.hpp"

#include <algorithm>

#include "io/mesh/space_filling.hpp"

namespace asterism::fmm {
namespace {

/// The box exceeds the points by this share, so that none lies on its upper faces.
constexpr double margin = 1e-9;

}  // namespace

void Extent::add(const Extent& other) {
  for (int d = 0; d < 3; ++d) {
    low[d] = std::min(low[d], other.low[d]);
    high[d] = std::max(high[d], other.high[d]);
  }
}

Extent extent(std::span<const double> x, std::span<const double> y, std::span<const double> z) {
  Extent all;
  for (std::size_t i = 0; i < x.size(); ++i) all.add({{x[i], y[i], z[i]}, {x[i], y[i], z[i]}});
  return all;
}

Box box_around(const Extent& extent) {
  const auto& [low, high] = extent;
  double width = 0;
  double size = 0;
  for (int d = 0; d < 3; ++d) {
    width = std::max(width, high[d] - low[d]);
    size = std::max({size, std::abs(low[d]), std::abs(high[d])});
  }
  width = width > 0 ? width * (1 + margin) : 1;
  width = std::max(width, 16 * size * 0x1p-52);
  return {(low[0] + high[0] - width) / 2, (low[1] + high[1] - width) / 2, (low[2] + high[2] - width) / 2, width};
}

Box widened(const Box& box, double widening) {
  return {box.x, box.y, box.z, box.width * widening};
}

Box bounding_box(std::span<const double> x, std::span<const double> y, std::span<const double> z) {
  return box_around(extent(x, y, z));
}

std::uint64_t key_of(const Box& box, int level, double x, double y, double z) {
  const double scale = std::ldexp(1.0, level) / box.width;
  const auto most = (std::uint64_t{1} << level) - 1;
  const auto cell = [&](double position, double corner) {
    const double at = (position - corner) * scale;
    return std::min(most, static_cast<std::uint64_t>(std::max(at, 0.0)));
  };
  return morton(cell(x, box.x), cell(y, box.y), cell(z, box.z));
}

}  // namespace asterism::fmm
