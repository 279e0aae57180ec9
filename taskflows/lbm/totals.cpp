// Sums over the domain: mass, momentum, energy, the largest speed, and the force on solid cells.
#include <starpu.h>

#include <cmath>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/lbm/simulation_codelets.hpp"

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

}  // namespace

void Simulation::submit_totals() {
  complete();
  for (BrickData* const brick : own_) {
    std::vector<Access> data = accesses(*brick, STARPU_R);
    data.push_back({brick->totals, STARPU_W});
    data.push_back({scratch_, STARPU_SCRATCH});
    const Box box = brick->layout.brick.interior();
    codelets::ObserveArgs args{{box.cells()}, brick->layout, problem_.collision, box, time_ % 2 == 0 ? 1 : 0};
    submit(codelets_->total, args, data, options(*brick, 0, 0));
    ++tasks_;
  }
}

Totals Simulation::sum_totals() {
  Totals sum{};
  for (BrickData* const brick : own_) {
    starpu_data_acquire(brick->totals, STARPU_R);
    add(sum, brick->totals_memory[0]);
    starpu_data_release(brick->totals);
  }
  return dealt_ ? sum_over_ranks(sum) : sum;
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

std::array<double, 3> Simulation::force() {
  std::array<double, 3> sum{0, 0, 0};
  complete();
  for (BrickData* const brick : own_) {
    starpu_data_acquire(brick->force, STARPU_R);
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += brick->force_memory[axis];
    starpu_data_release(brick->force);
  }
  if (!dealt_) return sum;
  std::array<double, 3> whole{0, 0, 0};
  for (const auto& of_rank : rank_group().all_gather(sum))
    for (std::size_t axis = 0; axis < 3; ++axis) whole[axis] += of_rank[axis];
  return whole;
}

}  // namespace asterism::lbm
