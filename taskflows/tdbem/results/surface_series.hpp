// SPDX-License-Identifier: Apache-2.0
// Values on the surface over time as files that ParaView opens, with points and triangles in the numbering of the mesh:
// NAME.pvd, a list of times, and NAME_STEP.vtp for each (VTK PolyData); NAME.vtkhdf.series and NAME_STEP.vtkhdf; or
// NAME.h5 and NAME.xdmf, which describes it.
// 32-bit floats. A file is complete after every append, and what was written before stays when the disk is full or the
// program is killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/series/series.hpp"
#include "taskflows/tdbem/problem.hpp"

namespace asterism::tdbem {

/// To what time the surface's values of a step belong, s: t_n = (first_step + n) dt for rigid bodies; t_n - dt / 2 for
/// soft ones, whose values are those of the whole step (t_(n-1), t_n].
double surface_time(const Problem& problem, std::int64_t step);

/// "pressure_0", the total one, or "normal_derivative_0", of the total pressure.
std::string field_name(Boundary boundary, std::size_t wave);

class SurfaceWriter;

class SurfaceSeries {
 public:
  /// path: NAME.pvd, NAME.vtkhdf or NAME.h5. `problem` is kept by reference. keep_until: an existing series is
  /// continued, without its steps after that one; a run that resumes after `steps` steps keeps them until steps - 1.
  /// Else it is replaced by the first append. Throws Error (bad_input) for other names, when no file can be written
  /// there, and when a series that is to be continued is none or on another surface.
  SurfaceSeries(const std::filesystem::path& path, const Problem& problem,
                std::int64_t keep_until = output::keep_nothing);
  ~SurfaceSeries();
  SurfaceSeries(const SurfaceSeries&) = delete;
  SurfaceSeries& operator=(const SurfaceSeries&) = delete;

  /// values[wave][unknown] of step n, in the numbering of the unknowns. Steps ascend; the last one of
  /// a series that is continued may come again, from a run that restarts behind it, and is kept. Throws Error (failed):
  /// numbers of values, a full disk.
  void append(std::int64_t step, std::span<const std::vector<double>> values);
  [[nodiscard]] const std::vector<output::SavedTime>& times() const;

 private:
  const std::filesystem::path path_;
  const Problem& problem_;
  std::unique_ptr<SurfaceWriter> writer_;
  const std::int64_t last_kept_;  ///< the last step of the series that is continued
};

}  // namespace asterism::tdbem
