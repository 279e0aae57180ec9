// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/monitor.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/sources/waveform.hpp"

namespace asterism::fdtd {
namespace {

std::string interval(std::int32_t first, std::int32_t end) {
  return "[" + std::to_string(first) + ", " + std::to_string(end) + ")";
}

void check_entries(const Monitor& monitor, const MonitoredEntries& of, const std::int32_t (&n)[3],
                   const bool (&periodic)[3]) {
  if (of.component < 0 || of.component > 2)
    throw std::invalid_argument("component " + std::to_string(of.component) + " of a monitor: there are 0, 1 and 2");
  const std::int32_t first[3] = {of.entries.x0, of.entries.y0, of.entries.z0};
  const std::int32_t end[3] = {of.entries.x1, of.entries.y1, of.entries.z1};
  for (int a = 0; a < 3; ++a) {
    const std::int32_t all = n[a] + (on_planes(monitor.field, of.component, a) && !periodic[a] ? 1 : 0);
    if (first[a] < 0 || end[a] > all || end[a] <= first[a])
      throw std::invalid_argument("entries " + interval(first[a], end[a]) + " of a monitor along " + "xyz"[a] +
                                  ", the domain has " + interval(0, all));
  }
}

/// Offset of the real parts of a component at a frequency, in the array of a monitor or part.
template <class Cells>
std::int64_t offset_of(int m, int f, int frequencies, const Cells& cells) {
  std::int64_t before = 0;
  for (int c = 0; c < m; ++c) before += cells(c);
  return 2 * (before * frequencies + f * cells(m));
}

std::int64_t offset_of(const Monitor& monitor, int m, int f) {
  return offset_of(m, f, static_cast<int>(monitor.frequencies.size()),
                   [&](int c) { return monitor.components[static_cast<std::size_t>(c)].entries.cells(); });
}

}  // namespace

std::int64_t Monitor::elements() const {
  return offset_of(*this, static_cast<int>(components.size()) - 1, static_cast<int>(frequencies.size()));
}

void check(const Monitor& monitor, const std::int32_t (&n)[3], const bool (&periodic)[3], double dt) {
  if (monitor.components.empty() || monitor.components.size() > 3)
    throw std::invalid_argument("a monitor has one to three components, not " +
                                std::to_string(monitor.components.size()));
  if (monitor.frequencies.empty()) throw std::invalid_argument("a monitor without frequencies");
  if (monitor.every < 1)
    throw std::invalid_argument("a monitor records every step or fewer, not every " + std::to_string(monitor.every));
  for (const MonitoredEntries& of : monitor.components) check_entries(monitor, of, n, periodic);
  for (const double f : monitor.frequencies)
    if (!(f >= 0 && 2 * f * monitor.every * dt < 1))
      throw std::invalid_argument("frequency " + std::to_string(f) + " Hz of a monitor that records every " +
                                  std::to_string(monitor.every) + " steps: has to be from 0 to below " +
                                  std::to_string(0.5 / (monitor.every * dt)));
}

MonitorPart part_of(const Monitor& monitor, const Grid& grid, const std::int32_t (&origin)[3]) {
  MonitorPart part{grid,
                   {origin[0], origin[1], origin[2]},
                   static_cast<std::int32_t>(monitor.components.size()),
                   static_cast<std::int32_t>(monitor.frequencies.size()),
                   {},
                   {}};
  for (int m = 0; m < part.count; ++m) {
    const MonitoredEntries& of = monitor.components[static_cast<std::size_t>(m)];
    const std::int32_t first[3] = {of.entries.x0, of.entries.y0, of.entries.z0};
    const std::int32_t end[3] = {of.entries.x1, of.entries.y1, of.entries.z1};
    Box b = grid.entries(monitor.field, of.component, grid.cells());
    std::int32_t* const lower[3] = {&b.x0, &b.y0, &b.z0};
    std::int32_t* const upper[3] = {&b.x1, &b.y1, &b.z1};
    for (int a = 0; a < 3; ++a) {
      *lower[a] = std::max(first[a] - origin[a], *lower[a]);
      *upper[a] = std::min(end[a] - origin[a], *upper[a]);
    }
    part.component[m] = of.component;
    part.entries[m] = b.empty() ? Box{} : b;
  }
  return part;
}

std::vector<std::complex<double>> phases(const Monitor& monitor, std::int64_t step, double dt) {
  std::vector<std::complex<double>> all;
  if (step % monitor.every != 0) return all;
  const double t =
      monitor.field == Field::electric ? time_of(Moment::whole, step, dt) : time_of(Moment::half, step - 1, dt);
  for (const double f : monitor.frequencies) {
    const double angle = -2 * std::numbers::pi * f * t;
    all.emplace_back(monitor.every * dt * std::cos(angle), monitor.every * dt * std::sin(angle));
  }
  return all;
}

namespace cpu {
namespace {

template <class T>
ASTERISM_INLINE void record_rows(const MonitorPart& part, const Box& all, const std::complex<double>* phases,
                                 const T* field, double* array) {
  for (int m = 0; m < part.count; ++m) {
    const Box& b = part.entries[m];
    const std::int64_t cells = b.cells();
    const int nz = b.z1 - b.z0;
    // entries on a magnetic conductor go with the last cells
    const int end_x = all.x1 == part.grid.n[0] ? b.x1 : std::min(b.x1, all.x1);
    const int end_y = all.y1 == part.grid.n[1] ? b.y1 : std::min(b.y1, all.y1);
    for (int i = std::max(b.x0, all.x0); i < end_x; ++i)
      for (int j = std::max(b.y0, all.y0); j < end_y; ++j) {
        double* const row = array + (static_cast<std::int64_t>(i - b.x0) * (b.y1 - b.y0) + (j - b.y0)) * nz;
        const T* const from = field + part.grid.at(part.component[m], i, j, b.z0);
        for (int f = 0; f < part.frequencies; ++f) {
          const double real = phases[f].real();
          const double imaginary = phases[f].imag();
          double* const re = row + 2 * f * cells;
          double* const im = re + cells;
#pragma GCC ivdep
          for (int k = 0; k < nz; ++k) {
            const auto u = static_cast<double>(from[k]);
            re[k] += real * u;
            im[k] += imaginary * u;
          }
        }
      }
    array += 2 * part.frequencies * cells;
  }
}

}  // namespace

template <>
ASTERISM_CLONES void record(const MonitorPart& part, const Box& cells, const std::complex<double>* phases,
                            const double* field, double* array) {
  record_rows(part, cells, phases, field, array);
}
template <>
ASTERISM_CLONES void record(const MonitorPart& part, const Box& cells, const std::complex<double>* phases,
                            const float* field, double* array) {
  record_rows(part, cells, phases, field, array);
}

}  // namespace cpu

Spectrum::Spectrum(const Monitor& of) : monitor(of), values(static_cast<std::size_t>(of.elements())) {}

void for_rows_of(const Monitor& monitor, const MonitorPart& part, const MonitorRow& row) {
  std::int64_t next = 0;
  for (int m = 0; m < part.count; ++m) {
    const Box& own = part.entries[m];
    const Box& all = monitor.components[static_cast<std::size_t>(m)].entries;
    for (int f = 0; f < part.frequencies; ++f)
      for (int half = 0; half < 2; ++half)
        for (int i = own.x0; i < own.x1; ++i)
          for (int j = own.y0; j < own.y1; ++j) {
            const std::int64_t x = part.origin[0] + i - all.x0;
            const std::int64_t y = part.origin[1] + j - all.y0;
            const std::int64_t z = part.origin[2] + own.z0 - all.z0;
            row(offset_of(monitor, m, f) + half * all.cells() + (x * (all.y1 - all.y0) + y) * (all.z1 - all.z0) + z,
                next, own.z1 - own.z0);
            next += own.z1 - own.z0;
          }
  }
}

void Spectrum::gather(const MonitorPart& part, const double* array) {
  for_rows_of(monitor, part, [&](std::int64_t whole, std::int64_t own, std::int64_t length) {
    std::copy_n(array + own, length, values.data() + whole);
  });
}

void Spectrum::scatter(const MonitorPart& part, double* array) const {
  for_rows_of(monitor, part, [&](std::int64_t whole, std::int64_t own, std::int64_t length) {
    std::copy_n(values.data() + whole, length, array + own);
  });
}

SpectrumRow Spectrum::row(int m, int f, int i, int j) const {
  const Box& all = monitor.components[static_cast<std::size_t>(m)].entries;
  const std::int64_t number = static_cast<std::int64_t>(i - all.x0) * (all.y1 - all.y0) + (j - all.y0);
  const double* const real = values.data() + offset_of(monitor, m, f) + number * (all.z1 - all.z0);
  return {real, real + all.cells()};
}

std::complex<double> Spectrum::at(int m, int f, int i, int j, int k) const {
  const SpectrumRow found = row(m, f, i, j);
  const std::int32_t first = monitor.components[static_cast<std::size_t>(m)].entries.z0;
  return {found.real[k - first], found.imaginary[k - first]};
}

}  // namespace asterism::fdtd
