// SPDX-License-Identifier: Apache-2.0
// The cases and checks that the tests of P2P on CPUs and on GPUs share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codelets/fmm/kernels/near/p2p.hpp"
#include "tests/codelets/fmm/reference.hpp"
#include "tests/codelets/fmm/user_kernel.hpp"

namespace asterism::fmm::cases {

/// Numbers of particles around the widths of vectors and warps.
inline const std::vector<int> leaf_sizes = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 172};

/// Particles at the origin and at (2, 3, 6), 7 apart, charges 2 and 5: in one leaf (`where` is 0), in two (1), the
/// second of them a ghost (2).
inline reference::Leaves two_particles(int where) {
  reference::Leaves l;
  l.own = where == 1 ? 2 : 1;
  l.add_particle(0, 0, 0, 2);
  if (where > 0) l.end_leaf();
  l.add_particle(2, 3, 6, 5);
  l.end_leaf();
  l.link({{0, where > 0 ? 1 : 0}});
  return l;
}

inline void expect_near(double expected, double actual, double tolerance) {
  EXPECT_NEAR(expected, actual, tolerance * std::fabs(expected));
}

/// Checks the field of the two particles; like charges repel: the first is pushed to -x.
inline void expect_laplace(const reference::Field& f, double tolerance) {
  expect_near(5.0 / 7, f.potential[0], tolerance), expect_near(2.0 / 7, f.potential[1], tolerance);
  expect_near(-10.0 / 343, f.fx[0], tolerance), expect_near(4.0 / 343, f.fx[1], tolerance);
  expect_near(-15.0 / 343, f.fy[0], tolerance), expect_near(6.0 / 343, f.fy[1], tolerance);
  expect_near(-30.0 / 343, f.fz[0], tolerance), expect_near(12.0 / 343, f.fz[1], tolerance);
}

/// All kernels against a reference, `sum(K, what coincident particles do)`; `run` gives the field by a kernel.
template <class Sum, class Run>
void expect_kernels(const Sum& sum, double tolerance, Run run) {
  using reference::Coincident;
  const auto expect = [&](auto k, const auto& kernel, Coincident coincident = Coincident::left_out) {
    EXPECT_LE(error(sum(k, coincident), run(kernel)), tolerance);
  };
  const auto yukawa = [](long double r) { return reference::yukawa(1.75L, r); };
  expect(reference::laplace, Laplace{});
  expect(reference::laplace, user::Root{});
  expect(reference::inverse_square, InverseSquare{});
  expect(yukawa, Yukawa{1.75});
  expect([](long double r) { return reference::plummer(0.25L, r); }, user::Plummer{0.25});
  expect([](long double r) { return reference::softened(reference::laplace, 0.125L, r); },
         Softened<Laplace>{{Laplace{}, 0.015625}}, Coincident::act);
  expect([](long double r) { return reference::softened(reference::inverse_square, 0.125L, r); },
         Softened<InverseSquare>{{InverseSquare{}, 0.015625}}, Coincident::act);
  expect([&](long double r) { return reference::softened(yukawa, 0.125L, r); },
         Softened<Yukawa>{{Yukawa{1.75}, 0.015625}}, Coincident::act);
}
template <class Run>
void expect_every_kernel(const reference::Leaves& leaves, double tolerance, Run run) {
  expect_kernels([&](auto k, reference::Coincident coincident) { return reference::p2p(k, leaves, coincident); },
                 tolerance, run);
}
/// References of the same cases, summed once for all variants of the kernels.
class References {
 public:
  /// As above; `name` tells the case from all others.
  template <class Run>
  void expect_every_kernel(const std::string& name, const reference::Leaves& leaves, double tolerance, Run run) {
    std::vector<reference::Field>& fields = fields_[name];
    std::size_t kernel = 0;
    const auto sum = [&](auto k, reference::Coincident coincident) {
      if (fields.size() == kernel) fields.push_back(reference::p2p(k, leaves, coincident));
      return fields[kernel++];
    };
    expect_kernels(sum, tolerance, run);
  }

 private:
  std::map<std::string, std::vector<reference::Field>> fields_;
};

/// Leaves of targets and of sources of many sizes, some without any: more than fit in one pass over a leaf.
inline reference::Leaves apart_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> targets = leaf_sizes;
  std::vector<int> sources = leaf_sizes;
  if (seed % 2 == 0) sources.insert(sources.end(), {700, 1, 0, 90, 2000});
  std::shuffle(targets.begin(), targets.end(), random);
  std::shuffle(sources.begin(), sources.end(), random);
  return reference::apart_leaves(targets, sources, seed % 3 == 0 ? 0.2 : 0.9, seed);
}
template <class Run>
void expect_one_way(const reference::Leaves& leaves, double tolerance, Run run) {
  expect_kernels(
      [&](auto k, reference::Coincident coincident) { return reference::p2p_one_way(k, leaves, coincident); },
      tolerance, run);
}

}  // namespace asterism::fmm::cases
