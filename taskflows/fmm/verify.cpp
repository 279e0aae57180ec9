#include "taskflows/fmm/verify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/ranks/ranks.hpp"

namespace asterism::fmm {
namespace {

constexpr std::size_t block = 4096;  ///< sources summed before they are added to the total

struct Sums {
  double potential = 0, fx = 0, fy = 0, fz = 0;
  void add(const Sums& other) {
    potential += other.potential;
    fx += other.fx;
    fy += other.fy;
    fz += other.fz;
  }
};

/// A particle to look at, and what is said about it.
struct Target {
  double x, y, z, charge;
  Sums said;
};

/// Field at a target of these particles but itself; sums of blocks, so that rounding stays far below any accuracy asked
/// for.
Sums direct(const Interaction& interaction, const Particles& p, const Target& target) {
  Sums total;
  for (std::size_t first = 0; first < p.size(); first += block) {
    Sums part;
    const std::size_t end = std::min(p.size(), first + block);
    for (std::size_t j = first; j < end; ++j) {
      const double x = target.x - p.x[j];
      const double y = target.y - p.y[j];
      const double z = target.z - p.z[j];
      const double r2 = x * x + y * y + z * z;
      if (r2 == 0) continue;
      part.potential += p.charge[j] * interaction.radial(r2);
      const double s = p.charge[j] * interaction.slope(r2);
      part.fx -= s * x;
      part.fy -= s * y;
      part.fz -= s * z;
    }
    total.add(part);
  }
  return total;
}

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
  std::size_t first = 0;  // of this rank's part
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
  const std::vector<Target> chosen = targets_of_all(particles, result, targets, seed);
  std::vector<Sums> sums(chosen.size());
  std::size_t done = 0;
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    sums[i] = direct(interaction, particles, chosen[i]);
#pragma omp critical
    if (++done % 64 == 0 && progress) progress(static_cast<double>(done) / static_cast<double>(chosen.size()));
  }
  double error[2] = {0, 0};
  double norm[2] = {0, 0};
  const std::vector<std::vector<Sums>> parts = of_all(sums);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Sums right;
    for (const std::vector<Sums>& part : parts) right.add(part[i]);
    const auto& [x, y, z, q, said] = chosen[i];
    const double f[3] = {q * right.fx, q * right.fy, q * right.fz};
    const double g[3] = {said.fx, said.fy, said.fz};
    const double e = said.potential - right.potential;
    error[0] += e * e;
    norm[0] += right.potential * right.potential;
    for (int d = 0; d < 3; ++d) {
      error[1] += (g[d] - f[d]) * (g[d] - f[d]);
      norm[1] += f[d] * f[d];
    }
  }
  const auto relative = [](double e, double s) { return s > 0 ? std::sqrt(e / s) : std::sqrt(e); };
  return {relative(error[0], norm[0]), relative(error[1], norm[1]), static_cast<std::int64_t>(chosen.size())};
}

}  // namespace asterism::fmm
