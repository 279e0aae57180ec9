// SPDX-License-Identifier: Apache-2.0
// What the kernels see of a matrix block and of a preconditioner: pointers and sizes, no ownership.
#pragma once

#include <cstdint>

namespace asterism::cg {

/// Compressed sparse rows with 32-bit offsets (as cuSPARSE expects them).
struct CsrView {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t entries;
  const std::int32_t* row_begin;  ///< rows + 1
  const std::int32_t* column;     ///< entries
  const double* value;            ///< entries
};

/// Rows per slice of the sliced ELLPACK format: one CUDA warp, four AVX-512 registers of doubles.
inline constexpr int slice_height = 32;
/// Slices whose rows may be sorted by length together.
inline constexpr int sorted_slices = 128;

/// Sliced ELLPACK (SELL-32-sigma; Kreutzer et al., SIAM J. Sci. Comput. 36 (2014)). Entry k of lane l of
/// slice s stands at slice_begin[s] + k slice_height + l. A row's entries keep their order in the matrix;
/// shorter rows are filled up with value 0 and a valid column.
struct SellView {
  std::int64_t rows;
  std::int64_t slices;
  const std::int64_t* slice_begin;  ///< slices + 1 offsets into column and value
  const std::int32_t* row;          ///< slices x slice_height: the row of each lane, -1 none; nullptr: lane order
  const std::int32_t* column;
  const double* value;
  /// Null: the columns of slice s begin at slice_begin[s]. Else at slice_columns[s] or, when that is negative, the
  /// slice is made of diagonals: offsets c_k at ~slice_columns[s], and row r multiplies x[r + c_k].
  const std::int64_t* slice_columns = nullptr;
};

/// What a product also adds up over its rows: p.y, or p.(A x) alone when y accumulates several blocks.
enum class ProductDot : std::int32_t { none, total, own };

/// z = M^-1 r with M block diagonal, blocks of `size` rows (1: Jacobi, at most 32; 0: none).
/// inverse[k n + i] multiplies r[i - i % size + k] in row i: one coalesced stream per k.
struct PreconditionerView {
  int size;
  const double* inverse;
};

}  // namespace asterism::cg
