#include "taskflows/fmm/verify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace asterism::fmm {
namespace {

constexpr std::size_t block = 4096;  ///< sources summed before they are added to the total

struct Sums {
  double potential = 0, fx = 0, fy = 0, fz = 0;
};

/// Field at particle t of all others; sums of blocks, so that rounding stays far below any accuracy asked for.
Sums direct(const Interaction& interaction, const Particles& p, std::size_t t) {
  Sums total;
  for (std::size_t first = 0; first < p.size(); first += block) {
    Sums part;
    const std::size_t end = std::min(p.size(), first + block);
    for (std::size_t j = first; j < end; ++j) {
      const double x = p.x[t] - p.x[j];
      const double y = p.y[t] - p.y[j];
      const double z = p.z[t] - p.z[j];
      const double r2 = x * x + y * y + z * z;
      if (r2 == 0) continue;
      part.potential += p.charge[j] * interaction.radial(r2);
      const double s = p.charge[j] * interaction.slope(r2);
      part.fx -= s * x;
      part.fy -= s * y;
      part.fz -= s * z;
    }
    total.potential += part.potential;
    total.fx += part.fx;
    total.fy += part.fy;
    total.fz += part.fz;
  }
  return total;
}

}  // namespace

Errors direct_errors(const Interaction& interaction, const Particles& particles, const Result& result,
                     std::int64_t targets, std::uint64_t seed, const std::function<void(double)>& progress) {
  const std::size_t n = particles.size();
  const auto wanted = std::min(n, static_cast<std::size_t>(std::max<std::int64_t>(1, targets)));
  std::vector<std::size_t> chosen;
  if (wanted == n) {
    chosen.resize(n);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  } else {
    std::mt19937_64 generator(seed);
    while (chosen.size() < wanted) {
      while (chosen.size() < wanted) chosen.push_back(generator() % n);
      std::sort(chosen.begin(), chosen.end());
      chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    }
  }
  double error[2] = {0, 0};
  double norm[2] = {0, 0};
  std::size_t done = 0;
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::size_t t = chosen[i];
    const Sums right = direct(interaction, particles, t);
    const double q = particles.charge[t];
    const double f[3] = {q * right.fx, q * right.fy, q * right.fz};
    const double g[3] = {result.fx[t], result.fy[t], result.fz[t]};
    const double e = result.potential[t] - right.potential;
#pragma omp critical
    {
      error[0] += e * e;
      norm[0] += right.potential * right.potential;
      for (int d = 0; d < 3; ++d) {
        error[1] += (g[d] - f[d]) * (g[d] - f[d]);
        norm[1] += f[d] * f[d];
      }
      ++done;
      if (progress && done % 64 == 0) progress(static_cast<double>(done) / static_cast<double>(chosen.size()));
    }
  }
  const auto relative = [](double e, double s) { return s > 0 ? std::sqrt(e / s) : std::sqrt(e); };
  return {relative(error[0], norm[0]), relative(error[1], norm[1]), static_cast<std::int64_t>(chosen.size())};
}

}  // namespace asterism::fmm
