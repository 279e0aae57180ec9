// SPDX-License-Identifier: Apache-2.0
// The state of a run in one HDF5 file: "electric" and "magnetic", three components of all entries, z fastest, in the
// run's precision; what absorbing layers, poles, plane waves and monitors have (Simulation::auxiliary_state); the
// values of probes so far; and attributes that tell which run it was. Read back, it is the same to the last bit.
#pragma once

#include <filesystem>
#include <vector>

#include "taskflows/fdtd/simulation.hpp"

namespace asterism::fdtd {

/// `path` is replaced when all is written: throws Error and leaves it else. `probes`: steps x probes. Over several
/// ranks all have to call it, and each writes what it has; of `probes`, those of rank 0 are written.
void write_checkpoint(const std::filesystem::path& path, Simulation& simulation, const Problem& problem,
                      const std::vector<double>& probes);

/// The step of a checkpoint. Throws Error (bad input), one line naming the file, when it is missing, damaged, foreign,
/// or of another problem than this one: sizes, spacings, time step, faces, materials, absorbing layers, plane waves,
/// monitors, precision, number of probes.
long checkpoint_step(const std::filesystem::path& path, const Problem& problem);

/// Sets the state; returns the values of probes until then. Throws as above. A rank reads what its bricks have, of a
/// run over any number of ranks.
std::vector<double> read_checkpoint(const std::filesystem::path& path, const Problem& problem, Simulation& simulation);

}  // namespace asterism::fdtd
