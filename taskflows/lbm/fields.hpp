// Time series of density and velocity, as files that ParaView opens. Every file is complete after every append, and
// what was written before stays as it is when the disk is full or the program is killed. Lengths, times and velocities
// are written in the units in which they are given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "taskflows/lbm/grid.hpp"

namespace asterism::lbm {

/// One value per cell, x fastest.
template <class T>
struct Fields {
  std::span<const T> rho, u, v, w;
};

/// A time that a series holds.
struct SavedTime {
  std::int64_t step;
  double time;
  friend bool operator==(const SavedTime&, const SavedTime&) = default;
};

/// A series that begins anew; the older one of that name stays until the first append.
inline constexpr std::int64_t keep_nothing = -1;

enum class Compression { none, zlib };

/// NAME_STEP.vti for every time (VTK ImageData with cell data "rho" and "velocity"), and NAME.pvd, which lists them.
class VtiSeries {
 public:
  /// path: NAME.pvd. keep_until: an existing series is continued, without its times after that step, as a run is that
  /// restarts there; or keep_nothing. Throws Error (bad_input) when what is at `path` is no such series or no file can
  /// be written there.
  VtiSeries(std::filesystem::path path, const Grid& grid, Compression compression,
            std::int64_t keep_until = keep_nothing);

  /// T: float or double. Steps ascend. Throws Error (failed), and the series is as before.
  template <class T>
  void append(std::int64_t step, double time, const Fields<T>& fields);
  [[nodiscard]] const std::vector<SavedTime>& times() const noexcept { return times_; }

 private:
  void write_collection(const std::vector<SavedTime>& times) const;

  std::filesystem::path path_;
  Grid grid_;
  Compression compression_;
  std::vector<SavedTime> times_;
};

/// NAME.h5 with a group "step_0000000010" per time (attributes `step` and `time`) that holds rho [nz][ny][nx] and
/// velocity [nz][ny][nx][3], compressed, and NAME.xdmf, which describes it to ParaView.
class Hdf5Series {
 public:
  /// path: NAME.h5; else as VtiSeries. An existing series has to be on the same grid.
  Hdf5Series(std::filesystem::path path, const Grid& grid, std::int64_t keep_until = keep_nothing);

  template <class T>
  void append(std::int64_t step, double time, const Fields<T>& fields);
  [[nodiscard]] const std::vector<SavedTime>& times() const noexcept { return times_; }

 private:
  void open_existing(std::int64_t keep_until);
  void write_xdmf() const;

  std::filesystem::path path_;
  Grid grid_;
  std::vector<SavedTime> times_;
  std::vector<int> bytes_;  ///< of a number, at every time
};

}  // namespace asterism::lbm
