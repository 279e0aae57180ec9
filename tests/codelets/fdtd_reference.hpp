// Maxwell's equations on Yee's lattice, written out: shares nothing with the kernels but the description of the case.
// dD/dt = curl H - sigma E, dB/dt = -curl E - sigma_m H, centred differences in space and time.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "tests/codelets/fdtd_domain.hpp"

namespace asterism::fdtd {

class Reference {
 public:
  explicit Reference(const Setting& s) : s_(s), nx_(s.n[0]), ny_(s.n[1]), nz_(s.n[2]) {
    for (auto* u : {&ex, &ey, &ez, &hx, &hy, &hz}) u->assign(index((nx_ + 1) * (ny_ + 1) * (nz_ + 1)), 0.0);
  }

  double& at(std::vector<double>& u, int i, int j, int k) { return u[index((i * (ny_ + 1) + j) * (nz_ + 1) + k)]; }

  void step() {
    const double dt = s_.dt();
    const double dx = s_.d[0], dy = s_.d[1], dz = s_.d[2];
    // integer positions: 0 .. n, half-way ones: 0 .. n - 1
    for (int i = 0; i <= nx_; ++i)
      for (int j = 0; j < ny_; ++j)
        for (int k = 0; k < nz_; ++k) {
          const double c = (e(ez, i, j + 1, k) - e(ez, i, j, k)) / dy - (e(ey, i, j, k + 1) - e(ey, i, j, k)) / dz;
          faraday(at(hx, i, j, k), c, dt, {{i - 1, j, k}, {i, j, k}});
        }
    for (int i = 0; i < nx_; ++i)
      for (int j = 0; j <= ny_; ++j)
        for (int k = 0; k < nz_; ++k) {
          const double c = (e(ex, i, j, k + 1) - e(ex, i, j, k)) / dz - (e(ez, i + 1, j, k) - e(ez, i, j, k)) / dx;
          faraday(at(hy, i, j, k), c, dt, {{i, j - 1, k}, {i, j, k}});
        }
    for (int i = 0; i < nx_; ++i)
      for (int j = 0; j < ny_; ++j)
        for (int k = 0; k <= nz_; ++k) {
          const double c = (e(ey, i + 1, j, k) - e(ey, i, j, k)) / dx - (e(ex, i, j + 1, k) - e(ex, i, j, k)) / dy;
          faraday(at(hz, i, j, k), c, dt, {{i, j, k - 1}, {i, j, k}});
        }
    for (int i = 0; i < nx_; ++i)
      for (int j = 0; j <= ny_; ++j)
        for (int k = 0; k <= nz_; ++k) {
          if (conductor(1, j) || conductor(2, k)) continue;
          const double c =
              (h(hz, 1, i, j, k) - h(hz, 1, i, j - 1, k)) / dy - (h(hy, 2, i, j, k) - h(hy, 2, i, j, k - 1)) / dz;
          ampere(at(ex, i, j, k), c, dt, {{i, j, k}, {i, j - 1, k}, {i, j, k - 1}, {i, j - 1, k - 1}});
        }
    for (int i = 0; i <= nx_; ++i)
      for (int j = 0; j < ny_; ++j)
        for (int k = 0; k <= nz_; ++k) {
          if (conductor(0, i) || conductor(2, k)) continue;
          const double c =
              (h(hx, 2, i, j, k) - h(hx, 2, i, j, k - 1)) / dz - (h(hz, 0, i, j, k) - h(hz, 0, i - 1, j, k)) / dx;
          ampere(at(ey, i, j, k), c, dt, {{i, j, k}, {i - 1, j, k}, {i, j, k - 1}, {i - 1, j, k - 1}});
        }
    for (int i = 0; i <= nx_; ++i)
      for (int j = 0; j <= ny_; ++j)
        for (int k = 0; k < nz_; ++k) {
          if (conductor(0, i) || conductor(1, j)) continue;
          const double c =
              (h(hy, 0, i, j, k) - h(hy, 0, i - 1, j, k)) / dx - (h(hx, 1, i, j, k) - h(hx, 1, i, j - 1, k)) / dy;
          ampere(at(ez, i, j, k), c, dt, {{i, j, k}, {i - 1, j, k}, {i, j - 1, k}, {i - 1, j - 1, k}});
        }
  }

  std::vector<double> ex, ey, ez, hx, hy, hz;

 private:
  using Place = std::array<int, 3>;

  [[nodiscard]] bool periodic(int axis) const { return s_.face[index(2 * axis)] == Face::neighbour; }
  [[nodiscard]] bool conductor(int axis, int at) const {
    return (at == 0 && s_.face[index(2 * axis)] == Face::electric) ||
           (at == s_.n[index(axis)] && s_.face[index(2 * axis + 1)] == Face::electric);
  }
  /// E at a place inside or on a face; planes 0 and n of a periodic axis are one.
  double e(std::vector<double>& u, int i, int j, int k) {
    Place p = {i, j, k};
    for (int a = 0; a < 3; ++a)
      if (periodic(a)) p[index(a)] %= s_.n[index(a)];
    return at(u, p[0], p[1], p[2]);
  }
  /// Tangential H beside a plane across `axis`, perhaps on its far side.
  double h(std::vector<double>& u, int axis, int i, int j, int k) {
    Place p = {i, j, k};
    int& x = p[index(axis)];
    const int n = s_.n[index(axis)];
    double sign = 1;
    if (periodic(axis)) x = (x + n) % n;
    if (x < 0) x = 0, sign = -1;
    if (x == n) x = n - 1, sign = -1;
    return sign * at(u, p[0], p[1], p[2]);
  }

  std::vector<Material> found(const std::vector<Place>& places) const {
    std::vector<Material> all;
    for (Place p : places) {
      bool inside = true;
      for (int a = 0; a < 3; ++a) {
        const int n = s_.n[index(a)];
        if (periodic(a)) p[index(a)] = (p[index(a)] + n) % n;
        inside = inside && p[index(a)] >= 0 && p[index(a)] < n;
      }
      if (!inside) continue;
      all.push_back(s_.cells.empty() ? Material{} : s_.materials[s_.cells[index((p[0] * ny_ + p[1]) * nz_ + p[2])]]);
    }
    return all;
  }
  /// eps (new - old) / dt = c - sigma (new + old) / 2
  void ampere(double& u, double c, double dt, const std::vector<Place>& cells) const {
    const std::vector<Material> all = found(cells);
    double eps = 0, sigma = 0;
    for (const Material& m : all) {
      eps += eps0 * m.eps_r / static_cast<double>(all.size());
      sigma += m.sigma / static_cast<double>(all.size());
    }
    u = std::isinf(sigma) ? 0 : ((eps / dt - sigma / 2) * u + c) / (eps / dt + sigma / 2);
  }
  void faraday(double& u, double c, double dt, const std::vector<Place>& cells) const {
    const std::vector<Material> all = found(cells);
    double mu = mu0 * all[0].mu_r, sigma = all[0].sigma_m;
    if (all.size() == 2) {
      const double other = mu0 * all[1].mu_r, s = all[1].sigma_m;
      mu = 2 * mu * other / (mu + other);
      sigma = sigma + s > 0 ? 2 * sigma * s / (sigma + s) : 0;
    }
    u = ((mu / dt - sigma / 2) * u - c) / (mu / dt + sigma / 2);
  }

  Setting s_;
  int nx_, ny_, nz_;
};

}  // namespace asterism::fdtd
