// SPDX-License-Identifier: Apache-2.0
// The state of a run in one HDF5 file: "history" [wave][unknown][reach] and "begun" [wave][unknown][width] in the run's
// precision, with a checksum for each wave and unknown, "record" [wave][observer][step] of the pressure at observers,
// and attributes that tell which run it was. Read back, it is bit-identical. Every rank writes and reads its part.
#pragma once

#include <cstdint>
#include <filesystem>

#include "taskflows/tdbem/simulation.hpp"

namespace asterism::tdbem {

/// `path` is replaced when all is written: throws Error and leaves it else. Collective.
template <class T>
void write_checkpoint(const std::filesystem::path& path, const Problem& problem, const Method& method,
                      const typename Simulation<T>::State& state);

/// Steps that were done. Throws Error (bad_input), one line naming the file, when it is missing, damaged, foreign, or
/// of another run, with what was found and what the run has: precision, boundary, speed, time step, surface,
/// quadrature, first step, waves, observers; group and ahead of the method. Block sizes, solvers and their limits may
/// be others, and so may the number of ranks; with the same ones results are bit-identical.
template <class T>
std::int64_t checkpoint_steps(const std::filesystem::path& path, const Problem& problem, const Method& method);

/// Method::ahead of the run that wrote it. Throws as above for files that are missing or foreign.
bool checkpoint_ahead(const std::filesystem::path& path);

/// For Simulation::set(): what it wants. Throws as above, and for changed bytes.
template <class T>
typename Simulation<T>::State read_checkpoint(const std::filesystem::path& path, const Problem& problem,
                                              const Method& method, const typename Simulation<T>::Wanted& wanted);

}  // namespace asterism::tdbem
