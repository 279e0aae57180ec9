// SPDX-License-Identifier: Apache-2.0
// Which units of the machine a run of time steps should have, before StarPU starts: GPUs alone, cores too, or some of
// the cores for a small problem. Decided by rates that are measured once for a size of problems and kept.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/known_rates.hpp"
#include "runtime/session.hpp"

namespace asterism {

/// Steps of a problem, as far as the choice of units depends on them.
struct StepWork {
  std::string kind;           ///< of kernels, for the names of rates: "lbm/double/trt"
  std::string counted;        ///< what a rate counts per second: "cells"
  double size = 0;            ///< of the problem, in what is counted
  double largest = 0;         ///< that is measured: larger problems have the same rates
  double small_per_core = 0;  ///< up to so much for each of some cores, more cores may be slower
  double steps = 0;           ///< of the run; 0: unknown, so many that it does not count how long GPUs take to start
  bool shared = true;         ///< GPUs can do without cores, or share the work with them
  /// Steps of a problem like this one, of a size up to `largest`, on all units of a session, of which GPUs get a share:
  /// what is counted per second.
  std::function<double(const Session&, double gpu_share)> rate;
};

/// Steps of a grid; sizes are numbers of cells. Small grids have rates for each number of `layers`, along the axis that
/// is cut: thin grids exchange more or less than cubes do.
StepWork grid_work(const std::string& kind, const std::array<int, 3>& cells, int layers, double largest,
                   double small_per_core);
/// A grid of the same shape with `most` cells at most, up to rounding; the grid itself where it has no more.
std::array<int, 3> shrunk(const std::array<int, 3>& cells, double most);

struct UnitChoice {
  std::optional<int> cpus;          ///< as SessionOptions; none: as StarPU chooses
  std::optional<int> gpus;          ///< as SessionOptions
  std::optional<double> gpu_share;  ///< of the work, where cores and GPUs share it
  std::string reason;               ///< a line, with figures; empty: there was nothing to choose
  double measuring = 0;             ///< seconds that were spent on measuring, in sessions of their own
};

/// Measures by how many seconds a program takes longer to start and to end with so many GPUs than without; 0 where that
/// cannot be found out.
using MeasureStart = std::function<double(int gpus)>;
/// No GPUs take longer than so many seconds: for a run in which they save more, it is not measured.
inline constexpr double longest_start = 5;
/// The seconds that are known, or else measured and kept; nothing where neither is possible, as where rates are kept in
/// no file: each run would take longer to measure than it saves. An empty `measure`: known ones only.
std::optional<double> start_of_gpus(int gpus, KnownRates& rates, const MeasureStart& measure);

/// The fastest units of those that `options` and the environment leave open: nothing to choose where they say how many
/// CPU workers or which scheduler, over several ranks, and on a simulated machine. GPUs that were asked for by number
/// are not left out for their start. `say` is told before something is measured. No session may be open.
UnitChoice choose_units(const StepWork& work, const SessionOptions& options, KnownRates& rates,
                        const std::function<void(const std::string&)>& say, const MeasureStart& measure_start = {});

/// The choice by given rates, without measuring, among what a machine with `cores` and `gpus` offers for `work`:
/// `rate(who)` for who in "2 GPUs", "all cores beside 2 GPUs", "2 GPUs and cores", "all cores", "4 cores", "all units",
/// and the seconds that GPUs take to start. They are asked for where they may decide; an empty `start`: they do not.
UnitChoice choose_by_rates(const StepWork& work, int cores, int gpus,
                           const std::function<double(const std::string& who)>& rate,
                           const std::function<double()>& start = {});

/// Rates by `measure(who)`, each in a session of its own. Where several are close they are measured again, in turn, and
/// the median counts: threads that meet often are faster in some sessions than in others, and the first session of a
/// program may be slow.
std::vector<double> median_rates(const std::vector<std::string>& whos,
                                 const std::function<double(const std::string& who)>& measure);

/// The median rate of several rounds of `advance(steps)`, which returns when the steps are done, in steps per second:
/// rounds of some hundredths of a second. Threads that meet often are at times lucky: the best round is not what a run
/// has.
double median_step_rate(const std::function<void(long steps)>& advance);

}  // namespace asterism
