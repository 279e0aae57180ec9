// SPDX-License-Identifier: Apache-2.0
// Particles from the files that people have: text tables, molecules, NumPy arrays, HDF5.
#pragma once

#include <filesystem>
#include <string>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

struct ReadOptions {
  /// Text tables and NumPy arrays: which columns are x, y, z and, if there are four, the charge, or seven, the charge
  /// and the velocity: numbers from 1 ("1,2,3,5"), or names of the header line ("ra,dec,dist,mass"). Empty: as
  /// input_formats() says.
  std::string columns = {};
  /// HDF5: the dataset of n x 3 positions or n x 4 positions and charges; or two, "positions,charges".
  /// Empty: "positions" with "charges", else "particles".
  std::string dataset = {};
  /// Which of the particles to read. Texts are scanned whole for it, compressed files expanded in memory.
  Part part = {};
};

/// Reads at least one particle, and one for every part, in the order of the file. The extension tells the format, ".gz"
/// after it that the file is compressed. Throws Error (bad_input), one line naming the file and the line, row or
/// dataset: missing, foreign, cut off or damaged files, too few columns, anything that is not a number, NaN and
/// infinity.
Particles read_particles(const std::filesystem::path& path, const ReadOptions& options = {});

/// Extensions and layouts, one line each, for --help.
const char* input_formats();

}  // namespace asterism::fmm
