// SPDX-License-Identifier: Apache-2.0
// How a block of the matrix lies in one contiguous piece of memory, so that it is a single StarPU datum and
// a single transfer: sections one after the other, each aligned to 256 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg {

enum class Format : std::int32_t { csr, sell };

struct BlockLayout {
  static constexpr std::size_t alignment = 256;

  Format format = Format::sell;
  bool permuted = false;  ///< sell: rows sorted by length within windows
  std::int64_t rows = 0;
  std::int64_t columns = 0;         ///< length of the vector that the block multiplies
  std::int64_t entries = 0;         ///< stored entries, padding included
  std::int64_t columns_stored = 0;  ///< sell: column indices or diagonal offsets
  bool diagonals = false;           ///< sell: slices may be made of diagonals
  std::int64_t nonzeros = 0;        ///< entries of the matrix
  std::int64_t filled_rows = 0;     ///< rows that have some
  std::size_t index_at = 0;         ///< row_begin or slice_begin
  std::size_t slice_columns_at = 0;
  std::size_t row_at = 0;
  std::size_t column_at = 0;
  std::size_t value_at = 0;
  std::size_t bytes = 0;  ///< of all sections, a multiple of `alignment`

  [[nodiscard]] std::int64_t slices() const { return (rows + slice_height - 1) / slice_height; }

  /// Fills in the offsets from the sizes.
  void place_sections() {
    const auto align = [](std::size_t n) { return (n + alignment - 1) / alignment * alignment; };
    const auto index_bytes = format == Format::csr ? static_cast<std::size_t>(rows + 1) * sizeof(std::int32_t)
                                                   : static_cast<std::size_t>(slices() + 1) * sizeof(std::int64_t);
    const auto lanes = static_cast<std::size_t>(permuted ? slices() * slice_height : 0);
    const auto stored = static_cast<std::size_t>(entries);
    index_at = 0;
    slice_columns_at = align(index_bytes);
    row_at = slice_columns_at + (diagonals ? align(static_cast<std::size_t>(slices()) * sizeof(std::int64_t)) : 0);
    column_at = row_at + align(lanes * sizeof(std::int32_t));
    const auto columns_here = format == Format::sell ? static_cast<std::size_t>(columns_stored) : stored;
    value_at = column_at + align(columns_here * sizeof(std::int32_t));
    bytes = value_at + align(stored * sizeof(double));
  }

  template <class T>
  [[nodiscard]] static T* section(const void* base, std::size_t at) {
    return reinterpret_cast<T*>(const_cast<char*>(static_cast<const char*>(base)) + at);
  }
  [[nodiscard]] CsrView csr(const void* base) const {
    return {rows,
            columns,
            entries,
            section<std::int32_t>(base, index_at),
            section<std::int32_t>(base, column_at),
            section<double>(base, value_at)};
  }
  [[nodiscard]] SellView sell(const void* base) const {
    return {rows,
            slices(),
            section<std::int64_t>(base, index_at),
            permuted ? section<std::int32_t>(base, row_at) : nullptr,
            section<std::int32_t>(base, column_at),
            section<double>(base, value_at),
            diagonals ? section<std::int64_t>(base, slice_columns_at) : nullptr};
  }
};

}  // namespace asterism::cg
