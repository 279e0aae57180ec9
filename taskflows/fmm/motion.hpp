// Particles of unit mass that the forces move, velocity Verlet:
//   v += f dt / 2,  x += v dt,  then f at the new places,  v += f dt / 2;
// and their state as a file, to go on from to the last bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

struct Motion {
  Motion() = default;
  /// At rest.
  explicit Motion(std::size_t particles);

  std::int64_t step = 0;  ///< steps done
  Array<double> vx, vy, vz;
};

/// v += f dt / 2.
void kick(Motion& motion, const Result& forces, double dt);
/// x += v dt. Throws Error (failed) for a particle whose place is no number any more, counted from `first`.
void drift(const Motion& motion, double dt, Particles& particles, std::size_t first);

/// What has to be the same where a motion goes on.
struct MotionSettings {
  std::string method;  ///< kernel, accuracy, order of sums, time step
  TreeShape shape;
  Box box;  ///< of the tree: it depends on where particles have been
};

/// HDF5: "positions" and "velocities" (n x 3) and "charges" (n) of the particles of all ranks, in their order. All
/// ranks call it. Throws Error (failed) when it cannot be written: then an older file stays.
void write_motion(const std::filesystem::path& path, const MotionSettings& settings, const Particles& particles,
                  const Motion& motion);

struct SavedMotion {
  MotionSettings settings;
  std::size_t of_all = 0;  ///< particles of all parts
  Particles particles;     ///< of the part
  Motion motion;
};
/// Throws Error (bad_input): no such file, not one that write_motion() wrote, fewer particles than parts, or values
/// that are not finite.
SavedMotion read_motion(const std::filesystem::path& path, const Part& part);

}  // namespace asterism::fmm
