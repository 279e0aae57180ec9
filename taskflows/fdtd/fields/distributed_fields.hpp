// SPDX-License-Identifier: Apache-2.0
// E or H of a domain that several ranks share, an array [component][x][y][z] of entries: what files need of it, in the
// numbers that a Snapshot makes. All ranks call these functions together.
#pragma once

#include <vector>

#include "runtime/ranks/distributed_array.hpp"
#include "runtime/ranks/distributed_hdf5_series.hpp"
#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// What this rank's bricks have, and plane n of periodic axes, which is plane 0.
DistributedArray deal_field(Simulation& simulation, const Problem& problem, Field field);

/// "E" or "H", a vector at the centre of every cell; as long as the array.
template <class T>
std::vector<output::DistributedField> at_centres_of_ranks(Field field, const DistributedArray& entries);
/// "Ex" and so on: entry (i, j, k) as the value of cell (i, j, k).
template <class T>
std::vector<output::DistributedField> entries_of_ranks(Field field, const DistributedArray& entries);

/// Three components at the centres of the cells of a box, x fastest, on rank 0; nothing on the others.
template <class T>
std::vector<std::vector<T>> at_centres_on_rank_0(Field field, const DistributedArray& entries, const Box& cells);

}  // namespace asterism::fdtd
