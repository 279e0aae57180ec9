// SPDX-License-Identifier: Apache-2.0
// The cases and checks that the tests of P2P on CPUs and on GPUs share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
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

/// All kernels against the reference; `run` gives the field of the leaves by a kernel.
template <class Run>
void expect_every_kernel(const reference::Leaves& leaves, double tolerance, Run run) {
  const auto yukawa = [](long double r) { return reference::yukawa(1.75L, r); };
  const auto plummer = [](long double r) { return reference::plummer(0.25L, r); };
  const reference::Field laplace = reference::p2p(reference::laplace, leaves);
  EXPECT_LE(error(laplace, run(Laplace{})), tolerance);
  EXPECT_LE(error(laplace, run(user::Root{})), tolerance);
  EXPECT_LE(error(reference::p2p(reference::inverse_square, leaves), run(InverseSquare{})), tolerance);
  EXPECT_LE(error(reference::p2p(yukawa, leaves), run(Yukawa{1.75})), tolerance);
  EXPECT_LE(error(reference::p2p(plummer, leaves), run(user::Plummer{0.25})), tolerance);
  const auto softened = [](long double r) { return reference::softened(reference::laplace, 0.125L, r); };
  EXPECT_LE(error(reference::p2p(softened, leaves, reference::Coincident::act),
                  run(Softened<Laplace>{{Laplace{}, 0.015625}})),
            tolerance);
  const auto softened_square = [](long double r) { return reference::softened(reference::inverse_square, 0.125L, r); };
  EXPECT_LE(error(reference::p2p(softened_square, leaves, reference::Coincident::act),
                  run(Softened<InverseSquare>{{InverseSquare{}, 0.015625}})),
            tolerance);
  const auto softened_yukawa = [&](long double r) { return reference::softened(yukawa, 0.125L, r); };
  EXPECT_LE(error(reference::p2p(softened_yukawa, leaves, reference::Coincident::act),
                  run(Softened<Yukawa>{{Yukawa{1.75}, 0.015625}})),
            tolerance);
}

}  // namespace asterism::fmm::cases
