// SPDX-License-Identifier: Apache-2.0
// A task of a brick, part after part: its description and its data. What bricks exchange is in exchange.cpp.
#include <algorithm>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/update/beside_steps.hpp"
#include "taskflows/fdtd/flow.hpp"

namespace asterism::fdtd {

using codelets::HalfStep;

Simulation::BrickTask::BrickTask(Simulation& simulation, const BrickData& brick)
    : simulation_(simulation), brick_(brick) {
  args_.scheme = brick.scheme;
  args_.step = simulation.time_;
  args_.dt = simulation.problem_.dt;
}

Simulation::BrickTask& Simulation::BrickTask::begin(Field field) {
  half(field).begins = true;
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::update(Field field, std::span<const Box> boxes) {
  for (const Box& box : boxes)
    if (!box.empty()) half(field).boxes.push_back(box);
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::update_both(const Box& h_cells, const Box& e_cells) {
  args_.both_fields = codelets::BothFields{h_cells, e_cells};
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::couple() {
  args_.coupling = brick_.coupling;
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::repeat(int steps) {
  args_.steps = steps;
  return *this;
}

/// The smallest box of cells that has all entries whose coefficients are not 1.
template <class T>
Box Simulation::BrickTask::media_of(const BrickData& brick) {
  const Grid& grid = brick.scheme.grid;
  const std::array<int, 3> planes = {grid.planes_along(0), grid.planes_along(1), grid.planes_along(2)};
  std::vector<Box> of_planes(as_size(planes[0]));
  for (std::size_t f = 0; f < 2; ++f) {
    if (!brick.scheme.media[f]) continue;
    const auto* const table = reinterpret_cast<const Coefficients<T>*>(brick.table_memory[f].data());
    std::vector<bool> other(brick.relative_memory[f].size());
    for (std::size_t m = 0; m < other.size(); ++m) other[m] = table[m].a != 1 || table[m].b != 1;
    const std::uint16_t* const index = brick.index_memory[f].data();
#pragma omp parallel for
    for (int i = 0; i < planes[0]; ++i)
      for (int c = 0; c < 3; ++c)
        for (int j = 0; j < planes[1]; ++j)
          for (int k = 0; k < planes[2]; ++k)
            if (other[index[grid.at(c, i, j, k)]]) {
              Box& box = of_planes[as_size(i)];
              const Box entry{i, i + 1, j, j + 1, k, k + 1};
              box = box.empty() ? entry : hull(box, entry);
            }
  }
  Box all{};
  for (const Box& box : of_planes)
    if (!box.empty()) all = all.empty() ? box : hull(all, box);
  return all;
}

const BesidePasses& Simulation::BrickTask::beside_passes() const {
  if (brick_.beside_passes) return *brick_.beside_passes;
  BesidePasses& found = brick_.beside_passes.emplace();
  found.possible = brick_.coupling.empty() || brick_.fusible;
  std::vector<const KernelHook*> known;  // some are of both fields
  for (const auto& hooks : brick_.hooks)
    for (const HookBinding& binding : hooks) {
      if (binding.hook->absorbs() || std::find(known.begin(), known.end(), binding.hook) != known.end()) continue;
      known.push_back(binding.hook);
      const auto reach = binding.hook->reach(brick_.scheme.grid);
      found.possible = found.possible && reach;
      if (reach) found.reaches.insert(found.reaches.end(), reach->begin(), reach->end());
    }
  if (brick_.fusible) return found;
  with_precision(simulation_.problem_.precision, [&](auto real) { found.media = media_of<decltype(real)>(brick_); });
  if (found.reaches.empty() || !found.possible) return found;
  found.apart = cells_apart(brick_.scheme.grid, found.reaches, steps_at_once(simulation_.problem_.precision) / 2);
  found.possible = pays(*found.apart, brick_.scheme.grid);
  return found;
}

Simulation::BrickTask& Simulation::BrickTask::in_few_passes() {
  const bool room = brick_.fusible || simulation_.scratch_[0];
  const bool few_probes = brick_.fusible || brick_.probes.size() <= cuda::most_steps_probes;
  const bool few_sources = brick_.fusible || brick_.sources.size() <= cuda::most_steps_sources;
  const Grid& grid = brick_.scheme.grid;
  const bool faces =
      grid.face[0] != Face::neighbour && grid.face[1] != Face::neighbour &&
      (brick_.fusible || closed(grid) || fills_tiles(grid, steps_at_once(simulation_.problem_.precision) / 2));
  if (!room || !faces || !few_probes || !few_sources) return *this;
  const BesidePasses& beside = beside_passes();
  if (beside.possible)
    args_.several_steps = codelets::SeveralSteps{steps_at_once(simulation_.problem_.precision),
                                                 static_cast<bool>(simulation_.scratch_[0]), beside.reaches,
                                                 beside.media, beside.apart ? &*beside.apart : nullptr};
  return *this;
}

Simulation::BrickTask& Simulation::BrickTask::complete() {
  args_.completes = true;
  return *this;
}

bool Simulation::BrickTask::exchanges() const {
  return simulation_.overlap_ > 0 || std::any_of(args_.half.begin(), args_.half.end(), [](const HalfStep& half) {
           return !half.received.empty() || !half.wrapped.empty() || !half.sent.empty();
         });
}

void Simulation::BrickTask::add_hooks(Field field, std::vector<Access>& data) {
  const std::size_t f = number(field);
  const bool exchanged = args_.overlap.planes > 0;
  const bool coupled = field == Field::electric && !args_.coupling.empty();
  if (half(field).boxes.empty() && !args_.both_fields && !exchanged && !coupled) return;
  half(field).hooks = brick_.hooks[f];
  data.insert(data.end(), brick_.hook_arrays[f].begin(), brick_.hook_arrays[f].end());
}

void Simulation::BrickTask::add_coupling(std::vector<Access>& data) const {
  if (!args_.coupling.empty()) data.insert(data.end(), brick_.coupling_arrays.begin(), brick_.coupling_arrays.end());
}

void Simulation::BrickTask::add_recording(std::vector<Access>& data) {
  if (!args_.completes || brick_.probes.empty()) return;
  args_.recording = {static_cast<std::int32_t>(brick_.probes.size()),
                     static_cast<std::int32_t>(simulation_.recorded_[simulation_.turn_]), brick_.places_memory.data()};
  data.push_back({brick_.places, STARPU_R});
  data.push_back({brick_.recordings[simulation_.turn_].values, STARPU_RW});
}

/// The class of the task in the performance models.
void Simulation::BrickTask::describe_work() {
  for (const HalfStep& half : args_.half)
    for (const Box& box : half.boxes) args_.work.cells += box.cells() * args_.steps;
  if (args_.both_fields)
    args_.work.cells += (args_.both_fields->h_cells.cells() + args_.both_fields->e_cells.cells()) * args_.steps;
  const bool hooked = !args_.half[0].hooks.empty() || !args_.half[1].hooks.empty();
  args_.work.variant = (args_.half[0].boxes.empty() ? 0 : 1) + (args_.both_fields ? 2 : 0) +
                       (args_.scheme.media[0] ? 4 : 0) + (hooked ? 8 : 0) + (args_.several_steps ? 16 : 0) +
                       (args_.coupling.empty() ? 0 : 32) + (args_.scheme.graded ? 64 : 0);
}

void Simulation::BrickTask::submit(Priority priority) {
  const auto mode = [&](Field field) { return args_.changes(field) ? STARPU_RW : STARPU_R; };
  std::vector<Access> data = simulation_.accesses(brick_, mode(Field::electric), mode(Field::magnetic));
  for (const Field field : {Field::electric, Field::magnetic}) {
    add_exchanged(field, data);
    add_hooks(field, data);
  }
  add_coupling(data);
  add_overlap(data);
  if (args_.several_steps && args_.several_steps->scratch)
    for (const Handle& scratch : simulation_.scratch_) data.push_back({scratch, STARPU_SCRATCH});
  if (!args_.half[0].boxes.empty() || args_.both_fields) args_.sources = brick_.sources;
  add_recording(data);
  describe_work();
  asterism::submit(simulation_.codelets_->advance, args_, data,
                   {.priority = static_cast<int>(priority),
                    .worker = std::max(brick_.worker, -1),
                    .rank = brick_.place.rank.value_or(this_rank_runs)});
  if (!brick_.here) return;
  ++simulation_.tasks_;
  const std::int32_t pass = brick_.fusible ? 1 : steps_at_once(simulation_.problem_.precision);
  if (args_.several_steps && args_.steps > 1) simulation_.steps_in_passes_ += args_.steps / pass * pass;
}

}  // namespace asterism::fdtd
