// SPDX-License-Identifier: Apache-2.0
// A block of glass in a plane wave: sources, box of total field, monitors and far field together, by what they have to
// agree on.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/illuminated.hpp"
#include "tests/codelets/fdtd/recording.hpp"

namespace asterism::fdtd {
namespace {

using cases::impedance;
using cases::speed;

using Complex = std::complex<double>;

/// Cross-sections, m^2.
struct Found {
  double scattered;      ///< from the flux through a surface outside the box
  double extinguished;   ///< from the far field in the forward direction
  double scattered_far;  ///< from the far field in all directions
  double absorbed;       ///< from the flux through a surface inside the box
};

Found scatter(int finer) {
  Setting s{{44 * finer, 34 * finer, 54 * finer}, {2e-3 / finer, 2.6e-3 / finer, 1.6e-3 / finer}};
  s.face = cases::boundaries[0].second;
  const auto box = [&](int x, int y, int z) {
    return Box{(22 - x) * finer, (22 + x) * finer, (17 - y) * finer,
               (17 + y) * finer, (27 - z) * finer, (27 + z) * finer};
  };
  s.materials = {{}, {2, 1, 0, 0}};
  s.cells.assign(as_size(s.n[0] * s.n[1] * s.n[2]), 0);
  const Box block = box(1, 1, 2);
  for (int i = block.x0; i < block.x1; ++i)
    for (int j = block.y0; j < block.y1; ++j)
      for (int k = block.z0; k < block.z1; ++k) s.cells[as_size((i * s.n[1] + j) * s.n[2] + k)] = 1;

  const double width = 4e-3 / speed, frequency = speed / 15e-3;
  const Waveform pulse{Pulse::differentiated_gaussian, 1, width, 4.5 * width, 0};
  const PlaneWave wave = wave_along({1, -2, 3}, s.d, 0.8, pulse);
  const Incident incident = make_incident(wave, box(3, 3, 4), space_of(s));
  Illuminated<double> lit(s, incident);
  SurfaceRecording inside(closed_surface(box(2, 2, 3), {frequency}, 2), lit.domain);
  SurfaceRecording outside(closed_surface(box(4, 4, 5), {frequency}, 2), lit.domain);
  const double centre = delay_at(incident, Field::electric, 0, 22 * finer, 17 * finer, 27 * finer) -
                        incident.direction.unit[0] * s.d[0] / 2 / speed;
  Complex at_centre = 0;
  // until what the front of the pulse made comes back from the walls
  const double quiet = centre + 78e-3 / speed;
  for (int n = 1; n * s.dt() < quiet; ++n) {
    lit.step();
    inside.record(lit.domain, n);
    outside.record(lit.domain, n);
    at_centre += s.dt() * value(pulse, n * s.dt() - centre) *
                 std::exp(Complex(0, -2 * std::numbers::pi * frequency * n * s.dt()));
  }
  const double per_area = std::norm(at_centre) / (2 * impedance);
  const Surroundings around{{s.d[0], s.d[1], s.d[2]}, eps0, mu0, {22.0 * finer, 17.0 * finer, 27.0 * finer}};
  const SurfaceSpectra spectra = outside.spectra();
  const FarField forward = far_field(outside.surface, spectra, around, 0, {{wave.theta, wave.phi}})[0];
  const Complex along_e = std::cos(wave.polarisation) * forward.theta + std::sin(wave.polarisation) * forward.phi;
  return {radiated(outside.surface, spectra, around.spacing, 0) / per_area,
          -2 * speed / frequency * (along_e / at_centre).imag(),
          radiated_far(outside.surface, spectra, around, 0) / per_area,
          -radiated(inside.surface, inside.spectra(), around.spacing, 0) / per_area};
}

/// What a block without losses takes from the wave it scatters. Optical theorem, time factor exp(+i w t):
/// sigma = -4 pi / k Im (e . F forward / E0) (Born and Wolf, Principles of Optics, section 13.3).
TEST(FdtdScattering, ObeysTheOpticalTheorem) {
  const Found coarse = scatter(2);
  const Found fine = scatter(3);
  const auto wrong = [](const Found& f) { return std::abs(f.extinguished / f.scattered - 1); };
  const auto wrong_far = [](const Found& f) { return std::abs(f.scattered_far / f.scattered - 1); };
  for (const Found& f : {coarse, fine}) {
    EXPECT_GT(f.scattered, 1e-6);
    EXPECT_LT(std::abs(f.absorbed), 1e-3 * f.scattered);
  }
  EXPECT_LT(wrong(coarse), 0.1);
  EXPECT_LT(wrong(fine), wrong(coarse) / 2);  // second order: 9 / 4
  EXPECT_LT(wrong_far(coarse), 0.03);
  EXPECT_LT(wrong_far(fine), wrong_far(coarse) / 2);
}

}  // namespace
}  // namespace asterism::fdtd
