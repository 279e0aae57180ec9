// SPDX-License-Identifier: Apache-2.0
// What is computed: potential and force of particles in each other's field, for an interaction kernel K(r), to an
// accuracy. The particles themselves (particles/particles.hpp) are no part of the problem, because they move. Particles
// and expansions are in double precision only: RR-8513 has no other, and the accuracies below ask for it.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "codelets/fmm/codelets.hpp"
#include "codelets/fmm/kernels/costs.hpp"
#include "codelets/fmm/kernels/far/basis.hpp"
#include "codelets/fmm/kernels/far/m2l_operators.hpp"
#include "runtime/submit.hpp"

namespace asterism::fmm {

/// The near field of one group, ready to be submitted.
struct NearTask {
  NearLayout layout;
  std::int64_t particles = 0;  ///< particles of the set
  std::int64_t results = 0;    ///< those that have a result
  std::int64_t pairs = 0;      ///< pairs of particles: unordered, or ordered where they act one way
  codelets::Acting acting = codelets::Acting::mutual;
  std::int32_t vectors = 1;  ///< of charges
  Access set, sources, result;
  TaskOptions options;
};

/// What the task flow has to know about an interaction kernel, whatever its type.
struct Interaction {
  std::string name;
  RadialKernel radial;  ///< K as a function of r^2
  RadialKernel slope;   ///< K'(r) / r as a function of r^2
  bool homogeneous = false;
  int degree = 0;                ///< K(a r) = a^degree K(r)
  double flops_per_pair = 0;     ///< per unordered pair, anti-symmetry exploited
  double flops_per_one_way = 0;  ///< per ordered pair, from one to the other
  /// Potential and force of results are this times the sums of q_j K: 1, -G of gravity, a constant of units.
  double coupling = 1;
  bool acts_at_zero = false;  ///< whether particles at the same place act on each other (softened kernels)
  std::function<void(const NearTask&)> submit_near;
};

/// An interaction from a kernel as described in codelets/fmm/kernels/near/kernel_function.hpp. For a kernel of one's
/// own: write the struct, compile the CPU kernels with the CMake function asterism_fmm_p2p, and pass it here.
template <class Kernel>
Interaction interaction(const Kernel& kernel) {
  Interaction i;
  i.name = Kernel::name;
  i.homogeneous = Kernel::homogeneous;
  i.degree = Kernel::degree;
  i.flops_per_pair = flops_mutual<Kernel>;
  i.acts_at_zero = acts_at_zero<Kernel>;
  i.flops_per_one_way = flops_one_way<Kernel>;
  const auto evaluate = [kernel](double r2, bool slope) {
    double value = 0;
    double derivative = 0;
    kernel(r2, value, derivative);
    return slope ? derivative : value;
  };
  i.radial = [evaluate](double r2) { return evaluate(r2, false); };
  i.slope = [evaluate](double r2) { return evaluate(r2, true); };
  i.submit_near = [kernel](const NearTask& t) {
    const bool mutual = t.acting == codelets::Acting::mutual;
    const double flops =
        static_cast<double>(t.pairs) *
        (mutual ? flops_mutual<Kernel> + (t.vectors - 1) * flops_mutual_vector : t.vectors * flops_one_way<Kernel>);
    const codelets::P2PArgs<Kernel> arguments{
        {flops, mutual ? 0 : 1, t.vectors}, t.layout, t.particles, t.results, t.acting, kernel};
    submit(codelets::p2p<Kernel>(), arguments, {t.set, t.sources, t.result}, t.options);
  };
  return i;
}

/// Which basis and which compression give an accuracy.
struct Accuracy {
  BasisChoice basis;
  double epsilon = 1e-5;  ///< of the compression of M2L operators
};

inline constexpr int lowest_accuracy = 2;
inline constexpr int highest_accuracy = 9;

/// Relative L2 errors of potential and force of at most 10^-acc, charges of both signs included (which is hard for the
/// potential: with charges of one sign it is 10 to 100 times more accurate), on cube and ellipsoid with leaves of
/// several particles: with one per leaf nearly all is far field, and the force may miss it several times. Throws Error
/// (bad input) outside 2 .. 9.
Accuracy accuracy(int acc);

/// The same promise for softened kernels: with a quarter of epsilon. The singular values of 1/r have gaps, so that its
/// operators are better than their epsilon; those of a softened kernel in cells about as wide as the softening have
/// none, and force errors would be up to five times as large (a cluster of 20,000 stars, accuracy 4).
Accuracy softened_accuracy(int acc);

/// The same promise for periodic boxes: the setting of the next accuracy, but for the highest, which has none. No cell
/// is at a boundary, so that each has all 189 far interactions, and boxes are small, with few particles per leaf:
/// errors would be up to twice as large as promised (2,000 particles), of forces in crystals, whose ions cancel, ten
/// times.
Accuracy periodic_accuracy(int acc);

/// The paper's setting (l, epsilon) = (acc, 10^-acc), all l^3 products: about 3 (acc = 3) to 20 (acc = 7) times less
/// accurate than its name for charges of both signs.
Accuracy paper_accuracy(int acc);

struct Problem {
  Interaction interaction;
  Accuracy accuracy;
};

}  // namespace asterism::fmm
