// SPDX-License-Identifier: Apache-2.0
// The state of a run in one HDF5 file: populations [19][nz][ny][nx] as the run stores them, f_i - w_i or in half
// precision 2^15 (f_i - w_i), and attributes. What is
// read back is bit-identical.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "codelets/lbm/kernels/brick.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::lbm {

struct Checkpoint {
  std::int64_t step = 0;
  std::int32_t nx = 0, ny = 0, nz = 0;
  int bytes = 8;           ///< of a population: 2, 4 or 8
  std::string parameters;  ///< of the run, as JSON; 64,000 bytes at most
};

/// Takes all slots of a box of the lattice, slot by slot, x fastest.
template <class T>
using PutBox = std::function<void(const Box& box, const T* slots)>;
/// Takes the populations of `slot` in `part`, which lies within boxes[number]; x fastest.
template <class T>
using TakePart = std::function<void(std::size_t number, int slot, const Box& part, const T* values)>;

/// each(put) hands over boxes that cover the lattice, each cell once; over several ranks this rank's, and all ranks
/// call this. `path` is replaced when all is written; if that fails it stays, and all ranks throw Error.
template <class T>
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint, DistributedHdf5::Writers writers,
                      const std::function<void(const PutBox<T>& put)>& each);

/// Everything but the populations. Throws Error (bad_input), one line naming the file: missing, damaged, cut off,
/// foreign.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// By slabs of about 64 MiB. Throws Error (bad_input) also when the precision is another one.
template <class T>
void read_populations(const std::filesystem::path& path, const std::vector<Box>& boxes, const TakePart<T>& take);

/// All slots of a box of the lattice, slot by slot, x fastest. Any number of processes may read at the same time.
template <class T>
void read_populations(const std::filesystem::path& path, const Box& box, T* slots);

/// The state of a run, of all its ranks, and the case's parameters. Blocking; collective. Throws Error (failed).
void write_checkpoint(const std::filesystem::path& path, const Case& problem_case, Simulation& simulation);

/// The time of a checkpoint. Throws Error (bad_input) when its domain or precision is another one.
long restart_time(const std::filesystem::path& path, const Problem& problem);

/// The simulation as it was when the checkpoint was written. Blocking; collective. Throws as restart_time().
void restart(const std::filesystem::path& path, const Problem& problem, Simulation& simulation);

}  // namespace asterism::lbm
