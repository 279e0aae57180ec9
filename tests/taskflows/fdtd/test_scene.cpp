// SPDX-License-Identifier: Apache-2.0
// Scenes: every key arrives where it belongs, and the examples are right.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/taskflows/fdtd/scene_fixture.hpp"

namespace asterism::fdtd::scene {
namespace {

constexpr double degree = std::numbers::pi / 180;

bool same(const Box& a, const Box& b) {
  return a.x0 == b.x0 && a.x1 == b.x1 && a.y0 == b.y0 && a.y1 == b.y1 && a.z0 == b.z0 && a.z1 == b.z1;
}

TEST_F(SceneTests, DefaultsAreAPecBoxOfVacuum) {
  const Scene s = read("steps = 3\n[grid]\ncells = [3, 4, 5]\nspacing = 0.5\n");
  EXPECT_EQ(s.grid, (Grid{{3, 4, 5}, {0.5, 0.5, 0.5}, {0, 0, 0}}));
  EXPECT_EQ(s.precision, Precision::double_precision);
  EXPECT_EQ(s.steps, 3);
  EXPECT_DOUBLE_EQ(s.time_step, 0.99 * 0.5 / (299792458 * std::sqrt(3.0)));
  for (const Boundary b : s.boundary) EXPECT_EQ(b, Boundary::electric);
  ASSERT_EQ(s.materials.size(), 2U);
  EXPECT_EQ(s.materials[0].name, "vacuum");
  EXPECT_EQ(s.materials[1].name, "pec");
  EXPECT_TRUE(std::isinf(s.materials[1].constants.sigma));
  EXPECT_EQ(s.background, 0);
  EXPECT_TRUE(s.geometry.empty() && s.dipoles.empty() && s.plane_waves.empty() && s.probes.empty() &&
              s.monitors.empty() && s.far_fields.empty() && s.field_outputs.empty() && s.slice_outputs.empty());
}

TEST_F(SceneTests, GridAndTime) {
  const Scene s = read(R"(
precision = "single"
courant = 0.5
time = 1e-8
[grid]
size = [2, 1.6, 3]
spacing = [0.1, 0.2, 0.25]
origin = [-1, 0.5, 7]
[faces]
all = "pmc"
x = "periodic"
z = ["pec", "cpml"]
[cpml]
thickness = 4
order = 3.5
sigma_ratio = 0.8
kappa_max = 7
alpha_max = 0
)");
  EXPECT_EQ(s.grid, (Grid{{20, 8, 12}, {0.1, 0.2, 0.25}, {-1, 0.5, 7}}));
  EXPECT_EQ(s.precision, Precision::single_precision);
  const double limit = 1 / (299792458 * std::sqrt(100.0 + 25 + 16));
  EXPECT_NEAR(s.time_step / limit, 0.5, 1e-12);
  EXPECT_EQ(s.steps, static_cast<std::int64_t>(std::ceil(1e-8 / s.time_step)));
  EXPECT_EQ(s.boundary, (std::array<Boundary, 6>{Boundary::periodic, Boundary::periodic, Boundary::magnetic,
                                                 Boundary::magnetic, Boundary::electric, Boundary::cpml}));
  EXPECT_EQ(s.cpml.thickness, 4);
  EXPECT_EQ(s.cpml.order, 3.5);
  EXPECT_EQ(s.cpml.sigma_ratio, 0.8);
  EXPECT_EQ(s.cpml.kappa_max, 7);
  EXPECT_EQ(s.cpml.alpha_max, 0);
  EXPECT_EQ(read("time_step = 1e-12\n" + with("")).time_step, 1e-12);
}

/// The least permittivity and permeability, of different materials: light is faster than in vacuum.
TEST_F(SceneTests, FastMaterialsLowerTheStabilityLimit) {
  const double vacuum = read(with("")).time_step;
  EXPECT_NEAR(read(with("[materials]\na.eps_r = 4\nb.mu_r = 3\n")).time_step / vacuum, 1, 1e-12);
  EXPECT_NEAR(read(with("[materials]\na.eps_r = 0.25\nb.mu_r = 0.5\n")).time_step / vacuum, std::sqrt(0.125), 1e-12);
}

TEST_F(SceneTests, Materials) {
  const Scene s = read(with(R"(
[materials.a]
eps_r = 2.5
mu_r = 1.5
sigma = 0.1
sigma_m = 0.2
drude = { omega_p = 1e9, gamma = 2e8 }
lorentz = [{ delta_eps = 0.3, omega_0 = 4e8, delta = 5e7 }, { delta_eps = 0.6, omega_0 = 7e8, delta = 0 }]
debye = { delta_eps = 0.8, tau = 9e-9 }
[materials.b]
perfect_conductor = true
)"));
  ASSERT_EQ(s.materials.size(), 4U);
  const Material& a = s.materials[2];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.constants.eps_r, 2.5);
  EXPECT_EQ(a.constants.mu_r, 1.5);
  EXPECT_EQ(a.constants.sigma, 0.1);
  EXPECT_EQ(a.constants.sigma_m, 0.2);
  ASSERT_EQ(a.poles.size(), 4U);
  EXPECT_EQ(std::get<Drude>(a.poles[0]).omega_p, 1e9);
  EXPECT_EQ(std::get<Drude>(a.poles[0]).gamma, 2e8);
  EXPECT_EQ(std::get<Lorentz>(a.poles[1]).delta_eps, 0.3);
  EXPECT_EQ(std::get<Lorentz>(a.poles[1]).omega_0, 4e8);
  EXPECT_EQ(std::get<Lorentz>(a.poles[1]).delta, 5e7);
  EXPECT_EQ(std::get<Lorentz>(a.poles[2]).omega_0, 7e8);
  EXPECT_EQ(std::get<Debye>(a.poles[3]).delta_eps, 0.8);
  EXPECT_EQ(std::get<Debye>(a.poles[3]).tau, 9e-9);
  EXPECT_TRUE(std::isinf(s.materials[3].constants.sigma));
  const std::vector<fdtd::Material> constants = constants_of(s);
  ASSERT_EQ(constants.size(), 4U);
  EXPECT_EQ(constants[2].mu_r, 1.5);
}

TEST_F(SceneTests, Sources) {
  const Scene s = read(with(R"(
[[sources]]
type = "dipole"
component = "Hy"
position = [1, 1.6, 1.5]
waveform = { kind = "gaussian", amplitude = 3, width = 1e-8, delay = 2e-8 }
[[sources]]
type = "plane_wave"
direction = [0, 3, 4]
polarisation = [2, 0, 0]
box = { low = [0.42, 0.6, 0.5], high = [1.58, 2.6, 2.5] }
waveform = { kind = "modulated", frequency = 1e8, width = 1e-8, phase = 90 }
[[sources]]
type = "dipole"
component = "Ez"
entry = [3, 4, 5]
waveform = { kind = "ricker", frequency = 2e8 }
[[sources]]
type = "dipole"
component = "Ez"
entry = [3, 4, 5]
waveform = { kind = "sine", frequency = 2e8, ramp = 1e-9, phase = -45 }
[[sources]]
type = "dipole"
component = "Ex"
entry = [0, 1, 1]
waveform = { kind = "differentiated_gaussian", width = 2e-8 }
)"));
  ASSERT_EQ(s.dipoles.size(), 4U);
  EXPECT_EQ(s.dipoles[0].component, (Component{Field::magnetic, 1}));
  EXPECT_EQ(s.dipoles[0].place.position, (Vector{1, 1.6, 1.5}));
  // Hy lies at (i + 1/2, j, k + 1/2)
  EXPECT_EQ(s.dipoles[0].place.entry, (std::array<std::int32_t, 3>{9, 8, 5}));
  const Waveform& w = s.dipoles[0].waveform;
  EXPECT_EQ(w.kind, WaveformKind::gaussian);
  EXPECT_EQ(w.amplitude, 3);
  EXPECT_EQ(w.width, 1e-8);
  EXPECT_EQ(w.delay, 2e-8);
  const Vector ez = s.dipoles[1].place.position;
  EXPECT_DOUBLE_EQ(ez[0], 0.3);
  EXPECT_DOUBLE_EQ(ez[1], 0.8);
  EXPECT_DOUBLE_EQ(ez[2], 5.5 * 0.25);
  EXPECT_EQ(s.dipoles[1].waveform.kind, WaveformKind::ricker);
  EXPECT_DOUBLE_EQ(s.dipoles[1].waveform.delay, 1.5 / 2e8);
  EXPECT_EQ(s.dipoles[2].waveform.kind, WaveformKind::sine);
  EXPECT_EQ(s.dipoles[2].waveform.ramp, 1e-9);
  EXPECT_DOUBLE_EQ(s.dipoles[2].waveform.phase, -45 * degree);
  EXPECT_EQ(s.dipoles[3].waveform.kind, WaveformKind::differentiated_gaussian);
  EXPECT_DOUBLE_EQ(s.dipoles[3].waveform.delay, 9e-8);
  ASSERT_EQ(s.plane_waves.size(), 1U);
  EXPECT_EQ(s.plane_waves[0].direction, (Vector{0, 0.6, 0.8}));
  EXPECT_EQ(s.plane_waves[0].polarisation, (Vector{1, 0, 0}));
  EXPECT_TRUE(same(s.plane_waves[0].box, {4, 16, 3, 13, 2, 10}));
  EXPECT_EQ(s.plane_waves[0].waveform.kind, WaveformKind::modulated);
  EXPECT_DOUBLE_EQ(s.plane_waves[0].waveform.phase, 90 * degree);
  EXPECT_EQ(s.plane_waves[0].waveform.frequency, 1e8);
}

TEST_F(SceneTests, Observers) {
  const Scene s = read(with(R"(
[[probes]]
position = [1.04, 1.5, 1.5]
[[probes]]
name = "gap"
entry = [1, 2, 3]
components = ["Hz", "E"]
[[monitors]]
frequencies = { from = 1e8, to = 3e8, count = 5 }
box = { low = [0.5, 0.4, 1], high = [0.5, 2, 1] }
[[monitors]]
frequencies = 1e8
components = "H"
[[far_fields]]
box = { from = [2, 3, 4], to = [18, 13, 9] }
frequencies = [1e8, 2e8]
theta = { from = 0, to = 180, count = 3 }
phi = [0, 45]
[[fields]]
file = "a.h5"
every = 7
placement = "yee"
fields = ["H", "E"]
[[fields]]
file = "b.pvd"
[[slices]]
file = "s.png"
axis = "y"
at = 1.65
quantity = "Hz"
every = 3
zoom = 4
low = -1
high = 2
[[slices]]
file = "t.png"
axis = "x"
index = 19
quantity = "E"
)"));
  ASSERT_EQ(s.probes.size(), 2U);
  EXPECT_EQ(s.probes[0].name, "probe0");
  EXPECT_EQ(s.probes[0].components.size(), 6U);
  ASSERT_EQ(s.probes[0].places.size(), 6U);
  using Entry = std::array<std::int32_t, 3>;
  EXPECT_EQ(s.probes[0].places[0].entry, (Entry{10, 7, 6})) << "Ex (i + 1/2, j, k): y = 1.5 is 7.5 of 0.2";
  EXPECT_EQ(s.probes[0].places[5].entry, (Entry{10, 7, 6})) << "Hz (i + 1/2, j + 1/2, k)";
  EXPECT_EQ(s.probes[0].places[3].entry, (Entry{10, 7, 5})) << "Hx (i, j + 1/2, k + 1/2)";
  EXPECT_EQ(s.probes[1].name, "gap");
  const Field e = Field::electric;
  EXPECT_EQ(s.probes[1].components, (std::vector<Component>{{Field::magnetic, 2}, {e, 0}, {e, 1}, {e, 2}}));
  ASSERT_EQ(s.monitors.size(), 2U);
  EXPECT_EQ(s.monitors[0].frequencies, (std::vector<double>{1e8, 1.5e8, 2e8, 2.5e8, 3e8}));
  EXPECT_TRUE(same(s.monitors[0].box, {5, 6, 2, 10, 4, 5}));
  EXPECT_EQ(s.monitors[0].components.size(), 6U);
  EXPECT_TRUE(same(s.monitors[1].box, {0, 20, 0, 16, 0, 12}));
  EXPECT_EQ(s.monitors[1].components[2], (Component{Field::magnetic, 2}));
  ASSERT_EQ(s.far_fields.size(), 1U);
  EXPECT_TRUE(same(s.far_fields[0].box, {2, 18, 3, 13, 4, 9}));
  ASSERT_EQ(s.far_fields[0].directions.size(), 6U);
  EXPECT_DOUBLE_EQ(s.far_fields[0].directions[3].theta, 90 * degree);
  EXPECT_DOUBLE_EQ(s.far_fields[0].directions[3].phi, 45 * degree);
  ASSERT_EQ(s.field_outputs.size(), 2U);
  EXPECT_EQ(s.field_outputs[0].every, 7);
  EXPECT_EQ(s.field_outputs[0].placement, FieldOutput::Placement::yee);
  EXPECT_EQ(s.field_outputs[0].fields, (std::vector<Field>{Field::magnetic, e}));
  EXPECT_EQ(s.field_outputs[1].every, 0);
  EXPECT_EQ(s.field_outputs[1].placement, FieldOutput::Placement::cells);
  EXPECT_EQ(s.field_outputs[1].fields, (std::vector<Field>{e, Field::magnetic}));
  ASSERT_EQ(s.slice_outputs.size(), 2U);
  EXPECT_EQ(s.slice_outputs[0].axis, 1U);
  EXPECT_EQ(s.slice_outputs[0].index, 8);
  EXPECT_EQ(std::get<Component>(s.slice_outputs[0].quantity), (Component{Field::magnetic, 2}));
  EXPECT_EQ(s.slice_outputs[0].zoom, 4);
  EXPECT_EQ(s.slice_outputs[0].low, -1);
  EXPECT_EQ(s.slice_outputs[0].high, 2);
  EXPECT_EQ(s.slice_outputs[1].index, 19);
  EXPECT_EQ(std::get<Field>(s.slice_outputs[1].quantity), e);
  EXPECT_FALSE(s.slice_outputs[1].low);
}

/// No entry of a component is nearer than the one that is found, of all that the grid has.
TEST_F(SceneTests, NearestEntriesAreNearest) {
  const Scene s = read(with("origin = [-1, 0.3, 2]\n[faces]\ny = [\"pec\", \"pmc\"]\n", "[3, 4, 2]"));
  for (const Field field : {Field::electric, Field::magnetic})
    for (int c = 0; c < 3; ++c)
      for (int n = 0; n < 200; ++n) {
        const Component component{field, c};
        Vector p{};
        for (std::size_t a = 0; a < 3; ++a) {
          const double t = std::fmod(n * (0.37 + 0.21 * static_cast<double>(a)), 1.0);
          p[a] = s.grid.origin[a] + t * s.grid.cells[a] * s.grid.spacing[a];
        }
        const auto found = nearest_entry(s, component, p);
        const Vector at = position_of(s.grid, component, found);
        for (std::size_t a = 0; a < 3; ++a) {
          const std::int32_t last =
              a == 1 && on_planes(field, c, 1) ? s.grid.cells[a] : s.grid.cells[a] - 1;  // the upper face is magnetic
          double nearest = 1e9;
          for (std::int32_t i = 0; i <= last; ++i) {
            auto other = found;
            other[a] = i;
            nearest = std::min(nearest, std::abs(position_of(s.grid, component, other)[a] - p[a]));
          }
          ASSERT_NEAR(std::abs(at[a] - p[a]), nearest, 1e-9);
        }
      }
}

TEST(SceneExamples, AreRead) {
  const fs::path folder = fs::path(ASTERISM_SOURCE_DIR) / "examples" / "fdtd";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    const Scene scene = read_scene(entry.path());
    EXPECT_GT(scene.steps, 100);
    EXPECT_FALSE(scene.geometry.empty() && scene.conductors.empty());
    EXPECT_EQ(scene.dipoles.size() + scene.plane_waves.size() + scene.ports.size(), 1U);
    ++count;
  }
  EXPECT_EQ(count, 8);
  const Scene slab = read_scene(folder / "slab.toml");
  EXPECT_EQ(slab.boundary[0], Boundary::periodic);
  EXPECT_EQ(slab.boundary[5], Boundary::cpml);
  EXPECT_TRUE(same(slab.plane_waves[0].box, {0, 4, 0, 4, 60, 340}));
  const Scene antenna = read_scene(folder / "dipole_antenna.toml");
  EXPECT_EQ(antenna.dipoles[0].place.entry, (std::array<std::int32_t, 3>{50, 50, 69}));
  EXPECT_EQ(antenna.far_fields[0].directions.size(), 74U);
  const Scene sphere = read_scene(folder / "plasmonic_sphere.toml");
  EXPECT_EQ(sphere.materials[2].name, "core");
  EXPECT_EQ(sphere.materials[3].poles.size(), 1U);
  EXPECT_TRUE(same(sphere.monitors[0].box, {20, 80, 50, 51, 20, 80}));
}

}  // namespace
}  // namespace asterism::fdtd::scene
