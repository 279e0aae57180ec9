// SPDX-License-Identifier: Apache-2.0
// The state of particles that move, on file: a run that resumes from it has results that are bit-identical to those of
// a run without interruption.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "taskflows/fmm/motion.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// What has to be the same in a run that resumes.
struct CheckpointSettings {
  std::string method;  ///< kernel, accuracy, order of sums, time step
  TreeShape shape;
  Box box;  ///< the cube that the tree divides: it depends on where particles have been
};

/// HDF5: "positions" and "velocities" (n x 3), "charges" and, unless each is 1, "masses" (n) of the particles of all
/// ranks, in their order; "conservation", the energy at the start and its largest change. All ranks call it. Throws
/// Error (failed) when it cannot be written: then an older file stays.
void write_checkpoint(const std::filesystem::path& path, const CheckpointSettings& settings, const Particles& particles,
                      const Motion& motion);

struct Checkpoint {
  CheckpointSettings settings;
  std::size_t particles_of_all = 0;  ///< number of particles of all parts
  Particles particles;               ///< those of the part
  Motion motion;
};
/// Throws Error (bad_input): no such file, not one that write_checkpoint() wrote, fewer particles than parts, or values
/// that are not finite.
Checkpoint read_checkpoint(const std::filesystem::path& path, const Part& part);

}  // namespace asterism::fmm
