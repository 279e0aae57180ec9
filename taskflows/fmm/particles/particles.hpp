// SPDX-License-Identifier: Apache-2.0
// Points with charges, and what is computed on them.
#pragma once

#include <cstddef>

#include "base/array.hpp"

namespace asterism::fmm {

/// Points with charges, structure of arrays of equal length; the order is the user's.
struct Particles {
  Particles() = default;
  explicit Particles(std::size_t n) : x(n), y(n), z(n), charge(n) {}

  Array<double> x, y, z, charge;
  Array<double> vx, vy, vz;  ///< velocities; empty: none were given
  Array<double> mass;        ///< of particles with charge and mass; empty: none were given
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

/// One of several contiguous parts of n particles, all of about the same size.
struct Part {
  int number = 0;
  int of = 1;
  [[nodiscard]] std::size_t begin(std::size_t n) const noexcept {
    const auto parts = static_cast<std::size_t>(of);
    const auto before = static_cast<std::size_t>(number);
    return n / parts * before + (before < n % parts ? before : n % parts);
  }
  [[nodiscard]] std::size_t end(std::size_t n) const noexcept { return Part{number + 1, of}.begin(n); }
};

/// Potential and force on each particle, in the particles' order.
struct Result {
  Result() = default;
  explicit Result(std::size_t n) : potential(n), fx(n), fy(n), fz(n) {}

  Array<double> potential, fx, fy, fz;
};

}  // namespace asterism::fmm
