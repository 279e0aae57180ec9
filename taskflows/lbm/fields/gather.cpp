// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/fields/gather.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "io/series/pieces.hpp"

namespace asterism::lbm {
namespace {

/// rho, u, v, w.
constexpr std::size_t fields = 4;

/// Bytes of a population.
std::size_t element_of(const Problem& p) {
  return static_cast<std::size_t>(size_of(p.precision));
}
/// Bytes of a density or a component of the velocity.
std::size_t field_element_of(const Problem& p) {
  return static_cast<std::size_t>(size_of(arithmetic_of(p.precision)));
}

std::size_t cells_of(const Problem& p) {
  return static_cast<std::size_t>(p.cells[0]) * static_cast<std::size_t>(p.cells[1]) *
         static_cast<std::size_t>(p.cells[2]);
}

/// `copy(byte in the array of the domain, byte in the array of the box, bytes)` for all rows of a box.
template <class Copy>
void rows(const Problem& p, std::size_t slots, std::size_t element, const DomainBox& box, const Copy& copy) {
  const output::Region part{{box.x0, box.y0, box.z0}, {box.x1 - box.x0, box.y1 - box.y0, box.z1 - box.z0}};
  const std::size_t part_cells =
      static_cast<std::size_t>(part.n[0]) * static_cast<std::size_t>(part.n[1]) * static_cast<std::size_t>(part.n[2]);
  const std::size_t length = static_cast<std::size_t>(part.n[0]) * element;
  for (std::size_t i = 0; i < slots; ++i) {
    output::for_rows(p.cells, part, [&](std::size_t in_domain, std::size_t in_box) {
      copy((i * cells_of(p) + in_domain) * element, (i * part_cells + in_box) * element, length);
    });
  }
}

}  // namespace

Array<char> gather_state(Simulation& simulation, const Problem& problem) {
  Array<char> all(q * cells_of(problem) * element_of(problem));
  simulation.get([&](const DomainBox& box, const void* slots) {
    rows(problem, q, element_of(problem), box, [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(all.data() + to, static_cast<const char*>(slots) + from, bytes);
    });
  });
  return all;
}

void scatter_state(Simulation& simulation, const Problem& problem, long time, const char* state) {
  simulation.set(time, [&](const DomainBox& box, void* slots) {
    rows(problem, q, element_of(problem), box, [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(static_cast<char*>(slots) + to, state + from, bytes);
    });
  });
}

Array<char> gather_fields(Simulation& simulation, const Problem& problem) {
  Array<char> all(fields * cells_of(problem) * field_element_of(problem));
  simulation.observe([&](const DomainBox& box, const void* slots) {
    rows(problem, fields, field_element_of(problem), box, [&](std::size_t to, std::size_t from, std::size_t bytes) {
      std::memcpy(all.data() + to, static_cast<const char*>(slots) + from, bytes);
    });
  });
  return all;
}

DistributedArray deal_fields(Simulation& simulation, const Problem& problem) {
  std::vector<DistributedArray::Part> mine;
  simulation.observe([&](const DomainBox& b, const void* slots) {
    const ArrayBox box{{0, b.z0, b.y0, b.x0}, {fields, b.z1 - b.z0, b.y1 - b.y0, b.x1 - b.x0}};
    Array<char> values(static_cast<std::size_t>(box.size()) * field_element_of(problem));
    std::memcpy(values.data(), slots, values.size());
    mine.push_back({box, std::move(values)});
  });
  return {field_element_of(problem), std::move(mine), DistributedArray::Owners::all_ranks};
}

}  // namespace asterism::lbm
