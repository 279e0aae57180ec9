// SPDX-License-Identifier: Apache-2.0
// The scattering of a plane wave by a dielectric sphere: Mie's series (Bohren and Huffman, Absorption and Scattering of
// Light by Small Particles, chapter 4 and appendix A).
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace asterism::tests {

struct MieSphere {
  double q_scattering;         ///< cross-section by pi a^2
  double q_extinction;         ///< the same, from the amplitude forward
  double q_back;               ///< radar cross-section backward by pi a^2
  std::vector<double> s1, s2;  ///< |S1|^2 across and |S2|^2 in the plane of the incident E, at each angle
};

/// `x`: circumference by wavelength; `index`: refractive index by that around; `angles` in rad, 0 is forward.
inline MieSphere mie_sphere(double x, double index, const std::vector<double>& angles = {}) {
  const int terms = static_cast<int>(std::ceil(x + 4 * std::cbrt(x) + 2));
  const double mx = index * x;
  // the logarithmic derivative of psi(mx) by downward recurrence
  const int start = static_cast<int>(std::ceil(std::max<double>(terms, mx))) + 16;
  std::vector<double> derivative(static_cast<std::size_t>(start) + 1, 0.0);
  for (int n = start; n > 0; --n) {
    const double ratio = n / mx;
    derivative[static_cast<std::size_t>(n) - 1] = ratio - 1 / (derivative[static_cast<std::size_t>(n)] + ratio);
  }
  std::vector<double> cosines{1, -1};
  for (const double angle : angles) cosines.push_back(std::cos(angle));
  std::vector<double> pi_before(cosines.size(), 0.0), pi_now(cosines.size(), 1.0);
  std::vector<std::complex<double>> s1(cosines.size()), s2(cosines.size());
  double psi_before = std::cos(x), psi = std::sin(x);
  double chi_before = -std::sin(x), chi = std::cos(x);
  double scattered = 0;
  for (int n = 1; n <= terms; ++n) {
    const double psi_next = (2 * n - 1) * psi / x - psi_before;
    const double chi_next = (2 * n - 1) * chi / x - chi_before;
    const std::complex<double> xi(psi, -chi), xi_next(psi_next, -chi_next);
    const double d = derivative[static_cast<std::size_t>(n)];
    const double of_a = d / index + n / x, of_b = d * index + n / x;
    const std::complex<double> a = (of_a * psi_next - psi) / (of_a * xi_next - xi);
    const std::complex<double> b = (of_b * psi_next - psi) / (of_b * xi_next - xi);
    scattered += (2 * n + 1) * (std::norm(a) + std::norm(b));
    const double weight = (2.0 * n + 1) / (n * (n + 1.0));
    for (std::size_t t = 0; t < cosines.size(); ++t) {
      const double tau = n * cosines[t] * pi_now[t] - (n + 1) * pi_before[t];
      s1[t] += weight * (a * pi_now[t] + b * tau);
      s2[t] += weight * (a * tau + b * pi_now[t]);
      const double next = ((2 * n + 1) * cosines[t] * pi_now[t] - (n + 1) * pi_before[t]) / n;
      pi_before[t] = pi_now[t];
      pi_now[t] = next;
    }
    psi_before = psi;
    psi = psi_next;
    chi_before = chi;
    chi = chi_next;
  }
  MieSphere sphere{2 / (x * x) * scattered, 4 / (x * x) * s1[0].real(), 4 / (x * x) * std::norm(s1[1]), {}, {}};
  for (std::size_t t = 2; t < cosines.size(); ++t) {
    sphere.s1.push_back(std::norm(s1[t]));
    sphere.s2.push_back(std::norm(s2[t]));
  }
  return sphere;
}

}  // namespace asterism::tests
