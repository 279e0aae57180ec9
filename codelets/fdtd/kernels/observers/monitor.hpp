// SPDX-License-Identifier: Apache-2.0
// Frequency-domain monitors: the Fourier transform of entries of one field, summed up while the domain runs,
//   U(f) = every dt sum of u(t) exp(-2 pi i f t)        over all steps that `every` divides; unit of the field times s.
// Phasors U stand for Re U exp(+2 pi i f t) as is usual in engineering. The phase is that of the step's number in the
// whole run and the moment at which the field is known, so a restarted or divided run gives the same bits.
//
// Sums are in double for float fields, too. A sum of n floats loses up to n / 2^24 of its largest partial sum,
// far-field transforms cancel what is left, and on surfaces memory is not the limit.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

/// Monitored entries of a component, in the domain: a box, plane, line or point.
struct MonitoredEntries {
  std::int32_t component;
  Box entries;
};

/// Up to three components of a field. Array of a monitor: for each component, for each frequency, real parts of all
/// entries, z fastest, then imaginary parts.
struct Monitor {
  Field field;
  std::vector<MonitoredEntries> components;
  std::vector<double> frequencies;  ///< Hz
  std::int32_t every = 1;           ///< steps

  [[nodiscard]] std::int64_t elements() const;
};

/// Throws std::invalid_argument for a component or entry that the domain of n cells does not have, no or more than
/// three components, no frequency, or one that samples every `every` steps of dt cannot tell from another. Along a
/// periodic axis plane n is plane 0.
void check(const Monitor& monitor, const std::int32_t (&n)[3], const bool (&periodic)[3], double dt);

/// What a brick updates of a monitor; its array is laid out as that of a whole monitor of these entries.
struct MonitorPart {
  Grid grid;
  std::int32_t origin[3];
  std::int32_t count;
  std::int32_t frequencies;
  std::int32_t component[3];
  Box entries[3];  ///< of the brick

  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t cells() const {
    std::int64_t sum = 0;
    for (int m = 0; m < count; ++m) sum += entries[m].cells();
    return sum;
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t elements() const { return 2 * frequencies * cells(); }
};
/// The part of a monitor in the brick whose cell (0, 0, 0) is `origin` in the domain.
MonitorPart part_of(const Monitor& monitor, const Grid& grid, const std::int32_t (&origin)[3]);

/// row(place in the array of the monitor, place in that of the part, length) for all rows along z of a part.
using MonitorRow = std::function<void(std::int64_t whole, std::int64_t own, std::int64_t length)>;
void for_rows_of(const Monitor& monitor, const MonitorPart& part, const MonitorRow& row);

/// every dt exp(-2 pi i f t) at the end of a step (E is known there, H half a step before), for each frequency; empty
/// if the step is not recorded. Computed on CPUs, as GPUs have another cos.
std::vector<std::complex<double>> phases(const Monitor& monitor, std::int64_t step, double dt);

namespace cpu {

/// Adds the field times the phases, of entries in rows of cells.
template <class T>
void record(const MonitorPart& part, const Box& cells, const std::complex<double>* phases, const T* field,
            double* array);

}  // namespace cpu

/// Transforms of the entries of a row along z.
struct SpectrumRow {
  const double* real;
  const double* imaginary;
};
/// A monitor's transforms, of the whole domain.
struct Spectrum {
  explicit Spectrum(const Monitor& of);
  /// The array of a part to its place. Every entry is in one part; those on perfect conductors are in none and stay 0.
  void gather(const MonitorPart& part, const double* array);
  /// Back to the array of a part.
  void scatter(const MonitorPart& part, double* array) const;
  /// The transform of component number m at frequency number f, from its first entry along z on.
  [[nodiscard]] SpectrumRow row(int m, int f, int i, int j) const;
  [[nodiscard]] std::complex<double> at(int m, int f, int i, int j, int k) const;

  Monitor monitor;
  std::vector<double> values;
};

}  // namespace asterism::fdtd
