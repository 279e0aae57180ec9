// Floating-point operations of the kernels, as they do them.
#pragma once

#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

/// Of one entry: two differences, two products, one difference and the update; materials multiply twice more. 36 for
/// the six entries of a cell in the background, 24 additions and 12 multiplications as in Yee_bench (table 2.3 of the
/// paper).
constexpr double entry_flops(bool materials) {
  return materials ? 8 : 6;
}
/// Of a half-step of the cells of a box. Formula (4.1) of the paper has the same for E in a box of electric conductors,
/// but 18 N^3 for H, as it updates the H that is normal to the lower conductors and stays as it is.
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
/// Of one cell in a whole step in one pass (update_both): six components updated.
constexpr double update_both_bytes(bool h_materials, bool e_materials, int element) {
  return 12.0 * element + (h_materials ? 6 : 0) + (e_materials ? 6 : 0);
}

}  // namespace asterism::fdtd
