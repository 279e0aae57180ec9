// SPDX-License-Identifier: Apache-2.0
// The interaction kernels K(r) of the FMM, for host and device: structs that give K and its slope from r^2.
//
// A kernel is a small trivially copyable struct, which may hold parameters, with
//   static constexpr const char* name;
//   static constexpr bool homogeneous;  // K(a r) = a^degree K(r)
//   static constexpr int degree;
//   static constexpr int flops;         // of operator(): + - * / 1 each, sqrt 15, exp 20
//   template <class V> ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const;
// value = K(r) and slope = K'(r) / r, so that grad_x K(|x - y|) = slope (x - y). V is double or a vector of
// doubles (simd.hpp) with the operators + - * / and the functions sqrt, rsqrt, exp and fma; a kernel outside
// this namespace needs `using asterism::fmm::rsqrt;` and so on for V = double. What it gives at r = 0 is not used,
// unless it is Softened. It may have
//   template <class V> ASTERISM_FMM_FUNCTION void act(V r2, V charge, V& potential, V& pull) const;
// charge K(r) and charge K'(r) / r, where that takes fewer operations than the two products: P2P one way uses it.
#pragma once

#include <cmath>

#ifdef __CUDACC__
#define ASTERISM_FMM_FUNCTION __host__ __device__ __forceinline__
#else
#define ASTERISM_FMM_FUNCTION __attribute__((always_inline)) inline
#endif

namespace asterism::fmm {

ASTERISM_FMM_FUNCTION double fma(double a, double b, double c) {
  return ::fma(a, b, c);
}
ASTERISM_FMM_FUNCTION double sqrt(double x) {
  return ::sqrt(x);
}
ASTERISM_FMM_FUNCTION double exp(double x) {
  return ::exp(x);
}
/// y = y0 (1 + e/2 + 3 e^2/8) with e = 1 - x y0^2: the series of (1 - e)^(-1/2) to third order. From the 20 bits
/// of the GPU's approximation to full precision.
template <class V>
ASTERISM_FMM_FUNCTION V rsqrt_step3(V x, V y0) {
  const V e = fma(-(x * y0), y0, V(1));
  return fma(y0 * e, fma(V(0.375), e, V(0.5)), y0);
}

/// x^(-1/2); on the device within 2 ulp for normal x whose result is normal.
ASTERISM_FMM_FUNCTION double rsqrt(double x) {
#ifdef __CUDA_ARCH__
  double y0;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y0) : "d"(x));
  return rsqrt_step3(x, y0);
#else
  return 1 / ::sqrt(x);
#endif
}

/// K = 1/r, slope = -1/r^3
struct Laplace {
  static constexpr const char* name = "laplace";
  static constexpr bool homogeneous = true;
  static constexpr int degree = -1;
  static constexpr int flops = 15 + 1 + 2;

  template <class V>
  ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const {
    const V inverse = rsqrt(r2);
    value = inverse;
    slope = -(inverse * (inverse * inverse));
  }
  template <class V>
  ASTERISM_FMM_FUNCTION void act(V r2, V charge, V& potential, V& pull) const {
    const V inverse = rsqrt(r2);
    potential = charge * inverse;
    pull = -(potential * (inverse * inverse));
  }
};

/// K = 1/r^2, slope = -2/r^4
struct InverseSquare {
  static constexpr const char* name = "inverse-square";
  static constexpr bool homogeneous = true;
  static constexpr int degree = -2;
  static constexpr int flops = 1 + 2;

  template <class V>
  ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const {
    value = 1.0 / r2;
    slope = -2.0 * (value * value);
  }
  template <class V>
  ASTERISM_FMM_FUNCTION void act(V r2, V charge, V& potential, V& pull) const {
    const V value = 1.0 / r2;
    potential = charge * value;
    pull = -2.0 * (potential * value);
  }
};

/// K = exp(-kappa r)/r, slope = -(kappa r + 1) K / r^2; kappa in 1/length.
struct Yukawa {
  static constexpr const char* name = "yukawa";
  static constexpr bool homogeneous = false;
  static constexpr int degree = 0;
  static constexpr int flops = 15 + 1 + 1 + 20 + 1 + 1 + 3;

  double kappa = 1;

  template <class V>
  ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const {
    const V inverse = rsqrt(r2);
    const V scaled = kappa * (r2 * inverse);  // kappa r
    value = exp(-scaled) * inverse;
    slope = -((scaled + 1.0) * value * (inverse * inverse));
  }
  template <class V>
  ASTERISM_FMM_FUNCTION void act(V r2, V charge, V& potential, V& pull) const {
    const V inverse = rsqrt(r2);
    const V scaled = kappa * (r2 * inverse);
    potential = exp(-scaled) * (charge * inverse);
    pull = -((scaled + 1.0) * potential * (inverse * inverse));
  }
};

/// K(sqrt(r^2 + epsilon^2)): Plummer's softening (Monthly Notices of the Royal Astronomical Society 71, 1911), for
/// epsilon > 0. The gradient of K(R) with R^2 = r^2 + epsilon^2 is K'(R) / R (x - y), so value and slope are those of
/// the kernel at R. Particles at the same place act on each other, with K(epsilon) and no force. For a kernel of one's
/// own: a specialisation that gives it a name, as those below, instantiated as the kernel itself.
template <class Kernel>
struct Softened;
template <class Kernel>
struct SoftenedKernel {
  static constexpr bool homogeneous = false;
  static constexpr int degree = 0;
  static constexpr int flops = Kernel::flops + 1;

  Kernel kernel;
  double squared = 1;  ///< epsilon^2

  template <class V>
  ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const {
    kernel(r2 + squared, value, slope);
  }
};
template <>
struct Softened<Laplace> : SoftenedKernel<Laplace> {
  static constexpr const char* name = "softened-laplace";
};
template <>
struct Softened<InverseSquare> : SoftenedKernel<InverseSquare> {
  static constexpr const char* name = "softened-inverse-square";
};
template <>
struct Softened<Yukawa> : SoftenedKernel<Yukawa> {
  static constexpr const char* name = "softened-yukawa";
};

/// Whether particles at the same place act on each other: where not, their pairs are left out.
template <class Kernel>
inline constexpr bool acts_at_zero = false;
template <class Kernel>
inline constexpr bool acts_at_zero<Softened<Kernel>> = true;

}  // namespace asterism::fmm
