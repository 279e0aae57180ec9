// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/placement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace asterism::mesh {
namespace {

using Point = std::array<double, 3>;

struct BoundingBox {
  explicit BoundingBox(const TriangleMesh& mesh) {
    if (mesh.vertices.empty()) return;
    low = high = mesh.vertices.front();
    for (const Point& p : mesh.vertices) {
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], p[d]);
        high[d] = std::max(high[d], p[d]);
      }
    }
  }
  [[nodiscard]] Point centre() const {
    return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
  }
  [[nodiscard]] double longest() const { return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}); }

  Point low = {}, high = {};
};

/// Cosine and sine, exact for right angles.
std::array<double, 2> direction(double degrees) {
  const double turn = std::remainder(degrees, 360);
  if (turn == 0) return {1, 0};
  if (std::abs(turn) == 90) return {0, turn / 90};
  if (std::abs(turn) == 180) return {-1, 0};
  const double angle = turn * std::numbers::pi / 180;
  return {std::cos(angle), std::sin(angle)};
}

void turn(TriangleMesh& mesh, const Point& centre, std::size_t axis, double degrees) {
  if (degrees == 0) return;
  const auto [cosine, sine] = direction(degrees);
  const std::size_t u = (axis + 1) % 3;
  const std::size_t v = (axis + 2) % 3;
  for (Point& p : mesh.vertices) {
    const double pu = p[u] - centre[u];
    const double pv = p[v] - centre[v];
    p[u] = centre[u] + cosine * pu - sine * pv;
    p[v] = centre[v] + sine * pu + cosine * pv;
  }
}

void check(const Placement& placement) {
  if (placement.length && !(*placement.length > 0 && std::isfinite(*placement.length))) {
    bad_input("length of a body: found {}; expected a positive number", *placement.length);
  }
  const auto check_finite = [](const Point& numbers, const char* what) {
    for (const double x : numbers) {
      if (!std::isfinite(x)) bad_input("{} of a body: found {}; expected a finite number", what, x);
    }
  };
  check_finite(placement.degrees, "rotation");
  check_finite(placement.translation, "translation");
  if (placement.centre) check_finite(*placement.centre, "centre");
}

}  // namespace

void place(TriangleMesh& mesh, const Placement& placement) {
  check(placement);
  const BoundingBox box(mesh);
  const Point pivot = box.centre();
  if (placement.length) {
    if (!(box.longest() > 0)) bad_input("length of a body: the mesh has no extent; expected one");
    const double factor = *placement.length / box.longest();
    for (Point& p : mesh.vertices) {
      for (std::size_t d = 0; d < 3; ++d) p[d] = pivot[d] + factor * (p[d] - pivot[d]);
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) turn(mesh, pivot, axis, placement.degrees[axis]);
  Point shift = placement.translation;
  if (placement.centre) {
    const Point centre = BoundingBox(mesh).centre();
    for (std::size_t d = 0; d < 3; ++d) shift[d] += (*placement.centre)[d] - centre[d];
  }
  for (Point& p : mesh.vertices) {
    for (std::size_t d = 0; d < 3; ++d) p[d] += shift[d];
  }
}

}  // namespace asterism::mesh
