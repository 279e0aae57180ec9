// SPDX-License-Identifier: Apache-2.0
// Observers of a simulation: sums, energies and probes.
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {

namespace {

/// body(plane of the brick, plane of the domain).
template <class Brick, class Body>
void for_own_planes(const Brick& brick, const Body& body) {
  for (int i = brick.first_plane(); i < brick.end_plane(); ++i)
    body(static_cast<std::size_t>(i), brick.origin()[0] + i);
}

/// What a brick has of a plane of the domain.
template <std::size_t n>
struct PlanePart {
  std::int32_t plane;
  std::array<double, n> values;
};

template <std::size_t n>
std::array<double, n> add(const std::array<double, n>& a, const std::array<double, n>& b) {
  std::array<double, n> sum{};
  for (std::size_t v = 0; v < n; ++v) sum[v] = a[v] + b[v];
  return sum;
}

/// Bricks come with x slowest, so planes are added one after the other; those of one x are added up first. The same
/// order whatever rank has the bricks.
template <std::size_t n>
std::array<double, n> add_planes(const std::vector<PlanePart<n>>& parts, int planes) {
  std::vector<std::array<double, n>> planes_of_domain(static_cast<std::size_t>(planes));
  for (const PlanePart<n>& part : parts) {
    std::array<double, n>& plane = planes_of_domain[static_cast<std::size_t>(part.plane)];
    plane = add(plane, part.values);
  }
  std::array<double, n> sum{};
  for (const std::array<double, n>& plane : planes_of_domain) sum = add(sum, plane);
  return sum;
}

/// The sum over the bricks of all ranks.
template <std::size_t n>
std::array<double, n> add_planes_of_ranks(const std::vector<PlanePart<n>>& mine, int planes) {
  std::array<double, n> sum{};
  const std::vector<PlanePart<n>> all = rank_group().collect(std::span<const PlanePart<n>>(mine));
  if (rank_group().is_root()) sum = add_planes(all, planes);
  rank_group().broadcast(sum);
  return sum;
}

}  // namespace

void Simulation::submit_sums(Field field) {
  for (const std::size_t b : own_) {
    const BrickData& brick = *bricks_[b];
    const codelets::SumArgs args{{brick.scheme.grid.cells().cells()}, brick.scheme.grid, field};
    submit(codelets_->sum, args, {{brick.field[number(field)], STARPU_R}, {brick.sums, STARPU_W}},
           {0, 0, brick.worker});
    ++tasks_;
  }
}

std::array<double, 3> Simulation::add_sums() {
  std::vector<PlanePart<3>> planes;
  for (const std::size_t b : own_) {
    const BrickData& brick = *bricks_[b];
    const auto n = static_cast<std::size_t>(brick.scheme.grid.n[0]);
    const Acquired acquired(brick.sums, STARPU_R);
    for_own_planes(brick, [&](std::size_t i, std::int32_t of_domain) {
      const double* const sums = brick.sums_memory.data();
      planes.push_back({of_domain, {sums[i], sums[n + i], sums[2 * n + i]}});
    });
  }
  return dealt_ ? add_planes_of_ranks(planes, problem_.cells[0]) : add_planes(planes, problem_.cells[0]);
}

std::array<double, 3> Simulation::sums(Field field) {
  submit_sums(field);
  sums_submitted_ = false;
  return add_sums();
}

void require_finite(const std::array<double, 3>& sums, long step) {
  for (const double sum : sums)
    if (!std::isfinite(sum)) failed("fields are not finite (NaN or infinite) before step {}", step);
}

std::optional<std::array<double, 3>> Simulation::exchange_sums() {
  std::optional<std::array<double, 3>> before;
  if (sums_submitted_) before = add_sums();
  submit_sums(Field::electric);
  sums_submitted_ = true;
  return before;
}

Energy Simulation::energy() {
  const double volume = problem_.spacing[0] * problem_.spacing[1] * problem_.spacing[2];
  submit_completion();
  for (const std::size_t b : own_) {
    const BrickData& brick = *bricks_[b];
    std::vector<Access> data = accesses(brick, STARPU_R, STARPU_R);
    for (std::size_t f = 0; f < 2; ++f)
      if (brick.scheme.media[f]) data.push_back({brick.relative[f], STARPU_R});
    data.push_back({brick.energy, STARPU_W});
    const codelets::EnergyArgs args{
        {brick.scheme.grid.cells().cells()}, brick.scheme, {0.5 * problem_.eps0 * volume, 0.5 * problem_.mu0 * volume}};
    submit(codelets_->energy, args, data, {0, 0, brick.worker});
    ++tasks_;
  }
  std::vector<PlanePart<2>> planes;
  for (const std::size_t b : own_) {
    const BrickData& brick = *bricks_[b];
    const Acquired acquired(brick.energy, STARPU_R);
    for_own_planes(brick, [&](std::size_t i, std::int32_t of_domain) {
      planes.push_back({of_domain, {brick.energy_memory[i].electric, brick.energy_memory[i].magnetic}});
    });
  }
  const std::array<double, 2> sum =
      dealt_ ? add_planes_of_ranks(planes, problem_.cells[0]) : add_planes(planes, problem_.cells[0]);
  const double coupled = problem_.couplings.empty() ? 0 : 0.5 * problem_.eps0 * volume * coupled_part_of_energy();
  return {sum[0] + coupled, sum[1]};
}

/// How many of the next steps the present recording has room for; makes room if it has none.
long Simulation::next_recording(long steps) {
  if (problem_.probes.empty()) return steps;
  if (recorded_[turn_] == steps_of_recording) {
    turn_ ^= 1U;
    collect(turn_);
  }
  return std::min(steps, steps_of_recording - recorded_[turn_]);
}

void Simulation::collect(std::size_t turn) {
  const std::size_t all = problem_.probes.size();
  const auto steps = static_cast<std::size_t>(recorded_[turn]);
  recorded_[turn] = 0;
  if (steps == 0) return;
  const std::size_t first = probe_values_.size();
  probe_values_.resize(first + steps * all);
  for (const std::size_t b : own_) {
    const BrickData& brick = *bricks_[b];
    const std::vector<std::size_t>& probes = brick.probes;
    if (probes.empty()) continue;
    const Recording& recording = brick.recordings[turn];
    const Acquired acquired(recording.values, STARPU_R);
    with_precision(problem_.precision, [&](auto real) {
      const auto* const values = reinterpret_cast<const decltype(real)*>(recording.memory.data());
      for (std::size_t s = 0; s < steps; ++s)
        for (std::size_t p = 0; p < probes.size(); ++p)
          probe_values_[first + s * all + probes[p]] = static_cast<double>(values[s * probes.size() + p]);
    });
  }
}

/// What was recorded since the last time, to rank 0.
void Simulation::collect_probes_of_ranks() {
  std::vector<std::size_t> numbers;
  for (const std::size_t b : own_) numbers.insert(numbers.end(), bricks_[b]->probes.begin(), bricks_[b]->probes.end());
  const std::size_t all = problem_.probes.size();
  std::vector<double> mine;
  for (std::size_t row = probes_of_ranks_; row < probe_values_.size(); row += all)
    for (const std::size_t probe : numbers) mine.push_back(probe_values_[row + probe]);
  std::vector<std::vector<std::size_t>> numbers_of_ranks;
  rank_group().collect(std::span<const std::size_t>(numbers), [&](int /*rank*/, std::span<const std::size_t> part) {
    numbers_of_ranks.emplace_back(part.begin(), part.end());
  });
  rank_group().collect(std::span<const double>(mine), [&](int rank, std::span<const double> part) {
    std::size_t next = 0;
    for (std::size_t row = probes_of_ranks_; row < probe_values_.size(); row += all)
      for (const std::size_t probe : numbers_of_ranks[static_cast<std::size_t>(rank)])
        probe_values_[row + probe] = part[next++];
  });
  probes_of_ranks_ = probe_values_.size();
}

const std::vector<double>& Simulation::probe_values() {
  if (problem_.probes.empty()) return probe_values_;
  collect(turn_ ^ 1U);
  collect(turn_);
  if (dealt_) collect_probes_of_ranks();
  return probe_values_;
}

}  // namespace asterism::fdtd
