// Which basis and which compression give which accuracy.
#pragma once

#include "codelets/fmm/kernels/far/basis.hpp"

namespace asterism::fmm {

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

/// The paper's setting (l, epsilon) = (acc, 10^-acc), all l^3 products: about 3 (acc = 3) to 20 (acc = 7) times less
/// accurate than its name for charges of both signs.
Accuracy paper_accuracy(int acc);

}  // namespace asterism::fmm
