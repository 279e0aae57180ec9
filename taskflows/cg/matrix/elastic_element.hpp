// SPDX-License-Identifier: Apache-2.0
// One tetrahedron of linear elasticity with straight edges: shape functions, stiffness, stress and nodal forces.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/elasticity_nodes.hpp"

namespace asterism::cg {

using Vector3 = std::array<double, 3>;
using Block3 = std::array<std::array<double, 3>, 3>;

inline Vector3 difference(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Lamé's parameters, in the unit of Young's modulus: stress = lambda trace(strain) I + 2 mu strain.
struct Lame {
  double lambda = 0;
  double mu = 0;
};
/// Throws Error (bad_input), beginning with `what`, unless young > 0 and -1 < poisson < 0.5.
Lame lame(double young, double poisson, const std::string& what);

/// Gradients of the four barycentric coordinates, constant in the element, and its volume.
struct TetGeometry {
  std::array<Vector3, 4> gradient;
  double volume;
};
/// Geometry of all elements. Throws Error (bad_input) naming the first whose volume is not positive, and the mesh.
std::vector<TetGeometry> tet_geometries(const ElasticityNodes& nodes, const std::string& name);

/// derivative[a][k] = dN_a / d(barycentric coordinate k) at a point of an element.
using ShapeDerivatives = std::array<std::array<double, 4>, 10>;
ShapeDerivatives shape_derivatives(Element element, const std::array<double, 4>& barycentric);

/// Points at which products of gradients are integrated exactly; all of them weigh the same.
struct TetRule {
  int points;
  std::array<ShapeDerivatives, 4> derivative;
};
TetRule integration_rule(Element element);

/// Gradients of the shape functions of `nodes` nodes at a point.
std::array<Vector3, 10> shape_gradients(const ShapeDerivatives& derivative, const TetGeometry& geometry,
                                        std::size_t nodes);

/// The blocks A_ab of one element for its local node a and all its nodes b, where
/// A_(ai)(bj) = integral of lambda d_i N_a d_j N_b + mu d_j N_a d_i N_b + mu delta_ij grad N_a . grad N_b.
/// Every sum runs in an order that does not depend on which of a and b is the row: A_ba is exactly the transpose of
/// A_ab.
void element_blocks(const TetRule& rule, const TetGeometry& geometry, std::size_t a, std::span<Block3> blocks,
                    const Lame& material);

/// The stress tensor where the gradients are `gradient`; u: displacement of each node.
Block3 stress_at(const std::array<Vector3, 10>& gradient, std::span<const Vector3> u, const Lame& material);

/// force[a] = integral of stress . grad N_a: what the element's nodes need to be held at the displacement u.
void element_forces(const TetRule& rule, const TetGeometry& geometry, std::span<const Vector3> u, const Lame& material,
                    std::span<Vector3> force);

}  // namespace asterism::cg
