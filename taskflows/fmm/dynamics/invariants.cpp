// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/dynamics/invariants.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {
namespace {

/// A sum with what rounding took from it.
struct Sum {
  double value = 0, rest = 0;
  void add(double term) {
    const double next = value + term;
    rest += std::abs(value) >= std::abs(term) ? (value - next) + term : (term - next) + value;
    value = next;
  }
  [[nodiscard]] double result() const { return value + rest; }
};

template <std::size_t n>
std::array<double, n> over_ranks(const std::array<Sum, n>& mine) {
  std::array<Sum, n> all;
  for (const std::array<Sum, n>& part : rank_group().all_gather(mine))
    for (std::size_t k = 0; k < n; ++k) {
      all[k].add(part[k].value);
      all[k].add(part[k].rest);
    }
  std::array<double, n> results;
  for (std::size_t k = 0; k < n; ++k) results[k] = all[k].result();
  return results;
}

struct Shell {
  double radius, mass;
};

}  // namespace

double potential_energy(const Particles& p, const Result& r) {
  std::array<Sum, 1> sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum[0].add(p.charge[i] * r.potential[i]);
  return over_ranks(sum)[0] / 2;
}

double total_charge(const Particles& p) {
  std::array<Sum, 1> sum;
  for (const double charge : std::span<const double>(p.charge)) sum[0].add(charge);
  return over_ranks(sum)[0];
}

Invariants invariants_of(const Particles& p, const Result& r, const Motion& motion) {
  std::array<Sum, 9> sums;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double mass = motion.mass.empty() ? 1 : motion.mass[i];
    const double px = mass * motion.vx[i];
    const double py = mass * motion.vy[i];
    const double pz = mass * motion.vz[i];
    const double square = motion.vx[i] * motion.vx[i] + motion.vy[i] * motion.vy[i] + motion.vz[i] * motion.vz[i];
    const std::array terms{mass * square,
                           p.charge[i] * r.potential[i],
                           mass * std::sqrt(square),
                           px,
                           py,
                           pz,
                           p.y[i] * pz - p.z[i] * py,
                           p.z[i] * px - p.x[i] * pz,
                           p.x[i] * py - p.y[i] * px};
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(terms[k]);
  }
  const std::array<double, 9> all = over_ranks(sums);
  return {all[0] / 2, all[1] / 2, all[2], {all[3], all[4], all[5]}, {all[6], all[7], all[8]}};
}

std::array<double, lagrangian_shares.size()> lagrangian_radii(const Particles& p) {
  std::array<Sum, 4> moments;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::array terms{p.charge[i], p.charge[i] * p.x[i], p.charge[i] * p.y[i], p.charge[i] * p.z[i]};
    for (std::size_t k = 0; k < moments.size(); ++k) moments[k].add(terms[k]);
  }
  const std::array<double, 4> all = over_ranks(moments);
  std::vector<Shell> mine;
  mine.reserve(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    mine.push_back(
        {std::hypot(p.x[i] - all[1] / all[0], p.y[i] - all[2] / all[0], p.z[i] - all[3] / all[0]), p.charge[i]});
  std::vector<Shell> shells;
  for (const std::vector<Shell>& part : rank_group().all_gather(std::span<const Shell>(mine)))
    shells.insert(shells.end(), part.begin(), part.end());
  std::sort(shells.begin(), shells.end(), [](const Shell& a, const Shell& b) { return a.radius < b.radius; });
  std::array<double, lagrangian_shares.size()> radii{};
  double within = 0;
  std::size_t share = 0;
  for (const Shell& shell : shells) {
    within += shell.mass;
    while (share < radii.size() && within >= lagrangian_shares[share] * all[0]) radii[share++] = shell.radius;
  }
  return radii;
}

}  // namespace asterism::fmm
