// SPDX-License-Identifier: Apache-2.0
// Consistent nodal loads: integrals of a load times each shape function, and what the load amounts to as a whole.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "taskflows/cg/matrix/elasticity.hpp"
#include "taskflows/cg/structure/selector.hpp"

namespace asterism::cg {

/// A force and its moment about the origin of the mesh: N and N m.
struct Resultant {
  Vector3 force = {};
  Vector3 moment = {};

  void add(const Vector3& at, const Vector3& f);
};

/// N/m^2 at a point (m) of a face whose outward unit normal is given.
using Traction = std::function<Vector3(const Vector3& point, const Vector3& normal)>;

/// Adds integral of N_a t over the faces to load[3 a + c], N, with 7 points on each face: exact for tractions of degree
/// 3 with P2 elements (Radon 1948, degree 5). load: 3 x nodes.
void add_traction(const ElasticBody& body, std::span<const Face> faces, const Traction& traction,
                  std::span<double> load);

/// Adds the nodal loads of one load of a model and returns what it amounts to, which is computed from the geometry and
/// not from the nodal loads. density: of each material, 0 where it has none. Throws Error (bad_input): a pressure on
/// faces inside of the body, gravity without density, groups as Selector.
Resultant add_load(const Load& load, const ElasticBody& body, const Selector& select, std::span<const double> density,
                   std::span<double> nodal);

/// Outward normal times the area of a face, m^2.
Vector3 area_vector(const ElasticityNodes& nodes, const Face& face);

}  // namespace asterism::cg
