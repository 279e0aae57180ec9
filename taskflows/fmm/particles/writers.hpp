// SPDX-License-Identifier: Apache-2.0
// The writers behind write_result(), and what they share: a file is a list of sections, each made of a record per
// particle, so that the particles may come in parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "io/output_file.hpp"
#include "taskflows/fmm/particles/write_particles.hpp"

namespace asterism::fmm {

struct Section {
  std::string before;         ///< bytes that precede the records
  std::vector<Field> fields;  ///< that records are made of; none: of the index alone
  std::size_t widest = 0;     ///< bytes of a record
  /// Writes the record of particle i of the part, whose `values` are [field][particle], and returns where it ends.
  std::function<char*(const FieldValues& values, std::size_t i, char* at)> put;
};

struct FileLayout {
  std::vector<Section> sections;
  std::string end;  ///< bytes after them
};

// of n particles
FileLayout vtk_layout(std::size_t n, bool moving, const std::string& charge);  ///< legacy, binary
FileLayout vtp_layout(std::size_t n, bool moving, const std::string& charge);  ///< XML, appended raw data

/// Appends n records of at most `widest` bytes, made by all threads, in order: put(i, at) writes record i and returns
/// where it ends.
template <class Put>
void write_records(OutputFile& file, std::size_t n, std::size_t widest, Put put) {
  constexpr std::size_t block = 1 << 14;  // records
  const std::size_t blocks = (n + block - 1) / block;
  std::exception_ptr error;
#pragma omp parallel
  {
    std::vector<char> bytes(std::min(n, block) * widest);
#pragma omp for ordered schedule(static, 1)
    for (std::size_t b = 0; b < blocks; ++b) {
      char* at = bytes.data();
      for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) at = put(i, at);
#pragma omp ordered
      try {
        if (!error) file.write({bytes.data(), static_cast<std::size_t>(at - bytes.data())});
      } catch (...) {
        error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace asterism::fmm
