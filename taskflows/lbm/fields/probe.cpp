// SPDX-License-Identifier: Apache-2.0
// Density and velocity of single cells.
#include <starpu.h>

#include <cstring>

#include "base/as_size.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {
namespace {

struct Probed {
  HostBuffer<char> memory;
  Handle handle;
};

bool holds(const BrickPlace& place, const std::array<int, 3>& cell) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (cell[axis] < place.begin[axis] || cell[axis] >= place.begin[axis] + place.size(static_cast<int>(axis)))
      return false;
  return true;
}

template <class T>
Flow flow_of(const char* memory) {
  std::array<T, 4> value;
  std::memcpy(value.data(), memory, sizeof value);
  return {static_cast<double>(value[0]),
          {static_cast<double>(value[1]), static_cast<double>(value[2]), static_cast<double>(value[3])}};
}

/// Each rank knows the cells of its bricks.
std::vector<Flow> of_all_ranks(const std::vector<Flow>& mine, const std::vector<char>& here) {
  const auto flows = rank_group().all_gather(std::span<const Flow>(mine));
  const auto owners = rank_group().all_gather(std::span<const char>(here));
  std::vector<Flow> all = mine;
  for (std::size_t rank = 0; rank < flows.size(); ++rank)
    for (std::size_t k = 0; k < all.size(); ++k)
      if (owners[rank][k] != 0) all[k] = flows[rank][k];
  return all;
}

}  // namespace

std::vector<Flow> Simulation::probe(const std::vector<std::array<int, 3>>& cells) {
  flow_.complete();
  const Precision arithmetic = arithmetic_of(bricks_.problem.precision);
  const auto element = as_size(size_of(arithmetic));
  std::vector<Probed> probed(cells.size());
  std::vector<char> here(cells.size(), 0);
  for (std::size_t k = 0; k < cells.size(); ++k)
    for (BrickData* const brick : bricks_.own) {
      if (!holds(brick->place, cells[k])) continue;
      const int x = cells[k][0] - brick->place.begin[0];
      const int y = cells[k][1] - brick->place.begin[1];
      const int z = cells[k][2] - brick->place.begin[2];
      const Box box{x, x + 1, y, y + 1, z, z + 1};
      probed[k].memory = HostBuffer<char>(4 * element);
      probed[k].handle = Handle::temporary(probed[k].memory.data(), 4, element, "probe");
      here[k] = 1;
      std::vector<Access> data = brick->accesses(STARPU_R);
      data.push_back({probed[k].handle, STARPU_W});
      submit(codelets::observe.of(bricks_.problem.precision),
             codelets::ObserveArgs{{1}, brick->descriptor, bricks_.problem.collision, box, half_after(time())}, data,
             brick->options(priority_of_observers));
    }
  std::vector<Flow> flows(cells.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (here[k] == 0) continue;
    const Acquired acquired(probed[k].handle, STARPU_R);
    flows[k] =
        element == sizeof(double) ? flow_of<double>(probed[k].memory.data()) : flow_of<float>(probed[k].memory.data());
  }
  return bricks_.distributed ? of_all_ranks(flows, here) : flows;
}

}  // namespace asterism::lbm
