// SPDX-License-Identifier: Apache-2.0
// Datasets with a checksum, in files that a run resumes from: HDF5 itself does not see a changed byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/fingerprint.hpp"
#include "io/hdf5/file.hpp"
#include "io/text_words.hpp"

namespace asterism::tdbem {

/// 16 hexadecimal digits.
inline std::string digits(std::uint64_t sum) {
  return fmt::format("{:016x}", sum);
}

/// Numbers of the file's precision, to the last bit, in C order. Throws Error.
template <class T>
void write_checked(Hdf5Output& file, const std::string& dataset, const std::vector<std::size_t>& shape,
                   std::span<const T> values) {
  file.write(dataset, shape, values);
  file.attribute(dataset, "checksum", digits(checksum(values.data(), values.size_bytes())));
}

/// Throws Error (bad_input), naming file and dataset: missing, other numbers, another shape.
template <class T>
void check_shape(const Hdf5Input& file, const std::string& dataset, const std::vector<std::size_t>& expected) {
  const std::vector<std::size_t> shape = file.shape(dataset);
  if (shape != expected)
    bad_input("{}: dataset \"{}\": found {} values, expected {}", file.name, dataset, fmt::join(shape, " x "),
              fmt::join(expected, " x "));
  if (file.number(dataset) != hdf5_number<T>())
    bad_input("{}: dataset \"{}\" holds other numbers than expected", file.name, dataset);
}

/// After check_shape(). Throws Error (bad_input) when what is read is not what was written.
template <class T>
void read_checked(const Hdf5Input& file, const std::string& dataset, const std::vector<std::size_t>& shape,
                  std::span<T> values) {
  if (!values.empty()) file.read_block(dataset, {std::vector<std::size_t>(shape.size(), 0), shape}, values);
  const std::string found = digits(checksum(values.data(), values.size_bytes()));
  const std::string expected = file.text_attribute(dataset, "checksum");
  if (found != expected)
    bad_input("{}: dataset \"{}\" is damaged: checksum {}, expected {}", file.name, dataset, found,
              in_quotes(expected));
}

}  // namespace asterism::tdbem
