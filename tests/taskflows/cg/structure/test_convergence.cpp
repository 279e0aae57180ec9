// SPDX-License-Identifier: Apache-2.0
// Structures under the exact tractions of solutions that elements do not have: a box, a cantilever, a plate with a
// hole; the orders of energy, displacement and stress.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>
#include <vector>

#include "tests/taskflows/cg/solved_structure.hpp"

namespace asterism::cg {
namespace {

// ---- box -------------------------------------------------------------------------------------------------------

/// u = grad(exp(a x) sin(b y) cos(c z)), b^2 + c^2 = a^2: harmonic, hence without dilation, and its stress
/// 2 mu grad grad without body force.
struct Harmonic {
  static constexpr double a = 1.3, b = 0.5, c = 1.2;
  [[nodiscard]] static Vector displacement(const Vector& x) {
    const double e = std::exp(a * x[0]);
    return {a * e * std::sin(b * x[1]) * std::cos(c * x[2]), b * e * std::cos(b * x[1]) * std::cos(c * x[2]),
            -c * e * std::sin(b * x[1]) * std::sin(c * x[2])};
  }
  [[nodiscard]] static Stress slopes(const Vector& x) {
    const double e = std::exp(a * x[0]), s = std::sin(b * x[1]), d = std::cos(b * x[1]);
    const double t = std::sin(c * x[2]), u = std::cos(c * x[2]);
    return {a * a * e * s * u, -b * b * e * s * u, -c * c * e * s * u,
            a * b * e * d * u, -b * c * e * d * t, -a * c * e * s * t};
  }
  [[nodiscard]] static Vector traction(double mu, const Vector& x, const Vector& n) {
    const Stress g = slopes(x);
    return {2 * mu * dot({g[0], g[3], g[5]}, n), 2 * mu * dot({g[3], g[1], g[4]}, n),
            2 * mu * dot({g[5], g[4], g[2]}, n)};
  }
};

struct Found {
  double energy;
  double displacement_error;  ///< of the nodes, root mean square
};

/// A box under the exact tractions; nodes of one face have exact displacements.
Found find_harmonic(Element element, std::int32_t cells) {
  const Vector side{1, 0.8, 0.9};
  Structure s = bare_structure(model_of(element, 2.5, 0.25), box_with_groups({cells, cells, cells}, side));
  const Selector select(s.mesh, s.body.nodes, 1);
  for (const char* name : {"x0", "x1", "y0", "y1", "z0", "z1"}) {
    const std::vector<Face> faces = select.faces(group_named(name));
    add_traction(
        s.body, faces, [&](const Vector& x, const Vector& n) { return Harmonic::traction(1, x, n); }, s.load);
  }
  prescribe(
      s, [&](const Vector& x) { return x[0] < 1e-9; }, Harmonic::displacement);
  const StructureResult r = solve_directly(s);
  double squares = 0;
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    const Vector u = Harmonic::displacement(s.body.nodes.position[i]);
    for (std::size_t c = 0; c < 3; ++c) squares += std::pow(r.displacement[3 * i + c] - u[c], 2);
  }
  return {r.strain_energy, std::sqrt(squares / static_cast<double>(s.body.nodes.position.size()))};
}

TEST(Structure, EnergyConvergesAsTheOrderOfElements) {
  // mu times the integral of |grad grad|^2 over the box, by the midpoint rule on a fine grid with extrapolation
  const auto exact = [] {
    const auto sum = [](int n) {
      double total = 0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k < n; ++k) {
            const Stress g = Harmonic::slopes({(i + 0.5) / n, 0.8 * (j + 0.5) / n, 0.9 * (k + 0.5) / n});
            total += g[0] * g[0] + g[1] * g[1] + g[2] * g[2] + 2 * (g[3] * g[3] + g[4] * g[4] + g[5] * g[5]);
          }
      return total * 0.72 / n / n / n;
    };
    const double coarse = sum(16), middle = sum(32), fine = sum(64);
    const double a = (4 * middle - coarse) / 3, b = (4 * fine - middle) / 3;
    return (16 * b - a) / 15;
  }();
  const auto converges = [&](Element element, const std::string& name, std::int32_t cells, double of_displacement) {
    const Found coarse = find_harmonic(element, cells), fine = find_harmonic(element, 2 * cells);
    const double energy = std::log2(std::abs((coarse.energy - exact) / (fine.energy - exact)));
    const double displacement = std::log2(coarse.displacement_error / fine.displacement_error);
    RecordProperty(name + "_order", std::to_string(energy));
    RecordProperty(name + "_displacement_order", std::to_string(displacement));
    EXPECT_NEAR(energy, 2 * of_displacement - 2, 0.2) << name;
    EXPECT_GT(displacement, 0.95 * of_displacement) << name;  // at nodes it may be higher than in between
    return std::abs(fine.energy - exact) / exact;
  };
  converges(Element::p1, "p1", 6, 2);
  EXPECT_LT(converges(Element::p2, "p2", 4, 3), 1e-5);
}

// ---- cantilever and plate --------------------------------------------------------------------------------------

/// A solution in plane strain.
struct Exact {
  std::function<Vector(const Vector&)> displacement;
  std::function<Stress(const Vector&)> stress;

  [[nodiscard]] Vector traction(const Vector& x, const Vector& n) const {
    const Stress t = stress(x);
    return {t[0] * n[0] + t[3] * n[1], t[3] * n[0] + t[1] * n[1], 0};
  }
};

/// L2 norms of the errors over those of the solution.
struct Errors {
  double displacement = 0;
  double stress = 0;
};

/// Values of the shape functions at a point.
std::vector<double> shapes(Element element, const std::array<double, 4>& l) {
  if (element == Element::p1) return {l.begin(), l.end()};
  std::vector<double> n;
  for (const double at : l) n.push_back(at * (2 * at - 1));
  for (const auto& edge : tet_edges) n.push_back(4 * l[as_size(edge[0])] * l[as_size(edge[1])]);
  return n;
}

/// Integrated with four points of each element.
Errors errors_of(const Structure& s, const StructureResult& r, const Exact& exact) {
  const std::vector<TetGeometry> geometry = tet_geometries(s.body.nodes, "test");
  const double near = (5 + 3 * std::sqrt(5.0)) / 20, far = (5 - std::sqrt(5.0)) / 20;
  double of_displacement = 0, displacement = 0, of_stress = 0, stress = 0;
  const auto add = [](double weight, double found, double wanted, double& error, double& norm) {
    error += weight * std::pow(found - wanted, 2);
    norm += weight * std::pow(wanted, 2);
  };
  for (std::size_t e = 0; e < geometry.size(); ++e) {
    const std::int32_t* const node = s.body.nodes.element.data() + e * as_size(s.body.nodes.per_element);
    std::vector<Vector3> u;
    for (int a = 0; a < s.body.nodes.per_element; ++a)
      u.push_back({r.displacement[3 * as_size(node[a])], r.displacement[3 * as_size(node[a]) + 1],
                   r.displacement[3 * as_size(node[a]) + 2]});
    for (std::size_t q = 0; q < 4; ++q) {
      std::array<double, 4> at{far, far, far, far};
      at[q] = near;
      Vector x{}, v{};
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t c = 0; c < 3; ++c) x[c] += at[k] * s.body.nodes.position[as_size(node[k])][c];
      const std::vector<double> shape = shapes(s.model.element, at);
      for (std::size_t a = 0; a < u.size(); ++a)
        for (std::size_t c = 0; c < 3; ++c) v[c] += shape[a] * u[a][c];
      const Block3 t = stress_at(shape_gradients(shape_derivatives(s.model.element, at), geometry[e], u.size()), u,
                                 s.body.material_at(e));
      const Stress found{t[0][0], t[1][1], t[2][2], t[0][1], t[1][2], t[0][2]};
      const Vector u_exact = exact.displacement(x);
      const Stress t_exact = exact.stress(x);
      for (std::size_t c = 0; c < 3; ++c) add(geometry[e].volume, v[c], u_exact[c], of_displacement, displacement);
      for (std::size_t c = 0; c < 6; ++c) add(geometry[e].volume, found[c], t_exact[c], of_stress, stress);
    }
  }
  return {std::sqrt(of_displacement / displacement), std::sqrt(of_stress / stress)};
}

std::string described(const Errors& coarse, const Errors& fine) {
  return fmt::format("displacement {} {}, stress {} {}", coarse.displacement, fine.displacement, coarse.stress,
                     fine.stress);
}

/// Twice as many cells: the errors fall with the order of the elements, that of the displacement with one more, or
/// faster, as in the plate.
void expect_orders(const Errors& coarse, const Errors& fine, double order, const char* name) {
  EXPECT_GT(std::log2(coarse.displacement / fine.displacement), order + 0.75) << name;
  EXPECT_NEAR(std::log2(coarse.stress / fine.stress), order, 0.25) << name;
}

/// The beam of Timoshenko and Goodier in plane strain (Theory of Elasticity, 1951, 21): length 4, height 1, a load of 1
/// upwards at its free end as the parabola of shear that its sections have.
Exact loaded_beam(double young, double poisson) {
  constexpr double length = 4, height = 1, second_moment = height * height * height / 12;
  const double e = young / (1 - poisson * poisson), nu = poisson / (1 - poisson);
  return {[=](const Vector& at) {
            const double x = at[0], y = at[1] - height / 2;
            const double by = 1 / (6 * e * second_moment), square = height * height / 4;
            return Vector{-by * y * ((6 * length - 3 * x) * x + (2 + nu) * (y * y - square)),
                          by * (3 * nu * y * y * (length - x) + (4 + 5 * nu) * square * x + (3 * length - x) * x * x),
                          0};
          },
          [=](const Vector& at) {
            const double y = at[1] - height / 2, xx = -(length - at[0]) * y / second_moment;
            return Stress{xx, 0, poisson * xx, (height * height / 4 - y * y) / (2 * second_moment), 0, 0};
          }};
}

/// Clamped with the exact displacements of its section there.
Errors beam_errors(Element element, std::int32_t cells) {
  constexpr double young = 5, poisson = 0.3;
  const Exact exact = loaded_beam(young, poisson);
  Model model = model_of(element, young, poisson);
  model.supports = {{.name = "clamp", .part = group_named("x0"), .displacement = {0, 0, 0}},
                    {.name = "back", .part = group_named("z0"), .displacement = {{{}, {}, 0}}},
                    {.name = "front", .part = group_named("z1"), .displacement = {{{}, {}, 0}}}};
  model.loads = {{.name = "end", .part = group_named("x1"), .kind = LoadKind::traction, .vector = {0, 1, 0}}};
  Structure s = make_structure(model, box_with_groups({4 * cells, cells, 1}, {4, 1, 1.0 / cells}));
  std::fill(s.load.begin(), s.load.end(), 0.0);
  add_traction(
      s.body, Selector(s.mesh, s.body.nodes, 1).faces(group_named("x1")),
      [&](const Vector& x, const Vector& n) { return exact.traction(x, n); }, s.load);
  prescribe(
      s, [](const Vector& x) { return x[0] < 1e-9; }, exact.displacement);
  return errors_of(s, solve_directly(s), exact);
}

TEST(Structure, CantileverConverges) {
  for (const auto& [element, name, order, cells] :
       {std::tuple{Element::p1, "p1", 1.0, 12}, std::tuple{Element::p2, "p2", 2.0, 4}}) {
    const Errors coarse = beam_errors(element, cells), fine = beam_errors(element, 2 * cells);
    RecordProperty(name, described(coarse, fine));
    expect_orders(coarse, fine, order, name);
  }
}

/// Stress around a circular hole of radius 1 in an infinite plate under a tension of 1 along x (Kirsch 1898); plane
/// strain across it.
Stress kirsch(const Vector& x, double poisson) {
  const double r2 = x[0] * x[0] + x[1] * x[1];
  const double a = 1 / r2, b = a * a, theta = std::atan2(x[1], x[0]), c2 = std::cos(2 * theta),
               s2 = std::sin(2 * theta);
  const double rr = (1 - a) / 2 + (1 - 4 * a + 3 * b) / 2 * c2;
  const double tt = (1 + a) / 2 - (1 + 3 * b) / 2 * c2;
  const double rt = -(1 + 2 * a - 3 * b) / 2 * s2;
  const double c = std::cos(theta), s = std::sin(theta);
  const double xx = c * c * rr + s * s * tt - 2 * c * s * rt;
  const double yy = s * s * rr + c * c * tt + 2 * c * s * rt;
  return {xx, yy, poisson * (xx + yy), c * s * (rr - tt) + (c * c - s * s) * rt, 0, 0};
}

/// The displacement of the same.
Vector kirsch_displacement(const Vector& x, double young, double poisson) {
  const double r = std::hypot(x[0], x[1]), theta = std::atan2(x[1], x[0]), kappa = 3 - 4 * poisson;
  const double a = 2 / r, b = 2 / (r * r * r), by = (1 + poisson) / (4 * young);
  return {by * (r * (kappa + 1) * std::cos(theta) + a * ((1 + kappa) * std::cos(theta) + std::cos(3 * theta)) -
                b * std::cos(3 * theta)),
          by * (r * (kappa - 3) * std::sin(theta) + a * ((1 - kappa) * std::sin(theta) + std::sin(3 * theta)) -
                b * std::sin(3 * theta)),
          0};
}

struct PlateErrors : Errors {
  double concentration = 0;  ///< of the stress xx at the top of the hole, which is 3
};

/// A quarter of the plate from the hole to four radii; Kirsch's tractions on the facets of both arcs.
PlateErrors plate_errors(Element element, std::int32_t cells) {
  constexpr double young = 5, poisson = 0.3, outer = 4;
  const Exact exact{[](const Vector& x) { return kirsch_displacement(x, young, poisson); },
                    [](const Vector& x) { return kirsch(x, poisson); }};
  TetMesh mesh = box_with_groups({cells, cells, 1}, {1, 1, 1});
  for (Vector& x : mesh.node) {
    const double radius = std::pow(outer, x[0]);
    const double angle = std::numbers::pi / 2 * x[1];
    x = {radius * std::cos(angle), radius * std::sin(angle), x[2] * 2 / cells};
  }
  Model model = model_of(element, young, poisson);
  model.supports = {{.name = "y = 0", .part = group_named("y0"), .displacement = {{{}, 0, {}}}},
                    {.name = "x = 0", .part = group_named("y1"), .displacement = {{0, {}, {}}}},
                    {.name = "back", .part = group_named("z0"), .displacement = {{{}, {}, 0}}},
                    {.name = "front", .part = group_named("z1"), .displacement = {{{}, {}, 0}}}};
  model.loads = {{.name = "arc", .part = group_named("x1"), .kind = LoadKind::traction, .vector = {1, 0, 0}}};
  Structure s = make_structure(model, mesh);
  std::fill(s.load.begin(), s.load.end(), 0.0);
  const Selector select(s.mesh, s.body.nodes, 1);
  for (const char* arc : {"x0", "x1"}) {
    add_traction(
        s.body, select.faces(group_named(arc)), [&](const Vector& x, const Vector& n) { return exact.traction(x, n); },
        s.load);
  }
  const StructureResult r = solve_directly(s);
  PlateErrors result{errors_of(s, r, exact)};
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    const Vector& x = s.body.nodes.position[i];
    if (std::hypot(x[0], x[1] - 1) < 1e-9)
      result.concentration = std::max(result.concentration, std::abs(r.stress_of_node[i][0] - 3));
  }
  return result;
}

TEST(Structure, PlateWithHoleConverges) {
  for (const auto& [element, name, order, cells] :
       {std::tuple{Element::p1, "p1", 1.0, 12}, std::tuple{Element::p2, "p2", 2.0, 8}}) {
    const PlateErrors coarse = plate_errors(element, cells), fine = plate_errors(element, 2 * cells);
    RecordProperty(name,
                   fmt::format("{}, peak {} {}", described(coarse, fine), coarse.concentration, fine.concentration));
    expect_orders(coarse, fine, order, name);
    EXPECT_LT(fine.concentration, coarse.concentration / (order > 1 ? 2 : 1.5)) << name;
    EXPECT_LT(fine.concentration, order > 1 ? 0.03 : 0.5);
  }
}

}  // namespace
}  // namespace asterism::cg
