// SPDX-License-Identifier: Apache-2.0
// Density and velocity of a lattice, and time series of them: see taskflows/output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "io/series/series.hpp"
#include "taskflows/lbm/geometry/grid.hpp"

namespace asterism::lbm {

using output::Compression;
using output::keep_nothing;
using output::SavedTime;

/// One value per cell, x fastest.
template <class T>
struct Fields {
  std::span<const T> rho, u, v, w;
};

/// A scalar "rho" and a vector "velocity".
template <class T>
output::Fields<T> named(const Fields<T>& fields) {
  return {{"rho", {fields.rho}}, {"velocity", {fields.u, fields.v, fields.w}}};
}

inline output::Grid output_grid(const Grid& grid) {
  return {{grid.nx, grid.ny, grid.nz}, grid.origin, {grid.spacing, grid.spacing, grid.spacing}};
}

class VtkSeries : private output::VtkSeries {
 public:
  VtkSeries(std::filesystem::path path, const Grid& grid, Compression compression,
            std::int64_t keep_until = keep_nothing)
      : output::VtkSeries(std::move(path), output_grid(grid), compression, keep_until) {}

  template <class T>
  void append(std::int64_t step, double time, const Fields<T>& fields) {
    output::VtkSeries::append(step, time, named(fields));
  }
  using output::VtkSeries::times;
};

class Hdf5Series : private output::Hdf5Series {
 public:
  Hdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until = keep_nothing)
      : output::Hdf5Series(std::move(path), output_grid(grid), keep_until) {}

  template <class T>
  void append(std::int64_t step, double time, const Fields<T>& fields) {
    output::Hdf5Series::append(step, time, named(fields));
  }
  using output::Hdf5Series::times;
};

}  // namespace asterism::lbm
