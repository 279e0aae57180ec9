// Points with charges, and what is computed on them.
#pragma once

#include <cstddef>

#include "taskflows/runtime/array.hpp"

namespace asterism::fmm {

/// Points with charges, structure of arrays of equal length; the order is the user's.
struct Particles {
  Particles() = default;
  explicit Particles(std::size_t n) : x(n), y(n), z(n), charge(n) {}

  Array<double> x, y, z, charge;
  [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

/// Potential and force on each particle, in the particles' order.
struct Result {
  Result() = default;
  explicit Result(std::size_t n) : potential(n), fx(n), fy(n), fz(n) {}

  Array<double> potential, fx, fy, fz;
};

}  // namespace asterism::fmm
