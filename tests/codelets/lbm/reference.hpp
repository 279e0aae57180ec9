// SPDX-License-Identifier: Apache-2.0
// The lattice Boltzmann method as textbooks have it, for tests: two copies, whole populations f_i, one loop after the
// other. Shares only the descriptions of collisions and walls with what it checks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::reference {

using Vector3 = std::array<double, 3>;
using Index3 = std::array<int, 3>;

inline double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Velocities in an order of its own: those of {-1, 0, 1}^3 that are not corners.
struct Lattice {
  std::vector<Index3> c;
  std::vector<double> w;
  std::vector<std::size_t> opposite;

  Lattice() {
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          const int square = x * x + y * y + z * z;
          if (square == 3) continue;
          c.push_back({x, y, z});
          w.push_back(square == 0 ? 12 / 36. : square == 1 ? 2 / 36. : 1 / 36.);
        }
    for (const Index3& d : c) opposite.push_back(find({-d[0], -d[1], -d[2]}));
  }
  [[nodiscard]] std::size_t find(const Index3& d) const {
    std::size_t i = 0;
    while (c[i] != d) ++i;
    return i;
  }
  [[nodiscard]] Vector3 real(std::size_t i) const {
    return {static_cast<double>(c[i][0]), static_cast<double>(c[i][1]), static_cast<double>(c[i][2])};
  }
};

inline const Lattice lattice;

/// Relaxation of central moments by matrices: moments about 0 are M f, those about u are N(u) M f, with binomials in N;
/// back by N(-u) and the inverse of M, which is found by elimination. Each moment has its own rate.
class CentralMoments {
 public:
  using Populations = std::array<double, 19>;
  using Matrix = std::array<Populations, 19>;

  CentralMoments() {
    for (std::size_t k = 0; k < 19; ++k)
      for (std::size_t i = 0; i < 19; ++i) {
        moments_[k][i] = 1;
        for (std::size_t a = 0; a < 3; ++a) moments_[k][i] *= std::pow(lattice.c[i][a], power(k)[a]);
        inverse_[k][i] = k == i ? 1 : 0;
      }
    Matrix left = moments_;
    for (std::size_t k = 0; k < 19; ++k) {
      std::size_t pivot = k;
      for (std::size_t r = k; r < 19; ++r)
        if (std::abs(left[r][k]) > std::abs(left[pivot][k])) pivot = r;
      std::swap(left[k], left[pivot]);
      std::swap(inverse_[k], inverse_[pivot]);
      const double scale = left[k][k];
      for (std::size_t i = 0; i < 19; ++i) {
        left[k][i] /= scale;
        inverse_[k][i] /= scale;
      }
      for (std::size_t r = 0; r < 19; ++r) {
        const double factor = left[r][k];
        for (std::size_t i = 0; r != k && i < 19; ++i) {
          left[r][i] -= factor * left[k][i];
          inverse_[r][i] -= factor * inverse_[k][i];
        }
      }
    }
  }

  /// `momentum`: of the populations, without the force.
  [[nodiscard]] Populations relaxed(const Populations& f, double rho, const Vector3& momentum, const Vector3& force,
                                    double tau, double third_magic) const {
    const double third = third_magic == 0 ? 1 : 1 / (third_magic / (tau - 0.5) + 0.5);
    Vector3 u{};
    for (std::size_t a = 0; a < 3; ++a) u[a] = (momentum[a] + force[a] / 2) / rho;
    const Populations before = times(shift(u), times(moments_, f));
    Populations after{};
    double trace = 0;
    for (std::size_t k = 4; k < 7; ++k) trace += before[k];
    for (std::size_t k = 0; k < 19; ++k) {
      const std::array<int, 3>& p = power(k);
      const int order = p[0] + p[1] + p[2];
      const bool even = p[0] % 2 == 0 && p[1] % 2 == 0 && p[2] % 2 == 0;
      // Maxwell's distribution: products of rho and c_s^2 for each pair; the force: its derivative
      const double equilibrium = even ? rho * std::pow(1. / 3, order / 2) : 0;
      double source = 0;
      for (std::size_t a = 0; a < 3; ++a)
        if (p[a] % 2 == 1 && order % 2 == 1) source = force[a] * std::pow(1. / 3, order / 2);
      if (order == 4) {  // what is orthogonal to the second order, with the weights of the lattice, is forgotten
        const auto second = [&](std::size_t a) { return after[4 + a] / 3 * (p[a] == 2 ? 1 : -0.5); };
        after[k] = second(0) + second(1) + second(2) - rho / 18;
      } else if (order == 2 && even)
        after[k] = equilibrium + (1 - 1 / tau) * (before[k] - trace / 3);
      else if (order == 2)
        after[k] = (1 - 1 / tau) * before[k];
      else if (order == 1)
        after[k] = before[k] + source;
      else if (order == 3)
        after[k] = (1 - third) * before[k] + (1 - third / 2) * source;
      else
        after[k] = equilibrium;
    }
    return times(inverse_, times(shift({-u[0], -u[1], -u[2]}), after));
  }

 private:
  /// Exponents of the moments of D3Q19, by their order, powers of one component first.
  static const std::array<int, 3>& power(std::size_t k) {
    static const std::vector<std::array<int, 3>> powers = [] {
      std::vector<std::array<int, 3>> all;
      for (int order = 0; order <= 4; ++order)
        for (const bool of_one : {true, false})
          for (int x = 2; x >= 0; --x)
            for (int y = 2; y >= 0; --y)
              for (int z = 2; z >= 0; --z)
                if (x + y + z == order && x * y * z == 0 && (std::max({x, y, z}) == order) == of_one)
                  all.push_back({x, y, z});
      return all;
    }();
    return powers[k];
  }
  static Populations times(const Matrix& m, const Populations& v) {
    Populations r{};
    for (std::size_t k = 0; k < 19; ++k)
      for (std::size_t i = 0; i < 19; ++i) r[k] += m[k][i] * v[i];
    return r;
  }
  /// prod (c - u)^p = sum over s <= p of prod binomial(p, s) (-u)^(p - s) c^s
  static Matrix shift(const Vector3& u) {
    Matrix m{};
    for (std::size_t k = 0; k < 19; ++k)
      for (std::size_t s = 0; s < 19; ++s) {
        double factor = 1;
        for (std::size_t a = 0; a < 3; ++a) {
          const int p = power(k)[a];
          const int lower = power(s)[a];
          if (lower > p) factor = 0;
          for (int n = lower; n < p; ++n) factor *= -u[a];
          if (p == 2 && lower == 1) factor *= 2;
        }
        m[k][s] = factor;
      }
    return m;
  }
  Matrix moments_{}, inverse_{};
};

inline const CentralMoments central_moments;

/// A box, periodic where it has no wall.
class Fluid {
 public:
  using Populations = std::array<double, 19>;

  Fluid(const Index3& n, const Collision& collision, std::vector<Wall> walls, std::vector<bool> solid)
      : n_(n), collision_(collision), walls_(std::move(walls)), solid_(std::move(solid)), f_(cells()) {}

  [[nodiscard]] std::size_t cells() const {
    return static_cast<std::size_t>(n_[0]) * static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]);
  }
  [[nodiscard]] std::size_t at(const Index3& x) const {
    return static_cast<std::size_t>((x[2] * n_[1] + x[1]) * n_[0] + x[0]);
  }
  Populations& operator[](const Index3& x) { return f_[at(x)]; }

  [[nodiscard]] double rho(const Index3& x) const { return solid_[at(x)] ? 1 : density(f_[at(x)]); }
  [[nodiscard]] Vector3 u(const Index3& x) const { return solid_[at(x)] ? Vector3{} : velocity(f_[at(x)]); }

  void step() {
    std::vector<Populations> after = f_;
    for (std::size_t cell = 0; cell < cells(); ++cell)
      if (!solid_[cell]) after[cell] = rubbed(collided(f_[cell]), static_cast<int>(cell));
    for (int z = 0; z < n_[2]; ++z)
      for (int y = 0; y < n_[1]; ++y)
        for (int x = 0; x < n_[0]; ++x)
          if (!solid_[at({x, y, z})])
            for (std::size_t i = 0; i < 19; ++i) propagate({x, y, z}, i, after[at({x, y, z})]);
  }

 private:
  [[nodiscard]] static double density(const Populations& f) {
    double rho = 0;
    for (const double v : f) rho += v;
    return rho;
  }
  [[nodiscard]] static Vector3 momentum(const Populations& f) {
    Vector3 m{};
    for (std::size_t i = 0; i < 19; ++i)
      for (std::size_t a = 0; a < 3; ++a) m[a] += lattice.c[i][a] * f[i];
    return m;
  }
  [[nodiscard]] Vector3 force() const { return {collision_.force[0], collision_.force[1], collision_.force[2]}; }
  [[nodiscard]] Vector3 velocity(const Populations& f) const {
    Vector3 u = momentum(f);
    for (std::size_t a = 0; a < 3; ++a) u[a] = (u[a] + force()[a] / 2) / density(f);
    return u;
  }
  [[nodiscard]] static double equilibrium(std::size_t i, double rho, const Vector3& u) {
    const double cu = dot(lattice.real(i), u);
    return lattice.w[i] * rho * (1 + 3 * cu + 9 * cu * cu / 2 - 3 * dot(u, u) / 2);
  }
  [[nodiscard]] static double source(std::size_t i, const Vector3& u, const Vector3& force) {
    const Vector3 c = lattice.real(i);
    const double cu = dot(c, u);
    double s = 0;
    for (std::size_t a = 0; a < 3; ++a) s += (3 * (c[a] - u[a]) + 9 * cu * c[a]) * force[a];
    return lattice.w[i] * s;
  }

  [[nodiscard]] Populations collided(const Populations& f) const {
    const double rho = density(f);
    const Vector3 u = velocity(f);
    Populations e{}, s{};
    for (std::size_t i = 0; i < 19; ++i) {
      e[i] = equilibrium(i, rho, u);
      s[i] = source(i, u, force());
    }
    double squares = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        double pi = 0;
        for (std::size_t i = 0; i < 19; ++i) pi += lattice.c[i][a] * lattice.c[i][b] * (f[i] - e[i]);
        squares += pi * pi;
      }
    const double cs = collision_.smagorinsky;
    const double tau = collision_.tau;
    const double tau_even = (tau + std::sqrt(tau * tau + 18 * std::sqrt(2.) * cs * cs * std::sqrt(squares) / rho)) / 2;
    if (collision_.model == Collision::Model::central_moments) {
      const Vector3 m = momentum(f);
      return central_moments.relaxed(f, rho, {m[0], m[1], m[2]}, force(), tau_even, collision_.third_magic);
    }
    const bool trt = collision_.model == Collision::Model::trt;
    const double tau_odd = trt ? 0.5 + collision_.magic / (tau_even - 0.5) : tau_even;
    Populations after{};
    for (std::size_t i = 0; i < 19; ++i) {
      const std::size_t o = lattice.opposite[i];
      const auto even = [&](const Populations& v) { return (v[i] + v[o]) / 2; };
      const auto odd = [&](const Populations& v) { return (v[i] - v[o]) / 2; };
      after[i] = f[i] - (even(f) - even(e)) / tau_even - (odd(f) - odd(e)) / tau_odd +
                 (1 - 1 / (2 * tau_even)) * even(s) + (1 - 1 / (2 * tau_odd)) * odd(s);
    }
    return after;
  }

  /// After the sponge.
  [[nodiscard]] Populations rubbed(Populations f, int cell) const {
    const Sponge& sponge = collision_.sponge;
    const int at[3] = {cell % n_[0], cell / n_[0] % n_[1], cell / n_[0] / n_[1]};
    const double t = sponge.cells == 0 ? 0 : 1 - (sponge.outlet - at[0] - 0.5) / sponge.cells;
    if (t <= 0) return f;
    double share = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (sponge.inlet.kind != Wall::Kind::parabola || sponge.inlet.across[a] == 0) continue;
      const double s = (sponge.inlet.first[a] + at[a] + 0.5) / sponge.inlet.across[a];
      share *= 6 * s * (1 - s);
    }
    const Vector3 m = momentum(f);
    const double rho = density(f);
    for (std::size_t i = 0; i < 19; ++i) {
      f[i] += t * t * (equilibrium(i, rho, {m[0] / rho, m[1] / rho, m[2] / rho}) - f[i]);
      for (std::size_t a = 0; a < 3; ++a)
        f[i] += 3 * lattice.w[i] * lattice.c[i][a] * 3 / std::sqrt(3.) * t * t / sponge.cells *
                (rho * share * sponge.inlet.u[a] - m[a]);
    }
    return f;
  }

  void propagate(const Index3& x, std::size_t i, const Populations& after) {
    const std::size_t o = lattice.opposite[i];
    Index3 y;
    for (std::size_t a = 0; a < 3; ++a) y[a] = x[a] + lattice.c[i][a];
    const Wall* wall = nullptr;
    for (const Wall& w : walls_) {
      const auto a = static_cast<std::size_t>(w.face / 2);
      if (w.face % 2 == 0 ? y[a] < 0 : y[a] >= n_[a]) wall = &w;
    }
    if (wall != nullptr) {
      f_[at(x)][o] = returned(*wall, x, i, after);
      return;
    }
    for (std::size_t a = 0; a < 3; ++a) y[a] = (y[a] + n_[a]) % n_[a];
    if (solid_[at(y)])
      f_[at(x)][o] = after[i];
    else
      f_[at(y)][i] = after[i];
  }

  [[nodiscard]] static double returned(const Wall& wall, const Index3& x, std::size_t i, const Populations& after) {
    double share = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (wall.kind != Wall::Kind::parabola || wall.across[a] == 0) continue;
      const double s = (wall.first[a] + x[a] + 0.5 + 0.5 * lattice.c[i][a]) / wall.across[a];
      share *= 6 * s * (1 - s);
    }
    if (wall.kind != Wall::Kind::pressure)
      return after[i] - 6 * lattice.w[i] * share * dot(lattice.real(i), {wall.u[0], wall.u[1], wall.u[2]});
    Vector3 u = momentum(after);
    for (double& v : u) v /= density(after);
    const double cu = dot(lattice.real(i), u);
    return -after[i] + 2 * lattice.w[i] * wall.rho * (1 + 9 * cu * cu / 2 - 3 * dot(u, u) / 2);
  }

  Index3 n_;
  Collision collision_;
  std::vector<Wall> walls_;
  std::vector<bool> solid_;
  std::vector<Populations> f_;
};

}  // namespace asterism::lbm::reference
