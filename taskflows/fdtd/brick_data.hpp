// SPDX-License-Identifier: Apache-2.0
// What a simulation has of a brick, and the codelets of its precision.
#pragma once

#include <starpu.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// Is the worker a core? Where the scheduler decides (-1): has the session cores only?
inline bool is_cpu(int worker) {
  return worker >= 0 ? starpu_worker_get_type(worker) == STARPU_CPU_WORKER : starpu_cuda_worker_get_count() == 0;
}

/// Data that a brick sends: two fields along three axes, or of overlaps two directions in two rounds.
inline constexpr std::int64_t messages_of_brick = 6;

/// Electric conductors all around.
inline bool closed(const Grid& grid) {
  return std::all_of(grid.face, grid.face + 6, [](Face face) { return face == Face::electric; });
}

/// The background on a grid.
inline codelets::Scheme scheme_of(const Problem& problem, const Grid& grid) {
  codelets::Scheme scheme;
  scheme.grid = grid;
  const double d[3] = {problem.spacing[0], problem.spacing[1], problem.spacing[2]};
  scheme.factors[0] = factors(problem.dt, problem.eps0, d);
  scheme.factors[1] = factors(problem.dt, problem.mu0, d);
  scheme.graded = problem.mesh.graded();
  return scheme;
}

/// E <- E - B dt / eps0 J, with the current of an edge spread over the area of its dual face.
inline codelets::PointSource point_source(const Problem& problem, const CurrentSource& source,
                                          const std::array<int, 3>& entry, double b) {
  const double volume = volume_of(problem, Field::electric, source.component, source.cell);
  return {source.component, entry[0], entry[1], entry[2], -b * problem.dt / (problem.eps0 * volume), &source.current};
}

/// An entry of the domain in a brick that updates it.
inline std::optional<std::array<int, 3>> within(const Grid& grid, const std::array<int, 3>& origin, Field field,
                                                int component, const std::array<int, 3>& cell) {
  const Box b = grid.entries(field, component, grid.cells());
  const std::array<int, 3> here{cell[0] - origin[0], cell[1] - origin[1], cell[2] - origin[2]};
  const bool inside =
      here[0] >= b.x0 && here[0] < b.x1 && here[1] >= b.y0 && here[1] < b.y1 && here[2] >= b.z0 && here[2] < b.z1;
  return inside ? std::optional(here) : std::nullopt;
}

/// Steps that a recording of probes holds.
inline constexpr long steps_of_recording = 512;

/// The states of poles of a domain in strips: all have their part of one box, in which planes that they exchange are
/// the same. An entry has the poles of four materials at most.
inline PoleStates poles_of_strips(const Problem& p) {
  Box box = cells_with_poles(p);
  if (box.empty()) return {};
  std::vector<std::int32_t> slots(4);
  for (const std::vector<Pole>& poles : p.poles) {
    std::int32_t& own = slots.emplace_back();
    for (const Pole& pole : poles) own += pole.kind == Pole::Kind::lorentz ? 2 : 1;
  }
  std::partial_sort(slots.begin(), slots.begin() + 4, slots.end(), std::greater<>());
  // entries on their upper planes have them, too
  std::int32_t* const range[3][2] = {{&box.x0, &box.x1}, {&box.y0, &box.y1}, {&box.z0, &box.z1}};
  for (std::size_t a = 0; a < 3; ++a) {
    auto& [first, end] = range[a];
    const bool around = p.face[2 * a] == Face::neighbour && *end == p.cells[a];
    if (around && a > 0) *first = 0;  // plane n is plane 0
    *end = a == 0 && around ? *end + 1 : std::min(*end + 1, extents(p)[a]);
  }
  return {box, 1 + std::accumulate(slots.begin(), slots.begin() + 4, 0)};
}
/// Runs of planes of a strip that have some.
inline std::vector<Planes> planes_with_poles(const PoleStates& all, const Grid& grid,
                                             const std::vector<std::array<int, 3>>& origins) {
  std::vector<Planes> runs;
  const std::int32_t planes = grid.planes_along(0);
  const auto add = [&](std::int32_t origin) {
    const Planes run{std::max(all.box.x0 - origin, 0), std::min(all.box.x1 - origin, planes)};
    if (run.first >= run.end) return;
    // those that meet are one, so that strips that exchange planes find the same runs in them
    if (!runs.empty() && run.first <= runs.back().end)
      runs.back().end = run.end;
    else
      runs.push_back(run);
  };
  if (origins.size() > 1) add(2 * origins[0][0] - origins[1][0]);  // whose plane n may be the first one
  for (const std::array<int, 3>& o : origins) add(o[0]);
  return runs;
}
/// Those of a strip.
inline PoleStates poles_of_strip(const PoleStates& all, const std::vector<Planes>& runs) {
  if (all.box.empty() || runs.empty()) return {Box{}, all.slots};
  return {{runs.front().first, runs.back().end, all.box.y0, all.box.y1, all.box.z0, all.box.z1}, all.slots};
}

/// What several steps in one pass through memory have beside the plain scheme and layers.
struct BesidePasses {
  bool possible = true;        ///< does each hook say where it reaches?
  std::vector<Reach> reaches;  ///< of these
  Box media{};                 ///< of GPUs: cells outside of which media are like the background
  std::optional<Apart> apart;  ///< of GPUs; none: no hooks, or too many cells around them
};

/// Arrays of two have the electric field first.
struct Simulation::BrickData {
  BrickPlace place;
  int worker = -1;
  codelets::Scheme scheme;
  std::array<bool, 6> connected{};         ///< to another brick
  std::array<bool, 3> wrapped{};           ///< its own neighbour
  std::array<int, 2> overlap{};            ///< planes below and above that are a neighbour's
  int period = 0;                          ///< cells along x of a periodic domain, if strips overlap; else 0
  std::array<std::vector<Box>, 2> border;  ///< what neighbours wait for; all cells where nothing is hidden
  std::array<Box, 2> inner{};              ///< the rest; empty where nothing is hidden
  bool fusible = false;                    ///< on a CPU, where both fields go together
  bool here = true;                        ///< else of another rank: only what it sends to bricks that are here
  [[nodiscard]] std::array<int, 3> origin() const {
    return {place.begin[0] - overlap[0], place.begin[1], place.begin[2]};
  }
  /// Everywhere it is in a domain that is periodic along x, where an overlap may go around it: falling, so that what is
  /// in the brick several times comes in the order of its planes.
  [[nodiscard]] std::vector<std::array<int, 3>> origins() const {
    std::array<int, 3> o = origin();
    if (period == 0) return {o};
    std::vector<std::array<int, 3>> all;
    for (const int times : {1, 0, -1}) all.push_back({o[0] + times * period, o[1], o[2]});
    return all;
  }
  /// Planes along x that are the brick's own: [first, end).
  [[nodiscard]] int first_plane() const { return overlap[0]; }
  [[nodiscard]] int end_plane() const { return overlap[0] + place.size(0); }
  std::array<Array<char>, 2> memory;  ///< of fields, for a core: placed by its first touch
  std::array<HostBuffer<char>, 2> shared_memory;
  std::array<HostBuffer<std::uint16_t>, 2> index_memory;
  std::array<HostBuffer<char>, 2> table_memory;
  std::array<HostBuffer<double>, 2> relative_memory;
  std::array<HostBuffer<char>, 2> lengths_memory;  ///< inverse ones, of a graded mesh
  std::array<std::array<HostBuffer<char>, 3>, 2> sent_memory;
  HostBuffer<double> sums_memory;
  HostBuffer<Energy> energy_memory;
  HostBuffer<ProbePlace> places_memory;
  std::shared_ptr<void> dispersive;  ///< DispersiveMedia of the precision, while the simulation is built
  std::vector<codelets::PointSource> sources;
  std::vector<std::size_t> probes;  ///< numbers in the problem
  std::array<std::vector<HookBinding>, 2> hooks;
  std::array<std::vector<Access>, 2> hook_arrays;
  mutable std::optional<BesidePasses> beside_passes;  ///< of these, once asked for
  std::vector<HookBinding> coupling;                  ///< one where edges are coupled
  std::vector<Access> coupling_arrays;
  /// Does anything come between the half-steps? Absorbing layers go with CPUs' updates, and with several steps.
  [[nodiscard]] bool hooked() const {
    const auto between = [](const HookBinding& binding) { return !binding.hook->absorbs(); };
    return !coupling.empty() || std::any_of(hooks.begin(), hooks.end(), [&](const auto& list) {
      return std::any_of(list.begin(), list.end(), between);
    });
  }
  std::array<Handle, 2> field, index, table, relative, lengths;
  std::array<std::array<Handle, 3>, 2> sent;  ///< of a field along an axis
  std::array<std::array<HostBuffer<char>, 2>, 2> overlap_memory;
  std::array<std::array<Handle, 2>, 2> overlap_sent;  ///< in rounds of even and odd number, down and up
  Handle sums, energy, places;
  std::array<Recording, 2> recordings;
};

/// Where an entry of the domain is in a brick that updates it: more than once if an overlap goes around the domain.
template <class Brick>
std::vector<std::array<int, 3>> all_within(const Brick& brick, Field field, int component,
                                           const std::array<int, 3>& cell) {
  std::vector<std::array<int, 3>> all;
  for (const std::array<int, 3>& origin : brick.origins())
    if (const auto here = within(brick.scheme.grid, origin, field, component, cell)) all.push_back(*here);
  return all;
}

struct Simulation::Codelets {
  Codelet &advance, &clear, &store, &load, &sum, &energy;
  explicit Codelets(Precision precision)
      : advance(codelets::advance.of(precision)),
        clear(codelets::clear.of(precision)),
        store(codelets::store.of(precision)),
        load(codelets::load.of(precision)),
        sum(codelets::sum.of(precision)),
        energy(codelets::energy.of(precision)) {}
};

}  // namespace asterism::fdtd
