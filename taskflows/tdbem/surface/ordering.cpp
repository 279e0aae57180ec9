// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/surface/ordering.hpp"

#include <numeric>

#include "base/error.hpp"
#include "io/mesh/space_filling.hpp"

namespace asterism::tdbem {

Ordering ordering_named(std::string_view name) {
  if (name == "mesh") return Ordering::mesh;
  if (name == "morton") return Ordering::morton;
  if (name == "hilbert") return Ordering::hilbert;
  bad_input("ordering of the unknowns: '{}', expected mesh, morton or hilbert", name);
}

std::vector<std::int32_t> order_of(std::span<const Point> points, Ordering ordering) {
  std::vector<std::int32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  if (ordering == Ordering::mesh || points.empty()) return order;
  Point low = points[0], high = points[0];
  for (const Point& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const double side = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  constexpr double cells = 1U << curve_bits;
  const auto cell = [&](double x) {
    return side > 0 ? static_cast<std::uint32_t>(std::min(x / side * cells, cells - 1)) : 0U;
  };
  std::vector<std::uint64_t> keys;
  for (const Point& p : points) {
    const std::uint32_t x = cell(p.x - low.x), y = cell(p.y - low.y), z = cell(p.z - low.z);
    keys.push_back(ordering == Ordering::morton ? morton(x, y, z) : hilbert({x, y, z}, curve_bits));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<std::int32_t> places_of(std::span<const std::int32_t> order, std::size_t points) {
  if (order.size() != points) bad_input("numbering of the unknowns: {} entries for {} unknowns", order.size(), points);
  std::vector<std::int32_t> place(points, -1);
  for (std::size_t i = 0; i < points; ++i) {
    const auto point = static_cast<std::size_t>(order[i]);
    if (point >= points || place[point] >= 0)
      bad_input("numbering of the unknowns: entry {} is {}, which is no unknown or one that was there", i, order[i]);
    place[point] = static_cast<std::int32_t>(i);
  }
  return place;
}

}  // namespace asterism::tdbem
