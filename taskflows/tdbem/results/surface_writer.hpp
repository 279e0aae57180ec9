// SPDX-License-Identifier: Apache-2.0
// What SurfaceSeries writes with: VTK files or an HDF5 file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/series/series.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

/// A surface in the numbering of the mesh, as files have it.
struct SavedSurface {
  std::vector<float> points;            ///< x, y, z of each
  std::vector<std::int32_t> triangles;  ///< three corners of each
  std::string fingerprint;              ///< of the surface that it was made of

  [[nodiscard]] std::size_t point_count() const { return points.size() / 3; }
  [[nodiscard]] std::size_t triangle_count() const { return triangles.size() / 3; }
};

/// A value for each point.
struct SavedField {
  std::string name;
  std::vector<float> values;
};

class SurfaceWriter {
 public:
  virtual ~SurfaceWriter() = default;
  /// All times have the same fields.
  virtual void append(const output::SavedTime& time, const std::vector<SavedField>& fields) = 0;

  std::vector<output::SavedTime> times;
};

/// keep_until as in SurfaceSeries. Throw Error.
std::unique_ptr<SurfaceWriter> vtk_writer(const std::filesystem::path& path, SavedSurface surface,
                                          std::int64_t keep_until);
/// names: of fields.
std::unique_ptr<SurfaceWriter> hdf5_writer(const std::filesystem::path& path, SavedSurface surface,
                                           std::vector<std::string> names, std::int64_t keep_until);

}  // namespace asterism::tdbem
