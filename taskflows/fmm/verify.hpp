// The answer checked against direct summation, by code that the solver does not use.
#pragma once

#include <cstdint>
#include <functional>

#include "taskflows/fmm/interaction.hpp"
#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

struct Errors {
  double potential = 0;  ///< relative L2
  double force = 0;      ///< relative L2
  std::int64_t targets = 0;
};

/// Relative L2 errors of potential and force over `targets` particles, all of them or a random sample, against the sum
/// over all particles. `progress` is told the share done. Over several ranks, each calls this with its part of the
/// particles and of the results, sums over it, and returns the same errors.
Errors direct_errors(const Interaction& interaction, const Particles& particles, const Result& result,
                     std::int64_t targets, std::uint64_t seed, const std::function<void(double)>& progress = {});

}  // namespace asterism::fmm
