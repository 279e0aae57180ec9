// SPDX-License-Identifier: Apache-2.0
// The far field of a run: a short dipole between absorbing layers, against what Hertz found.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "codelets/fdtd/kernels/observers/far_field.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;

const double speed = 1 / std::sqrt(vacuum_permittivity * vacuum_permeability);
const double impedance = std::sqrt(vacuum_permeability / vacuum_permittivity);
constexpr double wavelengths[2] = {28e-3, 20e-3};

/// A current along an edge in the middle of a box of some 28 mm; `finer`: 2 halves the cells. The surface that monitors
/// record is some 6 mm from it, and 8 mm from ten cells of absorbing layers.
struct Radiation {
  int axis;
  int finer;
  Problem problem = {};
  ClosedSurface surface = {};
  Surroundings around = {};
  std::vector<Complex> moment = {};  ///< transform of I l, A m s
  std::vector<Spectrum> spectra = {};

  Radiation(int axis_of_dipole, int refinement) : axis(axis_of_dipole), finer(refinement) {
    constexpr std::int32_t layer = default_cpml_cells;
    const std::array<int, 3> half{14 * finer, 11 * finer, 18 * finer};
    Problem& p = problem;
    for (std::size_t a = 0; a < 3; ++a) p.cells[a] = 2 * (half[a] + layer);
    p.spacing = {1e-3 / finer, 1.3e-3 / finer, 0.8e-3 / finer};
    p.dt = 0.95 * largest_time_step(p);
    for (std::int32_t& cells : p.cpml.cells) cells = layer;
    CurrentSource source{axis, {}, {}};
    for (std::size_t a = 0; a < 3; ++a) source.cell[a] = half[a] + layer;
    const double width = 12e-3 / speed;
    source.current = [width](double t) {
      const double u = (t - 4.5 * width) / width;
      return -2e-3 * u * std::exp(-u * u);
    };
    p.sources = {source};
    const std::array<int, 3> reach{6 * finer, 5 * finer, 8 * finer};
    const auto& c = source.cell;
    surface = closed_surface(
        {c[0] - reach[0], c[0] + reach[0], c[1] - reach[1], c[1] + reach[1], c[2] - reach[2], c[2] + reach[2]},
        {speed / wavelengths[0], speed / wavelengths[1]}, 1);
    for (const Plane& plane : surface.planes) {
      p.monitors.push_back(plane.electric);
      p.monitors.push_back(plane.magnetic);
    }
    around = {{p.spacing[0], p.spacing[1], p.spacing[2]}, p.eps0, p.mu0, {}};
    for (std::size_t a = 0; a < 3; ++a) around.centre[a] = c[a] + (static_cast<int>(a) == axis ? 0.5 : 0.0);
    check(p);
    const auto steps = static_cast<long>(11 * width / p.dt);
    for (const double wavelength : wavelengths) {
      Complex sum = 0;
      for (long n = 0; n < steps; ++n) {
        const double t = (static_cast<double>(n) + 0.5) * p.dt;
        sum += p.dt * source.current(t) * std::polar(1.0, -2 * std::numbers::pi * speed / wavelength * t);
      }
      moment.push_back(sum);
    }
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 1}, {}});
    Simulation s(p, bricks, anywhere(bricks));
    s.advance(steps);
    spectra = s.spectra();
  }

  [[nodiscard]] SurfaceSpectra seen() const {
    SurfaceSpectra on(surface);
    for (std::size_t plane = 0; plane < 6; ++plane) {
      on.electric[plane] = spectra[2 * plane];
      on.magnetic[plane] = spectra[2 * plane + 1];
    }
    return on;
  }
  /// E r exp(i k r) = -i Z0 k / (4 pi) I l (e - (e . r^) r^), e along the dipole.
  [[nodiscard]] FarField exact(std::size_t f, const Towards& d) const {
    const double along_theta[3] = {std::cos(d.theta) * std::cos(d.phi), std::cos(d.theta) * std::sin(d.phi),
                                   -std::sin(d.theta)};
    const double along_phi[3] = {-std::sin(d.phi), std::cos(d.phi), 0};
    const Complex factor = Complex(0, -impedance / (2 * wavelengths[f])) * moment[f];
    return {factor * along_theta[axis], factor * along_phi[axis]};
  }
  /// Z0 k^2 |I l|^2 / (12 pi)
  [[nodiscard]] double exact_power(std::size_t f) const {
    const double k = 2 * std::numbers::pi / wavelengths[f];
    return impedance * k * k * std::norm(moment[f]) / (12 * std::numbers::pi);
  }
};

struct Errors {
  double pattern = 0;    ///< of the field in any direction, by the largest
  double null = 0;       ///< field along the dipole, by the largest
  double power = 0;      ///< through the surface
  double far_power = 0;  ///< of the far field
  double directivity = 0;
};

Errors errors_of(const Radiation& r, std::size_t f) {
  const SurfaceSpectra seen = r.seen();
  const int number = static_cast<int>(f);
  std::vector<Towards> directions;
  for (const double theta : {0.0, 0.3, 0.8, std::numbers::pi / 2, 2.2, std::numbers::pi})
    for (const double phi : {0.0, 0.7, std::numbers::pi / 2, 3.0, 5.1}) directions.push_back({theta, phi});
  const std::vector<FarField> far = far_field(r.surface, seen, r.around, number, directions);
  const double largest = impedance / (2 * wavelengths[f]) * std::abs(r.moment[f]);
  Errors e;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const FarField exact = r.exact(f, directions[d]);
    e.pattern = std::max(
        {e.pattern, std::abs(far[d].theta - exact.theta) / largest, std::abs(far[d].phi - exact.phi) / largest});
  }
  const Towards along =
      r.axis == 2 ? Towards{0, 0} : Towards{std::numbers::pi / 2, r.axis == 0 ? 0 : std::numbers::pi / 2};
  const Towards across = r.axis == 2 ? Towards{std::numbers::pi / 2, 0.4} : Towards{0, 0.4};
  const std::vector<FarField> two = far_field(r.surface, seen, r.around, number, {along, across});
  e.null = std::sqrt(two[0].squared()) / largest;
  const double power = radiated_far(r.surface, seen, r.around, number);
  e.far_power = std::abs(power / r.exact_power(f) - 1);
  e.power = std::abs(radiated(r.surface, seen, r.around.spacing, number) / r.exact_power(f) - 1);
  e.directivity = std::abs(directivity(two[1], r.around, power) / 1.5 - 1);
  return e;
}

/// The field goes with the sine of the angle to the dipole, and Z0 k^2 |I l|^2 / (12 pi) is radiated. Waves of 15 to 35
/// cells.
TEST(FdtdFlowFarField, AShortDipoleRadiatesAsHertzFound) {
  for (const int axis : {0, 1, 2}) {
    const Radiation radiation(axis, 1);
    for (const std::size_t f : {0U, 1U}) {
      SCOPED_TRACE(testing::Message() << "axis " << axis << ", frequency " << f);
      const Errors e = errors_of(radiation, f);
      EXPECT_LT(e.pattern, 0.015);
      EXPECT_LT(e.null, 1e-12);
      EXPECT_LT(e.power, 0.015);
      EXPECT_LT(e.far_power, 0.004);
      EXPECT_LT(e.directivity, 5e-4);
    }
  }
}

/// Half the cells, a quarter of the errors: they are those of the grid, not what comes back from the layers.
TEST(FdtdFlowFarField, ItsErrorsAreOfSecondOrder) {
  const Radiation coarse(1, 1), fine(1, 2);
  for (const std::size_t f : {0U, 1U}) {
    SCOPED_TRACE(f);
    const Errors e = errors_of(coarse, f), half = errors_of(fine, f);
    EXPECT_LT(half.pattern, e.pattern / 3.7);
    EXPECT_LT(half.power, e.power / 3.7);
    EXPECT_LT(half.far_power, e.far_power / 3.7);
    EXPECT_LT(half.directivity, e.directivity / 3.5);
  }
}

}  // namespace
}  // namespace asterism::fdtd
