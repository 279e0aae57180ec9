// SPDX-License-Identifier: Apache-2.0
// A scene of FDTD with all that changes the fields, in few cells: layers, poles of each kind in cells of two materials,
// a plane wave and a magnetic current.
#pragma once

#include <string>

namespace asterism::tests {

/// What of it the tests want otherwise.
struct FdtdSceneOptions {
  int steps = 60;
  char walled = 'y';    ///< the axis with conductors at its ends, electric and magnetic; layers elsewhere
  int wave_from_z = 4;  ///< the cell where the wave's box begins along z
};

/// In TOML. What it leaves behind (probes, monitors, files) is to be added.
inline std::string fdtd_scene(const FdtdSceneOptions& options) {
  return "courant = 0.9\nsteps = " + std::to_string(options.steps) + R"(
[grid]
cells = [17, 14, 19]
spacing = [1e-3, 1.2e-3, 0.9e-3]
[faces]
all = "cpml"
)" + options.walled +
         R"( = ["pec", "pmc"]
[cpml]
thickness = 3
[materials.metal]
eps_r = 1.5
sigma = 0.1
drude = { omega_p = 2e11, gamma = 1e10 }
[materials.glass]
mu_r = 2
lorentz = { delta_eps = 1.5, omega_0 = 3e11, delta = 1e10 }
debye = { delta_eps = 0.5, tau = 5e-12 }
[[geometry]]
shape = "box"
material = "metal"
low = [7e-3, 6e-3, 7e-3]
high = [10e-3, 9e-3, 11e-3]
[[geometry]]
shape = "sphere"
material = "glass"
centre = [9e-3, 8e-3, 9e-3]
radius = 1.5e-3
[[sources]]
type = "plane_wave"
direction = [1, 0, 0]
polarisation = [0, 0.6, 0.8]
box = { from = [4, 4, )" +
         std::to_string(options.wave_from_z) + R"(], to = [13, 10, 15] }
waveform = { kind = "gaussian", width = 20e-12 }
[[sources]]
type = "dipole"
component = "Hy"
position = [8.5e-3, 7.2e-3, 6.75e-3]
waveform = { kind = "gaussian", amplitude = 1e-3, width = 20e-12 }
)";
}

}  // namespace asterism::tests
