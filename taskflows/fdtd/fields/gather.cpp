// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/fields/gather.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/ranks/ranks.hpp"

namespace asterism::fdtd {
namespace {

std::size_t element_of(const Problem& p) {
  return size_of(p.precision);
}

/// `copy(byte in the array of the domain, byte in the array of the box, bytes)` for all rows of a box.
template <class Copy>
void rows(const Problem& p, const Box& box, const Copy& copy) {
  const std::array<int, 3> n = extents(p);
  const std::size_t length = static_cast<std::size_t>(box.z1 - box.z0) * element_of(p);
  std::size_t next = 0;
  for (int c = 0; c < 3; ++c)
    for (int i = box.x0; i < box.x1; ++i)
      for (int j = box.y0; j < box.y1; ++j, next += length) {
        const std::int64_t row = (static_cast<std::int64_t>(c) * n[0] + i) * n[1] + j;
        copy(static_cast<std::size_t>(row * n[2] + box.z0) * element_of(p), next, length);
      }
}

Simulation::Read reader(const Problem& problem, const Array<char>& field) {
  return [&](const Box& box, void* values) {
    rows(problem, box, [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(static_cast<char*>(values) + to, field.data() + from, bytes);
    });
  };
}

}  // namespace

void get_from_ranks(Simulation& simulation, Field field, const Simulation::Write& write) {
  if (!simulation.dealt()) return simulation.get(field, write);
  // ranks with fewer parts have nothing to send in the last rounds
  const std::vector<std::size_t> parts = rank_group().all_gather(simulation.parts());
  const std::size_t rounds = *std::max_element(parts.begin(), parts.end());
  std::vector<char> message;
  const auto send = [&] {
    rank_group().collect(std::span<const char>(message), [&](int /*rank*/, std::span<const char> part) {
      if (part.empty()) return;
      Box box{};
      std::memcpy(&box, part.data(), sizeof box);
      write(box, part.data() + sizeof box);
    });
  };
  simulation.get(field, [&](const Box& box, const void* values) {
    if (rank_group().is_root()) {
      write(box, values);
    } else {
      const auto* const header = reinterpret_cast<const char*>(&box);
      const auto* const bytes = static_cast<const char*>(values);
      message.assign(header, header + sizeof box);
      message.insert(message.end(), bytes, bytes + 3 * static_cast<std::size_t>(box.cells()) * simulation.element());
    }
    send();
  });
  message.clear();
  for (std::size_t round = simulation.parts(); round < rounds; ++round) send();
}

Array<char> gather(Simulation& simulation, const Problem& problem, Field field) {
  const std::array<int, 3> n = extents(problem);
  const std::size_t bytes = 3 * static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
                            static_cast<std::size_t>(n[2]) * element_of(problem);
  Array<char> all(!simulation.dealt() || rank_group().is_root() ? bytes : 0);
  get_from_ranks(simulation, field, [&](const Box& box, const void* values) {
    rows(problem, box, [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(all.data() + to, static_cast<const char*>(values) + from, bytes);
    });
  });
  return all;
}

State gather_state(Simulation& simulation, const Problem& problem) {
  return {simulation.time(),
          {gather(simulation, problem, Field::electric), gather(simulation, problem, Field::magnetic)},
          simulation.auxiliary_state()};
}

void scatter_state(Simulation& simulation, const Problem& problem, const State& state) {
  simulation.set(state.time, reader(problem, state.field[0]), reader(problem, state.field[1]));
  simulation.set_auxiliary_state(state.auxiliary);
}

}  // namespace asterism::fdtd
