// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/far_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;
double wave_number(const ClosedSurface& surface, const Surroundings& around, int f) {
  return 2 * std::numbers::pi * surface.planes[0].electric.frequencies[static_cast<std::size_t>(f)] *
         std::sqrt(around.eps0 * around.mu0);
}

double impedance(const Surroundings& around) {
  return std::sqrt(around.mu0 / around.eps0);
}

/// exp(i k r^ . r') is a product of one factor for each axis, tabulated by halves of cells.
class PhaseTable {
 public:
  PhaseTable(const Box& nodes, const Surroundings& around, const double (&k)[3])
      : first_{2 * nodes.x0 - 1, 2 * nodes.y0 - 1, 2 * nodes.z0 - 1} {
    const std::int32_t last[3] = {2 * nodes.x1 + 1, 2 * nodes.y1 + 1, 2 * nodes.z1 + 1};
    for (std::size_t a = 0; a < 3; ++a)
      for (std::int32_t h = first_[a]; h <= last[a]; ++h)
        table_[a].push_back(std::polar(1.0, k[a] * around.spacing[a] * (around.mesh.place(a, h) - around.centre[a])));
  }
  /// At a place along an axis, in halves of cells.
  [[nodiscard]] Complex at(int axis, std::int32_t halves) const {
    return table_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(halves - first_[axis])];
  }

 private:
  std::int32_t first_[3];
  std::array<std::vector<Complex>, 3> table_;
};

/// The phase, across a plane, of the current that a field on it stands for: J is on the plane, M half a cell before and
/// behind.
Complex phase_across(const Plane& plane, Field field, const PhaseTable& phases) {
  if (field == Field::magnetic) return phases.at(plane.axis, 2 * plane.at);
  return 0.5 * (phases.at(plane.axis, 2 * plane.at - 1) + phases.at(plane.axis, 2 * plane.at + 1));
}

/// Phases and shares of the entries of component number m along an axis.
std::vector<Complex> factors_along(int axis, const Plane& plane, Field field, const MonitoredEntries& of, int m,
                                   const GradedMesh& mesh, const PhaseTable& phases) {
  const std::int32_t first[3] = {of.entries.x0, of.entries.y0, of.entries.z0};
  const std::int32_t end[3] = {of.entries.x1, of.entries.y1, of.entries.z1};
  if (axis == plane.axis)
    return std::vector<Complex>(static_cast<std::size_t>(end[axis] - first[axis]), phase_across(plane, field, phases));
  std::vector<Complex> all;
  for (std::int32_t e = first[axis]; e < end[axis]; ++e)
    all.push_back(share_of(plane, m, axis, e, mesh) *
                  phases.at(axis, 2 * e + (on_planes(field, of.component, axis) ? 0 : 1)));
  return all;
}

/// The product of values and factors; written out, as products of std::complex look for infinities.
Complex inner_product(const SpectrumRow& row, const std::vector<Complex>& factors) {
  double real = 0;
  double imaginary = 0;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    real += row.real[k] * factors[k].real() - row.imaginary[k] * factors[k].imag();
    imaginary += row.real[k] * factors[k].imag() + row.imaginary[k] * factors[k].real();
  }
  return {real, imaginary};
}

/// Integral of component number m of a field on a plane, times the phases.
Complex integral(const Plane& plane, Field field, const Spectrum& spectrum, int m, int f, const GradedMesh& mesh,
                 const PhaseTable& phases) {
  const MonitoredEntries& of = spectrum.monitor.components[static_cast<std::size_t>(m)];
  const Box& box = of.entries;
  const std::vector<Complex> x = factors_along(0, plane, field, of, m, mesh, phases);
  const std::vector<Complex> y = factors_along(1, plane, field, of, m, mesh, phases);
  const std::vector<Complex> z = factors_along(2, plane, field, of, m, mesh, phases);
  Complex sum = 0;
  for (int i = box.x0; i < box.x1; ++i)
    for (int j = box.y0; j < box.y1; ++j)
      sum += x[static_cast<std::size_t>(i - box.x0)] * y[static_cast<std::size_t>(j - box.y0)] *
             inner_product(spectrum.row(m, f, i, j), z);
  return field == Field::magnetic ? 0.5 * sum : sum;  // the mean of both sides
}

/// N and L.
struct RadiationVectors {
  Complex n[3], l[3];
};

RadiationVectors radiation_vectors(const ClosedSurface& surface, const SurfaceSpectra& spectra,
                                   const Surroundings& around, int f, const PhaseTable& phases) {
  RadiationVectors v{};
  for (std::size_t face = 0; face < 6; ++face) {
    const Plane& plane = surface.planes[face];
    const int b = (plane.axis + 1) % 3;
    const int c = (plane.axis + 2) % 3;
    const double area = (face % 2 == 0 ? -1 : 1) * around.spacing[b] * around.spacing[c];
    const auto of = [&](Field field, const std::vector<Spectrum>& all, int m) {
      return area * integral(plane, field, all[face], m, f, around.mesh, phases);
    };
    // axis x (H_b, H_c) = (-H_c, H_b) and -axis x (E_b, E_c) = (E_c, -E_b)
    v.n[b] -= of(Field::magnetic, spectra.magnetic, 0);
    v.n[c] += of(Field::magnetic, spectra.magnetic, 1);
    v.l[c] -= of(Field::electric, spectra.electric, 0);
    v.l[b] += of(Field::electric, spectra.electric, 1);
  }
  return v;
}

Complex along(const double (&direction)[3], const Complex (&v)[3]) {
  return direction[0] * v[0] + direction[1] * v[1] + direction[2] * v[2];
}

}  // namespace

ClosedSurface closed_surface(const Box& nodes, const std::vector<double>& frequencies, std::int32_t every) {
  ClosedSurface surface{nodes, {}};
  const std::int32_t lower[3] = {nodes.x0, nodes.y0, nodes.z0};
  const std::int32_t upper[3] = {nodes.x1, nodes.y1, nodes.z1};
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const int b = (axis + 1) % 3;
    const int c = (axis + 2) % 3;
    surface.planes[static_cast<std::size_t>(face)] =
        plane_between(axis, face % 2 == 0 ? lower[axis] : upper[axis], {lower[b], lower[c]}, {upper[b], upper[c]},
                      {Edge::open, Edge::open}, frequencies, every);
  }
  return surface;
}

SurfaceSpectra::SurfaceSpectra(const ClosedSurface& surface) {
  for (const Plane& plane : surface.planes) {
    electric.emplace_back(plane.electric);
    magnetic.emplace_back(plane.magnetic);
  }
}

double radiated(const ClosedSurface& surface, const SurfaceSpectra& spectra, const double (&spacing)[3], int f,
                const GradedMesh& mesh) {
  double sum = 0;
  for (std::size_t face = 0; face < 6; ++face)
    sum += (face % 2 == 0 ? -1 : 1) *
           flux(surface.planes[face], spectra.electric[face], spectra.magnetic[face], spacing, f, mesh);
  return sum;
}

std::vector<FarField> far_field(const ClosedSurface& surface, const SurfaceSpectra& spectra, const Surroundings& around,
                                int f, const std::vector<Towards>& directions) {
  const double k = wave_number(surface, around, f);
  const double eta = impedance(around);
  std::vector<FarField> all;
  for (const Towards& d : directions) {
    const double st = std::sin(d.theta), ct = std::cos(d.theta), sp = std::sin(d.phi), cp = std::cos(d.phi);
    const PhaseTable phases(surface.nodes, around, {k * st * cp, k * st * sp, k * ct});
    const RadiationVectors v = radiation_vectors(surface, spectra, around, f, phases);
    const double e_theta[3] = {ct * cp, ct * sp, -st};
    const double e_phi[3] = {-sp, cp, 0};
    const Complex factor = Complex(0, k / (4 * std::numbers::pi));
    all.push_back({-factor * (along(e_phi, v.l) + eta * along(e_theta, v.n)),
                   factor * (along(e_theta, v.l) - eta * along(e_phi, v.n))});
  }
  return all;
}

double intensity(const FarField& far, const Surroundings& around) {
  return far.squared() / (2 * impedance(around));
}

double radiated_far(const ClosedSurface& surface, const SurfaceSpectra& spectra, const Surroundings& around, int f) {
  const Box& b = surface.nodes;
  const auto length = [&](std::size_t a, std::int32_t from, std::int32_t to) {
    return around.spacing[a] * (around.mesh.place(a, 2 * to) - around.mesh.place(a, 2 * from));
  };
  const double radius = 0.5 * std::hypot(length(0, b.x0, b.x1), length(1, b.y0, b.y1), length(2, b.z0, b.z1));
  // The far field has spherical harmonics up to little more than k radius, its square twice as many.
  const int order = static_cast<int>(wave_number(surface, around, f) * radius) + 10;
  const Quadrature polar = gauss_legendre(order + 1);
  const int meridians = 2 * order + 1;
  std::vector<Towards> directions;
  for (const double x : polar.x)
    for (int p = 0; p < meridians; ++p) directions.push_back({std::acos(x), 2 * std::numbers::pi * p / meridians});
  const std::vector<FarField> far = far_field(surface, spectra, around, f, directions);
  double sum = 0;
  for (std::size_t d = 0; d < far.size(); ++d)
    sum += polar.weight[d / static_cast<std::size_t>(meridians)] * 2 * std::numbers::pi / meridians *
           intensity(far[d], around);
  return sum;
}

double directivity(const FarField& far, const Surroundings& around, double radiated) {
  return 4 * std::numbers::pi * intensity(far, around) / radiated;
}

double radar_cross_section(const FarField& scattered, std::complex<double> incident) {
  return 4 * std::numbers::pi * scattered.squared() / std::norm(incident);
}

Quadrature gauss_legendre(int points) {
  Quadrature q;
  for (int i = 0; i < points; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (points + 0.5));
    double slope = 0;
    for (int newton = 0; newton < 10; ++newton) {
      double p = 1, before = 0;
      for (int n = 0; n < points; ++n) {
        const double next = ((2 * n + 1) * x * p - n * before) / (n + 1);
        before = p;
        p = next;
      }
      slope = points * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    q.x.push_back(x);
    q.weight.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return q;
}

}  // namespace asterism::fdtd
