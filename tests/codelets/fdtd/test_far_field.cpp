// SPDX-License-Identifier: Apache-2.0
// The far field of a Hertzian dipole, before anything comes back from the walls.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "codelets/fdtd/kernels/sources/dipole.hpp"
#include "codelets/fdtd/kernels/sources/waveform.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/recording.hpp"

namespace asterism::fdtd {
namespace {

using cases::impedance;
using cases::speed;

using Complex = std::complex<double>;

Box around_node(const std::array<int, 3>& node, const std::array<int, 3>& half) {
  return {node[0] - half[0], node[0] + half[0], node[1] - half[1],
          node[1] + half[1], node[2] - half[2], node[2] + half[2]};
}

/// A dipole of a direction in the middle of vacuum, and two surfaces around it; `finer`: 2 halves the cells.
struct Radiation {
  double direction[3];
  int finer;
  std::vector<double> frequencies = {};
  std::vector<Complex> moment = {};  ///< transform of I l
  std::vector<ClosedSurface> surfaces = {};
  std::vector<SurfaceSpectra> spectra = {};
  Surroundings around = {};

  Radiation(const std::array<double, 3>& towards, int refinement)
      : direction{towards[0], towards[1], towards[2]}, finer(refinement) {
    Setting s{{56 * finer, 44 * finer, 72 * finer}};
    for (double& d : s.d) d /= finer;
    s.face = cases::boundaries[0].second;
    Domain<double> domain(s);
    domain.set([](Field, int, int, int, int) { return 0.0; });
    const std::array<int, 3> node = {28 * finer, 22 * finer, 36 * finer};
    around = {{s.d[0], s.d[1], s.d[2]}, eps0, mu0, {28.0 * finer, 22.0 * finer, 36.0 * finer}};
    frequencies = {speed / 28e-3, speed / 20e-3};
    std::vector<SurfaceRecording> all;
    for (const int grown : {0, 1})
      all.emplace_back(
          closed_surface(around_node(node, {(5 + grown) * finer, (4 + grown) * finer, (6 + grown) * finer}),
                         frequencies, 1),
          domain);
    for (const SurfaceRecording& r : all) surfaces.push_back(r.surface);
    const double width = 4e-3 / speed;
    const Waveform current{Pulse::differentiated_gaussian, 2e-3, width, 5 * width, 0};
    const std::vector<Addition> additions =
        dipole_on_node(direction, {node[0], node[1], node[2]}, dipole_factor(s.dt(), eps0, {s.d[0], s.d[1], s.d[2]}));
    moment.assign(frequencies.size(), 0);
    // from the dipole to the nearest wall, and back to the larger surface
    const double quiet = (2 * 28 - 6) * 1e-3 / speed + 0.6 * width;
    for (int n = 1; n * s.dt() < quiet; ++n) {
      domain.step();
      const double t = time_of(Moment::half, n - 1, s.dt());
      Part<double>& p = domain.parts[0];
      for (const Addition& a : additions)
        cpu::add(p.grid, a.component, a.entry[0], a.entry[1], a.entry[2], a.factor * value(current, t), p.e.data());
      for (std::size_t f = 0; f < frequencies.size(); ++f)
        moment[f] += s.dt() * value(current, t) * std::exp(Complex(0, -2 * std::numbers::pi * frequencies[f] * t));
      for (SurfaceRecording& r : all) r.record(domain, n);
    }
    for (const SurfaceRecording& r : all) spectra.push_back(r.spectra());
  }

  /// E_theta = -i impedance k (I l . e_theta) / (4 pi), likewise E_phi: |E| goes with the sine of the angle to the
  /// dipole.
  [[nodiscard]] FarField exact(std::size_t f, const Towards& d) const {
    const double e_theta[3] = {std::cos(d.theta) * std::cos(d.phi), std::cos(d.theta) * std::sin(d.phi),
                               -std::sin(d.theta)};
    const double e_phi[3] = {-std::sin(d.phi), std::cos(d.phi), 0};
    FarField far{};
    const Complex factor = Complex(0, -impedance * frequencies[f] / (2 * speed)) * moment[f];
    for (int a = 0; a < 3; ++a) {
      far.theta += factor * direction[a] * e_theta[a];
      far.phi += factor * direction[a] * e_phi[a];
    }
    return far;
  }
  /// impedance (k |I l|)^2 / (12 pi), of a unit direction.
  [[nodiscard]] double exact_power(std::size_t f) const {
    const double k = 2 * std::numbers::pi * frequencies[f] / speed;
    return impedance * k * k * std::norm(moment[f]) / (12 * std::numbers::pi);
  }
  /// Across the dipole.
  [[nodiscard]] Towards broadside() const {
    return {std::acos(direction[2]) + std::numbers::pi / 2, std::atan2(direction[1], direction[0])};
  }
  [[nodiscard]] double power(std::size_t surface, int f) const {
    return radiated(surfaces[surface], spectra[surface], around.spacing, f);
  }
};

std::vector<Towards> some_directions() {
  std::vector<Towards> all;
  for (const double theta : {0.0, 0.3, 0.9, std::numbers::pi / 2, 2.2, std::numbers::pi})
    for (const double phi : {0.0, 0.7, std::numbers::pi / 2, 3.0, 5.1}) all.push_back({theta, phi});
  return all;
}

class FdtdDipole : public ::testing::TestWithParam<std::array<double, 3>> {};

TEST_P(FdtdDipole, RadiatesAsHertzFound) {
  const Radiation radiation[2] = {{GetParam(), 1}, {GetParam(), 2}};
  const std::vector<Towards> directions = some_directions();
  for (int f = 0; f < 2; ++f) {
    SCOPED_TRACE(f);
    double wrong[2] = {}, power_wrong[2] = {}, flux_wrong[2] = {};
    for (std::size_t r = 0; r < 2; ++r) {
      const Radiation& x = radiation[r];
      const auto frequency = static_cast<std::size_t>(f);
      const std::vector<FarField> far = far_field(x.surfaces[0], x.spectra[0], x.around, f, directions);
      double largest = 0;
      for (std::size_t d = 0; d < directions.size(); ++d) {
        const FarField exact = x.exact(frequency, directions[d]);
        largest = std::max(largest, std::sqrt(exact.squared()));
        wrong[r] = std::max({wrong[r], std::abs(far[d].theta - exact.theta), std::abs(far[d].phi - exact.phi)});
      }
      wrong[r] /= largest;
      const double all = radiated_far(x.surfaces[0], x.spectra[0], x.around, f);
      power_wrong[r] = std::abs(all / x.exact_power(frequency) - 1);
      flux_wrong[r] = std::abs(x.power(0, f) / x.exact_power(frequency) - 1);
      // Poynting's theorem of the scheme; what the lattice delays beyond the gate is not in it
      EXPECT_NEAR(x.power(1, f) / x.power(0, f), 1, r == 0 ? 2e-5 : 2e-7);
      const FarField across = far_field(x.surfaces[0], x.spectra[0], x.around, f, {x.broadside()})[0];
      EXPECT_NEAR(directivity(across, x.around, all), 1.5, r == 0 ? 0.015 : 0.004);
    }
    // 15 to 35 cells in a wavelength; second order
    EXPECT_LT(wrong[0], 0.01);
    EXPECT_LT(wrong[1], wrong[0] / 3.7);
    EXPECT_LT(power_wrong[0], 0.005);
    EXPECT_LT(power_wrong[1], std::max(power_wrong[0] / 3.7, 1e-4));
    EXPECT_LT(flux_wrong[0], 0.01);
    EXPECT_LT(flux_wrong[1], flux_wrong[0] / 3.7);
  }
}
INSTANTIATE_TEST_SUITE_P(Directions, FdtdDipole,
                         ::testing::Values(std::array<double, 3>{0, 0, 1}, std::array<double, 3>{1, 0, 0},
                                           std::array<double, 3>{0.36, -0.8, 0.48}));

TEST(FdtdQuadrature, IsGauss) {
  const Quadrature q = gauss_legendre(5);
  double sum[3] = {};
  for (std::size_t i = 0; i < 5; ++i) {
    sum[0] += q.weight[i];
    sum[1] += q.weight[i] * std::pow(q.x[i], 8);
    sum[2] += q.weight[i] * std::pow(q.x[i], 3);
  }
  EXPECT_NEAR(sum[0], 2, 1e-14);
  EXPECT_NEAR(sum[1], 2.0 / 9, 1e-14);
  EXPECT_NEAR(sum[2], 0, 1e-14);
}

}  // namespace
}  // namespace asterism::fdtd
