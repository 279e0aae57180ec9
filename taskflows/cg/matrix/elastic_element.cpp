// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/elastic_element.hpp"

#include <algorithm>
#include <cmath>

#include "base/as_size.hpp"
#include "base/error.hpp"

namespace asterism::cg {

Lame lame(double young, double poisson, const std::string& what) {
  if (!(young > 0) || !std::isfinite(young)) {
    bad_input("{}: Young's modulus {}, expected a positive number", what, young);
  }
  if (!(poisson > -1 && poisson < 0.5)) {
    bad_input("{}: Poisson's ratio {}, expected a number between -1 and 0.5", what, poisson);
  }
  const double mu = young / (2 * (1 + poisson));
  return {2 * mu * poisson / (1 - 2 * poisson), mu};
}

std::vector<TetGeometry> tet_geometries(const ElasticityNodes& nodes, const std::string& name) {
  std::vector<TetGeometry> result;
  const std::size_t count = nodes.element.size() / as_size(nodes.per_element);
  result.reserve(count);
  for (std::size_t e = 0; e < count; ++e) {
    const std::int32_t* corner = nodes.element.data() + e * as_size(nodes.per_element);
    const Vector3& x0 = nodes.position[as_size(corner[0])];
    const Vector3 e1 = difference(nodes.position[as_size(corner[1])], x0);
    const Vector3 e2 = difference(nodes.position[as_size(corner[2])], x0);
    const Vector3 e3 = difference(nodes.position[as_size(corner[3])], x0);
    TetGeometry g{.gradient = {Vector3{}, cross(e2, e3), cross(e3, e1), cross(e1, e2)}, .volume = 0};
    const double six_volume = dot(e1, g.gradient[1]);
    if (!(six_volume > 0)) {
      bad_input("{}: tetrahedron {} has volume {:g}, expected a positive one", name, e + 1, six_volume / 6);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 1; k < 4; ++k) {
        g.gradient[k][c] /= six_volume;
        g.gradient[0][c] -= g.gradient[k][c];
      }
    }
    g.volume = six_volume / 6;
    result.push_back(g);
  }
  return result;
}

ShapeDerivatives shape_derivatives(Element element, const std::array<double, 4>& barycentric) {
  ShapeDerivatives derivative{};
  if (element == Element::p1) {  // constant gradients
    for (std::size_t k = 0; k < 4; ++k) derivative[k][k] = 1;
    return derivative;
  }
  for (std::size_t k = 0; k < 4; ++k) derivative[k][k] = 4 * barycentric[k] - 1;  // N = l (2 l - 1)
  for (std::size_t k = 0; k < tet_edges.size(); ++k) {                            // N = 4 l_a l_b
    const std::size_t a = as_size(tet_edges[k][0]);
    const std::size_t b = as_size(tet_edges[k][1]);
    derivative[4 + k][a] = 4 * barycentric[b];
    derivative[4 + k][b] = 4 * barycentric[a];
  }
  return derivative;
}

TetRule integration_rule(Element element) {
  if (element == Element::p1) return {1, {shape_derivatives(element, {0.25, 0.25, 0.25, 0.25})}};
  // Products of linear gradients: the 4-point rule of degree 2 is exact.
  const double near = (5 + 3 * std::sqrt(5.0)) / 20;
  const double far = (5 - std::sqrt(5.0)) / 20;
  TetRule rule{4, {}};
  for (std::size_t q = 0; q < 4; ++q) {
    std::array<double, 4> at{far, far, far, far};
    at[q] = near;
    rule.derivative[q] = shape_derivatives(element, at);
  }
  return rule;
}

std::array<Vector3, 10> shape_gradients(const ShapeDerivatives& derivative, const TetGeometry& geometry,
                                        std::size_t nodes) {
  std::array<Vector3, 10> gradient{};
  for (std::size_t b = 0; b < nodes; ++b) {
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t c = 0; c < 3; ++c) gradient[b][c] += derivative[b][k] * geometry.gradient[k][c];
    }
  }
  return gradient;
}

void element_blocks(const TetRule& rule, const TetGeometry& geometry, std::size_t a, std::span<Block3> blocks,
                    const Lame& material) {
  const auto [lambda, mu] = material;
  std::array<std::array<Vector3, 10>, 4> gradient{};
  for (std::size_t q = 0; q < as_size(rule.points); ++q)
    gradient[q] = shape_gradients(rule.derivative[q], geometry, blocks.size());
  const double weight = geometry.volume / rule.points;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block3 outer{};  // sum over the points of grad N_a grad N_b^T
    for (std::size_t q = 0; q < as_size(rule.points); ++q) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) outer[i][j] += gradient[q][a][i] * gradient[q][b][j];
      }
    }
    const double trace = outer[0][0] + outer[1][1] + outer[2][2];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        blocks[b][i][j] = weight * (lambda * outer[i][j] + mu * outer[j][i] + (i == j ? mu * trace : 0));
      }
    }
  }
}

Block3 stress_at(const std::array<Vector3, 10>& gradient, std::span<const Vector3> u, const Lame& material) {
  Block3 slope{};  // du_i / dx_j
  for (std::size_t a = 0; a < u.size(); ++a) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) slope[i][j] += u[a][i] * gradient[a][j];
    }
  }
  const double dilation = slope[0][0] + slope[1][1] + slope[2][2];
  Block3 stress{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      stress[i][j] = material.mu * (slope[i][j] + slope[j][i]) + (i == j ? material.lambda * dilation : 0);
  }
  return stress;
}

void element_forces(const TetRule& rule, const TetGeometry& geometry, std::span<const Vector3> u, const Lame& material,
                    std::span<Vector3> force) {
  std::fill(force.begin(), force.end(), Vector3{});
  const double weight = geometry.volume / rule.points;
  for (std::size_t q = 0; q < as_size(rule.points); ++q) {
    const std::array<Vector3, 10> gradient = shape_gradients(rule.derivative[q], geometry, u.size());
    const Block3 stress = stress_at(gradient, u, material);
    for (std::size_t a = 0; a < u.size(); ++a) {
      for (std::size_t i = 0; i < 3; ++i) force[a][i] += weight * dot(stress[i], gradient[a]);
    }
  }
}

}  // namespace asterism::cg
