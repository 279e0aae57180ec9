// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/structure/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/as_size.hpp"
#include "taskflows/cg/matrix/node_graph.hpp"

namespace asterism::cg {
namespace {

Stress in_vtk_order(const Block3& s) {
  return {s[0][0], s[1][1], s[2][2], s[0][1], s[1][2], s[0][2]};
}

/// Displacements of the nodes of an element.
class Displacements {
 public:
  Displacements(const ElasticBody& body, std::span<const double> all, std::size_t element)
      : count_(as_size(body.nodes.per_element)) {
    for (std::size_t a = 0; a < count_; ++a) {
      const std::size_t node = as_size(body.nodes.element[element * count_ + a]);
      std::copy_n(all.data() + 3 * node, 3, u_[a].begin());
    }
  }
  [[nodiscard]] std::span<const Vector3> values() const { return std::span<const Vector3>(u_).first(count_); }

 private:
  std::size_t count_;
  std::array<Vector3, 10> u_{};
};

/// Derivatives of the shape functions at each node of an element, and at its centre.
std::array<ShapeDerivatives, 11> derivatives_at_nodes(Element element) {
  std::array<ShapeDerivatives, 11> result{};
  for (std::size_t k = 0; k < 4; ++k) {
    std::array<double, 4> at{};
    at[k] = 1;
    result[k] = shape_derivatives(element, at);
  }
  for (std::size_t k = 0; k < tet_edges.size(); ++k) {
    std::array<double, 4> at{};
    for (const int end : tet_edges[k]) at[as_size(end)] = 0.5;
    result[4 + k] = shape_derivatives(element, at);
  }
  result[10] = shape_derivatives(element, {0.25, 0.25, 0.25, 0.25});
  return result;
}

void add_stresses(const Structure& s, StructureResult& r) {
  const ElasticBody& body = s.body;
  const std::vector<TetGeometry> geometry = tet_geometries(body.nodes, body.name);
  const std::array<ShapeDerivatives, 11> derivative = derivatives_at_nodes(body.element);
  const std::size_t per_element = as_size(body.nodes.per_element);
  const auto stress = [&](std::size_t e, std::size_t point) {
    const Displacements u(body, r.displacement, e);
    return in_vtk_order(
        stress_at(shape_gradients(derivative[point], geometry[e], per_element), u.values(), body.material_at(e)));
  };
  r.stress_of_element.resize(geometry.size());
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < geometry.size(); ++e) r.stress_of_element[e] = stress(e, 10);
  for (const TetGeometry& g : geometry) r.volume += g.volume;

  const NodeLists elements = elements_of_nodes(body.nodes);
  r.stress_of_node.resize(body.nodes.position.size());
#pragma omp parallel for schedule(static)
  for (std::size_t node = 0; node < r.stress_of_node.size(); ++node) {
    Stress sum{};
    double volume = 0;
    for (const std::int32_t e : elements[static_cast<std::int64_t>(node)]) {
      const std::int32_t* const first = body.nodes.element.data() + as_size(e) * per_element;
      const auto local = std::find(first, first + per_element, static_cast<std::int32_t>(node)) - first;
      const Stress here = stress(as_size(e), as_size(local));
      for (std::size_t c = 0; c < here.size(); ++c) sum[c] += geometry[as_size(e)].volume * here[c];
      volume += geometry[as_size(e)].volume;
    }
    for (double& c : sum) c /= volume;
    r.stress_of_node[node] = sum;
  }
}

/// Sums of magnitudes that an imbalance is measured by.
struct Scale {
  double force = 0;
  double moment = 0;
};

Scale scale_of(const ElasticityNodes& nodes, std::span<const double> load, std::span<const double> reaction) {
  Scale scale;
  for (const std::span<const double> values : {load, reaction}) {
    for (std::size_t i = 0; i < nodes.position.size(); ++i) {
      const Vector3 f{values[3 * i], values[3 * i + 1], values[3 * i + 2]};
      const double size = std::sqrt(dot(f, f));
      scale.force += size;
      scale.moment += size * std::sqrt(dot(nodes.position[i], nodes.position[i]));
    }
  }
  return scale;
}

/// Loads as a whole, from the geometry, against reactions. The nodal forces of an element cancel each other, so that
/// what remains is the sum of the residual over the free unknowns, at most sqrt(3 nodes) times its norm.
void check_equilibrium(const Structure& s, double residual, double magnitude, StructureResult& r) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const Scale scale = scale_of(s.body.nodes, s.load, r.reaction);
  Resultant sum;
  for (const auto* const resultants : std::array<const std::vector<Resultant>*, 2>{&s.loads, &r.reactions}) {
    for (const Resultant& part : *resultants) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum.force[c] += part.force[c];
        sum.moment[c] += part.moment[c];
      }
    }
  }
  double arm = 0;
  for (const Vector3& x : s.body.nodes.position) arm = std::max(arm, std::sqrt(dot(x, x)));
  const double force = std::sqrt(static_cast<double>(r.displacement.size())) * residual + 16 * epsilon * magnitude;
  for (std::size_t c = 0; c < 3; ++c) {
    r.imbalance = std::max(r.imbalance, std::abs(sum.force[c]) / scale.force);
    if (scale.moment > 0) r.imbalance = std::max(r.imbalance, std::abs(sum.moment[c]) / scale.moment);
  }
  r.allowed_imbalance = std::max(force / scale.force, scale.moment > 0 ? 2 * arm * force / scale.moment : 0);
}

}  // namespace

double von_mises(const Stress& s) {
  const double xy = s[0] - s[1];
  const double yz = s[1] - s[2];
  const double zx = s[2] - s[0];
  return std::sqrt((xy * xy + yz * yz + zx * zx) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

StructureResult evaluate(const Structure& s, std::span<const double> x, double residual) {
  StructureResult r;
  r.displacement.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) r.displacement[i] = s.body.fixed[i] ? s.given[i] : x[i];
  double magnitude = 0;
  const std::vector<double> force = nodal_forces(s.body, r.displacement, &magnitude);
  r.reaction.resize(x.size());
  r.reactions.resize(s.model.supports.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    r.strain_energy += r.displacement[i] * force[i] / 2;
    if (!s.body.fixed[i]) continue;
    r.reaction[i] = force[i] - s.load[i];
    Vector3 along{};
    along[i % 3] = r.reaction[i];
    r.reactions[as_size(s.support_of[i])].add(s.body.nodes.position[i / 3], along);
  }
  check_equilibrium(s, residual, magnitude, r);
  add_stresses(s, r);
  return r;
}

Extreme largest_displacement(const StructureResult& r) {
  Extreme extreme;
  for (std::size_t i = 0; i < r.displacement.size() / 3; ++i) {
    const double size = std::hypot(r.displacement[3 * i], r.displacement[3 * i + 1], r.displacement[3 * i + 2]);
    if (size > extreme.value) extreme = {size, static_cast<std::int32_t>(i)};
  }
  return extreme;
}

Extreme largest_von_mises(const StructureResult& r) {
  Extreme extreme;
  for (std::size_t i = 0; i < r.stress_of_node.size(); ++i) {
    const double size = von_mises(r.stress_of_node[i]);
    if (size > extreme.value) extreme = {size, static_cast<std::int32_t>(i)};
  }
  return extreme;
}

}  // namespace asterism::cg
