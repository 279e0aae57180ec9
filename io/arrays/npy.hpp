// SPDX-License-Identifier: Apache-2.0
// NumPy arrays (numpy/lib/format.py, versions 1.0 to 3.0): magic, version, length of the header, the header as a Python
// dictionary with descr, fortran_order and shape, then the values. Pickled objects are refused.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct NpyArray {
  char kind = 0;          ///< NumPy's letter: f real, i integer, S bytes
  std::size_t width = 0;  ///< bytes of a value
  bool swapped = false;   ///< in the other byte order than this machine's
  bool column_major = false;
  std::vector<std::size_t> shape;
  std::string_view values;  ///< as many bytes as the shape announces, of no particular alignment

  [[nodiscard]] std::size_t count() const { return width == 0 ? 0 : values.size() / width; }
  /// "(3, 4)"
  [[nodiscard]] std::string show_shape() const;
};

/// name: of the file, which begins each complaint. expected: what the array should be, for messages. Takes values of
/// types f4, f8, i4, i8 and S. Throws Error (bad_input), one line, for anything else, for a file that is cut off or too
/// long, and for a header that is none.
NpyArray parse_npy(const std::string& name, std::string_view bytes, std::string_view expected);

/// Whether a file begins as a NumPy array does.
bool is_npy(std::string_view bytes);

/// Value i of the array in memory, converted to T.
template <class T>
T npy_value(const NpyArray& array, std::size_t i) {
  const auto bits_of = [&]<class Bits>(Bits bits) {
    std::memcpy(&bits, array.values.data() + i * sizeof bits, sizeof bits);
    if (!array.swapped) return bits;
    Bits other = 0;
    for (std::size_t b = 0; b < sizeof bits; ++b) other = other << 8U | (bits >> (8 * b) & 0xffU);
    return other;
  };
  if (array.width == 8) {
    const auto bits = bits_of(std::uint64_t{});
    return array.kind == 'f' ? static_cast<T>(std::bit_cast<double>(bits))
                             : static_cast<T>(std::bit_cast<std::int64_t>(bits));
  }
  const auto bits = bits_of(std::uint32_t{});
  return array.kind == 'f' ? static_cast<T>(std::bit_cast<float>(bits))
                           : static_cast<T>(std::bit_cast<std::int32_t>(bits));
}

/// What stands before the values of an array of float64, the last index fastest (version 1.0).
std::string npy_header(const std::vector<std::size_t>& shape);

}  // namespace asterism
