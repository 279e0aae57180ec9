// SPDX-License-Identifier: Apache-2.0
// What is looked at: density and velocity, sums over the domain (mass, momentum, energy, the largest speed), and the
// force on solid cells.
#include <starpu.h>

#include <cmath>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/bricks/slabs.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {
namespace {

void add(Totals& sum, const Totals& t) {
  sum.mass += t.mass;
  for (std::size_t axis = 0; axis < 3; ++axis) sum.momentum[axis] += t.momentum[axis];
  sum.energy += t.energy;
  // not std::max: it would lose a NaN
  if (!(t.speed <= sum.speed)) sum.speed = std::isnan(sum.speed) ? sum.speed : t.speed;
}

Totals sum_over_ranks(const Totals& of_this_rank) {
  Totals sum{};
  for (const Totals& of_rank : rank_group().all_gather(of_this_rank)) add(sum, of_rank);
  return sum;
}

/// In cells per step, 1 / sqrt(3): the method cannot represent faster flows.
constexpr double speed_of_sound = 0.57735;

}  // namespace

void require_flow(const Totals& totals, long step, const std::string& remedies) {
  if (std::isfinite(totals.speed) && totals.speed < speed_of_sound && std::isfinite(totals.mass)) return;
  failed("the flow diverged before step {}: largest speed {} cells per step (try {})", step, totals.speed, remedies);
}

void Simulation::observe(const Write& write) {
  flow_.complete();
  const int element = size_of(arithmetic_of(bricks_.problem.precision));
  for_slabs(bricks_, 4, element, [&](BrickData& brick, const Box& box, Slab& slab) {
    std::vector<Access> data = brick.accesses(STARPU_R);
    data.push_back({slab.handle, STARPU_W});
    // rho = sum f_i, rho u = sum c_i f_i + F / 2
    submit(codelets::observe.of(bricks_.problem.precision),
           codelets::ObserveArgs{{box.cells()}, brick.descriptor, bricks_.problem.collision, box, half_after(time())},
           data, brick.options(priority_of_observers));
    const Acquired acquired(slab.handle, STARPU_R);
    write(in_domain(brick.place, box), slab.memory.data());
  });
}

void Simulation::submit_totals() {
  flow_.complete();
  // per brick: sum of rho - 1, of rho u, of rho u^2 / 2, largest |u|
  for (BrickData* const brick : bricks_.own) {
    std::vector<Access> data = brick->accesses(STARPU_R);
    data.push_back({brick->totals, STARPU_W});
    data.push_back({scratch_, STARPU_SCRATCH});
    const Box box = brick->descriptor.layout.interior();
    submit(codelets::total.of(bricks_.problem.precision),
           codelets::ObserveArgs{{box.cells()}, brick->descriptor, bricks_.problem.collision, box, half_after(time())},
           data, brick->options(priority_of_observers));
    ++bricks_.tasks;
  }
}

Totals Simulation::sum_totals() {
  Totals sum{};
  for (BrickData* const brick : bricks_.own) {
    starpu_data_acquire(brick->totals, STARPU_R);
    add(sum, brick->totals_memory[0]);
    starpu_data_release(brick->totals);
  }
  return bricks_.distributed ? sum_over_ranks(sum) : sum;
}

Totals Simulation::totals() {
  submit_totals();
  totals_submitted_ = false;
  return sum_totals();
}

std::optional<Totals> Simulation::exchange_totals() {
  std::optional<Totals> before;
  if (totals_submitted_) before = sum_totals();
  submit_totals();
  totals_submitted_ = true;
  return before;
}

// integers until all bricks of all ranks are added up: the same bits for every cut
ForceAndMoment Simulation::force_and_moment(const std::array<double, 3>& centre) {
  ForceSums sums{};
  flow_.measure_force();
  for (BrickData* const brick : bricks_.own) {
    starpu_data_acquire(brick->force, STARPU_R);
    sums.add(brick->force_memory[0]);
    starpu_data_release(brick->force);
  }
  if (bricks_.distributed) {
    ForceSums whole{};
    for (const ForceSums& of_rank : rank_group().all_gather(sums)) whole.add(of_rank);
    sums = whole;
  }
  ForceAndMoment found;
  for (int axis = 0; axis < 3; ++axis) {
    found.force[as_size(axis)] = sums.number(axis);
    found.moment[as_size(axis)] = sums.number(3 + axis);
  }
  // the sums are about the centre of cell (0, 0, 0)
  const auto& f = found.force;
  const std::array<double, 3> arm{centre[0] - 0.5, centre[1] - 0.5, centre[2] - 0.5};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    const std::size_t c = (a + 2) % 3;
    found.moment[a] -= arm[b] * f[c] - arm[c] * f[b];
  }
  return found;
}

}  // namespace asterism::lbm
