// SPDX-License-Identifier: Apache-2.0
// LP with copies: which tasks run in main memory and which elsewhere, with the work of the units and what the links
// between the two carry, as a minimum cut (Stone, IEEE TSE 3, 1977: two processors) at prices of work and bytes.
#pragma once

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {

/// In a schedule of makespan T let x_t be 1 for a task that runs in main memory's units, 0 for one that runs elsewhere.
/// Units of kind k work no longer than P_k T in all. A version of a datum (what one task wrote, or what is in main
/// memory at first) crosses from main memory if it was made there and one of its readers runs elsewhere, and into it if
/// it was made elsewhere and one runs there. Each crossing takes l(bytes) seconds at least of the links from main
/// memory, which have C T in all, or l'(bytes) of those to it (link_time.hpp), and where all of them share a rate R,
/// its bytes of R T. With prices p_k of a second of work, b and b' of a second of links, r of a byte, all >= 0,
///
///   (sum_k P_k p_k + C b + C' b' + R r) T  >=  min over x of  sum_t min over kinds k of the side x_t of p_k seconds_tk
///                                  + sum over versions that cross of (b l(bytes) or b' l'(bytes)) + r bytes.
///
/// The right-hand side is a minimum cut between main memory and the rest, and any flow is a bound of it. Prices are
/// improved by multiplicative weights, by the time that each resource is busy in the cut found; the best are kept. Only
/// data whose accesses are a chain (copy_bound.hpp). Time: `steps` maximum flows.
double placement_bound(const Workload& work, int steps = 40);

/// The kind of each task in the cuts found on the way, each once; none for tasks that do not run.
std::vector<std::vector<std::uint32_t>> placements(const Workload& work, int steps = 40);

}  // namespace asterism::bounds
