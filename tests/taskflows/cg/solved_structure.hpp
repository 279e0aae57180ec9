// SPDX-License-Identifier: Apache-2.0
// Structures that tests describe in C++, solved by a direct method.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "taskflows/cg/structure/results.hpp"
#include "tests/taskflows/cg/tetrahedral_meshes.hpp"

namespace asterism::cg {

inline Selection group_named(const std::string& name) {
  return {.name = name, .place = "test"};
}
inline Selection region(std::array<std::optional<std::array<double, 2>>, 3> range) {
  return {.region = Region{.range = range}, .place = "test"};
}

/// A body of one material.
inline Model model_of(Element element, double young, double poisson, std::optional<double> density = {}) {
  Model model;
  model.file = "test";
  model.element = element;
  model.materials = {{.part = {.place = "test"}, .young = young, .poisson = poisson, .density = density}};
  return model;
}

inline StructureResult solve_directly(const Structure& s) {
  const std::vector<double> b = right_hand_side(s);
  const Eigen::SparseMatrix<double> a{sparse(assemble_elasticity(s.body))};
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(a);
  const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
  const Eigen::VectorXd x = factors.solve(right);
  return evaluate(s, {x.data(), b.size()}, (right - a * x).norm());
}

/// Sets nodes' displacements to those of a field, as one more support.
inline void prescribe(Structure& s, const std::function<bool(const Vector&)>& where,
                      const std::function<Vector(const Vector&)>& field) {
  s.model.supports.push_back({.name = "prescribed", .part = {}});
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    if (!where(s.body.nodes.position[i])) continue;
    const Vector value = field(s.body.nodes.position[i]);
    for (std::size_t c = 0; c < 3; ++c) {
      s.given[3 * i + c] = value[c];
      s.support_of[3 * i + c] = static_cast<std::int32_t>(s.model.supports.size()) - 1;
      s.body.fixed[3 * i + c] = 1;
    }
  }
}

/// A structure without supports or loads, which a test then adds.
inline Structure bare_structure(const Model& model, TetMesh mesh) {
  Structure s;
  s.model = model;
  s.mesh = std::move(mesh);
  s.body = {.name = s.mesh.name, .element = model.element, .nodes = {}, .material = {}, .material_of = {}, .fixed = {}};
  s.body.nodes = elasticity_nodes(s.mesh, s.mesh.node, model.element, model.numbering);
  s.body.material = {lame(model.materials[0].young, model.materials[0].poisson, "test")};
  const std::size_t unknowns = 3 * s.body.nodes.position.size();
  s.body.fixed.assign(unknowns, 0);
  s.given.assign(unknowns, 0);
  s.support_of.assign(unknowns, -1);
  s.load.assign(unknowns, 0);
  return s;
}

}  // namespace asterism::cg
