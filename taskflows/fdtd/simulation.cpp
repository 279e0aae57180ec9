#include "taskflows/fdtd/simulation.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>

#include "taskflows/fdtd/brick_data.hpp"
#include "taskflows/fdtd/features.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::fdtd {
namespace {

constexpr std::size_t line = 128;  // bytes; fields are vectors of lines, whose number fits StarPU's 32 bits

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The same unit, or the same GPU.
bool next_to_each_other(int worker, int other) {
  if (worker == other) return true;
  return worker >= 0 && other >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER &&
         starpu_worker_get_memory_node(static_cast<unsigned>(worker)) ==
             starpu_worker_get_memory_node(static_cast<unsigned>(other));
}

bool is_cpu(int worker) {
  return worker >= 0 ? starpu_worker_get_type(worker) == STARPU_CPU_WORKER : starpu_cuda_worker_get_count() == 0;
}

/// Cells [first, end) along an axis and what is left of `rest`, which loses them.
Box take_from(Box& rest, int axis, bool upper, int thickness) {
  std::int32_t* const first[3] = {&rest.x0, &rest.y0, &rest.z0};
  std::int32_t* const end[3] = {&rest.x1, &rest.y1, &rest.z1};
  const std::int32_t cut =
      upper ? std::max(*first[axis], *end[axis] - thickness) : std::min(*end[axis], *first[axis] + thickness);
  Box taken = rest;
  std::int32_t* const taken_first[3] = {&taken.x0, &taken.y0, &taken.z0};
  std::int32_t* const taken_end[3] = {&taken.x1, &taken.y1, &taken.z1};
  (upper ? *taken_first[axis] : *taken_end[axis]) = cut;
  (upper ? *end[axis] : *first[axis]) = cut;
  return taken;
}

/// How many planes are advanced before the others: one, but whole lines of memory along z.
int border_thickness(const Grid& grid, int axis, bool upper, int element) {
  if (axis != 2) return 1;
  const int per_line = static_cast<int>(line) / element;
  return upper ? (grid.n[2] - 1) % per_line + 1 : std::min(per_line, grid.n[2]);
}

void check_overlap(const Problem& problem, const std::vector<BrickPlace>& bricks, int overlap) {
  if (overlap == 0) return;
  if (overlap < 0) bad_input("overlap of {} planes: expected 0 at least", overlap);
  if (!may_overlap(problem))
    bad_input("overlap of {} planes: only between electric conductors, without layers, poles, waves and monitors",
              overlap);
  for (const BrickPlace& brick : bricks) {
    if (std::any_of(brick.neighbour.begin() + 2, brick.neighbour.end(), [](const auto& n) { return n.has_value(); }))
      bad_input("overlap of {} planes: only of strips along x", overlap);
    if (brick.size(0) < overlap && bricks.size() > 1)
      bad_input("overlap of {} planes: a strip has {} only", overlap, brick.size(0));
  }
}

template <class T>
void fill_table(const std::vector<Medium>& media, double constant, double dt, void* table) {
  auto* const to = static_cast<Coefficients<T>*>(table);
  for (std::size_t m = 0; m < media.size(); ++m) to[m] = coefficients<T>(media[m], constant, dt);
}

}  // namespace

Simulation::Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement,
                       int overlap)
    : problem_(problem), element_(problem.single_precision ? 4 : 8), overlap_(overlap) {
  check_overlap(problem, bricks, overlap);
  using namespace codelets;
  codelets_ = std::make_unique<Codelets>(
      problem.single_precision ? Codelets{codelets::advance<float>(), codelets::clear<float>(), store<float>(),
                                          load<float>(), sum<float>(), codelets::energy<float>()}
                               : Codelets{codelets::advance<double>(), codelets::clear<double>(), store<double>(),
                                          load<double>(), sum<double>(), codelets::energy<double>()});
  for (std::size_t b = 0; b < bricks.size(); ++b) {
    auto brick = std::make_unique<BrickData>();
    brick->place = bricks[b];
    brick->worker = placement[b];
    brick->fusible = is_cpu(brick->worker);
    Face face[6];
    for (std::size_t f = 0; f < 6; ++f) {
      const auto& neighbour = bricks[b].neighbour[f];
      if (overlap > 0) {
        face[f] = Face::electric;  // beyond it nothing is right; what is wrong comes nearer by a plane in each step
        if (neighbour) brick->overlap[f] = overlap;
        continue;
      }
      face[f] = neighbour ? Face::neighbour : problem.face[f];
      brick->connected[f] = neighbour && *neighbour != static_cast<int>(b);
      if (neighbour && !brick->connected[f]) brick->wrapped[f / 2] = true;
    }
    brick->scheme = scheme_of(problem, make_grid(bricks[b].size(0) + brick->overlap[0] + brick->overlap[1],
                                                 bricks[b].size(1), bricks[b].size(2), face, element_));
    build_fields(*brick, b);
    build_halo(*brick, placement);
    build_overlap(*brick);
    bricks_.push_back(std::move(brick));
  }
  // the tables are made by all threads: no StarPU in there
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < bricks_.size(); ++b) build_media(*bricks_[b]);
  for (const auto& brick : bricks_) {
    for (std::size_t f = 0; f < 2; ++f) {
      if (brick->scheme.media[f] == 0) continue;
      const auto vector = [](const auto& memory, const char* name) {
        return Handle::temporary(memory.data(), memory.size(), sizeof memory[0], name);
      };
      brick->index[f] = vector(brick->index_memory[f], "index of media");
      brick->table[f] = vector(brick->table_memory[f], "media");
      brick->relative[f] = vector(brick->relative_memory[f], "relative");
    }
    build_sources(*brick);
    build_probes(*brick);
  }
  build_order(placement);
  alone_ = overlap == 0 && std::all_of(bricks_.begin(), bricks_.end(), [](const auto& brick) {
             return std::none_of(brick->connected.begin(), brick->connected.end(), [](bool c) { return c; });
           });
  build_features();
  clear();
}

Simulation::~Simulation() {
  starpu_task_wait_for_all();
}

void Simulation::build_fields(BrickData& brick, std::size_t number) {
  const auto bytes = static_cast<std::size_t>(brick.scheme.grid.elements()) * at(element_);
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
    brick.field[f] = Handle::temporary(memory, bytes / line, line,
                                       fmt::format("{} {}", f == 0 ? "electric" : "magnetic", number), where);
  }
  const auto planes = at(brick.scheme.grid.n[0]);
  brick.sums_memory = HostBuffer<double>(3 * planes);
  brick.sums = Handle::temporary(brick.sums_memory.data(), 3 * planes, sizeof(double), "sums", where);
  brick.energy_memory = HostBuffer<Energy>(planes);
  brick.energy = Handle::temporary(brick.energy_memory.data(), planes, sizeof(Energy), "energy", where);
}

/// With what the kernel of poles needs, where there are some.
template <class T>
void Simulation::build_media_of_e(BrickData& brick, const Cells& cells, std::vector<Medium>& media) {
  const std::array<int, 3> begin = brick.origin();
  const std::int32_t origin[3] = {begin[0], begin[1], begin[2]};
  auto found = std::make_shared<DispersiveMedia<T>>(
      assign_dispersive<T>(brick.scheme.grid, origin, cells, problem_.materials, problem_.poles, problem_.eps0,
                           problem_.dt, brick.index_memory[0].data()));
  media = found->media;
  brick.dispersive = std::move(found);
}

void Simulation::build_media(BrickData& brick) {
  if (problem_.material.empty()) return;
  const Cells cells = cells_with_materials(problem_);
  const std::array<int, 3> begin = brick.origin();
  const std::int32_t origin[3] = {begin[0], begin[1], begin[2]};
  for (const Field field : {Field::electric, Field::magnetic}) {
    const std::size_t f = number(field);
    const double constant = field == Field::electric ? problem_.eps0 : problem_.mu0;
    brick.scheme.media[f] = 1;
    brick.index_memory[f] = HostBuffer<std::uint16_t>(static_cast<std::size_t>(brick.scheme.grid.elements()));
    std::vector<Medium> media;
    if (field == Field::electric && has_poles(problem_))
      element_ == 4 ? build_media_of_e<float>(brick, cells, media) : build_media_of_e<double>(brick, cells, media);
    else
      media = assign_media(field, brick.scheme.grid, origin, cells, problem_.materials, brick.index_memory[f].data());
    brick.table_memory[f] = HostBuffer<char>(media.size() * 2 * at(element_));
    if (element_ == 4)
      fill_table<float>(media, constant, problem_.dt, brick.table_memory[f].data());
    else
      fill_table<double>(media, constant, problem_.dt, brick.table_memory[f].data());
    brick.relative_memory[f] = HostBuffer<double>(media.size());
    for (std::size_t m = 0; m < media.size(); ++m) brick.relative_memory[f][m] = media[m].relative;
  }
}

void Simulation::build_halo(BrickData& brick, const Placement& placement) {
  const Grid& grid = brick.scheme.grid;
  bool hide = false;
  for (std::size_t f = 0; f < 6; ++f)
    hide = hide || (brick.connected[f] &&
                    (brick.worker < 0 || !next_to_each_other(placement[at(*brick.place.neighbour[f])], brick.worker)));
  // H goes up and E goes down: upper planes of H are wanted first, lower ones of E
  for (const Field field : {Field::electric, Field::magnetic}) {
    const std::size_t f = number(field);
    const bool upper = field == Field::magnetic;
    Box rest = grid.cells();
    for (int axis = 0; hide && axis < 3; ++axis)
      if (brick.connected[at(2 * axis + (upper ? 1 : 0))])
        brick.border[f].push_back(take_from(rest, axis, upper, border_thickness(grid, axis, upper, element_)));
    if (!hide) {
      brick.border[f] = {rest};
      rest = Box{};
    }
    brick.inner[f] = rest;
    for (int axis = 0; axis < 3; ++axis) {
      if (!brick.connected[at(2 * axis + (upper ? 1 : 0))]) continue;
      const auto bytes = static_cast<std::size_t>(outgoing(grid, field, axis).elements()) * at(element_);
      brick.sent_memory[f][at(axis)] = HostBuffer<char>(bytes);
      brick.sent[f][at(axis)] = Handle::temporary(brick.sent_memory[f][at(axis)].data(), bytes, 1,
                                                  fmt::format("{} along {}", upper ? "H" : "E", "xyz"[axis]));
    }
  }
}

namespace {

/// An entry of the domain in a brick that updates it.
std::optional<std::array<int, 3>> within(const Grid& grid, const std::array<int, 3>& origin, Field field, int component,
                                         const std::array<int, 3>& cell) {
  const Box b = grid.entries(field, component, grid.cells());
  const std::array<int, 3> here{cell[0] - origin[0], cell[1] - origin[1], cell[2] - origin[2]};
  const bool inside =
      here[0] >= b.x0 && here[0] < b.x1 && here[1] >= b.y0 && here[1] < b.y1 && here[2] >= b.z0 && here[2] < b.z1;
  return inside ? std::optional(here) : std::nullopt;
}

}  // namespace

double Simulation::coefficient_b(const BrickData& brick, Field field, int component,
                                 const std::array<int, 3>& entry) const {
  const std::size_t f = number(field);
  if (brick.scheme.media[f] == 0) return 1;
  const std::int64_t at = brick.scheme.grid.at(component, entry[0], entry[1], entry[2]);
  const std::uint16_t medium = brick.index_memory[f][static_cast<std::size_t>(at)];
  return element_ == 4
             ? static_cast<double>(reinterpret_cast<Coefficients<float>*>(brick.table_memory[f].data())[medium].b)
             : reinterpret_cast<Coefficients<double>*>(brick.table_memory[f].data())[medium].b;
}

void Simulation::build_magnetic_sources() {
  for (const CurrentSource& source : problem_.magnetic_sources)
    for (std::size_t b = 0; b < bricks_.size(); ++b) {
      const BrickData& brick = *bricks_[b];
      if (const auto here = within(brick.scheme.grid, brick.origin(), Field::magnetic, source.component, source.cell))
        add_magnetic_source(*this, problem_, source, b, coefficient_b(brick, Field::magnetic, source.component, *here),
                            magnetic_sources_);
    }
}

void Simulation::build_sources(BrickData& brick) {
  const Grid& grid = brick.scheme.grid;
  for (const CurrentSource& source : problem_.sources) {
    const auto here = within(grid, brick.origin(), Field::electric, source.component, source.cell);
    if (!here) continue;
    const double b = coefficient_b(brick, Field::electric, source.component, *here);
    brick.sources.push_back(point_source(problem_, source, *here, b));
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
    recording.memory = HostBuffer<char>(values * at(element_));
    recording.values = Handle::temporary(recording.memory.data(), values, at(element_), "record");
  }
}

void Simulation::build_overlap(BrickData& brick) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (brick.overlap[side] == 0) continue;
    const std::size_t bytes = 6 * at(overlap_) * at(brick.scheme.grid.n[1]) * at(brick.scheme.grid.n[2]) * at(element_);
    for (std::size_t parity = 0; parity < 2; ++parity) {
      brick.overlap_memory[parity][side] = HostBuffer<char>(bytes);
      brick.overlap_sent[parity][side] =
          Handle::temporary(brick.overlap_memory[parity][side].data(), bytes / at(element_), at(element_),
                            side == 0 ? "overlap downwards" : "overlap upwards");
    }
  }
}

/// Bricks beside other units first: what they send travels while the others are advanced.
void Simulation::build_order(const Placement& placement) {
  const auto waits = [&](std::size_t b) {
    const auto& neighbours = bricks_[b]->place.neighbour;
    return std::any_of(neighbours.begin(), neighbours.end(),
                       [&](const auto& n) { return n && !next_to_each_other(placement[at(*n)], placement[b]); });
  };
  for (std::size_t b = 0; b < bricks_.size(); ++b) order_.push_back(b);
  std::stable_partition(order_.begin(), order_.end(), waits);
  std::size_t largest = 0;
  for (const auto& brick : bricks_)
    if (!is_cpu(brick->worker))
      largest = std::max(largest, static_cast<std::size_t>(brick->scheme.grid.elements()) * at(element_) / line);
  if (largest == 0) return;
  for (Handle& scratch : scratch_) scratch = Handle::vector(nullptr, largest, line, "scratch");
}

void Simulation::clear() {
  for (const auto& brick : bricks_) {
    const codelets::ClearArgs args{{brick->scheme.grid.cells().cells()}, brick->scheme.grid};
    submit(codelets_->clear, args, {{brick->field[0], STARPU_W}, {brick->field[1], STARPU_W}}, {0, 0, brick->worker});
  }
  submit_exchange();
}

void Simulation::extend(std::size_t brick, Field field, const Extension& kernel, const std::vector<Access>& arrays) {
  BrickData& b = *bricks_[brick];
  b.extensions[number(field)].push_back({&kernel, static_cast<std::int32_t>(arrays.size())});
  for (const Access& array : arrays) b.extension_arrays[number(field)].push_back(array);
}

const BrickPlace& Simulation::place(std::size_t brick) const {
  return bricks_[brick]->place;
}
const Grid& Simulation::grid(std::size_t brick) const {
  return bricks_[brick]->scheme.grid;
}

}  // namespace asterism::fdtd
