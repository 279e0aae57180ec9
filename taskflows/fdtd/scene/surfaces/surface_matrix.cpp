// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/surfaces/surface_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace asterism::fdtd::scene {
namespace {

using Vector3 = std::array<double, 3>;
using Columns = std::array<Vector3, 6>;  ///< of the six faces, by the three values F

double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The share of a face of the cell below the plane, clipped (Sutherland and Hodgman).
double share_below(const SurfacePlane& plane, const DualCell& cell, std::size_t face) {
  const std::size_t a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3;
  struct Point {
    double u, v, height;
  };
  const double at = face % 2 == 0 ? -cell.below[a] : cell.above[a];
  std::vector<Point> corners;
  for (const auto& [u, v] : {std::pair{-cell.below[b], -cell.below[c]},
                             {cell.above[b], -cell.below[c]},
                             {cell.above[b], cell.above[c]},
                             {-cell.below[b], cell.above[c]}})
    corners.push_back({u, v, plane.normal[a] * at + plane.normal[b] * u + plane.normal[c] * v - plane.offset});
  std::vector<Point> below;
  for (std::size_t n = 0; n < corners.size(); ++n) {
    const Point& p = corners[n];
    const Point& q = corners[(n + 1) % corners.size()];
    if (p.height <= 0) below.push_back(p);
    if ((p.height <= 0) == (q.height <= 0)) continue;
    const double t = p.height / (p.height - q.height);
    below.push_back({p.u + t * (q.u - p.u), p.v + t * (q.v - p.v), 0});
  }
  double area = 0;
  for (std::size_t n = 2; n < below.size(); ++n) {
    const Point &p = below[0], &q = below[n - 1], &r = below[n];
    area += ((q.u - p.u) * (r.v - p.v) - (r.u - p.u) * (q.v - p.v)) / 2;
  }
  return area / (cell.length(b) * cell.length(c));
}

/// Inverse of a symmetric matrix.
std::array<Vector3, 3> inverse(const std::array<Vector3, 3>& m) {
  std::array<Vector3, 3> adjoint{cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])};
  const double determinant = dot(m[0], adjoint[0]);
  for (Vector3& row : adjoint)
    for (double& x : row) x /= determinant;
  return adjoint;
}

/// R, N and S of the header.
struct CellOfSurface {
  Columns flux{}, voltage{};
  std::array<double, 6> rest{};
};

CellOfSurface describe(const SurfacePlane& plane, const DualCell& dual) {
  const Vector3& n = plane.normal;
  const auto [t1, t2] = tangents(n);
  CellOfSurface cell;
  std::array<double, 6> potential{}, eps{};  // of D_n = 1
  double of_node = 0, weights = 0;
  for (std::size_t f = 0; f < 6; ++f) {
    const std::size_t a = f / 2;
    const double share = share_below(plane, dual, f);
    eps[f] = share * plane.eps_below + (1 - share) * plane.eps_above;
    potential[f] = (n[a] * dual.half(f) * (f % 2 == 0 ? -1 : 1) - plane.offset) / eps[f];
    const double weight = (1 - n[a] * n[a]) * (1 - dual.half(f) / dual.length(a));
    of_node += weight * potential[f];
    weights += weight;
  }
  of_node /= weights;
  for (std::size_t f = 0; f < 6; ++f) {
    const std::size_t a = f / 2;
    const double voltage = (potential[f] - of_node) * (f % 2 == 0 ? -1 : 1) / dual.length(a);
    const double part = dual.half(f) / dual.length(a);
    cell.flux[f] = {n[a], t1[a] * eps[f], t2[a] * eps[f]};
    cell.voltage[f] = {voltage, t1[a] * part, t2[a] * part};
    cell.rest[f] = std::max(n[a] * voltage, 0.0) + (1 - n[a] * n[a]) / eps[f] * part;
  }
  return cell;
}

}  // namespace

std::array<Vector3, 2> tangents(const Vector3& n) {
  const auto least = static_cast<std::size_t>(
      std::min_element(n.begin(), n.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - n.begin());
  Vector3 axis{};
  axis[least] = 1;
  Vector3 t1 = cross(n, axis);
  const double length = std::sqrt(dot(t1, t1));
  for (double& x : t1) x /= length;
  return {t1, cross(n, t1)};
}

std::optional<SurfaceMatrix> surface_matrix(const SurfacePlane& plane, const DualCell& cell) {
  double lowest = 0, highest = 0;  // normal . x
  for (std::size_t a = 0; a < 3; ++a) {
    lowest += std::min(-plane.normal[a] * cell.below[a], plane.normal[a] * cell.above[a]);
    highest += std::max(-plane.normal[a] * cell.below[a], plane.normal[a] * cell.above[a]);
  }
  if (plane.offset <= lowest || plane.offset >= highest) return std::nullopt;
  const auto [flux, voltage, rest] = describe(plane, cell);
  std::array<Vector3, 3> w{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t f = 0; f < 6; ++f) w[i][j] += (flux[f][i] * voltage[f][j] + flux[f][j] * voltage[f][i]) / 2;
  const std::array<Vector3, 3> inverse_w = inverse(w);
  SurfaceMatrix exact{}, projection{}, result{};
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t g = 0; g < 6; ++g) {
      projection[f][g] = f == g ? 1 : 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double from = dot(inverse_w[i], voltage[g]);
        exact[f][g] += voltage[f][i] * from;
        projection[f][g] -= flux[f][i] * from;
      }
    }
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t g = 0; g < 6; ++g) {
      result[f][g] = exact[f][g];
      for (std::size_t h = 0; h < 6; ++h) result[f][g] += projection[h][f] * rest[h] * projection[h][g];
    }
  return result;
}

}  // namespace asterism::fdtd::scene
