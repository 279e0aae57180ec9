// SPDX-License-Identifier: Apache-2.0
// Sums carried in twice the working precision, so that a dot product is the correctly rounded value of
// the exact sum in all but about one case in 10^9, whatever the order of the terms. Iterates of conjugate
// gradient are then the same bit for bit on any number of blocks, with any scheduler, on CPUs and GPUs.
// Source: Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005), Dot2.
//
// Must be compiled without floating-point contraction (-ffp-contract=off, -fmad=false): the error terms
// are exact only when each operation is rounded on its own.
#pragma once

#include <cmath>

#ifdef __CUDACC__
#define ASTERISM_HD __host__ __device__
#else
#define ASTERISM_HD
#endif

namespace asterism::cg {

/// The unevaluated sum hi + lo.
struct Sum {
  double hi = 0;
  double lo = 0;
};

/// s + x, x a double: TwoSum on the leading part, its rounding error into the trailing part.
ASTERISM_HD inline void add(double& hi, double& lo, double x, double error_of_x) {
  const double t = hi + x;
  const double z = t - hi;
  const double error = (hi - (t - z)) + (x - z);
  hi = t;
  lo = lo + (error + error_of_x);
}

/// s += a b, with the error of the product from a fused multiply-add.
ASTERISM_HD inline void add_product(double& hi, double& lo, double a, double b) {
  const double p = a * b;
  add(hi, lo, p, std::fma(a, b, -p));
}

ASTERISM_HD inline void add_product(Sum& s, double a, double b) {
  add_product(s.hi, s.lo, a, b);
}

/// a += b.
ASTERISM_HD inline void add(Sum& a, const Sum& b) {
  add(a.hi, a.lo, b.hi, b.lo);
}

/// The sum rounded to double.
ASTERISM_HD inline double value(const Sum& s) {
  return s.hi + s.lo;
}

}  // namespace asterism::cg
