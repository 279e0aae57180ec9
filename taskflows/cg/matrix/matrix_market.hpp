// SPDX-License-Identifier: Apache-2.0
// Matrices and vectors in Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html), plain or
// gzip-compressed. Reading is parallel (OpenMP) and is bit-identical for any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/array.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Reads a square sparse matrix: "matrix coordinate real|integer general|symmetric", .mtx or .mtx.gz (told
/// apart by content). Both triangles are stored whatever the file's symmetry; n is at most 2^31 - 1.
///  - general: entries given more than once are summed (in increasing order of value);
///  - symmetric: either triangle, even a mixture, is accepted, but a position given twice, by itself or by
///    its mirror, is an error;
///  - blank lines, comments, CRLF, leading '+' and Fortran exponents (1.0D+00) are accepted anywhere;
///  - a file with too few entries to put one in every row is refused: the matrix would be singular.
/// Throws Error (bad_input), one line: file, smallest offending line number (of the decompressed text), what
/// was found and what was expected.
CsrMatrix read_matrix_market(const std::filesystem::path& path);

/// Reads a vector of n values: Matrix Market "matrix array real|integer general", n x 1; or "matrix
/// coordinate ...", n x 1, absent rows being zero and repeated ones summed; or text without header, one
/// number per line; or a NumPy array (npy_vector()). Plain or gzip-compressed; throws as read_matrix_market does.
Array<double> read_vector(const std::filesystem::path& path, std::int64_t n);

/// Writes a vector, NAME.npy as a NumPy array of float64 (n,), any other name as "matrix array real general" with 17
/// significant digits, which read_vector restores bit for bit; every line of the comment becomes a comment line. The
/// file appears complete or not at all (it is written under a temporary name in the same folder, then renamed). Throws
/// Error: bad_input when the file cannot be created, failed when writing stops half-way.
void write_vector(const std::filesystem::path& path, std::span<const double> values, std::string_view comment);

}  // namespace asterism::cg
