// SPDX-License-Identifier: Apache-2.0
// The convolution matrices in an HDF5 file, so that a surface and a time step are assembled once for many waves: for
// each block b of slices, "slices_b", its bytes in words of 64 bits, and "initial_b", its values of M^0; attributes
// tell of which problem they are. As large as the matrices are in memory, not compressed.
#pragma once

#include <cstdint>
#include <filesystem>

#include "taskflows/tdbem/matrices/matrices.hpp"

namespace asterism::tdbem {

/// `matrices`, filled, are those of `problem`. `path` is replaced when all is written: throws Error and leaves it else.
/// Over several ranks, which call this together, each writes its own blocks.
template <class T>
void save_matrices(const std::filesystem::path& path, const Problem& problem, Matrices<T>& matrices);

/// What a program has to know before it makes matrices to be filled from the file.
struct MatrixFile {
  std::int32_t block_size = 0;  ///< unknowns of a block
  Precision precision = Precision::double_precision;
};
/// Throws Error (bad_input), one line naming the file: missing, damaged, foreign, or of a problem with another surface,
/// boundary, speed, time step or quadrature, with what was found and what `problem` has.
MatrixFile read_matrix_file(const std::filesystem::path& path, const Problem& problem);

/// Fills matrices of that block size and precision, each rank its own blocks: the same bits. Throws Error (bad_input)
/// as above, also for another block size or precision, lags other than those of the structure, and changed bytes; the
/// matrices are then of no use.
template <class T>
void load_matrices(const std::filesystem::path& path, const Problem& problem, Matrices<T>& matrices);

}  // namespace asterism::tdbem
