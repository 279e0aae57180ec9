// SPDX-License-Identifier: Apache-2.0
// Those who make schedules before the run.
#pragma once

#include <span>
#include <vector>

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

/// What stands for the duration of a task in its rank.
enum class RankFrom : std::uint8_t {
  mean,   ///< over the units that run it (Topcuoglu, Hariri, Wu)
  least,  ///< over the kinds: the rank is the length of the longest path that begins with the task
};

/// Per task: the longest sum of durations of a path that begins with it, s.
std::vector<double> upward_ranks(const Workload& work, RankFrom from);

/// Per task, with the `kind` of each known, s: its duration there and the largest rank of those that wait for it (OLS:
/// Amaris, Lucarelli, Mommessin, Trystram, Euro-Par 2017); or in place of the latter, if that is more, what the units
/// of one kind have to do after it, all of them together (graphs of up to 20,000 tasks).
std::vector<double> upward_ranks(const Workload& work, std::span<const std::uint32_t> kind);

/// Ranks that put tasks into the order in which they start where a unit that is free takes, of the tasks of its kind
/// that are ready, the one of the highest `rank`, and copies take no time: a schedule without delay (parallel schedule
/// generation: Kelley 1963; Kolisch, EJOR 90, 1996). HEFT in the order of a rank leaves a unit idle beside a task that
/// is ready, where a task of higher rank will have its place later.
std::vector<double> without_delay(const Workload& work, std::span<const double> rank,
                                  std::span<const std::uint32_t> kind);

/// HEFT with insertion (Topcuoglu, Hariri, Wu, IEEE TPDS 13, 2002): tasks by decreasing rank, each on the unit on which
/// it ends first, its copies counted. `kind`, if given: per task, the only kind it may go to.
Schedule heft(const Workload& work, std::span<const double> rank, std::span<const std::uint32_t> kind = {});

/// The kind of each task from the area LP where tasks fit, rounded: of tasks with the same durations, those of the
/// highest rank go to the kind on which they are fastest, as many as LP puts there. With heft() it is a list schedule
/// as HLP's of Kedad-Sidhoum, Monna, Trystram (HCW 2015), whose LP has the critical path as well.
std::vector<std::uint32_t> rounded_kinds(const Workload& work, std::span<const double> rank);

/// HeteroPrio with spoliation (Agullo et al., Concurrency and Computation 28, 2016; Beaumont, Eyraud-Dubois, Kumar,
/// IPDPS 2017): an idle unit takes the ready task that it is best at compared with the other kinds, or restarts a task
/// of another kind that would end later there. It knows no copies: they are added to the assignment it makes.
Schedule heteroprio(const Workload& work, std::span<const double> rank);

/// Owner computes: the largest datum of a task decides; a task whose largest datum no task had before goes, by
/// decreasing rank, to the unit on which it ends first, and later ones with it to the same unit. Where that cannot run
/// the task, to the unit on which it ends first.
Schedule owner_computes(const Workload& work, std::span<const double> rank);

struct SearchOptions {
  /// Tasks that are placed, in all: a bound of the time, the same on all machines.
  std::uint64_t placements = 12000000;
  /// Moves that are tried for each task: a graph of some ten tasks has tried what there is long before `placements`.
  std::uint64_t moves_per_task = 25000;
  std::uint64_t seed = 1;
};

/// Local search: a task of the chain that determines the makespan goes to another unit, changes places with another
/// one, or goes earlier in the order; what is not worse than the schedule at hand, or than that of 50 moves before, is
/// kept (late acceptance: Burke, Bykov, EJOR 258, 2017). Never worse than `from`.
Schedule local_search(const Workload& work, Schedule from, const SearchOptions& options = {});

/// All of these, HEFT and owner computes without the units in main memory, HEFT on the kinds that minimum cuts choose
/// (placement_bound.hpp), as they are and with the units' loads balanced, by rank and without delay, those already
/// `known`, and what local search makes of the three best, sorted: the best first. Throws Error (bad_input) when a task
/// runs on no unit.
std::vector<Schedule> offline_schedules(const Workload& work, const SearchOptions& options = {},
                                        std::vector<Schedule> known = {});

}  // namespace asterism::bounds
