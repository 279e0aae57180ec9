// SPDX-License-Identifier: Apache-2.0
// Time series of named fields on a regular grid, as files that ParaView opens. Every file is complete after every
// append, and what was written before stays as it is when the disk is full or the program is killed. Lengths, times and
// values are written in the units in which they are given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/series/grid.hpp"

namespace asterism::output {

/// One array over the grid, or three: a scalar, or a vector along x, y, z.
template <class T>
struct Field {
  std::string name;  ///< letters, digits and what else is no slash, comma, quote or line break
  std::vector<std::span<const T>> components;
  std::string unit = "1";  ///< "V/m"; "1": none
};
template <class T>
using Fields = std::vector<Field<T>>;

/// A time that a series holds.
struct SavedTime {
  std::int64_t step;
  double time;
  friend bool operator==(const SavedTime&, const SavedTime&) = default;
};

/// A series that begins anew; the older one of that name stays until the first append.
inline constexpr std::int64_t keep_nothing = -1;

enum class Compression { none, zlib };

/// What series of fields may be called.
inline constexpr const char* series_names = "NAME.pvd (VTK), NAME.vtkhdf (VTKHDF) or NAME.h5 (HDF5 and XDMF)";

/// VTK ImageData for every time. NAME.pvd: NAME_STEP.vti in XML with cell or point data, and NAME.pvd, which lists
/// them. NAME.vtkhdf: NAME_STEP.vtkhdf (VTKHDF 1.0) with point data, at the centres of cells where values are those of
/// cells, and the list NAME.vtkhdf.series. ParaView opens the list.
class VtkSeries {
 public:
  /// path: NAME.pvd or NAME.vtkhdf. keep_until: an existing series is continued, without its times after that step, as
  /// a run is that restarts there; or keep_nothing. Throws Error (bad_input) when what is at `path` is no such series
  /// or no file can be written there.
  VtkSeries(std::filesystem::path path, const Grid& grid, Compression compression,
            std::int64_t keep_until = keep_nothing);

  /// T: float or double. Steps ascend; the last one of a series that is continued may come again, from a run that
  /// restarts at it, and is kept. Throws Error (failed), and the series is as before.
  template <class T>
  void append(std::int64_t step, double time, const Fields<T>& fields);
  [[nodiscard]] const std::vector<SavedTime>& times() const noexcept { return times_; }

 private:
  std::filesystem::path path_;
  Grid grid_;
  Compression compression_;
  std::vector<SavedTime> times_;
  std::int64_t last_kept_ = keep_nothing;  ///< the last step of the series that is continued
};

/// NAME.h5 with a group "step_0000000010" per time (attributes `step`, `time` and `fields`, their names) that holds
/// scalars [nz][ny][nx] and vectors [nz][ny][nx][3], compressed, and NAME.xdmf, which describes it to ParaView.
class Hdf5Series {
 public:
  /// path: NAME.h5; else as VtkSeries. An existing series has to be on the same grid.
  Hdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until = keep_nothing);

  template <class T>
  void append(std::int64_t step, double time, const Fields<T>& fields);
  [[nodiscard]] const std::vector<SavedTime>& times() const noexcept { return times_; }

  struct Dataset {
    std::string name;
    std::size_t components;
    std::size_t bytes;  ///< of a number
  };
  /// A time that others have put into the file, after the last one of times().
  void add(const SavedTime& saved, std::vector<Dataset> datasets);

 private:
  void open_existing(std::int64_t keep_until);
  void write_xdmf() const;

  std::filesystem::path path_;
  Grid grid_;
  std::vector<SavedTime> times_;
  std::vector<std::vector<Dataset>> datasets_;  ///< at every time
  std::int64_t last_kept_ = keep_nothing;       ///< the last step of the series that is continued
};

}  // namespace asterism::output
