// SPDX-License-Identifier: Apache-2.0
// How a series lies in an HDF5 file, for the writers of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/series/grid.hpp"
#include "io/series/hdf5_groups.hpp"

namespace asterism::output::detail {

inline constexpr const char* series_format = "asterism series 1";
inline constexpr const char* axes[] = {"x", "y", "z"};

/// The extents of a field's dataset, or of its chunks: about 2^17 places, large enough to compress well, small enough
/// that a slice reads little else.
struct FieldLayout {
  std::vector<std::size_t> shape, chunk;

  FieldLayout(const Grid& grid, std::size_t components) {
    const auto n = [&](std::size_t axis) { return static_cast<std::size_t>(grid.n[axis]); };
    const std::size_t x = std::min<std::size_t>(n(0), 128);
    const std::size_t y = std::min<std::size_t>(n(1), 64);
    shape = {n(2), n(1), n(0)};
    chunk = {std::min<std::size_t>(n(2), (std::size_t{1} << 17) / (x * y)), y, x};
    if (components == 1) return;
    shape.push_back(components);
    chunk.push_back(components);
  }
};

// File: Hdf5Output or DistributedHdf5

template <class File>
void write_grid(File& file, const Grid& grid) {
  file.attribute("/", "format", std::string(series_format));
  for (std::size_t a = 0; a < 3; ++a) {
    file.attribute("/", fmt::format("n{}", axes[a]), std::int64_t{grid.n[a]});
    file.attribute("/", fmt::format("origin_{}", axes[a]), grid.origin[a]);
    file.attribute("/", fmt::format("spacing_{}", axes[a]), grid.spacing[a]);
  }
  file.attribute("/", "centre", std::string(grid.centre == Centre::node ? "node" : "cell"));
}

template <class File>
void write_time(File& file, std::int64_t step, double time, const std::vector<std::string>& fields) {
  const std::string group = group_of(step);
  file.attribute(group, "step", step);
  file.attribute(group, "time", time);
  file.attribute(group, "fields", fmt::format("{}", fmt::join(fields, ",")));
}

}  // namespace asterism::output::detail
