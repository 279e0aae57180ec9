// SPDX-License-Identifier: Apache-2.0
// Structures against exact solutions: patches, bars, a beam. (Orders of convergence: structure/test_convergence.cpp.)
#include <gtest/gtest.h>

#include <cmath>
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

// ---- beam ------------------------------------------------------------------------------------------------------

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

}  // namespace
}  // namespace asterism::cg
