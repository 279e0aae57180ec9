// Sums, energies and probes.
#include <starpu.h>

#include <algorithm>

#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {

namespace {

/// body(plane of the brick, plane of the domain).
template <class Brick, class Body>
void for_own_planes(const Brick& brick, const Body& body) {
  for (int i = brick.first_plane(); i < brick.end_plane(); ++i)
    body(static_cast<std::size_t>(i), static_cast<std::size_t>(brick.origin()[0] + i));
}

}  // namespace

void Simulation::submit_sums(Field field) {
  for (const auto& brick : bricks_) {
    const codelets::SumArgs args{{brick->scheme.grid.cells().cells()}, brick->scheme.grid, field};
    submit(codelets_->sum, args, {{brick->field[number(field)], STARPU_R}, {brick->sums, STARPU_W}},
           {0, 0, brick->worker});
    ++tasks_;
  }
}

/// Bricks come with x slowest, so planes are added one after the other; those of one x are added up first.
std::array<double, 3> Simulation::add_sums() {
  std::array<std::vector<double>, 3> planes;
  for (auto& p : planes) p.assign(static_cast<std::size_t>(problem_.cells[0]), 0);
  for (const auto& brick : bricks_) {
    const auto n = static_cast<std::size_t>(brick->scheme.grid.n[0]);
    const Acquired acquired(brick->sums, STARPU_R);
    for (std::size_t c = 0; c < 3; ++c)
      for_own_planes(
          *brick, [&](std::size_t i, std::size_t of_domain) { planes[c][of_domain] += brick->sums_memory[c * n + i]; });
  }
  std::array<double, 3> sums{};
  for (std::size_t c = 0; c < 3; ++c)
    for (const double plane : planes[c]) sums[c] += plane;
  return sums;
}

std::array<double, 3> Simulation::sums(Field field) {
  submit_sums(field);
  sums_submitted_ = false;
  return add_sums();
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
  for (const auto& brick : bricks_) {
    std::vector<Access> data = accesses(*brick, STARPU_R, STARPU_R);
    for (std::size_t f = 0; f < 2; ++f)
      if (brick->scheme.media[f] != 0) data.push_back({brick->relative[f], STARPU_R});
    data.push_back({brick->energy, STARPU_W});
    const codelets::EnergyArgs args{{brick->scheme.grid.cells().cells()},
                                    brick->scheme,
                                    {0.5 * problem_.eps0 * volume, 0.5 * problem_.mu0 * volume}};
    submit(codelets_->energy, args, data, {0, 0, brick->worker});
    ++tasks_;
  }
  std::vector<Energy> planes(static_cast<std::size_t>(problem_.cells[0]), Energy{0, 0});
  for (const auto& brick : bricks_) {
    const Acquired acquired(brick->energy, STARPU_R);
    for_own_planes(*brick, [&](std::size_t i, std::size_t of_domain) {
      planes[of_domain].electric += brick->energy_memory[i].electric;
      planes[of_domain].magnetic += brick->energy_memory[i].magnetic;
    });
  }
  Energy sum{0, 0};
  for (const Energy& plane : planes) {
    sum.electric += plane.electric;
    sum.magnetic += plane.magnetic;
  }
  return sum;
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
  for (const auto& brick : bricks_) {
    const std::vector<std::size_t>& probes = brick->probes;
    if (probes.empty()) continue;
    const Recording& recording = brick->recordings[turn];
    const Acquired acquired(recording.values, STARPU_R);
    const auto value = [&](std::size_t i) {
      return element_ == 4 ? static_cast<double>(reinterpret_cast<const float*>(recording.memory.data())[i])
                           : reinterpret_cast<const double*>(recording.memory.data())[i];
    };
    for (std::size_t s = 0; s < steps; ++s)
      for (std::size_t p = 0; p < probes.size(); ++p)
        probe_values_[first + s * all + probes[p]] = value(s * probes.size() + p);
  }
}

const std::vector<double>& Simulation::probe_values() {
  if (!problem_.probes.empty()) {
    collect(turn_ ^ 1U);
    collect(turn_);
  }
  return probe_values_;
}

}  // namespace asterism::fdtd
