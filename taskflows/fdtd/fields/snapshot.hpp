// SPDX-License-Identifier: Apache-2.0
// E and H of a whole domain at one time, put together from sub-domains, as fields that taskflows/output writes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"
#include "io/series/pieces.hpp"
#include "io/series/series.hpp"

namespace asterism::fdtd {

/// A component at the centre of a cell, second order as the scheme itself: of E the mean of the 4 entries on the edges
/// of the cell along its direction, of H of the 2 on its faces across it. stride: from the cell's entry to the next one
/// along x, y and z. The sum has one order, wherever it is made.
template <class T>
T at_centre(Field field, int component, const T* entry, const std::int64_t (&stride)[3]) {
  if (field == Field::magnetic) return (entry[0] + entry[stride[component]]) / 2;
  const std::int64_t u = stride[(component + 1) % 3];
  const std::int64_t v = stride[(component + 2) % 3];
  return ((entry[0] + entry[u]) + (entry[v] + entry[u + v])) / 4;
}
/// "E" or "H".
std::string name_of(Field field);
/// "V/m" or "A/m".
std::string unit_of(Field field);

/// Values of the electric or the magnetic field; after step n, E is that of n dt and H that of (n - 1/2) dt. T: float
/// or double.
template <class T>
class Snapshot {
 public:
  /// domain: the whole as one sub-domain, of which a face that is a neighbour is periodic.
  Snapshot(Field field, const Grid& domain);

  /// The entries that a sub-domain updates, wherever they lie in the domain: `origin` is its cell (0, 0, 0), `values`
  /// the field in its layout. In any order; what lies on electric conductors is 0. Throws Error (failed) for one that
  /// overlaps another or reaches out of the domain.
  void put(const Grid& part, const std::array<std::int32_t, 3>& origin, const T* values);

  /// "E" or "H", one vector per cell, at its centre (at_centre). Valid as long as the snapshot, which then holds means.
  /// Throws Error (failed) when entries are missing.
  output::Fields<T> at_centres();
  /// "Ex", "Ey", "Ez" or "Hx", "Hy", "Hz": entry (i, j, k) of a component as the value of cell (i, j, k), though it
  /// lies half a cell from there, see codelets/fdtd/kernels/grid.hpp. Planes n, of magnetic conductors, are left out.
  /// Else as at_centres().
  output::Fields<T> entries();

 private:
  void check_complete() const;
  /// The values of a component, compact: cells of them instead of entries.
  template <class Value>
  std::span<const T> compact(int component, const Value& value);
  void close_period(int component);

  Field field_;
  Grid domain_;
  bool compacted_ = false;
  std::vector<output::Assembly<T>> component_;  ///< n + 1 entries along every axis
};

}  // namespace asterism::fdtd
