// The writers behind write_result(), one per format, and what they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string_view>
#include <vector>

#include "taskflows/fmm/particles.hpp"
#include "taskflows/runtime/output_file.hpp"

namespace asterism::fmm {

void write_vtk(OutputFile& file, const Particles& particles, const Result& result);  ///< legacy, binary
void write_vtp(OutputFile& file, const Particles& particles, const Result& result);  ///< XML, appended raw data

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
