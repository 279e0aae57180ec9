// SPDX-License-Identifier: Apache-2.0
// The answer judged by direct summation (reference.hpp) over some of the particles.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/verdict.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/problem.hpp"
#include "taskflows/fmm/reference.hpp"

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

/// Sums over all particles at a point.
using SumsAt = std::function<FieldSums(double x, double y, double z)>;

/// Root mean squares that potential and force are at least taken to have where errors are made relative.
struct LeastSizes {
  double potential = 0, force = 0;
};

/// Errors against any reference of 1/r, which adds up the particles of this rank. Potentials and forces that
/// are smaller than `least`, because they cancel as in a crystal, are compared with that instead of with themselves.
Errors errors_against(const SumsAt& reference, const Interaction& interaction, const Particles& points,
                      bool points_are_sources, const Result& result, std::int64_t targets, std::uint64_t seed,
                      const LeastSizes& least, const std::function<void(double)>& progress = {});

/// The same at other points than the sources, over `targets` of them.
Errors direct_errors(const Interaction& interaction, const Particles& sources, const Particles& points,
                     const Result& result, std::int64_t targets, std::uint64_t seed,
                     const std::function<void(double)>& progress = {});

/// Targets for direct_errors() among n particles: as many as a few seconds of direct summation allow.
std::int64_t affordable_targets(std::int64_t particles);

/// Verdicts on potential and force, in this order. `allowed`: the largest relative L2 error of both.
std::vector<Verdict> judge(const Errors& errors, double allowed);

}  // namespace asterism::fmm
