// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/reference.hpp"

namespace asterism::fmm {
namespace {

/// Pairs of particles that direct summation takes seconds for.
constexpr double affordable_pairs = 1e9;
constexpr std::int64_t fewest_targets = 50;

/// A particle to look at, and the answer to judge.
struct Target {
  double x, y, z, charge;
  FieldSums answer;
};

/// `wanted` of n particles in increasing order.
std::vector<std::size_t> choose(std::size_t n, std::size_t wanted, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  if (wanted == n) {
    chosen.resize(n);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  std::mt19937_64 generator(seed);
  while (chosen.size() < wanted) {
    while (chosen.size() < wanted) chosen.push_back(generator() % n);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  return chosen;
}

/// The vectors of all ranks, on each of them.
template <class T>
std::vector<std::vector<T>> of_all(const std::vector<T>& mine) {
  return rank_group().exchange(std::vector<std::vector<T>>(static_cast<std::size_t>(rank_group().ranks()), mine));
}

/// The chosen ones among the particles of all ranks.
std::vector<Target> targets_of_all(const Particles& p, const Result& result, std::int64_t targets, std::uint64_t seed) {
  std::size_t n = 0;
  std::size_t first = 0;  // particles of lower ranks
  for (int rank = 0; const std::size_t part : rank_group().all_gather(p.size())) {
    if (rank++ < rank_group().rank()) first += part;
    n += part;
  }
  std::vector<Target> mine;
  for (const std::size_t i :
       choose(n, std::min(n, static_cast<std::size_t>(std::max<std::int64_t>(1, targets))), seed)) {
    if (i < first || i >= first + p.size()) continue;
    const std::size_t t = i - first;
    mine.push_back(
        {p.x[t], p.y[t], p.z[t], p.charge[t], {result.potential[t], result.fx[t], result.fy[t], result.fz[t]}});
  }
  std::vector<Target> all;
  for (const std::vector<Target>& part : of_all(mine)) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

Errors direct_errors(const Interaction& interaction, const Particles& particles, const Result& result,
                     std::int64_t targets, std::uint64_t seed, const std::function<void(double)>& progress) {
  return direct_errors(interaction, particles, particles, result, targets, seed, progress);
}

Errors direct_errors(const Interaction& interaction, const Particles& sources, const Particles& points,
                     const Result& result, std::int64_t targets, std::uint64_t seed,
                     const std::function<void(double)>& progress) {
  return errors_against([&](double x, double y, double z) { return direct_sums(interaction, sources, x, y, z); },
                        interaction, points, &sources == &points, result, targets, seed, {}, progress);
}

Errors errors_against(const SumsAt& reference, const Interaction& interaction, const Particles& points,
                      bool points_are_sources, const Result& result, std::int64_t targets, std::uint64_t seed,
                      const LeastSizes& least, const std::function<void(double)>& progress) {
  const std::vector<Target> chosen = targets_of_all(points, result, targets, seed);
  std::vector<FieldSums> sums(chosen.size());
  std::size_t done = 0;
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    sums[i] = reference(chosen[i].x, chosen[i].y, chosen[i].z);
#pragma omp critical
    if (++done % 64 == 0 && progress) progress(static_cast<double>(done) / static_cast<double>(chosen.size()));
  }
  double error[2] = {0, 0};
  double norm[2] = {0, 0};
  const std::vector<std::vector<FieldSums>> parts = of_all(sums);
  const double coupling = interaction.coupling;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    FieldSums right;
    for (const std::vector<FieldSums>& part : parts) right.add(part[i]);
    const auto& [x, y, z, q, answer] = chosen[i];
    if (interaction.acts_at_zero)
      right.potential += (right.coincident - (points_are_sources ? q : 0)) * interaction.radial(0);
    right.potential *= coupling;
    const double f[3] = {coupling * q * right.fx, coupling * q * right.fy, coupling * q * right.fz};
    const double g[3] = {answer.fx, answer.fy, answer.fz};
    const double e = answer.potential - right.potential;
    error[0] += e * e;
    norm[0] += right.potential * right.potential;
    for (int d = 0; d < 3; ++d) {
      error[1] += (g[d] - f[d]) * (g[d] - f[d]);
      norm[1] += f[d] * f[d];
    }
  }
  const auto count = static_cast<double>(chosen.size());
  norm[0] = std::max(norm[0], least.potential * least.potential * count);
  norm[1] = std::max(norm[1], least.force * least.force * count);
  const auto relative = [](double e, double s) { return s > 0 ? std::sqrt(e / s) : std::sqrt(e); };
  return {relative(error[0], norm[0]), relative(error[1], norm[1]), static_cast<std::int64_t>(chosen.size())};
}

std::int64_t affordable_targets(std::int64_t particles) {
  return std::clamp(static_cast<std::int64_t>(affordable_pairs / static_cast<double>(particles)),
                    std::min(particles, fewest_targets), particles);
}

std::vector<Verdict> judge(const Errors& errors, double allowed) {
  std::vector<Verdict> verdicts{{"direct summation: relative L2 error of the potential", errors.potential, allowed, {}},
                                {"direct summation: relative L2 error of the force", errors.force, allowed, {}}};
  for (Verdict& verdict : verdicts)
    if (!verdict.right())
      verdict.complaint = fmt::format("relative L2 errors: potential {:.3e}, force {:.3e}; expected at most {:.0e}",
                                      errors.potential, errors.force, allowed);
  return verdicts;
}

}  // namespace asterism::fmm
