// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/reference/reference_wave.hpp"

#include <algorithm>
#include <cmath>

#include "codelets/fdtd/kernels/sources/plane_wave.hpp"

namespace asterism::fdtd {
namespace {

using Vector = std::array<double, 3>;

Vector cross(const Vector& u, const Vector& v) {
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}
double length(const Vector& v) {
  return std::hypot(v[0], v[1], v[2]);
}
Vector scaled(const Vector& v, double by) {
  return {v[0] * by, v[1] * by, v[2] * by};
}

/// Direction of E: that of growing theta turned towards growing phi = z x k; along z phi is that of the wave.
Vector polarisation(const PlaneWave& wave, const Vector& along) {
  const Vector k = scaled(along, 1 / length(along));
  Vector growing_phi = cross({0, 0, 1}, k);
  if (length(growing_phi) == 0) growing_phi = {-std::sin(wave.phi), std::cos(wave.phi), 0};
  growing_phi = scaled(growing_phi, 1 / length(growing_phi));
  const Vector growing_theta = cross(growing_phi, k);
  Vector sum{};
  for (std::size_t a = 0; a < 3; ++a)
    sum[a] = std::cos(wave.polarisation) * growing_theta[a] + std::sin(wave.polarisation) * growing_phi[a];
  return sum;
}

std::size_t number(Field field) {
  return field == Field::electric ? 0 : 1;
}
std::size_t of(long number) {
  return static_cast<std::size_t>(number);
}

}  // namespace

ReferenceWave::ReferenceWave(const WaveInBox& wave, const Problem& p)
    : waveform_(wave.wave.waveform), planes_(wave.planes), spacing_(p.spacing), dt_(p.dt), eps0_(p.eps0), mu0_(p.mu0) {
  // which whole numbers and which entries are given is part of what is asked for
  const Incident incident = make_incident(wave.wave, wave.planes, space_of(p));
  const std::array<int, 3> lower{planes_.x0, planes_.y0, planes_.z0}, upper{planes_.x1, planes_.y1, planes_.z1};
  Vector along{};
  const bool oblique = std::ranges::count(incident.direction.m, 0) < 2;
  for (std::size_t a = 0; a < 3; ++a) {
    // the cells of its box have one length along each axis, where it may be oblique
    if (oblique && incident.direction.m[a] != 0) spacing_[a] *= p.mesh.cell(a, lower[a]);
    through_[a] = p.face[2 * a] == Face::neighbour && lower[a] == 0 && upper[a] == p.cells[a];
    m_[a] = incident.direction.m[a];
    along[a] = static_cast<double>(m_[a]) / spacing_[a];
    reach_ = std::max(reach_, std::abs(m_[a]));
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<double>& planes = p.mesh.planes[a];
    if (m_[a] == 0 || planes.empty() || oblique) continue;
    sign_ = m_[a];
    first_cell_ = lower[a] - 1;
    for (int cell = lower[a] - 1; cell <= upper[a]; ++cell) lengths_.push_back(planes[of(cell + 1)] - planes[of(cell)]);
  }
  polarisation_ = polarisation(wave.wave, along);
  delay_ = 0.5 * std::sqrt(eps0_ * mu0_) / length(along);
  origin_ = incident.line.origin;
  delay_ *= length_at(origin_ + 1);
  start_ = origin_ + 2 * incident.line.fixed(Field::electric);
  first_ = start_ - 2 * reach_;
  long last = 0;  // of the box
  for (std::size_t a = 0; a < 3; ++a) last += 2 * m_[a] * (m_[a] > 0 ? upper[a] : lower[a]);
  for (auto& field : line_)
    for (auto& component : field) component.assign(of(last + 4 * reach_ - first_), 0);
}

bool ReferenceWave::inside(Field field, int component, const std::array<int, 3>& at) const {
  const std::array<int, 3> lower{planes_.x0, planes_.y0, planes_.z0}, upper{planes_.x1, planes_.y1, planes_.z1};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (through_[a]) continue;
    const bool half_way = (field == Field::electric) == (component == axis);
    if (at[a] < lower[a] || at[a] + (half_way ? 1 : 0) > upper[a]) return false;
  }
  return true;
}

/// m . r in halves, r in spacings.
long ReferenceWave::place(Field field, int component, const std::array<int, 3>& at) const {
  long sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const bool half_way = (field == Field::electric) == (component == axis);
    sum += m_[a] * (2L * at[a] + (half_way ? 1 : 0));
  }
  return sum;
}

double ReferenceWave::entry(Field field, int component, long place) const {
  return line_[number(field)][of(component)][of(place - first_)];
}

double ReferenceWave::value(Field field, int component, const std::array<int, 3>& at) const {
  return entry(field, component, place(field, component, at));
}

/// In spacings: the cell around an odd place, from centre to centre around an even one. The cells beside the box go on
/// outside of it.
double ReferenceWave::length_at(long place) const {
  if (lengths_.empty()) return 1;
  const auto cell_at = [&](long middle) {  // twice its middle, an odd number
    const long cell = (middle - 1) / 2 - first_cell_, last = static_cast<long>(lengths_.size()) - 1;
    return lengths_[of(middle < 0 ? 0 : std::clamp(cell, 0L, last))];
  };
  const long halves = sign_ * place;
  return halves % 2 != 0 ? cell_at(halves) : (cell_at(halves - 1) + cell_at(halves + 1)) / 2;
}

/// Entries from `first` on: half a cell along b is m_b places.
void ReferenceWave::advance(Field field, long first) {
  const bool electric = field == Field::electric;
  const Field other = electric ? Field::magnetic : Field::electric;
  const double factor = electric ? dt_ / eps0_ : -dt_ / mu0_;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    std::vector<double>& values = line_[number(field)][of(a)];
    const auto derivative = [&](int component, int axis, long at) {
      const long half = m_[of(axis)];
      return (entry(other, component, at + half) - entry(other, component, at - half)) /
             (spacing_[of(axis)] * length_at(at));
    };
    const long end = first_ + static_cast<long>(values.size()) - reach_;
    for (long at = first; at < end; ++at)
      values[of(at - first_)] += factor * (derivative(c, b, at) - derivative(b, c, at));
  }
}

void ReferenceWave::advance_electric(long step) {
  // as far as the last values that are not zero may change others
  for (auto& field : line_)
    for (auto& component : field) component.resize(component.size() + of(2 * reach_), 0);
  advance(Field::electric, start_);
  for (std::size_t a = 0; a < 3; ++a)
    for (long at = first_; at < start_; ++at)
      line_[0][a][of(at - first_)] =
          polarisation_[a] * asterism::fdtd::value(waveform_, static_cast<double>(step) * dt_ -
                                                                  static_cast<double>(at - origin_) * delay_);
}

void ReferenceWave::advance_magnetic() {
  advance(Field::magnetic, first_ + reach_);
}

}  // namespace asterism::fdtd
