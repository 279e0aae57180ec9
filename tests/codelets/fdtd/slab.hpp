// SPDX-License-Identifier: Apache-2.0
// Plane waves through a slab: a run of a thin periodic domain, and what Fresnel's formulae, exact or on the lattice,
// say.
#pragma once

#include <complex>
#include <numbers>
#include <vector>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/probes.hpp"

namespace asterism::fdtd {

using Complex = std::complex<double>;

/// Amplitudes at the probes over that of the incident wave there, exp(+j w t).
struct Slab {
  Complex reflected, transmitted;
};

/// A sheet of sources, a probe, the slab, a probe, between absorbing layers, along an axis.
struct SlabCase {
  int axis = 0;
  double spacing = 1e-3;
  Material material = {};
  std::vector<Pole> poles = {};
  int thickness = 12;  ///< cells
  int width = 30;      ///< of the pulse, in steps
  int steps = 4000;
  bool into_layer = false;  ///< the slab goes on to the far face, through its absorbing layer
  int layer = 40;

  static constexpr int before = 20;  ///< cells from the probe to the slab, and from the slab to the other
  [[nodiscard]] int front() const { return layer + 10 + 10 + before; }
  [[nodiscard]] int back() const { return into_layer ? cells() : front() + thickness; }
  [[nodiscard]] int cells() const { return front() + thickness + before + 20 + layer; }
  [[nodiscard]] Setting setting(bool with_slab) const {
    Setting s{{2, 2, 2}};
    s.d = {1.3 * spacing, 1.1 * spacing, 1.2 * spacing};
    s.n[as_size(axis)] = cells();
    s.d[as_size(axis)] = spacing;
    s.face[as_size(2 * axis)] = s.face[as_size(2 * axis + 1)] = Face::electric;
    if (!with_slab) return s;
    s.materials = {{}, material};
    for (int i = 0; i < s.n[0]; ++i)
      for (int j = 0; j < s.n[1]; ++j)
        for (int k = 0; k < s.n[2]; ++k) {
          const int at[3] = {i, j, k};
          s.cells.push_back(at[axis] >= front() && at[axis] < back() ? 1 : 0);
        }
    return s;
  }
  [[nodiscard]] double dt() const { return setting(false).dt(); }
};

template <class T>
Record slab_record(const SlabCase& c, bool with_slab) {
  Cpml cpml;
  cpml.cells[2 * c.axis] = cpml.cells[2 * c.axis + 1] = c.layer;
  std::vector<std::vector<Pole>> poles;
  if (with_slab) poles = {{}, c.poles};
  OpenDomain<T> d(c.setting(with_slab), cpml, {}, poles);
  const auto entry = [&](int at) {
    Entry e = {(c.axis + 1) % 3, 0, 0, 0};
    e[as_size(c.axis + 1)] = at;
    return e;
  };
  std::vector<Entry> sheet;
  for (int m = 0; m < 4; ++m) {
    sheet.push_back(entry(c.layer + 10));
    sheet.back()[as_size((c.axis + 1) % 3 + 1)] = m / 2;
    sheet.back()[as_size((c.axis + 2) % 3 + 1)] = m % 2;
  }
  return record(d, sheet, {entry(c.front() - c.before), entry(c.front() + c.thickness + c.before)}, c.steps, c.width);
}

inline Complex transform(const std::vector<double>& values, double dt, double omega) {
  Complex sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    sum += values[n] * std::polar(1.0, -omega * static_cast<double>(n) * dt);
  return sum;
}

/// At each angular frequency.
template <class T>
std::vector<Slab> slab_run(const SlabCase& c, const std::vector<double>& omegas) {
  const Record with = slab_record<T>(c, true);
  const Record without = slab_record<T>(c, false);
  std::vector<double> reflected;
  for (std::size_t n = 0; n < with[0].size(); ++n) reflected.push_back(with[0][n] - without[0][n]);
  std::vector<Slab> found;
  for (const double omega : omegas)
    found.push_back({transform(reflected, c.dt(), omega) / transform(without[0], c.dt(), omega),
                     transform(with[1], c.dt(), omega) / transform(without[1], c.dt(), omega)});
  return found;
}

/// Fresnel and the sum over all reflections in the slab, by the probes' distances.
inline Slab fresnel(const SlabCase& c, double omega) {
  const double wave_number = omega * std::sqrt(eps0 * mu0);
  const Complex n = std::sqrt(permittivity(c.material, c.poles, eps0, omega));
  const Complex r = (1.0 - n) / (1.0 + n);
  const double distance = c.before * c.spacing;
  const Complex there_and_back = std::exp(Complex(0, -2 * wave_number * distance));
  if (c.into_layer)
    return {r * there_and_back,
            (1.0 + r) * std::exp(Complex(0, -1) * (n - 1.0) * wave_number * (distance + c.thickness * c.spacing))};
  const double thickness = c.thickness * c.spacing;
  const Complex once = std::exp(Complex(0, -1) * n * wave_number * thickness);
  const Complex all = 1.0 - r * r * once * once;
  return {r * (1.0 - once * once) / all * there_and_back,
          (1.0 - r * r) * once / all * std::exp(Complex(0, wave_number * thickness))};
}

/// The same on the lattice: E(m + 1) - 2 E(m) + E(m - 1) + q eps(m) E(m) = 0, q = (2 sin(w dt / 2) d / (c dt))^2, with
/// half of the slab's susceptibility on its faces and the permittivity that the trapezoidal rule gives.
inline Slab lattice_fresnel(const SlabCase& c, double omega) {
  const double dt = c.dt();
  const double q = std::pow(2 * std::sin(omega * dt / 2) * c.spacing * std::sqrt(eps0 * mu0) / dt, 2);
  Material rest = c.material;
  rest.eps_r = 0;
  const Complex chi = c.material.eps_r - 1 + permittivity(rest, c.poles, eps0, 2 / dt * std::tan(omega * dt / 2));
  const Complex phase = std::polar(1.0, 2 * std::asin(std::sqrt(q) / 2));  // of exp(+j k d)
  // from behind, where only the transmitted wave is, to the front
  Complex behind = 1.0 / phase, here = 1;
  for (int m = c.thickness; m >= 0; --m) {
    const double share = m == 0 || m == c.thickness ? 0.5 : 1;
    const Complex before = (2.0 - q * (1.0 + share * chi)) * here - behind;
    behind = here;
    here = before;
  }
  // E(-1) = here = a phase + b / phase, E(0) = behind = a + b
  const Complex b = (behind * phase - here) / (phase - 1.0 / phase);
  const Complex a = behind - b;
  return {b / a * std::pow(phase, -2 * c.before), std::pow(phase, c.thickness) / a};
}

}  // namespace asterism::fdtd
