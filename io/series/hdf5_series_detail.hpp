// SPDX-License-Identifier: Apache-2.0
// How a series lies in an HDF5 file, for the writers of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "io/series/grid.hpp"
#include "io/series/hdf5_groups.hpp"
#include "io/series/pieces.hpp"
#include "io/series/series.hpp"

namespace asterism::output::detail {

inline constexpr const char* series_format = "asterism series 2";
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

/// A field's values in compressed chunks.
template <class T>
void write_field(Hdf5Output& file, const std::string& dataset, const Grid& grid, const Field<T>& field) {
  const std::size_t components = field.components.size();
  const FieldLayout layout(grid, components);
  const auto fill = [&](const Hdf5Block& block, T* values) {
    Region region{};
    for (std::size_t a = 0; a < 3; ++a) {
      region.first[a] = static_cast<std::int32_t>(block.first[2 - a]);
      region.n[a] = static_cast<std::int32_t>(block.extent[2 - a]);
    }
    for_rows(grid.n, region, [&](std::size_t from, std::size_t to) {
      for (std::size_t x = 0; x < block.extent[2]; ++x) {
        for (std::size_t c = 0; c < components; ++c) {
          values[components * (to + x) + c] = field.components[c][from + x];
        }
      }
    });
  };
  file.write_compressed<T>(dataset, layout.shape, layout.chunk, fill);
}

/// What a field is, beside its values.
struct Described {
  std::string name;
  std::size_t components;
  std::string unit;
};

/// A fingerprint of the planes of a graded grid, whose coordinates each time has.
std::string planes_of(const Grid& grid);
void write_grid(Hdf5Output& file, const Grid& grid);
/// The attributes of a time and of its fields, which are written; and, by the Climate and Forecast conventions, the
/// coordinates of their axes and the time itself, so that a group is a data set of netCDF and xarray.
void write_time(Hdf5Output& file, const Grid& grid, const SavedTime& saved, const std::vector<Described>& fields);

}  // namespace asterism::output::detail
