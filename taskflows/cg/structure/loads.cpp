// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/structure/loads.hpp"

#include <cmath>

#include "base/as_size.hpp"
#include "base/error.hpp"

namespace asterism::cg {
namespace {

Vector3 scaled(const Vector3& x, double factor) {
  return {factor * x[0], factor * x[1], factor * x[2]};
}

double length(const Vector3& x) {
  return std::sqrt(dot(x, x));
}

template <std::size_t n>
Vector3 centre_of(const ElasticityNodes& nodes, const std::array<std::int32_t, n>& corner) {
  Vector3 centre{};
  for (const std::int32_t node : corner) {
    for (std::size_t c = 0; c < 3; ++c) centre[c] += nodes.position[as_size(nodes.corner(node))][c] / n;
  }
  return centre;
}

std::array<std::int32_t, 4> corners_of(const ElasticBody& body, std::int32_t tetrahedron) {
  const std::int32_t* const node = body.nodes.element.data() + as_size(tetrahedron) * as_size(body.nodes.per_element);
  return {node[0], node[1], node[2], node[3]};
}

void add(std::span<double> nodal, std::int32_t node, const Vector3& force) {
  for (std::size_t c = 0; c < 3; ++c) nodal[3 * as_size(node) + c] += force[c];
}

struct FacePoint {
  std::array<double, 3> barycentric;
  double weight;
};

std::array<FacePoint, 7> face_rule() {
  const double root = std::sqrt(15.0);
  std::array<FacePoint, 7> rule{{{{1.0 / 3, 1.0 / 3, 1.0 / 3}, 9.0 / 40}}};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      const double at = (6 + sign * root) / 21;
      FacePoint point{{at, at, at}, (155 + sign * root) / 1200};
      point.barycentric[k] = 1 - 2 * at;
      rule[1 + 2 * k + (sign > 0 ? 1 : 0)] = point;
    }
  }
  return rule;
}

/// Adds density per volume times integral of N_a: linear elements share it, quadratic ones have -1/20 at corners and
/// 1/5 at midpoints.
void add_volume_force(const ElasticBody& body, std::int32_t tetrahedron, const Vector3& total,
                      std::span<double> nodal) {
  const auto per_element = as_size(body.nodes.per_element);
  const std::int32_t* const node = body.nodes.element.data() + as_size(tetrahedron) * per_element;
  for (std::size_t a = 0; a < per_element; ++a) {
    const double share = body.element == Element::p1 ? 0.25 : a < 4 ? -0.05 : 0.2;
    add(nodal, node[a], scaled(total, share));
  }
}

double volume_of(const ElasticBody& body, std::int32_t tetrahedron) {
  const auto corner = corners_of(body, tetrahedron);
  const auto& x = body.nodes.position;
  const Vector3 a = difference(x[as_size(corner[1])], x[as_size(corner[0])]);
  const Vector3 b = difference(x[as_size(corner[2])], x[as_size(corner[0])]);
  const Vector3 c = difference(x[as_size(corner[3])], x[as_size(corner[0])]);
  return dot(a, cross(b, c)) / 6;
}

Vector3 centre_of(const ElasticBody& body, std::int32_t tetrahedron) {
  Vector3 centre{};
  for (const std::int32_t node : corners_of(body, tetrahedron)) {
    for (std::size_t c = 0; c < 3; ++c) centre[c] += body.nodes.position[as_size(node)][c] / 4;
  }
  return centre;
}

Resultant add_pressure(const Load& load, const ElasticBody& body, const Selector& select, std::span<double> nodal) {
  const std::vector<Face> faces = select.faces(load.part);
  Resultant whole;
  for (const Face& face : faces) {
    if (face.inner)
      bad_input("{}: a face of {} is between two tetrahedra and has no outside; expected faces of the surface",
                load.part.place, load.name);
    whole.add(centre_of(body.nodes, face.corner), scaled(area_vector(body.nodes, face), -load.pressure));
  }
  add_traction(
      body, faces, [&](const Vector3&, const Vector3& normal) { return scaled(normal, -load.pressure); }, nodal);
  return whole;
}

Resultant add_constant_traction(const Vector3& traction, const std::vector<Face>& faces, const ElasticBody& body,
                                std::span<double> nodal) {
  Resultant whole;
  for (const Face& face : faces)
    whole.add(centre_of(body.nodes, face.corner), scaled(traction, length(area_vector(body.nodes, face))));
  add_traction(
      body, faces, [&](const Vector3&, const Vector3&) { return traction; }, nodal);
  return whole;
}

Resultant add_force_on_lines(const Vector3& force, const Elements& on, const ElasticBody& body,
                             std::span<double> nodal) {
  const auto position = [&](std::int32_t node) { return body.nodes.position[as_size(body.nodes.corner(node))]; };
  double all = 0;
  for (const auto& [a, b] : on.lines) all += length(difference(position(a), position(b)));
  Resultant whole;
  for (const auto& line : on.lines) {
    const auto [a, b] = line;
    const Vector3 part = scaled(force, length(difference(position(a), position(b))) / all);
    whole.add(centre_of(body.nodes, line), part);
    const std::int32_t middle = body.element == Element::p2 ? body.nodes.midpoint(a, b) : -1;  // Simpson's shares
    for (const std::int32_t end : line) add(nodal, body.nodes.corner(end), scaled(part, middle < 0 ? 0.5 : 1.0 / 6));
    if (middle >= 0) add(nodal, middle, scaled(part, 4.0 / 6));
  }
  return whole;
}

Resultant add_force(const Load& load, const ElasticBody& body, const Selector& select, std::span<double> nodal) {
  const Elements on = select.elements(load.part);
  if (on.dimension == 2) {
    double area = 0;
    for (const Face& face : on.faces) area += length(area_vector(body.nodes, face));
    return add_constant_traction(scaled(load.vector, 1 / area), on.faces, body, nodal);
  }
  if (on.dimension == 1) return add_force_on_lines(load.vector, on, body, nodal);
  Resultant whole;
  if (on.dimension == 0) {
    for (const std::int32_t point : on.points) {
      const std::int32_t node = body.nodes.corner(point);
      const Vector3 part = scaled(load.vector, 1 / static_cast<double>(on.points.size()));
      add(nodal, node, part);
      whole.add(body.nodes.position[as_size(node)], part);
    }
    return whole;
  }
  double volume = 0;
  for (const std::int32_t e : on.tetrahedra) volume += volume_of(body, e);
  for (const std::int32_t e : on.tetrahedra) {
    const Vector3 part = scaled(load.vector, volume_of(body, e) / volume);
    add_volume_force(body, e, part, nodal);
    whole.add(centre_of(body, e), part);
  }
  return whole;
}

Resultant add_gravity(const Load& load, const ElasticBody& body, std::span<const double> density,
                      std::span<double> nodal) {
  Resultant whole;
  const auto count = static_cast<std::int32_t>(body.nodes.element.size() / as_size(body.nodes.per_element));
  for (std::int32_t e = 0; e < count; ++e) {
    const std::int32_t material = body.material_of.empty() ? 0 : body.material_of[as_size(e)];
    if (!(density[as_size(material)] > 0))
      bad_input("{}: gravity, but materials[{}] has no density; expected one in kg/m^3", load.part.place, material);
    const Vector3 weight = scaled(load.vector, density[as_size(material)] * volume_of(body, e));
    add_volume_force(body, e, weight, nodal);
    whole.add(centre_of(body, e), weight);
  }
  return whole;
}

}  // namespace

void Resultant::add(const Vector3& at, const Vector3& f) {
  const Vector3 m = cross(at, f);
  for (std::size_t c = 0; c < 3; ++c) {
    force[c] += f[c];
    moment[c] += m[c];
  }
}

Vector3 area_vector(const ElasticityNodes& nodes, const Face& face) {
  const auto x = [&](std::size_t k) -> const Vector3& { return nodes.position[as_size(nodes.corner(face.corner[k]))]; };
  return scaled(cross(difference(x(1), x(0)), difference(x(2), x(0))), 0.5);
}

void add_traction(const ElasticBody& body, std::span<const Face> faces, const Traction& traction,
                  std::span<double> load) {
  static const std::array<FacePoint, 7> rule = face_rule();
  for (const Face& face : faces) {
    const Vector3 area = area_vector(body.nodes, face);
    const Vector3 normal = scaled(area, 1 / length(area));
    std::array<std::int32_t, 6> node{};
    std::size_t nodes = 3;
    for (std::size_t k = 0; k < 3; ++k) node[k] = body.nodes.corner(face.corner[k]);
    if (body.element == Element::p2) {
      for (std::size_t k = 0; k < 3; ++k) node[nodes++] = body.nodes.midpoint(face.corner[k], face.corner[(k + 1) % 3]);
    }
    for (const auto& [l, weight] : rule) {
      Vector3 x{};
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t c = 0; c < 3; ++c) x[c] += l[k] * body.nodes.position[as_size(node[k])][c];
      }
      const Vector3 t = scaled(traction(x, normal), weight * length(area));
      for (std::size_t k = 0; k < 3; ++k) {
        add(load, node[k], scaled(t, nodes == 3 ? l[k] : l[k] * (2 * l[k] - 1)));
        if (nodes == 6) add(load, node[3 + k], scaled(t, 4 * l[k] * l[(k + 1) % 3]));
      }
    }
  }
}

Resultant add_load(const Load& load, const ElasticBody& body, const Selector& select, std::span<const double> density,
                   std::span<double> nodal) {
  switch (load.kind) {
    case LoadKind::pressure:
      return add_pressure(load, body, select, nodal);
    case LoadKind::traction:
      return add_constant_traction(load.vector, select.faces(load.part), body, nodal);
    case LoadKind::force:
      return add_force(load, body, select, nodal);
    default:
      return add_gravity(load, body, density, nodal);
  }
}

}  // namespace asterism::cg
