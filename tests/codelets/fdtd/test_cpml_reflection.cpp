// SPDX-License-Identifier: Apache-2.0
// What absorbing layers reflect, measured as usual: the same sources in a domain so large that nothing returns from its
// faces within the run.
#include <gtest/gtest.h>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/probes.hpp"

namespace asterism::fdtd {
namespace {

constexpr double width = 15;
constexpr int layer_cells = default_cpml_cells;

/// A vertical dipole at the corner of an octant: magnetic conductors at x = y = 0 and an electric one at z = 0 are
/// planes of symmetry. The layers are before the other faces.
Setting octant(const std::array<int, 3>& n) {
  Setting s{n};
  s.face = {cases::pmc, cases::pec, cases::pmc, cases::pec, cases::pec, cases::pec};
  return s;
}
Record octant_record(const std::array<int, 3>& n, int layers, const std::vector<Entry>& probes, int steps) {
  Cpml cpml;
  for (const int face : {1, 3, 5}) cpml.cells[face] = layers;
  OpenDomain<double> d(octant(n), cpml);
  return record(d, {{2, 0, 0, 0}}, probes, steps, width);
}

/// Waves that run along layers 15 cells from the source, and along layers 3 cells from it, up to 100 cells away. In
/// 360 steps of 0.507 mm they cover 182 mm: to the faces of the reference and back is farther.
TEST(FdtdCpmlReflection, GrazingIncidence) {
  const int steps = 360;
  const std::vector<Entry> near = {{2, 5, 2, 2}, {2, 50, 2, 1}, {2, 100, 2, 2}, {2, 104, 0, 0}, {0, 60, 2, 2}};
  const std::vector<Entry> along = {{2, 100, 0, 0},   {2, 100, 14, 0}, {2, 100, 0, 14}, {2, 50, 14, 14},
                                    {2, 100, 14, 14}, {0, 100, 3, 14}, {1, 60, 14, 14}};
  std::vector<Entry> all = near;
  all.insert(all.end(), along.begin(), along.end());
  const Record free = octant_record({148, 76, 120}, 0, all, steps);
  const Record free_near(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(near.size()));
  const Record free_along(free.begin() + static_cast<std::ptrdiff_t>(near.size()), free.end());

  const double elongated = reflection(
      octant_record({105 + layer_cells, 15 + layer_cells, 15 + layer_cells}, layer_cells, along, steps), free_along);
  const double thin = reflection(
      octant_record({105 + layer_cells, 3 + layer_cells, 3 + layer_cells}, layer_cells, near, steps), free_near);
  RecordProperty("elongated_dB", std::to_string(elongated));
  RecordProperty("thin_dB", std::to_string(thin));
  EXPECT_LT(elongated, -70);
  EXPECT_LT(thin, -60);
  // conductors instead of layers
  EXPECT_GT(reflection(octant_record({105, 15, 15}, 0, along, steps), free_along), -10);
}

/// A sheet of dipoles across each axis, in both polarisations: what one layer reflects.
TEST(FdtdCpmlReflection, EveryFace) {
  for (int face = 0; face < 6; ++face)
    for (int polarisation = 1; polarisation <= 2; ++polarisation) {
      SCOPED_TRACE(testing::Message() << "face " << face << ", polarisation " << polarisation);
      const int axis = face / 2;
      const auto run = [&](int in_front, int layers) {
        const int behind = 200;
        Setting s{{2, 2, 2}};
        s.n[as_size(axis)] = in_front + behind + layers;
        s.face[as_size(2 * axis)] = s.face[as_size(2 * axis + 1)] = Face::electric;
        Cpml cpml;
        cpml.cells[face] = layers;
        OpenDomain<double> d(s, cpml);
        Entry source = {(axis + polarisation) % 3, 0, 0, 0};
        source[as_size(axis + 1)] = face % 2 == 0 ? layers + in_front : behind;
        Entry probe = source;
        probe[as_size(axis + 1)] += face % 2 == 0 ? -3 : 3;
        std::vector<Entry> sheet;
        for (int m = 0; m < 4; ++m) {
          sheet.push_back(source);
          sheet.back()[as_size((axis + 1) % 3 + 1)] = m / 2;
          sheet.back()[as_size((axis + 2) % 3 + 1)] = m % 2;
        }
        return record(d, sheet, {probe}, 300, width);
      };
      const Record free = run(200, 0);
      const double dB = reflection(run(5, layer_cells), free);
      EXPECT_LT(dB, -70);
      EXPECT_GT(dB, -200);
      EXPECT_GT(reflection(run(5, 0), free), -10);
    }
}

/// Layers of different thickness before all six faces, a dipole 3 cells from some of them, and media that reach them.
struct Surroundings {
  const char* name;
  std::vector<Material> materials;  ///< below the plane z = 10, and above; none: vacuum
};
void expect_absorbed(const Surroundings& around, int component) {
  SCOPED_TRACE(testing::Message() << around.name << ", component " << component);
  const std::array<int, 3> inner = {20, 16, 21};
  const std::array<std::array<int, 2>, 3> layers = {{{10, 12}, {11, 10}, {12, 10}}};
  const auto run = [&](bool large) {
    std::array<int, 3> before = {}, after = {};
    const std::array<int, 3> free = {47, 36, 58};
    for (std::size_t a = 0; a < 3; ++a) {
      before[a] = large ? free[a] : layers[a][0];
      after[a] = large ? free[a] : layers[a][1];
    }
    Setting s{{before[0] + inner[0] + after[0], before[1] + inner[1] + after[1], before[2] + inner[2] + after[2]}};
    s.face = cases::boundaries[0].second;
    if (!around.materials.empty()) {
      s.materials = around.materials;
      for (int row = 0; row < s.n[0] * s.n[1]; ++row)
        for (int k = 0; k < s.n[2]; ++k) s.cells.push_back(k < before[2] + 10 ? 0 : 1);
    }
    Cpml cpml;
    for (int face = 0; face < 6 && !large; ++face) cpml.cells[face] = layers[as_size(face / 2)][as_size(face % 2)];
    OpenDomain<double> d(s, cpml);
    const std::vector<Entry> sources = {{component, 3, 12, 14}};
    const std::vector<Entry> probes = {{0, 17, 8, 12},  {1, 2, 14, 3}, {2, 10, 8, 18}, {2, 1, 1, 14},
                                       {2, 18, 14, 14}, {0, 9, 1, 2},  {1, 5, 13, 14}};
    return record(d, shifted(sources, before), shifted(probes, before), 185, width);
  };
  const double dB = reflection(run(false), run(true));
  testing::Test::RecordProperty(std::string(around.name) + "_dB_" + std::to_string(component), std::to_string(dB));
  EXPECT_LT(dB, -60);
}
TEST(FdtdCpmlReflection, AllFaces) {
  for (const int component : {0, 1, 2}) expect_absorbed({"vacuum", {}}, component);
}
TEST(FdtdCpmlReflection, MediaThatReachTheLayers) {
  expect_absorbed({"half_space", {{3, 1, 0, 0}, {}}}, 0);
  expect_absorbed({"lossy", {{4, 1, 0.05, 0}, {2, 1, 0, 0}}}, 2);
  expect_absorbed({"magnetic", {{2, 2, 0, 0}, {}}}, 1);
}

}  // namespace
}  // namespace asterism::fdtd
