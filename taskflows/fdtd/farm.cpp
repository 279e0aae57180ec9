// SPDX-License-Identifier: Apache-2.0
// The task flow of a farm:
//   for each domain
//     wait for a place, memory for one domain, that is free
//     for each part of the steps
//       submit: E and H of these steps; zeros before the first of them, sums of E after the last
// Places are as many as domains may be under way. What is in them is used once, so nothing is ever copied unless the
// scheduler moves a domain between two of its tasks, or FarmOptions::transfers has all fields go from main memory to
// the unit and back.
#include "taskflows/fdtd/farm.hpp"

#include <starpu.h>

#include <algorithm>

#include "base/error.hpp"
#include "codelets/fdtd/kernels/update/beside_steps.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/starpu_mutex.hpp"
#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {
namespace {

constexpr int places_per_unit = 4;  // one runs, one is prefetched, and the scheduler has a choice

std::size_t element_of(const Problem& problem) {
  return size_of(problem.precision);
}
std::size_t bytes_of_field(const Problem& problem) {
  return static_cast<std::size_t>(whole_grid(problem).elements()) * element_of(problem);
}

void check(const std::vector<const Problem*>& domains, const FarmOptions& options) {
  if (options.tasks_per_domain < 1 || options.tasks_per_domain > options.steps)
    bad_input("{} tasks per domain of {} steps: expected 1 to {}", options.tasks_per_domain, options.steps,
              options.steps);
  if (options.window < 1) bad_input("a window of {} domains: expected 1 at least", options.window);
  for (const Problem* p : domains) {
    if (p->precision != domains.front()->precision) bad_input("a farm of two precisions");
    if (!p->material.empty() || !p->probes.empty() || p->initial)
      bad_input("a farm of domains with materials, probes or initial fields");
  }
}

class Farm {
 public:
  Farm(const std::vector<const Problem*>& domains, const FarmOptions& options);
  ~Farm() { starpu_task_wait_for_all(); }  // tasks use what is in here
  Farm(const Farm&) = delete;
  Farm& operator=(const Farm&) = delete;
  std::vector<FarmAnswer> run(const std::function<void(std::size_t)>& ended);

 private:
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  struct Place;
  struct Part {
    Place* place;
    int worker;
  };
  struct Returned {
    Place* place;
    starpu_data_handle_t field;
  };
  struct Place {
    Farm* farm = nullptr;
    std::array<Array<char>, 2> memory;
    std::array<Handle, 2> field;
    HostBuffer<double> planes_memory;
    Handle planes;
    std::vector<codelets::PointSource> sources;
    std::vector<Part> parts;
    std::array<Returned, 2> returned{};
    int running = 0;  ///< parts of the domain that have not ended, and fields that have not come back
    std::size_t domain = nothing;
  };

  static void part_ended(void* part);
  static void field_returned(void* returned);
  void one_ended(Place& place);
  Place& free_place();
  void collect(Place& place);
  void submit_domain(std::size_t domain, Place& place);

  const std::vector<const Problem*>& domains_;
  const FarmOptions options_;
  Codelet& codelet_;
  std::vector<FarmAnswer> answers_;
  std::vector<Place> places_;
  std::array<Handle, 2> scratch_;  ///< of GPUs
  Mutex mutex_;                    ///< of free_ and of running
  Condition freed_;
  std::vector<Place*> free_;
};

Farm::Farm(const std::vector<const Problem*>& domains, const FarmOptions& options)
    : domains_(domains),
      options_(options),
      codelet_(codelets::domain.of(domains.front()->precision)),
      answers_(domains.size()),
      places_(std::min(domains.size(), static_cast<std::size_t>(options.window))) {
  std::size_t bytes = 0;
  int planes = 0;
  for (const Problem* p : domains) {
    bytes = std::max(bytes, bytes_of_field(*p));
    planes = std::max(planes, p->cells[0]);
  }
  if (starpu_cuda_worker_get_count() > 0)
    for (Handle& scratch : scratch_) scratch = Handle::vector(nullptr, bytes / line_bytes, line_bytes, "scratch");
  const std::size_t sums = 3 * static_cast<std::size_t>(planes);
  for (Place& place : places_) {
    place.farm = this;
    for (std::size_t f = 0; f < 2; ++f) {
      place.memory[f] = Array<char>(bytes);
      place.field[f] =
          Handle::temporary(place.memory[f].data(), bytes / line_bytes, line_bytes, f == 0 ? "electric" : "magnetic");
    }
    place.planes_memory = HostBuffer<double>(sums);
    place.planes = Handle::temporary(place.planes_memory.data(), sums, sizeof(double), "sums");
    place.parts.assign(static_cast<std::size_t>(options.tasks_per_domain), {&place, -1});
    for (std::size_t f = 0; f < 2; ++f) place.returned[f] = {&place, place.field[f]};
    free_.push_back(&place);
  }
}

void Farm::one_ended(Place& place) {
  const std::lock_guard<Mutex> lock(mutex_);
  if (--place.running > 0) return;
  free_.push_back(&place);
  freed_.notify_one();
}

/// By the thread of the unit.
void Farm::part_ended(void* argument) {
  Part& part = *static_cast<Part*>(argument);
  part.worker = starpu_worker_get_id();
  part.place->farm->one_ended(*part.place);
}

/// In main memory, where alone it is valid then.
void Farm::field_returned(void* argument) {
  const Returned& returned = *static_cast<Returned*>(argument);
  starpu_data_release(returned.field);
  returned.place->farm->one_ended(*returned.place);
}

/// Waits for one; the domain that ended there has its answer then.
Farm::Place& Farm::free_place() {
  Place* place = nullptr;
  {
    std::unique_lock<Mutex> lock(mutex_);
    freed_.wait(lock, [&] { return !free_.empty(); });
    place = free_.back();
    free_.pop_back();
  }
  collect(*place);
  return *place;
}

/// Planes one after the other, as Simulation adds them.
void Farm::collect(Place& place) {
  if (place.domain == nothing) return;
  FarmAnswer& answer = answers_[place.domain];
  for (const Part& part : place.parts) answer.workers.push_back(part.worker);
  const auto n = static_cast<std::size_t>(domains_[place.domain]->cells[0]);
  const Acquired acquired(place.planes, STARPU_R);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < n; ++i) answer.sums[c] += place.planes_memory[c * n + i];
  place.domain = nothing;
}

/// A time step of a domain in one piece, several steps in one pass through memory where they go together:
///   H(n + 1/2) = H(n - 1/2) - dt / mu0 rot E(n),   E(n + 1) = E(n) + dt / eps0 (rot H(n + 1/2) - J)
codelets::AdvanceArgs step_of(const Problem& problem) {
  codelets::AdvanceArgs args;
  args.scheme = scheme_of(problem, whole_grid(problem));
  args.dt = problem.dt;
  const Grid& grid = args.scheme.grid;
  for (codelets::HalfStep& half : args.half) {
    half.boxes.push_back(grid.cells());
    if (closed(grid)) continue;
    half.ghosts = codelets::Ghosts::put_in_place;
    for (std::int32_t axis = 0; axis < 3; ++axis)
      if (grid.face[2 * axis] == Face::neighbour) half.wrapped.push_back(axis);
  }
  if (grid.face[0] != Face::neighbour && grid.face[1] != Face::neighbour) {
    const bool of_gpus = (closed(grid) || fills_tiles(grid, steps_at_once(problem.precision) / 2)) &&
                         problem.sources.size() <= cuda::most_steps_sources;
    args.several_steps =
        codelets::SeveralSteps{steps_at_once(problem.precision), of_gpus && starpu_cuda_worker_get_count() > 0, {}};
  }
  return args;
}

void Farm::submit_domain(std::size_t domain, Place& place) {
  const Problem& problem = *domains_[domain];
  place.domain = domain;
  place.running = options_.tasks_per_domain + (options_.transfers ? 2 : 0);
  place.sources.clear();
  for (const CurrentSource& source : problem.sources)
    place.sources.push_back(point_source(problem, source, source.cell, 1));
  codelets::DomainArgs args{step_of(problem)};
  args.advance.sources = place.sources;
  const int parts = options_.tasks_per_domain;
  for (int part = 0; part < parts; ++part) {
    // E(0) = H(-1/2) = 0 in the first task, the steps of each, the sums of E over planes in the last one
    args.begins_at_zero = part == 0;
    args.ends_in_sums = part == parts - 1;
    args.advance.step = options_.steps * part / parts;
    args.advance.steps = static_cast<std::int32_t>(options_.steps * (part + 1) / parts - args.advance.step);
    args.advance.work = {2 * args.advance.scheme.grid.cells().cells() * args.advance.steps,
                         (args.begins_at_zero ? 2 : 0) + (args.ends_in_sums ? 1 : 0)};
    const starpu_data_access_mode mode = part == 0 && !options_.transfers ? STARPU_W : STARPU_RW;
    std::vector<Access> data{{place.field[0], mode}, {place.field[1], mode}};
    if (args.advance.several_steps && args.advance.several_steps->scratch)
      for (const Handle& scratch : scratch_) data.push_back({scratch, STARPU_SCRATCH});
    if (args.ends_in_sums) data.push_back({place.planes, STARPU_W});
    const int domains_begun_come_first = part;
    submit(codelet_, args, data,
           {.priority = domains_begun_come_first,
            .done = part_ended,
            .done_argument = &place.parts[static_cast<std::size_t>(part)]});
  }
  if (options_.transfers) {
    for (Returned& returned : place.returned)
      starpu_data_acquire_cb(returned.field, STARPU_RW, field_returned, &returned);
    return;
  }
  // what a full GPU would bring back to main memory
  for (const Handle& field : place.field) starpu_data_invalidate_submit(field);
}

std::vector<FarmAnswer> Farm::run(const std::function<void(std::size_t)>& ended) {
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    submit_domain(d, free_place());
    if (ended) ended(d + 1 - std::min(d + 1, places_.size()));
  }
  for (std::size_t left = places_.size(); left > 0; --left) {
    free_place();
    if (ended) ended(domains_.size() - left + 1);
  }
  return std::move(answers_);
}

}  // namespace

std::size_t field_bytes(const Problem& problem) {
  return 2 * bytes_of_field(problem);
}

int farm_window(const Session& session, std::size_t bytes) {
  const double memory = this_machine().memory_bytes;
  const double wanted = places_per_unit * static_cast<double>(session.units().size());
  const double fit = memory > 0 ? memory / 2 / static_cast<double>(bytes) : wanted;
  return std::max(1, static_cast<int>(std::min(fit, wanted)));
}

std::vector<int> deal_domains(const std::vector<const Problem*>& domains, const std::vector<double>& speeds) {
  std::vector<int> ranks;
  std::vector<double> cells(speeds.size(), 0);
  for (const Problem* domain : domains) {
    const auto end = [&](std::size_t rank) { return (cells[rank] + cells_of(*domain)) / speeds[rank]; };
    std::size_t first = 0;
    for (std::size_t rank = 1; rank < speeds.size(); ++rank)
      if (end(rank) < end(first)) first = rank;
    cells[first] += cells_of(*domain);
    ranks.push_back(static_cast<int>(first));
  }
  return ranks;
}

std::vector<FarmAnswer> run_farm(const std::vector<const Problem*>& domains, const FarmOptions& options,
                                 const std::function<void(std::size_t)>& ended) {
  check(domains, options);
  if (domains.empty()) return {};
  return Farm(domains, options).run(ended);
}

}  // namespace asterism::fdtd
