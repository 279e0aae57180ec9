// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/structure/structure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/cg/matrix/node_graph.hpp"

namespace asterism::cg {
namespace {

void set_materials(const Model& model, const Selector& select, Structure& s) {
  s.body.material_of.assign(s.mesh.tet.size(), -1);
  for (std::size_t m = 0; m < model.materials.size(); ++m) {
    const ModelMaterial& material = model.materials[m];
    s.body.material.push_back(lame(material.young, material.poisson, material.part.place));
    for (const std::int32_t e : select.tetrahedra(material.part)) {
      std::int32_t& of = s.body.material_of[as_size(e)];
      if (of >= 0)
        bad_input("{}: tetrahedron {} of {} has materials[{}] already; expected one material for each",
                  material.part.place, e + 1, s.mesh.name, of);
      of = static_cast<std::int32_t>(m);
    }
  }
  const auto without = std::count(s.body.material_of.begin(), s.body.material_of.end(), -1);
  if (without > 0)
    bad_input("{}: {} of the {} tetrahedra of {} have no material; expected one for each", model.file, without,
              s.mesh.tet.size(), s.mesh.name);
}

void set_supports(const Model& model, const Selector& select, Structure& s) {
  for (std::size_t i = 0; i < model.supports.size(); ++i) {
    const Support& support = model.supports[i];
    for (const std::int32_t node : select.nodes(support.part)) {
      for (std::size_t c = 0; c < 3; ++c) {
        if (!support.displacement[c]) continue;
        const std::size_t unknown = 3 * as_size(node) + c;
        if (s.support_of[unknown] >= 0) {
          if (s.given[unknown] == *support.displacement[c]) continue;
          bad_input("{}: {} gives {} = {} m where {} gives {} m; expected the same where they meet", support.part.place,
                    support.name, "xyz"[c], *support.displacement[c],
                    model.supports[as_size(s.support_of[unknown])].name, s.given[unknown]);
        }
        s.support_of[unknown] = static_cast<std::int32_t>(i);
        s.given[unknown] = *support.displacement[c];
        s.body.fixed[unknown] = 1;
      }
    }
  }
  if (std::count(s.body.fixed.begin(), s.body.fixed.end(), 0) == 0)
    bad_input("{}: the supports fix all of the body; expected some part that can move", model.file);
}

bool is_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

}  // namespace

Structure make_structure(const Model& model, TetMesh mesh) {
  Structure s;
  s.model = model;
  s.mesh = std::move(mesh);
  s.body.name = s.mesh.name;
  s.body.element = model.element;
  std::vector<Vector3> position = s.mesh.node;
  for (Vector3& x : position) {
    for (double& c : x) c *= model.unit;
  }
  s.body.nodes = elasticity_nodes(s.mesh, std::move(position), model.element, model.numbering);
  const std::size_t unknowns = 3 * s.body.nodes.position.size();
  s.body.fixed.assign(unknowns, 0);
  s.given.assign(unknowns, 0);
  s.support_of.assign(unknowns, -1);
  s.load.assign(unknowns, 0);

  const Selector select(s.mesh, s.body.nodes, model.unit);
  set_materials(model, select, s);
  set_supports(model, select, s);
  require_held(s.body, "[[supports]]");
  std::vector<double> density;
  for (const ModelMaterial& material : model.materials) density.push_back(material.density.value_or(0));
  for (const Load& load : model.loads) s.loads.push_back(add_load(load, s.body, select, density, s.load));
  if (is_zero(s.load) && is_zero(s.given))
    bad_input("{}: nothing loads the body; expected [[loads]] or a displacement of a support", model.file);
  return s;
}

Structure open_structure(const std::filesystem::path& file) {
  const Model model = read_model(file);
  return make_structure(model, read_gmsh(model.mesh));
}

std::vector<double> right_hand_side(const Structure& s) {
  std::vector<double> b = s.load;
  if (!is_zero(s.given)) {
    const std::vector<double> taken = nodal_forces(s.body, s.given);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] -= taken[i];
  }
  for (std::size_t i = 0; i < b.size(); ++i)
    if (s.body.fixed[i]) b[i] = 0;
  return b;
}

std::vector<double> nodal_forces(const ElasticBody& body, std::span<const double> displacement, double* magnitude) {
  const TetRule rule = integration_rule(body.element);
  const std::vector<TetGeometry> geometry = tet_geometries(body.nodes, body.name);
  const std::size_t per_element = as_size(body.nodes.per_element);
  std::vector<Vector3> of_elements(body.nodes.element.size());
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < geometry.size(); ++e) {
    std::array<Vector3, 10> u{};
    for (std::size_t a = 0; a < per_element; ++a) {
      const std::size_t node = as_size(body.nodes.element[e * per_element + a]);
      std::copy_n(displacement.data() + 3 * node, 3, u[a].begin());
    }
    element_forces(rule, geometry[e], std::span<const Vector3>(u).first(per_element), body.material_at(e),
                   std::span(of_elements).subspan(e * per_element, per_element));
  }
  std::vector<double> force(displacement.size());
  double sum = 0;
  for (std::size_t k = 0; k < of_elements.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      force[3 * as_size(body.nodes.element[k]) + c] += of_elements[k][c];
      sum += std::abs(of_elements[k][c]);
    }
  }
  if (magnitude != nullptr) *magnitude = sum;
  return force;
}

}  // namespace asterism::cg
