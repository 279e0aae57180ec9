// SPDX-License-Identifier: Apache-2.0
// Matrices of scipy.sparse.save_npz() (a ZIP archive of NumPy arrays; scipy/sparse/_matrix_io.py) and vectors of
// numpy.save().
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/array.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Reads a square sparse matrix of n <= 2^31 - 1 rows in the format csr, csc, coo or bsr, of float64, float32, int64 or
/// int32, with indices of int32 or int64, compressed or not. Entries given more than once are summed, in increasing
/// order of value. Throws Error (bad_input), one line: file, array, what was found and what was expected.
CsrMatrix read_npz_matrix(const std::filesystem::path& path);

/// The n values of a NumPy array (n,), (n, 1) or (1, n) of the same types, from the bytes of a file of this name.
/// Throws Error (bad_input): as parse_npy(), another shape, a value that is not finite.
Array<double> npy_vector(const std::string& name, std::string_view bytes, std::int64_t n);

/// Writes an array (n,) of float64; the file appears complete or not at all. Throws Error as write_vector() does.
void write_npy_vector(const std::filesystem::path& path, std::span<const double> values);

}  // namespace asterism::cg
