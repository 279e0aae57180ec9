// SPDX-License-Identifier: Apache-2.0
// How short any schedule of recorded tasks could be: lower bounds on the makespan.
#pragma once

#include <asterism/traces.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace bounds {

/// Seconds. Each but lp_best_rates is below the makespan of every schedule in which tasks of a class (codelet, sizes
/// of data) take as long on a kind of unit as they took on average in the recording.
struct Bounds {
  double makespan = 0;                  ///< of the recording
  double lp = 0;                        ///< all work dealt at will, without dependencies
  double lp_fit = 0;                    ///< lp, with no task where it alone takes longer than the bound
  double lp_best_rates = 0;             ///< LP~: each task at its codelet's best rate, flops over seconds
  std::optional<double> critical_path;  ///< none without dependencies in the recording
  std::optional<double> windows;        ///< work and dependencies together; none without dependencies
  double best = 0;                      ///< the largest of them but lp_best_rates
  std::vector<std::string> notes = {};  ///< what was assumed, and what is odd
};

/// units: how many of each kind the machine has that the bounds are for ({"CPU", 12}, {"CUDA", 3}); empty: those of
/// the recording. Throws Error: bad_input for a kind on which nothing of the recording ran, and for units on which
/// some class never ran; failed when the recording itself is shorter than a bound, its durations are wrong then.
ASTERISM_EXPORT Bounds compute(const traces::Recording& recording, const std::map<std::string, double>& units = {});

}  // namespace bounds
ASTERISM_END_INTERFACE
}  // namespace asterism
