// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/results/ringdown.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace asterism::fdtd {

std::optional<Resonance> fit_ringdown(std::span<const double> x, double dt) {
  std::size_t first = 0, last = 0, crossings = 0;  // of zero
  for (std::size_t n = 1; n < x.size(); ++n) {
    if ((x[n - 1] < 0) == (x[n] < 0)) continue;
    if (crossings++ == 0) first = n;
    last = n;
  }
  if (crossings < 7) return std::nullopt;
  const double half_period = static_cast<double>(last - first) / static_cast<double>(crossings - 1);
  const auto q = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(half_period / 2)));
  if (x.size() < 2 * q + 2) return std::nullopt;
  double now_now = 0, now_before = 0, before_before = 0, next_now = 0, next_before = 0, next_next = 0;
  for (std::size_t n = q; n + q < x.size(); ++n) {
    const double before = x[n - q], now = x[n], next = x[n + q];
    now_now += now * now;
    now_before += now * before;
    before_before += before * before;
    next_now += next * now;
    next_before += next * before;
    next_next += next * next;
  }
  const double determinant = now_now * before_before - now_before * now_before;
  if (!(determinant > 0)) return std::nullopt;
  const double a = (next_now * before_before - next_before * now_before) / determinant;
  const double b = -(next_before * now_now - next_now * now_before) / determinant;
  if (!(b > 0 && b < 1 && std::abs(a) < 2 * std::sqrt(b))) return std::nullopt;
  const double time = static_cast<double>(q) * dt;
  const double rate = -std::log(b) / (2 * time), omega = std::acos(a / (2 * std::sqrt(b))) / time;
  const double left = next_next - a * next_now + b * next_before;
  return Resonance{omega / (2 * std::numbers::pi), omega / (2 * rate), std::sqrt(std::max(left, 0.0) / next_next)};
}

std::vector<Ringdown> ringdowns(const scene::Scene& scene, const SceneProblem& of, const std::vector<double>& values) {
  std::vector<Ringdown> all;
  const std::size_t probes = of.problem.probes.size();
  std::size_t number = 0;
  for (const scene::Probe& probe : scene.probes)
    for (std::size_t c = 0; c < probe.components.size(); ++c, ++number) {
      if (!probe.ringdown) continue;
      const auto first = static_cast<std::size_t>(std::ceil(*probe.ringdown / of.problem.dt));
      std::vector<double> decay;
      for (std::size_t n = first; (n + 1) * probes <= values.size(); ++n) decay.push_back(values[n * probes + number]);
      all.push_back({of.probe_names[number], *probe.ringdown, fit_ringdown(decay, of.problem.dt)});
    }
  return all;
}

}  // namespace asterism::fdtd
