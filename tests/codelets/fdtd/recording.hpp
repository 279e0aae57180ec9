// SPDX-License-Identifier: Apache-2.0
// Monitors of a domain in the tests, divided or not: every part has an array of its own.
#pragma once

#include <complex>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/observers/far_field.hpp"
#include "codelets/fdtd/kernels/observers/monitor.hpp"
#include "tests/codelets/fdtd/domain.hpp"

namespace asterism::fdtd {

class Recording {
 public:
  template <class T>
  Recording(const Monitor& of, const Domain<T>& domain) : monitor(of), dt_(domain.setting.dt()) {
    for (const Part<T>& p : domain.parts) {
      parts.push_back(part_of(monitor, p.grid, p.origin));
      arrays.emplace_back(as_size(parts.back().elements()));
    }
  }
  /// After `step` steps.
  template <class T>
  void record(const Domain<T>& domain, std::int64_t step) {
    const std::vector<std::complex<double>> factors = phases(monitor, step, dt_);
    if (factors.empty()) return;
    for (std::size_t p = 0; p < parts.size(); ++p)
      cpu::record(parts[p], parts[p].grid.cells(), factors.data(), domain.parts[p].field(monitor.field).data(),
                  arrays[p].data());
  }
  void gather(Spectrum& spectrum) const {
    for (std::size_t p = 0; p < parts.size(); ++p) spectrum.gather(parts[p], arrays[p].data());
  }
  [[nodiscard]] Spectrum spectrum() const {
    Spectrum whole(monitor);
    gather(whole);
    return whole;
  }

  Monitor monitor;
  std::vector<MonitorPart> parts;
  std::vector<std::vector<double>> arrays;

 private:
  double dt_;
};

/// All monitors of a closed surface.
class SurfaceRecording {
 public:
  template <class T>
  SurfaceRecording(const ClosedSurface& of, const Domain<T>& domain) : surface(of) {
    for (const Plane& p : of.planes)
      for (const Monitor* m : {&p.electric, &p.magnetic}) recordings_.emplace_back(*m, domain);
  }
  template <class T>
  void record(const Domain<T>& domain, std::int64_t step) {
    for (Recording& r : recordings_) r.record(domain, step);
  }
  [[nodiscard]] SurfaceSpectra spectra() const {
    SurfaceSpectra all(surface);
    for (std::size_t face = 0; face < 6; ++face) {
      recordings_[2 * face].gather(all.electric[face]);
      recordings_[2 * face + 1].gather(all.magnetic[face]);
    }
    return all;
  }

  ClosedSurface surface;

 private:
  std::vector<Recording> recordings_;
};

}  // namespace asterism::fdtd
