// SPDX-License-Identifier: Apache-2.0
// The orders of tasks that schedulers use: tables and settings for hprio and heteroprio.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

class Simulation;

/// The tasks that GPUs take first.
enum class GpuOrder {
  /// Results as soon as they can be had: reductions, L2P, L2L, M2L, then what M2L waits for, and P2P in the meantime.
  /// For GPUs that are a hundred times faster than a core at everything. Cores then do best with what they are least
  /// slow at and nobody waits for: P2P, as long as a task of theirs is over before the GPUs could have done without
  /// them, and M2M, which comes in many small pieces. L2L and reductions stay on GPUs: they are at the end of every
  /// path and need what lies there.
  far_first,
  /// The heterogeneous columns of the paper's Table 3, with priorities for the operators that it ran on CPUs only: P2P,
  /// then M2L.
  near_first,
  /// As near_first, but cores take first what GPUs do not run at all. L2P and reductions are the last of all: a core
  /// that is busy with M2L then has all wait for them.
  own_first,
};

/// As --gpu-order and records have them.
inline constexpr std::array<std::pair<const char*, GpuOrder>, 3> gpu_orders{
    {{"far-first", GpuOrder::far_first}, {"near-first", GpuOrder::near_first}, {"own-first", GpuOrder::own_first}}};

/// The order that suits the units: far_first where GPUs run every operator but, perhaps, P2P, else own_first. Where
/// they leave some to the cores, as in the paper, all results wait for the cores and none for P2P, which GPUs do best;
/// and far_first would have the cores begin with P2P, for as long as there is enough of it for the GPUs.
GpuOrder suitable_order();

/// The units of a table: CPUs alone, for which the paper's Table 3 has a column of its own ("homogeneous"), whatever
/// the order of GPUs; CPUs and GPUs; GPUs beside CPUs that compute pieces of the near field (NearPieces) and nothing
/// else.
enum class TableFor { cpus, all, pieces };

/// A table for hprio (schedulers/hprio/order.hpp). `height`: of the tree, which decides the tasks' priorities.
std::string hprio_table(int height, GpuOrder order, TableFor units);

/// Where there are several GPUs: sends the particles of the groups to them before the tasks come, an equal share of the
/// work to each, neighbours to the same one. hprio gives tasks to a GPU that holds their data, so that few multipoles
/// have to be exchanged. A hint: any unit may run any task.
void spread_over_gpus(Simulation& simulation);

/// Which unit does each task instead of `unit_of`, so that all end at about the same time: the one with the most work
/// gives to the one with the least the task that brings them closest, while that is worth a copy of its data.
/// `seconds`: of each task; `others`: of the work of each unit that stays where it is.
std::vector<std::size_t> evened_out(std::vector<std::size_t> unit_of, const std::vector<double>& seconds,
                                    const std::vector<double>& others);

/// The GPU that runs the tasks of a group, where the program decides and not the scheduler: of several GPUs each has an
/// interval of the Morton curve with its share of the work, as a rank has, so that only what groups at the ends of
/// intervals need travels, and P2P of a few groups, which makes up for shares of whole groups. Levels of few groups are
/// dealt out. That is faster where cores, which may run any task, could do little beside the GPUs.
class HomeGpus {
 public:
  HomeGpus() = default;
  /// Decides for this simulation, unless its options, or the units of the session, leave it to the scheduler.
  explicit HomeGpus(Simulation& simulation);

  /// StarPU's number of a unit; -1: the scheduler decides.
  [[nodiscard]] int of_cells(int level, std::int32_t group) const;
  [[nodiscard]] int of_particles(std::int32_t group) const;
  [[nodiscard]] int of_near(std::int32_t group) const;  ///< P2P
  [[nodiscard]] bool decided() const { return !of_particles_.empty(); }

 private:
  void place_cells(const Tree& tree, const std::vector<int>& gpus);

  Range groups_{};
  std::vector<int> of_particles_;           ///< by group of this rank
  std::vector<int> of_near_;                ///< likewise
  std::vector<Range> levels_;               ///< groups of this rank on each level
  std::vector<std::vector<int>> of_cells_;  ///< on each level
};

/// For SessionOptions::scheduler_set_up: StarPU's own heteroprio with the order far_first and, as the factor by which
/// CPUs are slower, `slow_factor` for P2P and M2L and a fifth of it for the others; its automatic mode off. The table
/// is for the next session only.
using SetUp = void (*)(unsigned context);
SetUp heteroprio_set_up(int height, double slow_factor);

}  // namespace asterism::fmm
