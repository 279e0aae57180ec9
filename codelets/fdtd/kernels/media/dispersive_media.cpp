// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "codelets/fdtd/kernels/media/dispersive.hpp"

namespace asterism::fdtd {
namespace {

void require(bool right, const char* what) {
  if (!right) throw std::invalid_argument(what);
}

template <class T>
PoleStates states_of(const Grid& grid, const DispersiveMedia<T>& m, const std::uint16_t* index) {
  PoleStates s{{grid.n[0] + 1, 0, grid.n[1] + 1, 0, grid.n[2] + 1, 0}, 1};
  for (const PoleRange& range : m.ranges) {
    int slots = 1;
    for (int q = range.first; q < range.first + range.count; ++q)
      slots += (m.poles[static_cast<std::size_t>(q)].has_current ? 1 : 0) +
               (m.poles[static_cast<std::size_t>(q)].has_polarization ? 1 : 0);
    s.slots = std::max(s.slots, slots);
  }
  for (int c = 0; c < 3; ++c) {
    const Box b = grid.entries(Field::electric, c, grid.cells());
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j)
        for (int k = b.z0; k < b.z1; ++k) {
          if (m.ranges[index[grid.at(c, i, j, k)]].count == 0) continue;
          s.box = {std::min(s.box.x0, i),     std::max(s.box.x1, i + 1), std::min(s.box.y0, j),
                   std::max(s.box.y1, j + 1), std::min(s.box.z0, k),     std::max(s.box.z1, k + 1)};
        }
  }
  if (s.box.empty()) s.box = {};
  return s;
}

}  // namespace

Pole drude(double omega_p, double gamma) {
  require(std::isfinite(omega_p) && omega_p >= 0, "Drude pole: omega_p has to be 0 or more");
  require(std::isfinite(gamma) && gamma >= 0, "Drude pole: gamma has to be 0 or more");
  return {Pole::Kind::drude, omega_p * omega_p, 0, gamma};
}
Pole lorentz(double delta_eps, double omega_0, double delta) {
  require(std::isfinite(delta_eps) && delta_eps >= 0, "Lorentz pole: delta_eps has to be 0 or more");
  require(std::isfinite(omega_0) && omega_0 > 0, "Lorentz pole: omega_0 has to be positive");
  require(std::isfinite(delta) && delta >= 0, "Lorentz pole: delta has to be 0 or more");
  return {Pole::Kind::lorentz, delta_eps, omega_0, delta};
}
Pole debye(double delta_eps, double tau) {
  require(std::isfinite(delta_eps) && delta_eps >= 0, "Debye pole: delta_eps has to be 0 or more");
  require(std::isfinite(tau) && tau > 0, "Debye pole: tau has to be positive");
  return {Pole::Kind::debye, delta_eps, 0, tau};
}

std::complex<double> susceptibility(const Pole& pole, double omega) {
  const std::complex<double> jw(0, omega);
  if (pole.kind == Pole::Kind::drude) return pole.strength / (jw * (jw + pole.damping));
  if (pole.kind == Pole::Kind::debye) return pole.strength / (1.0 + jw * pole.damping);
  const double square = pole.omega_0 * pole.omega_0;
  return pole.strength * square / (square + 2.0 * jw * pole.damping + jw * jw);
}
std::complex<double> permittivity(const Material& material, const std::vector<Pole>& poles, double eps0, double omega) {
  std::complex<double> sum(material.eps_r, -material.sigma / (omega * eps0));
  for (const Pole& pole : poles) sum += susceptibility(pole, omega);
  return sum;
}

template <class T>
PoleCoefficients<T> coefficients(const Pole& pole, double dt) {
  if (pole.kind == Pole::Kind::debye) {
    const double b = 1 / (pole.damping / dt + 0.5);
    return {T{0}, static_cast<T>(b), static_cast<T>(pole.strength * b / 2), false, true};
  }
  const bool drude = pole.kind == Pole::Kind::drude;
  const double damping = drude ? pole.damping / 2 : pole.damping;
  const double square = pole.omega_0 * pole.omega_0 * dt * dt;
  const double drive = drude ? pole.strength * dt * dt : pole.strength * square;
  const double denominator = 1 + damping * dt + square / 4;
  return {static_cast<T>(1 / denominator), static_cast<T>(square / (2 * denominator)),
          static_cast<T>(drive / (4 * denominator)), true, !drude};
}
template PoleCoefficients<double> coefficients(const Pole&, double);
template PoleCoefficients<float> coefficients(const Pole&, double);

std::vector<Pole> mean_poles(const Shares& shares, const std::vector<std::vector<Pole>>& poles) {
  std::vector<Pole> found;
  for (const auto& [material, share] : shares) {
    if (static_cast<std::size_t>(material) >= poles.size()) continue;
    for (Pole pole : poles[static_cast<std::size_t>(material)]) {
      pole.strength *= share;
      found.push_back(pole);
    }
  }
  return found;
}

void add_loss(const std::vector<Pole>& poles, double eps0, double dt, Medium& medium) {
  for (const Pole& pole : poles) medium.loss += 2 * eps0 * coefficients<double>(pole, dt).of_field / dt;
}

template <class T>
void add_poles(const std::vector<Pole>& poles, double dt, DispersiveMedia<T>& media) {
  media.ranges.push_back({static_cast<std::int32_t>(media.poles.size()), static_cast<std::int32_t>(poles.size())});
  for (const Pole& pole : poles) media.poles.push_back(coefficients<T>(pole, dt));
}
template void add_poles(const std::vector<Pole>&, double, DispersiveMedia<double>&);
template void add_poles(const std::vector<Pole>&, double, DispersiveMedia<float>&);

template <class T>
DispersiveMedia<T> assign_dispersive(const Grid& grid, const std::int32_t (&origin)[3], const Cells& cells,
                                     const std::vector<Material>& materials,
                                     const std::vector<std::vector<Pole>>& poles, double eps0, double dt,
                                     std::uint16_t* index) {
  require(poles.size() <= materials.size(), "more lists of poles than materials");
  DispersiveMedia<T> m{};
  for (const Around& around : assign_around(Field::electric, grid, origin, cells, materials.size(), index)) {
    Medium medium = mean(Field::electric, around, materials);
    const std::vector<Pole> found =
        std::isinf(medium.loss) ? std::vector<Pole>{} : mean_poles(shares_of(around), poles);
    add_loss(found, eps0, dt, medium);
    add_poles(found, dt, m);
    m.media.push_back(medium);
  }
  m.states = states_of(grid, m, index);
  return m;
}
template DispersiveMedia<double> assign_dispersive(const Grid&, const std::int32_t (&)[3], const Cells&,
                                                   const std::vector<Material>&, const std::vector<std::vector<Pole>>&,
                                                   double, double, std::uint16_t*);
template DispersiveMedia<float> assign_dispersive(const Grid&, const std::int32_t (&)[3], const Cells&,
                                                  const std::vector<Material>&, const std::vector<std::vector<Pole>>&,
                                                  double, double, std::uint16_t*);

}  // namespace asterism::fdtd
