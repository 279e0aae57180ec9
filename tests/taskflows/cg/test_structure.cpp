// SPDX-License-Identifier: Apache-2.0
// Structures against exact solutions: patches, bars, beams, a plate with a hole; the order of convergence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/taskflows/cg/solved_structure.hpp"

namespace asterism::cg {
namespace {

class Structures : public ::testing::TestWithParam<Element> {};
INSTANTIATE_TEST_SUITE_P(Structure, Structures, ::testing::Values(Element::p1, Element::p2),
                         [](const auto& tested) { return tested.param == Element::p1 ? "P1" : "P2"; });

void expect_stress(const StructureResult& r, const Stress& exact, double tolerance) {
  for (const auto* all : {&r.stress_of_node, &r.stress_of_element}) {
    for (const Stress& stress : *all) {
      for (std::size_t c = 0; c < 6; ++c) ASSERT_NEAR(stress[c], exact[c], tolerance) << c;
    }
  }
}

/// Inner nodes of a box are moved, for elements of all shapes.
TetMesh distorted(TetMesh mesh, const Vector& side) {
  for (std::size_t i = 0; i < mesh.node.size(); ++i) {
    Vector& x = mesh.node[i];
    bool inner = true;
    for (std::size_t c = 0; c < 3; ++c) inner = inner && x[c] > 1e-9 && x[c] < side[c] - 1e-9;
    for (std::size_t c = 0; inner && c < 3; ++c) x[c] += 0.05 * std::sin(7.0 * static_cast<double>(i + 5 * c));
  }
  return mesh;
}

TEST_P(Structures, PatchOfLinearDisplacement) {
  const Vector side{1.0, 0.7, 1.9};
  Structure s = bare_structure(model_of(GetParam(), 3, 0.35), distorted(box({3, 2, 4}, side), side));
  const double g[3][3] = {{0.3, -0.8, 0.5}, {1.1, -0.2, 0.7}, {0.4, 0.9, -0.6}};
  const auto field = [&](const Vector& x) {
    Vector u{1, -2, 3};
    for (std::size_t i = 0; i < 3; ++i) u[i] += dot({g[i][0], g[i][1], g[i][2]}, x);
    return u;
  };
  prescribe(
      s,
      [&](const Vector& x) {
        bool surface = false;
        for (std::size_t c = 0; c < 3; ++c) surface = surface || x[c] < 1e-9 || x[c] > side[c] - 1e-9;
        return surface;
      },
      field);
  const StructureResult r = solve_directly(s);
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    const Vector exact = field(s.body.nodes.position[i]);
    for (std::size_t c = 0; c < 3; ++c) ASSERT_NEAR(r.displacement[3 * i + c], exact[c], 1e-12);
  }
  const double mu = 3 / (2 * 1.35);
  const double lambda = 3 * 0.35 / (1.35 * 0.3);
  const double trace = lambda * (0.3 - 0.2 - 0.6);
  expect_stress(r,
                {trace + 2 * mu * 0.3, trace - 2 * mu * 0.2, trace - 2 * mu * 0.6, mu * (-0.8 + 1.1), mu * (0.7 + 0.9),
                 mu * (0.5 + 0.4)},
                1e-11);
  EXPECT_NEAR(r.volume, 1.0 * 0.7 * 1.9, 1e-13);
  EXPECT_LE(r.imbalance, r.allowed_imbalance);
}

/// Pulled by a traction, held as symmetry planes do: exact with any Poisson's ratio.
TEST_P(Structures, BarUnderTraction) {
  Model model = model_of(GetParam(), 200, 0.3);
  for (const char axis : {'x', 'y', 'z'}) {
    Support support{.name = std::string(1, axis), .part = group_named(std::string(1, axis) + "0")};
    support.displacement[static_cast<std::size_t>(axis - 'x')] = 0;
    model.supports.push_back(support);
  }
  model.loads = {{.name = "pull", .part = group_named("x1"), .kind = LoadKind::traction, .vector = {5, 0, 0}}};
  const Structure s = make_structure(model, box_with_groups({4, 2, 3}, {2, 0.5, 0.3}));
  const StructureResult r = solve_directly(s);
  expect_stress(r, {5, 0, 0, 0, 0, 0}, 1e-11);
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    const Vector& x = s.body.nodes.position[i];
    ASSERT_NEAR(r.displacement[3 * i], 5.0 / 200 * x[0], 1e-14);
    ASSERT_NEAR(r.displacement[3 * i + 1], -0.3 * 5.0 / 200 * x[1], 1e-14);
  }
  EXPECT_NEAR(r.reactions[0].force[0], -5 * 0.5 * 0.3, 1e-12);
  EXPECT_NEAR(r.reactions[1].force[1], 0, 1e-12);
  EXPECT_NEAR(r.strain_energy, 5.0 * 5 / 200 / 2 * 2 * 0.5 * 0.3, 1e-13);
  EXPECT_LE(r.imbalance, r.allowed_imbalance);
  EXPECT_LT(r.imbalance, 1e-12);
}

TEST_P(Structures, PressureOnAllSides) {
  Model model = model_of(GetParam(), 70, 0.25);
  for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"})
    model.loads.push_back({.name = side, .part = group_named(side), .kind = LoadKind::pressure, .pressure = 2});
  // statically determinate: three corners
  model.supports = {{.name = "a", .part = region({{{{0, 0}}, {{0, 0}}, {{0, 0}}}}), .displacement = {0, 0, 0}},
                    {.name = "b", .part = region({{{{1, 1}}, {{0, 0}}, {{0, 0}}}}), .displacement = {{{}, 0, 0}}},
                    {.name = "c", .part = region({{{{0, 0}}, {{2, 2}}, {{0, 0}}}}), .displacement = {{{}, {}, 0}}}};
  const StructureResult r = solve_directly(make_structure(model, box_with_groups({2, 3, 2}, {1, 2, 0.5})));
  expect_stress(r, {-2, -2, -2, 0, 0, 0}, 1e-11);
  for (const Resultant& reaction : r.reactions)
    for (const double component : reaction.force) EXPECT_NEAR(component, 0, 1e-12);
}

/// A bar that hangs: u = rho g (L z - z^2 / 2) / E below the support, without lateral effects for nu = 0; P2 is exact.
TEST_P(Structures, BarUnderItsWeight) {
  const double young = 100, density = 3, g = 9.81, length = 2;
  const auto energy = [&](std::int32_t cells) {
    Model model = model_of(GetParam(), young, 0, density);
    model.supports = {{.name = "top", .part = group_named("z0"), .displacement = {0, 0, 0}}};
    model.loads = {{.name = "weight", .part = {.place = "test"}, .kind = LoadKind::gravity, .vector = {0, 0, g}}};
    const Structure s = make_structure(model, box_with_groups({cells / 4, cells / 4, cells}, {0.4, 0.3, length}));
    const StructureResult r = solve_directly(s);
    EXPECT_NEAR(r.reactions[0].force[2], -density * g * length * 0.12, 1e-11);
    return r.strain_energy;
  };
  const double exact = std::pow(density * g, 2) * std::pow(length, 3) / 6 / young * 0.12;
  if (GetParam() == Element::p2) {
    EXPECT_NEAR(energy(8), exact, 1e-12 * exact);
  } else {
    EXPECT_NEAR(std::log2((exact - energy(16)) / (exact - energy(32))), 2, 0.15);
  }
}

/// Two materials in series: the same stress, each its own strain; and a displacement that is prescribed.
TEST_P(Structures, TwoMaterialsInSeries) {
  TetMesh mesh = box_with_groups({4, 2, 2}, {2, 1, 1});
  MeshGroup soft{.dimension = 3, .tag = 1, .name = "soft"}, hard{.dimension = 3, .tag = 2, .name = "hard"};
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    double middle = 0;
    for (const std::int32_t node : mesh.tet[e]) middle += mesh.node[as_size(node)][0] / 4;
    (middle < 1 ? soft : hard).entry.push_back(static_cast<std::int32_t>(e));
  }
  mesh.group.push_back(soft);
  mesh.group.push_back(hard);
  Model model = model_of(GetParam(), 0, 0);
  model.materials = {{.part = group_named("soft"), .young = 10, .poisson = 0},
                     {.part = group_named("hard"), .young = 40, .poisson = 0}};
  model.supports = {{.name = "held", .part = group_named("x0"), .displacement = {0, 0, 0}},
                    {.name = "pulled", .part = group_named("x1"), .displacement = {{0.05, {}, {}}}}};
  const Structure s = make_structure(model, mesh);
  const StructureResult r = solve_directly(s);
  const double stress = 0.05 / (1.0 / 10 + 1.0 / 40);
  expect_stress(r, {stress, 0, 0, 0, 0, 0}, 1e-12);
  EXPECT_NEAR(r.reactions[1].force[0], stress, 1e-12);
  EXPECT_NEAR(r.reactions[0].force[0], -stress, 1e-12);
  EXPECT_NEAR(r.strain_energy, stress * 0.05 / 2, 1e-13);
}

/// A force is spread over faces, lines, points and volumes; its sum is the force, its moment that of their centre.
TEST_P(Structures, ForceOnGroupsOfEveryDimension) {
  TetMesh mesh = box_with_groups({2, 2, 2}, {2, 1, 1});
  mesh.group.push_back({.dimension = 1, .tag = 1, .name = "edge", .entry = {2, 5, 5, 8}});  // x = 2, z = 0
  mesh.group.push_back({.dimension = 0, .tag = 1, .name = "corners", .entry = {2, 8}});
  MeshGroup all{.dimension = 3, .tag = 1, .name = "all"};
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) all.entry.push_back(static_cast<std::int32_t>(e));
  mesh.group.push_back(all);
  const std::vector<std::pair<const char*, Vector>> centres{
      {"x1", {2, 0.5, 0.5}}, {"edge", {2, 0.5, 0}}, {"corners", {2, 0.5, 0}}, {"all", {1, 0.5, 0.5}}};
  for (const auto& [name, centre] : centres) {
    const Vector force{1, -2, 3};
    Model model = model_of(GetParam(), 1, 0.2);
    model.supports = {{.name = "held", .part = group_named("x0"), .displacement = {0, 0, 0}}};
    model.loads = {{.name = name, .part = group_named(name), .kind = LoadKind::force, .vector = force}};
    const Structure s = make_structure(model, mesh);
    Resultant nodal;
    for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i)
      nodal.add(s.body.nodes.position[i], {s.load[3 * i], s.load[3 * i + 1], s.load[3 * i + 2]});
    const Vector moment = cross(centre, force);
    const StructureResult r = solve_directly(s);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(nodal.force[c], force[c], 1e-13) << name;
      EXPECT_NEAR(nodal.moment[c], moment[c], 1e-13) << name;
      EXPECT_NEAR(s.loads[0].moment[c], moment[c], 1e-13) << name;
      EXPECT_NEAR(r.reactions[0].force[c], -force[c], 1e-11) << name;
      EXPECT_NEAR(r.reactions[0].moment[c], -moment[c], 1e-11) << name;
    }
    EXPECT_LE(r.imbalance, r.allowed_imbalance) << name;
  }
}

// ---- convergence -----------------------------------------------------------------------------------------------

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

// ---- beam and plate --------------------------------------------------------------------------------------------

/// Length 10, width 0.5, height 0.8, clamped at x = 0, a force along z at the other end: Timoshenko's deflection, the
/// linear stress of Euler and Bernoulli half-way, and the moment at the clamp.
TEST(Structure, Cantilever) {
  const double young = 210e9, length = 10, width = 0.5, height = 0.8, force = -1e4;
  Model model = model_of(Element::p2, young, 0);
  model.supports = {{.name = "clamp", .part = group_named("x0"), .displacement = {0, 0, 0}}};
  model.loads = {{.name = "tip", .part = group_named("x1"), .kind = LoadKind::force, .vector = {0, 0, force}}};
  const Structure s = make_structure(model, box_with_groups({20, 2, 4}, {length, width, height}));
  const StructureResult r = solve_directly(s);
  const double second_moment = width * std::pow(height, 3) / 12;
  const double bending = force * std::pow(length, 3) / (3 * young * second_moment);
  const double shear = force * length / (5.0 / 6 * young / 2 * width * height);
  double work = 0;
  for (std::size_t i = 0; i < s.load.size(); ++i) work += s.load[i] * r.displacement[i];
  EXPECT_NEAR(work / force, bending + shear, 5e-3 * std::abs(bending));
  EXPECT_NEAR(r.strain_energy, work / 2, 1e-9 * work);
  EXPECT_NEAR(r.reactions[0].force[2], -force, 1e-6 * std::abs(force));
  // the moment about the y axis through the origin: that of the load, with the opposite sign
  EXPECT_NEAR(r.reactions[0].moment[1], force * length, 1e-6 * std::abs(force * length));
  int compared = 0;
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    const Vector& x = s.body.nodes.position[i];
    if (std::abs(x[0] - length / 2) > 1e-9) continue;
    const double exact = force * (length - x[0]) * (x[2] - height / 2) / second_moment * -1;
    const double largest = std::abs(force) * length / 2 * height / 2 / second_moment;
    EXPECT_NEAR(r.stress_of_node[i][0], exact, 0.02 * largest);
    ++compared;
  }
  EXPECT_EQ(compared, 5 * 9);
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

struct PlateErrors {
  double stress;         ///< L2 norm over that of the exact stress
  double concentration;  ///< of xx at the top of the hole, which is 3
};

/// A quarter of the plate from the hole to four radii; Kirsch's tractions on the facets of both arcs.
PlateErrors plate_errors(Element element, std::int32_t cells) {
  constexpr double poisson = 0.3, outer = 4;
  TetMesh mesh = box_with_groups({cells, cells, 1}, {1, 1, 1});
  for (Vector& x : mesh.node) {
    const double radius = std::pow(outer, x[0]);
    const double angle = std::numbers::pi / 2 * x[1];
    x = {radius * std::cos(angle), radius * std::sin(angle), x[2] * 2 / cells};
  }
  Model model = model_of(element, 5, poisson);
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
        s.body, select.faces(group_named(arc)),
        [&](const Vector& x, const Vector& n) {
          const Stress t = kirsch(x, poisson);
          return Vector{t[0] * n[0] + t[3] * n[1], t[3] * n[0] + t[1] * n[1], 0};
        },
        s.load);
  }
  const StructureResult r = solve_directly(s);
  const TetRule rule = integration_rule(Element::p2);  // four points, for linear elements, too
  const std::vector<TetGeometry> geometry = tet_geometries(s.body.nodes, "plate");
  const double near = (5 + 3 * std::sqrt(5.0)) / 20, far = (5 - std::sqrt(5.0)) / 20;
  double error = 0, norm = 0;
  for (std::size_t e = 0; e < geometry.size(); ++e) {
    const std::int32_t* const node = s.body.nodes.element.data() + e * as_size(s.body.nodes.per_element);
    std::vector<Vector3> u;
    for (int a = 0; a < s.body.nodes.per_element; ++a)
      u.push_back({r.displacement[3 * as_size(node[a])], r.displacement[3 * as_size(node[a]) + 1],
                   r.displacement[3 * as_size(node[a]) + 2]});
    for (std::size_t q = 0; q < as_size(rule.points); ++q) {
      Vector x{};
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t c = 0; c < 3; ++c) x[c] += (k == q ? near : far) * s.body.nodes.position[as_size(node[k])][c];
      std::array<double, 4> at{far, far, far, far};
      at[q] = near;
      const Block3 found =
          stress_at(shape_gradients(shape_derivatives(element, at), geometry[e], u.size()), u, s.body.material_at(e));
      const Stress exact = kirsch(x, poisson);
      const Stress six{found[0][0], found[1][1], found[2][2], found[0][1], found[1][2], found[0][2]};
      for (std::size_t c = 0; c < 6; ++c) {
        error += geometry[e].volume * std::pow(six[c] - exact[c], 2);
        norm += geometry[e].volume * std::pow(exact[c], 2);
      }
    }
  }
  PlateErrors result{std::sqrt(error / norm), 0};
  for (std::size_t i = 0; i < s.body.nodes.position.size(); ++i) {
    const Vector& x = s.body.nodes.position[i];
    if (std::hypot(x[0], x[1] - 1) < 1e-9)
      result.concentration = std::max(result.concentration, std::abs(r.stress_of_node[i][0] - 3));
  }
  return result;
}

TEST(Structure, PlateWithHoleConverges) {
  std::vector<PlateErrors> p1, p2;
  for (const std::int32_t cells : {12, 24}) p1.push_back(plate_errors(Element::p1, cells));
  for (const std::int32_t cells : {8, 16}) p2.push_back(plate_errors(Element::p2, cells));
  RecordProperty(
      "p1", fmt::format("{} {}, peak {} {}", p1[0].stress, p1[1].stress, p1[0].concentration, p1[1].concentration));
  RecordProperty(
      "p2", fmt::format("{} {}, peak {} {}", p2[0].stress, p2[1].stress, p2[0].concentration, p2[1].concentration));
  EXPECT_NEAR(std::log2(p1[0].stress / p1[1].stress), 1, 0.15);
  EXPECT_NEAR(std::log2(p2[0].stress / p2[1].stress), 2, 0.25);
  EXPECT_LT(p1[1].concentration, p1[0].concentration / 1.5);
  EXPECT_LT(p2[1].concentration, p2[0].concentration / 2);
  EXPECT_LT(p2[1].concentration, 0.03);
}

}  // namespace
}  // namespace asterism::cg
