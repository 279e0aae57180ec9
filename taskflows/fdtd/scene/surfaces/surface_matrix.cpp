// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/surfaces/surface_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

/// The part of a face of the cell below the plane.
struct FacePart {
  double share = 0;   ///< of its area
  double height = 0;  ///< normal . x of its centroid, from the plane
};

/// Clips the rectangle (Sutherland and Hodgman).
FacePart part_below(const SurfacePlane& plane, const Vector3& spacing, std::size_t axis, double side) {
  const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
  struct Point {
    double u, v, height;
  };
  std::vector<Point> corners;
  for (const auto& [u, v] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}})
    corners.push_back({u, v,
                       plane.normal[axis] * side * spacing[axis] / 2 + plane.normal[b] * u * spacing[b] +
                           plane.normal[c] * v * spacing[c] - plane.offset});
  std::vector<Point> below;
  for (std::size_t n = 0; n < corners.size(); ++n) {
    const Point& p = corners[n];
    const Point& q = corners[(n + 1) % corners.size()];
    if (p.height <= 0) below.push_back(p);
    if ((p.height <= 0) == (q.height <= 0)) continue;
    const double t = p.height / (p.height - q.height);
    below.push_back({p.u + t * (q.u - p.u), p.v + t * (q.v - p.v), 0});
  }
  FacePart part;
  for (std::size_t n = 2; n < below.size(); ++n) {
    const Point &p = below[0], &q = below[n - 1], &r = below[n];
    const double area = ((q.u - p.u) * (r.v - p.v) - (r.u - p.u) * (q.v - p.v)) / 2;
    part.share += area;
    part.height += area * (p.height + q.height + r.height) / 3;
  }
  if (part.share > 0) part.height /= part.share;
  return part;
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

CellOfSurface describe(const SurfacePlane& plane, const Vector3& spacing) {
  const Vector3& n = plane.normal;
  const auto [t1, t2] = tangents(n);
  CellOfSurface cell;
  std::array<double, 6> potential{}, eps{};  // of D_n = 1
  double of_node = 0, weights = 0;
  for (std::size_t f = 0; f < 6; ++f) {
    const std::size_t a = f / 2;
    const double side = f % 2 == 0 ? -1 : 1, centre = n[a] * side * spacing[a] / 2;  // normal . x of the face's centre
    const FacePart below = part_below(plane, spacing, a, side);
    const double above = 1 - below.share;
    const double height_above = above > 0 ? (centre - plane.offset - below.share * below.height) / above : 0;
    eps[f] = below.share * plane.eps_below + above * plane.eps_above;
    // weighted by eps, potentials become heights
    potential[f] = (below.share * std::min(below.height, 0.0) + above * std::max(height_above, 0.0)) / eps[f];
    of_node += (1 - n[a] * n[a]) * potential[f];
    weights += 1 - n[a] * n[a];
  }
  of_node /= weights;
  for (std::size_t f = 0; f < 6; ++f) {
    const std::size_t a = f / 2;
    const double voltage = (potential[f] - of_node) * (f % 2 == 0 ? -1 : 1) / spacing[a];
    cell.flux[f] = {n[a], t1[a] * eps[f], t2[a] * eps[f]};
    cell.voltage[f] = {voltage, t1[a] / 2, t2[a] / 2};
    cell.rest[f] = std::max(n[a] * voltage, 0.0) + (1 - n[a] * n[a]) / eps[f] / 2;
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

std::optional<SurfaceMatrix> surface_matrix(const SurfacePlane& plane, const std::array<double, 3>& spacing) {
  double reach = 0;
  for (std::size_t a = 0; a < 3; ++a) reach += std::abs(plane.normal[a]) * spacing[a] / 2;
  if (std::abs(plane.offset) >= reach) return std::nullopt;
  const auto [flux, voltage, rest] = describe(plane, spacing);
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
