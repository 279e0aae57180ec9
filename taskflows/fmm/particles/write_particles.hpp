// SPDX-License-Identifier: Apache-2.0
// Potential and force of every particle, in formats that common tools read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "taskflows/fmm/motion.hpp"
#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// The columns of a file of results, in their order; those of moving particles come last.
enum class Field { x, y, z, charge, potential, fx, fy, fz, vx, vy, vz, ax, ay, az };
using FieldValues = std::vector<std::span<const double>>;  ///< [field][particle]

/// What columns and arrays of a file are called.
struct ResultNames {
  std::string charge = "charge";           ///< or mass
  std::string potential_unit, force_unit;  ///< empty: none
  std::string speed_unit, acceleration_unit;
};

/// Particles and results that come in parts, one of which is in memory at a time.
struct ResultParts {
  std::size_t particles = 0;  ///< of all parts
  bool here = true;           ///< whether this process gets the parts; the others only give theirs
  bool moving = false;        ///< with velocities and accelerations
  ResultNames names;
  /// Calls take(values) for one part after the other, in the particles' order, with these fields of its particles.
  std::function<void(std::span<const Field> fields, const std::function<void(const FieldValues& values)>& take)> each;
};
/// One field of all particles. `motion`: of moving particles, else none.
std::span<const double> field_of(const Particles& particles, const Result& result, const Motion* motion, Field field);

/// Writes positions, charges and results in the particles' order, in the format that the extension tells; the file
/// appears whole or not at all. Throws Error: bad_input for a name that cannot be written, failed for a full disk.
void write_result(const std::filesystem::path& path, const Particles& particles, const Result& result,
                  const Motion* motion = nullptr, const ResultNames& names = {});
/// Writes the same file from particles that come in parts; all processes that have some call it.
void write_result(const std::filesystem::path& path, const ResultParts& parts);

/// Throws what write_result() would for this name, before there is something to write: an extension that is none of
/// output_formats(), a folder that is missing or not writable, something other than a regular file.
void check_output_name(const std::filesystem::path& path);

/// Extensions and layouts, one line each, for --help.
const char* output_formats();

}  // namespace asterism::fmm
