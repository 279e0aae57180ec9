// SPDX-License-Identifier: Apache-2.0
// The farthest pair of points: boxes of some points each, in the order of their largest possible distance.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "taskflows/tdbem/surface/surface.hpp"

namespace asterism::tdbem {
namespace {

constexpr std::size_t points_per_box = 32;

struct Box {
  Point low, high;
  std::size_t begin, end;  ///< of its points
};

double along(const Point& p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

Box around(std::span<const Point> points, std::size_t begin, std::size_t end) {
  Box box{points[begin], points[begin], begin, end};
  for (std::size_t i = begin; i < end; ++i) {
    const Point& p = points[i];
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
  }
  return box;
}

/// Halves the points at the median of their box's longest side until few are left.
void divide(std::span<Point> points, std::size_t begin, std::size_t end, std::vector<Box>& boxes) {
  const Box box = around(points, begin, end);
  if (end - begin <= points_per_box) {
    boxes.push_back(box);
    return;
  }
  const Point side = box.high - box.low;
  const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t i) { return points.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end),
                   [axis](const Point& a, const Point& b) { return along(a, axis) < along(b, axis); });
  divide(points, begin, middle, boxes);
  divide(points, middle, end, boxes);
}

/// At least the squared distance of any two points of the boxes.
double bound(const Box& a, const Box& b) {
  const Point d = {std::max(a.high.x - b.low.x, b.high.x - a.low.x), std::max(a.high.y - b.low.y, b.high.y - a.low.y),
                   std::max(a.high.z - b.low.z, b.high.z - a.low.z)};
  return dot(d, d);
}

double search(std::span<const Point> points, const Box& a, const Box& b) {
  double best = 0;
  for (std::size_t i = a.begin; i < a.end; ++i)
    for (std::size_t j = b.begin; j < b.end; ++j) {
      const Point d = points[i] - points[j];
      best = std::max(best, dot(d, d));
    }
  return best;
}

}  // namespace

double diameter(std::span<const Point> points) {
  if (points.empty()) return 0;
  std::vector<Point> sorted(points.begin(), points.end());
  std::vector<Box> boxes;
  divide(sorted, 0, sorted.size(), boxes);
  const auto count = static_cast<std::int64_t>(boxes.size());
  double best = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : best)
  for (std::int64_t i = 0; i < count; ++i) {
    const Box& box = boxes[static_cast<std::size_t>(i)];
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t j = static_cast<std::size_t>(i); j < boxes.size(); ++j)
      others.emplace_back(bound(box, boxes[j]), j);
    std::sort(others.begin(), others.end(), std::greater<>());
    for (const auto& [most, j] : others) {
      if (most <= best) break;
      best = std::max(best, search(sorted, box, boxes[j]));
    }
  }
  return std::sqrt(best);
}

}  // namespace asterism::tdbem
