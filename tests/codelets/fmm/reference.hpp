// SPDX-License-Identifier: Apache-2.0
// What the P2P kernels are checked against: kernels written again in long double, sums over pairs of particles in long
// double, and random sets of leaves whose neighbourhood is any graph. Shares no code with codelets/fmm but the views.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "codelets/fmm/kernels/near/p2p.hpp"

namespace asterism::fmm::reference {

/// K(r) and K'(r) of a kernel
struct Radial {
  long double value;
  long double derivative;
};
inline Radial laplace(long double r) {
  return {1 / r, -1 / (r * r)};
}
inline Radial inverse_square(long double r) {
  return {1 / (r * r), -2 / (r * r * r)};
}
inline Radial yukawa(long double kappa, long double r) {
  return {std::exp(-kappa * r) / r, -std::exp(-kappa * r) * (kappa / r + 1 / (r * r))};
}
/// 1 / (r^2 + a^2)
inline Radial plummer(long double a, long double r) {
  const long double s = r * r + a * a;
  return {1 / s, -2 * r / (s * s)};
}
/// K at sqrt(r^2 + epsilon^2), of one of the above.
template <class K>
Radial softened(K kernel, long double epsilon, long double r) {
  const long double s = std::sqrt(r * r + epsilon * epsilon);
  const Radial k = kernel(s);
  return {k.value, k.derivative * r / s};
}

/// What particles at the same place do.
enum class Coincident { left_out, act };

struct Field {
  std::vector<double> potential, fx, fy, fz;

  explicit Field(std::size_t n, double value = std::nan(""))
      : potential(n, value), fx(n, value), fy(n, value), fz(n, value) {}
  void set(std::size_t i, const long double* sum) {
    potential[i] = static_cast<double>(sum[0]);
    fx[i] = static_cast<double>(sum[1]);
    fy[i] = static_cast<double>(sum[2]);
    fz[i] = static_cast<double>(sum[3]);
  }
  [[nodiscard]] FieldView view() { return {potential.data(), fx.data(), fy.data(), fz.data()}; }
};

/// Leaves, particles and neighbours; arrays have exactly the sizes that P2PSet promises.
struct Leaves {
  std::int32_t own = 0;
  std::vector<std::int32_t> begin{0}, upper_begin, upper, source_begin, source;
  std::vector<double> x, y, z, q;
  std::vector<std::set<std::int32_t>> near;  ///< by leaf, without itself; ghosts are neighbours of own leaves only

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(begin.size()) - 1; }
  [[nodiscard]] P2PSet set() const {
    return {own, size(), begin.data(), upper_begin.data(), upper.data(), source_begin.data(), source.data()};
  }
  [[nodiscard]] SourceView particles() const { return {x.data(), y.data(), z.data(), q.data()}; }
  /// The first particle of a leaf.
  [[nodiscard]] std::size_t first(std::int32_t leaf) const {
    return static_cast<std::size_t>(begin[static_cast<std::size_t>(leaf)]);
  }

  void add_particle(double px, double py, double pz, double charge) {
    x.push_back(px), y.push_back(py), z.push_back(pz), q.push_back(charge);
  }
  void end_leaf() { begin.push_back(static_cast<std::int32_t>(x.size())); }

  /// The lists from `near`. `shuffled`: in any order, as no order is promised.
  void link(const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs, std::mt19937_64* shuffled = nullptr) {
    near.assign(static_cast<std::size_t>(size()), {});
    for (const auto& [a, b] : pairs)
      if (a != b && (a < own || b < own)) {
        near[static_cast<std::size_t>(a)].insert(b);
        near[static_cast<std::size_t>(b)].insert(a);
      }
    upper_begin = source_begin = {0};
    upper.clear(), source.clear();
    for (std::int32_t a = 0; a < size(); ++a) {
      std::vector<std::int32_t> higher, all;
      if (a < own) all.push_back(a);
      for (const std::int32_t b : near[static_cast<std::size_t>(a)]) {
        all.push_back(b);
        if (b > a) higher.push_back(b);
      }
      if (shuffled != nullptr) {
        std::shuffle(higher.begin(), higher.end(), *shuffled);
        std::shuffle(all.begin(), all.end(), *shuffled);
      }
      if (a < own) {
        upper.insert(upper.end(), higher.begin(), higher.end());
        upper_begin.push_back(static_cast<std::int32_t>(upper.size()));
      }
      source.insert(source.end(), all.begin(), all.end());
      source_begin.push_back(static_cast<std::int32_t>(source.size()));
    }
  }
};

/// Leaves of the given numbers of particles, the first `own` of them the group's, in a box of 1 x 10 x 0.1; charges of
/// both signs. Every pair of leaves is a neighbour with probability `density`; some particles of a leaf coincide if
/// `coincident`.
inline Leaves random_leaves(const std::vector<int>& particles, std::int32_t own, double density, bool coincident,
                            std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Leaves l;
  l.own = own;
  for (const int n : particles) {
    for (int i = 0; i < n; ++i) {
      if (coincident && i > 0 && unit(random) < 0.1) {
        const std::size_t k = l.x.size() - 1 - random() % static_cast<std::size_t>(i);  // of the same leaf
        l.add_particle(l.x[k], l.y[k], l.z[k], unit(random) - 0.5);
      } else {
        l.add_particle(unit(random), 10 * unit(random), 0.1 * unit(random), unit(random) - 0.5);
      }
    }
    l.end_leaf();
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int32_t a = 0; a < l.size(); ++a)
    for (std::int32_t b = a + 1; b < l.size(); ++b)
      if (unit(random) < density) pairs.emplace_back(a, b);
  l.link(pairs, &random);
  return l;
}

/// Particle j at (x, y, z) seen from (tx, ty, tz): adds to sum[0] its potential, to sum[1..3] its field.
template <class K>
void add(K kernel, const SourceView& p, std::size_t j, double tx, double ty, double tz, long double* sum,
         Coincident coincident = Coincident::left_out) {
  const long double dx = static_cast<long double>(tx) - p.x[j];
  const long double dy = static_cast<long double>(ty) - p.y[j];
  const long double dz = static_cast<long double>(tz) - p.z[j];
  const long double r = std::sqrt(dx * dx + dy * dy + dz * dz);
  if (r == 0 && coincident == Coincident::left_out) return;
  const Radial k = kernel(r);
  sum[0] += p.q[j] * k.value;
  if (r == 0) return;
  sum[1] -= p.q[j] * k.derivative * dx / r;
  sum[2] -= p.q[j] * k.derivative * dy / r;
  sum[3] -= p.q[j] * k.derivative * dz / r;
}

/// Every particle with those of its own leaf, where that is one of the group's, and of the neighbours of its leaf.
template <class K>
Field p2p(K kernel, const Leaves& l, Coincident coincident = Coincident::left_out) {
  Field f(l.x.size());
  for (std::int32_t a = 0; a < l.size(); ++a) {
    std::set<std::int32_t> near = l.near[static_cast<std::size_t>(a)];
    if (a < l.own) near.insert(a);
    for (std::size_t i = l.first(a); i < l.first(a + 1); ++i) {
      long double sum[4] = {};
      for (const std::int32_t b : near)
        for (std::size_t j = l.first(b); j < l.first(b + 1); ++j)
          if (i != j) add(kernel, l.particles(), j, l.x[i], l.y[i], l.z[i], sum, coincident);
      f.set(i, sum);
    }
  }
  return f;
}

/// Leaves of targets, which are own, and as ghosts leaves of sources: those in the same leaf as targets come first in
/// its list, and some of them are at the targets' places; the others act with probability `density`. Targets have
/// charges, which must not count.
inline Leaves apart_leaves(const std::vector<int>& targets, const std::vector<int>& sources, double density,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Leaves l;
  l.own = static_cast<std::int32_t>(targets.size());
  for (const auto* const numbers : {&targets, &sources})
    for (std::size_t leaf = 0; leaf < numbers->size(); ++leaf) {
      for (int i = 0; i < (*numbers)[leaf]; ++i)
        if (numbers == &sources && leaf < targets.size() && i % 3 == 0 && i < targets[leaf]) {
          const auto k = static_cast<std::size_t>(l.begin[leaf]) + static_cast<std::size_t>(i);
          l.add_particle(l.x[k], l.y[k], l.z[k], unit(random) - 0.5);
        } else {
          l.add_particle(unit(random), 10 * unit(random), 0.1 * unit(random), unit(random) - 0.5);
        }
      l.end_leaf();
    }
  l.near.resize(static_cast<std::size_t>(l.size()));
  l.source_begin = {0};
  for (std::int32_t a = 0; a < l.size(); ++a) {
    for (std::int32_t b = l.own; a < l.own && b < l.size(); ++b)
      if (b == l.own + a || unit(random) < density) l.near[static_cast<std::size_t>(a)].insert(b);
    const std::set<std::int32_t>& near = l.near[static_cast<std::size_t>(a)];
    if (near.contains(l.own + a)) l.source.push_back(l.own + a);
    for (const std::int32_t b : near)
      if (b != l.own + a) l.source.push_back(b);
    l.source_begin.push_back(static_cast<std::int32_t>(l.source.size()));
  }
  l.upper_begin.assign(static_cast<std::size_t>(l.own) + 1, 0);
  return l;
}

/// The field of the targets of such leaves.
template <class K>
Field p2p_one_way(K kernel, const Leaves& l, Coincident coincident = Coincident::left_out) {
  Field f(l.first(l.own));
  for (std::int32_t a = 0; a < l.own; ++a)
    for (std::size_t i = l.first(a); i < l.first(a + 1); ++i) {
      long double sum[4] = {};
      for (const std::int32_t b : l.near[static_cast<std::size_t>(a)])
        for (std::size_t j = l.first(b); j < l.first(b + 1); ++j)
          add(kernel, l.particles(), j, l.x[i], l.y[i], l.z[i], sum, coincident);
      f.set(i, sum);
    }
  return f;
}

/// |actual - expected| / |expected| in the l2 norm; infinite if anything is not a number.
inline double error(const std::vector<double>& expected, const std::vector<double>& actual) {
  long double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const long double d = static_cast<long double>(actual[i]) - expected[i];
    difference += d * d;
    norm += static_cast<long double>(expected[i]) * expected[i];
  }
  if (difference == 0) return 0;
  const auto e = static_cast<double>(std::sqrt(difference / norm));
  return std::isfinite(e) ? e : HUGE_VAL;
}
/// The largest of the four arrays' errors.
inline double error(const Field& expected, const Field& actual) {
  return std::max({error(expected.potential, actual.potential), error(expected.fx, actual.fx),
                   error(expected.fy, actual.fy), error(expected.fz, actual.fz)});
}

}  // namespace asterism::fmm::reference
