// SPDX-License-Identifier: Apache-2.0
// Floating-point operations and bytes of the kernels, as they do them: the one place that programs, bounds and
// documentation read. Bytes are those that pass the memory interface.
#pragma once

#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

/// Operations of one entry: two differences, two products, one difference and the update; materials multiply twice
/// more. 36 for the six entries of a cell in the background, 24 additions and 12 multiplications as in Yee_bench
/// (table 2.3 of the paper).
constexpr double entry_flops(bool materials) {
  return materials ? 8 : 6;
}
/// Operations of a half-step of the cells of a box. Formula (4.1) of the paper has the same for E in a box of electric
/// conductors, but 18 N^3 for H, as it updates the H that is normal to the lower conductors and stays as it is.
constexpr double flops(Field field, const Grid& grid, const Box& cells, bool materials) {
  double entries = 0;
  for (int c = 0; c < 3; ++c) entries += static_cast<double>(grid.entries(field, c, cells).cells());
  return entry_flops(materials) * entries;
}

/// Bytes of one cell in one half-step that pass the memory interface if caches keep what neighbouring rows and planes
/// share: three components read, three updated, and an index for each where there are materials.
constexpr double update_bytes(bool materials, int element) {
  return 9.0 * element + (materials ? 6 : 0);
}
/// Bytes of one cell in a whole step in one pass (update_both): six components updated.
constexpr double update_both_bytes(bool h_materials, bool e_materials, int element) {
  return 12.0 * element + (h_materials ? 6 : 0) + (e_materials ? 6 : 0);
}

/// Absorbing layers (media/cpml.hpp): operations of one entry in a layer along one axis.
inline constexpr double absorb_flops = 9;
/// Bytes of one entry in a layer: the entry and psi updated, one entry of the other field read (its neighbour comes
/// from the caches), and the index of the medium.
constexpr double absorb_bytes(bool materials, int element) {
  return 5.0 * element + (materials ? 2 : 0);
}

/// Dispersive media (media/dispersive.hpp): operations of an entry with so many poles.
constexpr double disperse_flops(int poles) {
  return 3 + 12.0 * poles;
}
/// Bytes of an entry of a dispersive medium: E and the state updated, the index of the medium read.
constexpr double disperse_bytes(int slots, int element) {
  return (2.0 + 2.0 * slots) * element + 2;
}

/// Plane waves (sources/plane_wave.hpp): operations of an entry of the line, and of one beside a face.
inline constexpr double line_entry_flops = 6;
inline constexpr double correction_flops = 2;

/// Monitors (observers/monitor.hpp): operations of an entry and frequency.
inline constexpr double monitor_flops = 4;
/// Bytes of a monitored entry: the field read, a complex sum of each frequency updated.
constexpr double monitor_bytes(int frequencies, int element) {
  return element + 2.0 * 2 * 8 * frequencies;
}

}  // namespace asterism::fdtd
