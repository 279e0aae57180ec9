// SPDX-License-Identifier: Apache-2.0
// Example 5: a dipole antenna, two conducting rods, and its far field at the frequency of which it is half a wave long.
// The scene is text, as in a file of asterism-fdtd.
//
//   antenna
#include <algorithm>
#include <asterism/fdtd.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace {

constexpr const char* scene = R"(
courant = 0.95
time = 8e-9                 # s

[grid]
cells = [36, 36, 48]
spacing = [6e-3, 6e-3, 6e-3]
origin = [-0.111, -0.111, -0.147]

[faces]
all = "cpml"

[cpml]
thickness = 8

[[geometry]]                # one cell thick, from -69 mm to 69 mm but for the gap
shape = "box"
material = "pec"
low = [-0.003, -0.003, -0.069]
high = [0.003, 0.003, -0.003]

[[geometry]]
shape = "box"
material = "pec"
low = [-0.003, -0.003, 0.003]
high = [0.003, 0.003, 0.069]

[[sources]]
type = "dipole"
component = "Ez"
position = [-0.003, -0.003, 0]
waveform = { kind = "differentiated_gaussian", amplitude = 1e-3, width = 0.3e-9 }

[[far_fields]]
box = { low = [-0.045, -0.045, -0.093], high = [0.045, 0.045, 0.093] }
frequencies = [1e9]
theta = { from = 10, to = 90, count = 9 }
phi = [0]
)";

}  // namespace

int main() {
  try {
    asterism::Session session;
    asterism::fdtd::Simulation antenna = asterism::fdtd::Simulation::from_scene(session, scene);
    antenna.advance(antenna.steps());
    std::printf("%ld steps of %.3e s\n", antenna.steps(), antenna.time_step());
    double worst = 0;
    for (const asterism::fdtd::FarField& direction : antenna.far_fields()) {
      // a thin rod of half a wave: 1.64 (cos(pi/2 cos theta) / sin theta)^2 (Balanis, Antenna Theory, chapter 4)
      const double theta = direction.theta * std::numbers::pi / 180;
      const double thin = 1.64 * std::pow(std::cos(std::numbers::pi / 2 * std::cos(theta)) / std::sin(theta), 2);
      worst = std::max(worst, std::abs(direction.directivity - thin));
      std::printf("theta %3.0f: directivity %.3f, of a thin rod %.3f\n", direction.theta, direction.directivity, thin);
    }
    return worst < 0.1 ? 0 : 1;
  } catch (const asterism::Error& error) {
    std::fprintf(stderr, "antenna: %s\n", error.what());
    return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
  }
}
