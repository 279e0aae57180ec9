// SPDX-License-Identifier: Apache-2.0
// VTKHDF 1.0 (VTK file formats): images and unstructured grids in HDF5, which VTK 9.1 and ParaView 5.10 and later open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "io/series/grid.hpp"
#include "io/series/series.hpp"
#include "io/series/vtu_file.hpp"

namespace asterism::output {

/// Whether a name ends with .vtkhdf.
bool is_vtkhdf(const std::filesystem::path& path);

/// One file: first image() or mesh(), then values, then commit(). Throws Error: bad_input when no such file can be
/// made, failed for a full disk.
class VtkHdfFile {
 public:
  explicit VtkHdfFile(const std::filesystem::path& path) : file_(path) {}

  /// The points of the image are the places of the grid's values: of cells their centres, since VTK 9.1 does not read
  /// an image's cell data.
  void image(const Grid& grid);
  /// Cells of one kind; points: T, three for each; corners: their points, in VTK's order, of one cell after the other;
  /// unit: of lengths.
  template <class T>
  void mesh(CellKind kind, std::span<const T> places, std::span<const std::int32_t> corners, const std::string& unit);
  /// n points that are cells themselves, whose places rows() fills: three numbers for each.
  void vertices(std::size_t n);

  /// A dataset to be filled by rows(), with as many components for each point or cell.
  void create(Centre centre, const std::string& name, Hdf5Number number, std::size_t components,
              const std::string& unit);
  /// name: as dataset() has it.
  template <class T>
  void rows(const std::string& dataset, std::size_t first, std::span<const T> values) {
    file_.write_rows(dataset, first, values);
  }
  /// Values of each point or cell, the components of each together.
  template <class T>
  void write(Centre centre, const std::string& name, std::size_t components, const std::string& unit,
             std::span<const T> values) {
    create(centre, name, hdf5_number<T>(), components, unit);
    rows(dataset(centre, name), 0, values);
  }
  /// Values on the grid of image(), compressed.
  template <class T>
  void write(const Grid& grid, const Field<T>& field);

  [[nodiscard]] static std::string dataset(Centre centre, const std::string& name);
  static constexpr const char* points = "VTKHDF/Points";
  static constexpr const char* kinds = "VTKHDF/Types";

  void time(const SavedTime& saved, const std::string& unit);
  void commit() { file_.commit(); }

 private:
  void begin(const char* type);
  void numbers(std::size_t points_, std::size_t cells_, std::size_t corners);

  Hdf5Output file_;
  std::size_t point_count_ = 0;
  std::size_t cell_count_ = 0;
};

/// As write_vtu().
void write_vtkhdf(const std::filesystem::path& path, const VtuContents& contents);

}  // namespace asterism::output
