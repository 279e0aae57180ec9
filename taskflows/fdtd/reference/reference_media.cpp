// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/reference/reference_media.hpp"

#include <cmath>
#include <utility>

namespace asterism::fdtd {
namespace {

/// A dense system that may have many right-hand sides.
struct System {
  System(std::size_t rows, std::size_t columns) : n(rows), width(columns), values(rows * columns) {}
  double& at(std::size_t row, std::size_t column) { return values[row * width + column]; }

  /// Makes the first n columns those of the identity (Gauss and Jordan), exchanging rows.
  void eliminate() {
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c + 1; r < n; ++r)
        if (std::abs(at(r, c)) > std::abs(at(pivot, c))) pivot = r;
      for (std::size_t q = 0; q < width; ++q) std::swap(at(c, q), at(pivot, q));
      const double scale = 1 / at(c, c);
      for (std::size_t q = 0; q < width; ++q) at(c, q) *= scale;
      for (std::size_t r = 0; r < n; ++r) {
        const double factor = at(r, c);
        for (std::size_t q = 0; r != c && q < width; ++q) at(r, q) -= factor * at(c, q);
      }
    }
  }

  std::size_t n, width;
  std::vector<double> values;
};

struct SharedPole {
  Pole pole;
  double share;  ///< of the cells around
};

std::vector<SharedPole> poles_of(const Problem& p, const CellsAround& around) {
  double cells = 0;
  for (const auto& [material, count] : around) cells += count;
  std::vector<SharedPole> found;
  for (const auto& [material, count] : around)
    if (material < p.poles.size())
      for (const Pole& pole : p.poles[material]) found.push_back({pole, count / cells});
  return found;
}

}  // namespace

CellsAround cells_around(const Problem& p, Field field, int component, const std::array<int, 3>& at) {
  std::array<int, 3> below{};  // E lies between cells along the two other axes, H along its own
  for (int axis = 0; axis < 3; ++axis)
    below[static_cast<std::size_t>(axis)] = (field == Field::electric) == (axis != component) ? 1 : 0;
  CellsAround around;
  for (int i = at[0] - below[0]; i <= at[0]; ++i)
    for (int j = at[1] - below[1]; j <= at[1]; ++j)
      for (int k = at[2] - below[2]; k <= at[2]; ++k) {
        std::array<int, 3> cell{i, j, k};
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a) {
          const int n = p.cells[a];
          if (p.face[2 * a] == Face::neighbour) cell[a] = (cell[a] + n) % n;
          inside = inside && cell[a] >= 0 && cell[a] < n;
        }
        if (!inside) continue;
        const auto number = (static_cast<std::size_t>(cell[0]) * static_cast<std::size_t>(p.cells[1]) +
                             static_cast<std::size_t>(cell[1])) *
                                static_cast<std::size_t>(p.cells[2]) +
                            static_cast<std::size_t>(cell[2]);
        double weight = 1;
        for (std::size_t a = 0; a < 3; ++a)
          if (below[a] == 1 && !p.mesh.planes[a].empty())
            weight *= p.mesh.planes[a][static_cast<std::size_t>(cell[a]) + 1] -
                      p.mesh.planes[a][static_cast<std::size_t>(cell[a])];
        around[p.material[number]] += weight;
      }
  return around;
}

EntryMedium mean_over(const Problem& p, Field field, const CellsAround& around) {
  double eps = 0, sigma = 0, inverse_mu = 0, inverse_loss = 0, cells = 0;
  for (const auto& [material, count] : around) {
    const Material& m = p.materials[material];
    eps += count * m.eps_r;
    sigma += count * m.sigma;
    inverse_mu += count / m.mu_r;
    inverse_loss += count / m.sigma_m;
    cells += count;
  }
  if (field == Field::electric) return {p.eps0 * eps / cells, sigma / cells};
  return {p.mu0 * cells / inverse_mu, cells / inverse_loss};
}

bool is_dispersive(const Problem& p, const CellsAround& around) {
  return std::isfinite(mean_over(p, Field::electric, around).loss) && !poles_of(p, around).empty();
}

// In units of E and of steps: x = (E, P / eps0, dt / eps0 dP/dt), so that dt is 1.
//   eps_r dE/dt + (sigma dt / eps0) E + sum of dP/dt = dt / eps0 f
//   Debye     (tau / dt) dP/dt + P = delta_eps E
//   Lorentz   dP/dt = J,  dJ/dt + 2 delta dt J + (omega_0 dt)^2 P = delta_eps (omega_0 dt)^2 E
//   Drude     dP/dt = J,  dJ/dt + gamma dt J = (omega_p dt)^2 E
DispersiveLaw::DispersiveLaw(const Problem& p, const CellsAround& around) : unknowns_(1) {
  const std::vector<SharedPole> poles = poles_of(p, around);
  for (const SharedPole& of : poles) unknowns_ += of.pole.kind == Pole::Kind::debye ? 1 : 2;
  const std::size_t n = unknowns_;
  System m(n, n), k(n, n);
  const EntryMedium medium = mean_over(p, Field::electric, around);
  m.at(0, 0) = medium.constant / p.eps0;
  k.at(0, 0) = medium.loss * p.dt / p.eps0;
  std::size_t next = 1;
  for (const auto& [pole, share] : poles) {
    const std::size_t polarization = next++;
    m.at(0, polarization) = 1;
    if (pole.kind == Pole::Kind::debye) {
      m.at(polarization, polarization) = pole.damping / p.dt;
      k.at(polarization, polarization) = 1;
      k.at(polarization, 0) = -share * pole.strength;
      continue;
    }
    const bool drude = pole.kind == Pole::Kind::drude;
    const std::size_t current = next++;
    const double square = std::pow(pole.omega_0 * p.dt, 2);
    m.at(polarization, polarization) = 1;
    k.at(polarization, current) = -1;
    m.at(current, current) = 1;
    k.at(current, current) = (drude ? 1 : 2) * pole.damping * p.dt;
    k.at(current, polarization) = square;
    k.at(current, 0) = -share * pole.strength * (drude ? p.dt * p.dt : square);
  }
  System all(n, 2 * n + 1);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      all.at(r, c) = m.at(r, c) + k.at(r, c) / 2;
      all.at(r, n + c) = m.at(r, c) - k.at(r, c) / 2;
    }
  all.at(0, 2 * n) = p.dt / p.eps0;
  all.eliminate();
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) step_.push_back(all.at(r, n + c));
    response_.push_back(all.at(r, 2 * n));
  }
}

void DispersiveLaw::advance(std::vector<double>& state, double current) const {
  const std::vector<double> old = state;
  for (std::size_t r = 0; r < unknowns_; ++r) {
    state[r] = response_[r] * current;
    for (std::size_t c = 0; c < unknowns_; ++c) state[r] += step_[r * unknowns_ + c] * old[c];
  }
}

}  // namespace asterism::fdtd
