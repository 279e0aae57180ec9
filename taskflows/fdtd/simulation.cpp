// SPDX-License-Identifier: Apache-2.0
// The data of a simulation: bricks, their fields, sources and probes.
#include "taskflows/fdtd/simulation.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/brick_data.hpp"
#include "taskflows/fdtd/flow.hpp"
#include "taskflows/fdtd/physics/physics.hpp"

namespace asterism::fdtd {
namespace {

void check_overlap(const Problem& problem, const std::vector<BrickPlace>& bricks, int overlap) {
  if (overlap == 0) return;
  if (overlap < 0) bad_input("overlap of {} planes: expected 0 at least", overlap);
  if (problem.mesh.graded()) bad_input("overlap of {} planes on a graded mesh: expected none", overlap);
  if (!may_overlap(problem))
    bad_input("overlap of {} planes where edges far apart are coupled: expected none", overlap);
  if (overlap < planes_of_step(problem))
    bad_input("overlap of {} planes where edges are coupled: expected 2 at least", overlap);
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    const BrickPlace& brick = bricks[b];
    const auto other = [&](const auto& neighbour) { return neighbour && as_size(*neighbour) != b; };
    if (std::any_of(brick.neighbour.begin() + 2, brick.neighbour.end(), other))
      bad_input("overlap of {} planes: only of strips along x", overlap);
    if (brick.size(0) < overlap && (brick.neighbour[0] || brick.neighbour[1]))
      bad_input("overlap of {} planes: a strip has {} only", overlap, brick.size(0));
  }
}

/// Bricks beyond the faces of one, and beyond its edges and corners.
std::vector<std::size_t> neighbours_of(const std::vector<BrickPlace>& bricks, std::size_t brick, bool across_corners) {
  std::vector<std::size_t> found{brick};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t n = 0, end = across_corners ? found.size() : 1; n < end; ++n)
      for (const auto& neighbour : {bricks[found[n]].neighbour[2 * axis], bricks[found[n]].neighbour[2 * axis + 1]})
        if (neighbour) found.push_back(as_size(*neighbour));
  return found;
}

}  // namespace

Simulation::Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement,
                       int overlap, Exchange exchange)
    : problem_(problem),
      element_(size_of(problem.precision)),
      codelets_(std::make_unique<Codelets>(problem.precision)),
      overlap_(overlap),
      exchange_(exchange) {
  check_overlap(problem, bricks, overlap);
  if (overlap > 0) poles_ = poles_of_strips(problem);
  dealt_ = std::any_of(bricks.begin(), bricks.end(), [](const BrickPlace& b) { return b.rank.has_value(); });
  const std::int64_t tags =
      dealt_ ? rank_group().allocate_tags(static_cast<std::int64_t>(bricks.size()) * messages_of_brick) : 0;
  bricks_.resize(bricks.size());
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    const bool here = is_here(bricks[b]);
    const std::vector<std::size_t> around = neighbours_of(bricks, b, !problem.couplings.empty());
    if (!here && std::none_of(around.begin(), around.end(), [&](std::size_t n) { return is_here(bricks[n]); }))
      continue;
    bricks_[b] = std::make_unique<BrickData>();
    BrickData& brick = *bricks_[b];
    brick.here = here;
    brick.place = bricks[b];
    brick.worker = placement[b];
    build_scheme(brick, b);
    overlap > 0 ? build_overlap(brick, b, bricks, tags) : build_sent(brick, b, bricks, tags);
    near_.push_back(b);
    if (!here) continue;
    brick.fusible = is_cpu(brick.worker);
    build_fields(brick, b);
    build_halo(brick, placement);
    own_.push_back(b);
  }
  // the tables are made by all threads: no StarPU in there
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < own_.size(); ++b) build_media(*bricks_[own_[b]]);
  for (const std::size_t b : own_) {
    BrickData* const brick = bricks_[b].get();
    for (std::size_t f = 0; f < 2; ++f) {
      if (!brick->scheme.media[f]) continue;
      const auto vector = [](const auto& memory, const char* name) {
        return Handle::temporary(memory.data(), memory.size(), sizeof memory[0], name);
      };
      brick->index[f] = vector(brick->index_memory[f], "index of media");
      brick->table[f] = vector(brick->table_memory[f], "media");
      brick->relative[f] = vector(brick->relative_memory[f], "relative");
    }
    if (problem.mesh.graded()) build_lengths(*brick);
    build_sources(*brick);
    build_probes(*brick);
  }
  build_order(placement);
  alone_ = overlap == 0 && std::all_of(own_.begin(), own_.end(), [&](std::size_t b) {
             const auto& connected = bricks_[b]->connected;
             return std::none_of(connected.begin(), connected.end(), [](bool c) { return c; });
           });
  build_physics();
  // what passes of several steps have to know of bricks takes a while to find: not in the first step
  if (alone_ || overlap > 0)
    for (const std::size_t b : own_) BrickTask(*this, *bricks_[b]).in_few_passes();
  clear();
}

Simulation::~Simulation() {
  starpu_task_wait_for_all();
}

bool Simulation::is_here(const BrickPlace& place) const {
  return place.rank.value_or(rank_group().rank()) == rank_group().rank();
}

void Simulation::build_scheme(BrickData& brick, std::size_t number) const {
  Face face[6];
  for (std::size_t f = 0; f < 6; ++f) {
    const auto& neighbour = brick.place.neighbour[f];
    if (overlap_ > 0 && f < 2 && neighbour) {
      face[f] = Face::electric;  // beyond it nothing is right; what is wrong comes nearer by a plane in each step
      brick.overlap[f] = overlap_;
      if (problem_.face[0] == Face::neighbour) brick.period = problem_.cells[0];
      continue;
    }
    face[f] = neighbour ? Face::neighbour : problem_.face[f];
    brick.connected[f] = neighbour && *neighbour != static_cast<int>(number);
    if (neighbour && !brick.connected[f]) brick.wrapped[f / 2] = true;
  }
  brick.scheme = scheme_of(problem_, make_grid(brick.place.size(0) + brick.overlap[0] + brick.overlap[1],
                                               brick.place.size(1), brick.place.size(2), face, element_));
}

void Simulation::build_fields(BrickData& brick, std::size_t number) {
  const auto bytes = static_cast<std::size_t>(brick.scheme.grid.elements()) * as_size(element_);
  const Coordinates where{static_cast<int>(number), 0};
  for (std::size_t f = 0; f < 2; ++f) {
    const void* memory = nullptr;  // of a GPU's brick: StarPU allocates it there
    if (brick.worker < 0) {
      brick.shared_memory[f] = HostBuffer<char>(bytes);
      memory = brick.shared_memory[f].data();
    } else if (is_cpu(brick.worker)) {
      brick.memory[f] = Array<char>(bytes);
      memory = brick.memory[f].data();
    }
    // A vector of lines: their number fits StarPU's 32 bits.
    brick.field[f] = Handle::temporary(memory, bytes / line_bytes, line_bytes,
                                       fmt::format("{} {}", f == 0 ? "electric" : "magnetic", number), where);
  }
  const auto planes = as_size(brick.scheme.grid.n[0]);
  brick.sums_memory = HostBuffer<double>(3 * planes);
  brick.sums = Handle::temporary(brick.sums_memory.data(), 3 * planes, sizeof(double), "sums", where);
  brick.energy_memory = HostBuffer<Energy>(planes);
  brick.energy = Handle::temporary(brick.energy_memory.data(), planes, sizeof(Energy), "energy", where);
}

double Simulation::coefficient_b(const BrickData& brick, Field field, int component,
                                 const std::array<int, 3>& entry) const {
  const std::size_t f = number(field);
  if (!brick.scheme.media[f]) return 1;
  const std::int64_t at = brick.scheme.grid.at(component, entry[0], entry[1], entry[2]);
  const std::uint16_t medium = brick.index_memory[f][static_cast<std::size_t>(at)];
  return with_precision(problem_.precision, [&](auto real) {
    return static_cast<double>(
        reinterpret_cast<const Coefficients<decltype(real)>*>(brick.table_memory[f].data())[medium].b);
  });
}

void Simulation::build_magnetic_sources() {
  for (const CurrentSource& source : problem_.magnetic_sources)
    for (const std::size_t b : own_) {
      const BrickData& brick = *bricks_[b];
      for (const auto& here : all_within(brick, Field::magnetic, source.component, source.cell))
        add_magnetic_source(*this, problem_, source, b, here,
                            coefficient_b(brick, Field::magnetic, source.component, here), magnetic_sources_);
    }
}

void Simulation::build_sources(BrickData& brick) {
  for (const CurrentSource& source : problem_.sources)
    for (const auto& here : all_within(brick, Field::electric, source.component, source.cell)) {
      const double b = coefficient_b(brick, Field::electric, source.component, here);
      brick.sources.push_back(point_source(problem_, source, here, b));
    }
}

void Simulation::build_probes(BrickData& brick) {
  std::vector<ProbePlace> places;
  for (std::size_t p = 0; p < problem_.probes.size(); ++p) {
    const Probe& probe = problem_.probes[p];
    const auto here = within(brick.scheme.grid, brick.origin(), probe.field, probe.component, probe.cell);
    if (!here || (*here)[0] < brick.first_plane()) continue;
    if ((*here)[0] >= brick.end_plane() && brick.overlap[1] > 0) continue;
    brick.probes.push_back(p);
    places.push_back({brick.scheme.grid.at(probe.component, (*here)[0], (*here)[1], (*here)[2]), probe.field});
  }
  if (places.empty()) return;
  brick.places_memory = HostBuffer<ProbePlace>(places.size());
  std::copy(places.begin(), places.end(), brick.places_memory.data());
  brick.places = Handle::temporary(brick.places_memory.data(), places.size(), sizeof(ProbePlace), "probes");
  for (Recording& recording : brick.recordings) {
    const std::size_t values = places.size() * static_cast<std::size_t>(steps_of_recording);
    recording.memory = HostBuffer<char>(values * as_size(element_));
    recording.values = Handle::temporary(recording.memory.data(), values, as_size(element_), "record");
  }
}

void Simulation::clear() {
  for (const std::size_t b : own_) {
    const BrickData& brick = *bricks_[b];
    const codelets::ClearArgs args{{brick.scheme.grid.cells().cells()}, brick.scheme.grid};
    submit(codelets_->clear, args, {{brick.field[0], STARPU_W}, {brick.field[1], STARPU_W}}, {0, 0, brick.worker});
  }
  submit_first_exchange();
}

void Simulation::add_hook(std::size_t brick, Field field, const KernelHook& hook, const std::vector<Access>& arrays) {
  BrickData& b = *bricks_[brick];
  b.hooks[number(field)].push_back({&hook, static_cast<std::int32_t>(arrays.size())});
  for (const Access& array : arrays) b.hook_arrays[number(field)].push_back(array);
  b.beside_passes.reset();
}

void Simulation::set_coupling(std::size_t brick, const KernelHook& hook, const std::vector<Access>& arrays) {
  bricks_[brick]->coupling = {{&hook, static_cast<std::int32_t>(arrays.size())}};
  bricks_[brick]->coupling_arrays = arrays;
}

std::vector<Access> Simulation::accesses(const BrickData& brick, starpu_data_access_mode e,
                                         starpu_data_access_mode h) const {
  std::vector<Access> data{{brick.field[0], e}, {brick.field[1], h}};
  for (std::size_t f = 0; f < 2; ++f) {
    if (brick.scheme.media[f]) {
      data.push_back({brick.index[f], STARPU_R});
      data.push_back({brick.table[f], STARPU_R});
    }
    if (brick.scheme.graded) data.push_back({brick.lengths[f], STARPU_R});
  }
  return data;
}

const BrickPlace& Simulation::place(std::size_t brick) const {
  return bricks_[brick]->place;
}
std::array<int, 3> Simulation::origin(std::size_t brick) const {
  return bricks_[brick]->origin();
}
std::vector<std::array<int, 3>> Simulation::origins(std::size_t brick) const {
  return bricks_[brick]->origins();
}
const Grid& Simulation::grid(std::size_t brick) const {
  return bricks_[brick]->scheme.grid;
}

}  // namespace asterism::fdtd
