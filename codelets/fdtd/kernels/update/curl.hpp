// SPDX-License-Identifier: Apache-2.0
// The arithmetic of an entry, the same for CPUs and GPUs. With d_b u = u - u(one entry below along b) for the electric
// field, u(one above) - u for the magnetic field, and a, b, c = x, y, z or a rotation of it,
//   curl_a u = f_b d_b u_c - f_c d_c u_b        f_b = dt / (eps0 * spacing along b), or with mu0 for the magnetic field
//   E_a <- E_a + curl_a H    H_a <- H_a - curl_a E             in the background, and in other materials
//   E_a <- A E_a + B curl_a H    H_a <- A H_a - B curl_a E     (Taflove and Hagness, Computational Electrodynamics,
// section 3.6); A = B = 1 gives the bits of the background.
#pragma once

#include "codelets/fdtd/kernels/grid.hpp"

#ifdef __CUDACC__
#define ASTERISM_FDTD_ENTRY __host__ __device__ __forceinline__
#else
#define ASTERISM_FDTD_ENTRY [[gnu::always_inline]] inline
#endif

namespace asterism::fdtd {

/// dt / (eps0 d) or dt / (mu0 d) for the three spacings d.
struct Factors {
  double along[3];
};
constexpr Factors factors(double dt, double eps_or_mu, const double (&spacing)[3]) {
  return {{dt / (eps_or_mu * spacing[0]), dt / (eps_or_mu * spacing[1]), dt / (eps_or_mu * spacing[2])}};
}

/// f d u, from the upper and the lower entry.
template <class T>
ASTERISM_FDTD_ENTRY T difference(T f, T upper, T lower) {
  return f * (upper - lower);
}
/// f_b d_b u_c - f_c d_c u_b, from the upper and lower entries of both differences.
template <class T>
ASTERISM_FDTD_ENTRY T curl(T fb, T uc_upper, T uc_lower, T fc, T ub_upper, T ub_lower) {
  return difference(fb, uc_upper, uc_lower) - difference(fc, ub_upper, ub_lower);
}

template <Field field, class T>
ASTERISM_FDTD_ENTRY T advanced(T u, T curl) {
  return field == Field::electric ? u + curl : u - curl;
}
template <Field field, class T>
ASTERISM_FDTD_ENTRY T advanced(T u, T curl, T a, T b) {
  return field == Field::electric ? a * u + b * curl : a * u - b * curl;
}

}  // namespace asterism::fdtd
