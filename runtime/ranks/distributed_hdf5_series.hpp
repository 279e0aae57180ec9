// SPDX-License-Identifier: Apache-2.0
// A series of fields on a regular grid in one HDF5 file (Hdf5Series) that all ranks write, each its part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/series/series.hpp"
#include "runtime/ranks/distributed_array.hpp"
#include "runtime/ranks/distributed_hdf5.hpp"

namespace asterism::output {

/// A scalar [nz][ny][nx] or a vector [nz][ny][nx][3] whose values come from those of an array that ranks share.
struct DistributedField {
  std::string name;
  std::size_t components;
  const DistributedArray* values;
  ChunkSource source;
  std::string unit = "1";  ///< as of Field
};

/// Components `first` and following of an array [component][nz][ny][nx] of T.
template <class T>
ChunkSource components_of(std::int64_t first, std::size_t components) {
  const auto needs = [=](const Hdf5Block& chunk) {
    ArrayBox box{{first}, {static_cast<std::int64_t>(components)}};
    for (std::size_t d = 0; d < 3; ++d) {
      box.first[d + 1] = static_cast<std::int64_t>(chunk.first[d]);
      box.extent[d + 1] = static_cast<std::int64_t>(chunk.extent[d]);
    }
    return box;
  };
  const auto fill = [=](const Hdf5Block& chunk, const char* needed, void* values) {
    const std::size_t places = chunk.extent[0] * chunk.extent[1] * chunk.extent[2];
    const T* const from = reinterpret_cast<const T*>(needed);
    T* to = static_cast<T*>(values);
    for (std::size_t i = 0; i < places; ++i)
      for (std::size_t c = 0; c < components; ++c) *to++ = from[c * places + i];
  };
  return {needs, fill};
}

class DistributedHdf5Series {
 public:
  /// As Hdf5Series; all ranks make it.
  DistributedHdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until = keep_nothing);

  /// All ranks, with the same fields, of type T. Throws Error (failed) on all, and the series is as before.
  template <class T>
  void append(std::int64_t step, double time, const std::vector<DistributedField>& fields);
  [[nodiscard]] const std::vector<SavedTime>& times() const noexcept { return times_; }

 private:
  std::filesystem::path path_;
  Grid grid_;
  std::optional<Hdf5Series> series_;  ///< of rank 0
  std::vector<SavedTime> times_;
  std::int64_t last_kept_ = keep_nothing;  ///< the last step of the series that is continued
};

}  // namespace asterism::output
