// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/sweep.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// Rows of a block are found in the caches again when the next plane needs them.
constexpr int rows_per_block = 24;

template <Field field, class T>
ASTERISM_INLINE void update_box(const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
                                const Absorber<T>& layers, const T* from, T* to) {
  if (cells.empty()) return;
  const Sweep<field, T> sweep(grid, cells, factors, media, layers, from, to);
  const int x1 = sweep.end(&Box::x1);
  const int y1 = sweep.end(&Box::y1);
  for (int y = cells.y0; y < y1; y += rows_per_block)
    for (int i = cells.x0; i < x1; ++i)
      for (int j = y; j < std::min(y + rows_per_block, y1); ++j) sweep.row_at(i, j);
}

template <class T>
ASTERISM_INLINE void update_any(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                                const Media<T>& media, const Absorber<T>& layers, const T* from, T* to) {
  if (field == Field::electric)
    update_box<Field::electric>(grid, cells, factors, media, layers, from, to);
  else
    update_box<Field::magnetic>(grid, cells, factors, media, layers, from, to);
}

/// Rows in any order in which those below come first: E needs the new H of its own row and of rows below, which were
/// the last to read the old E.
template <class T>
ASTERISM_INLINE void update_rows_of_both(const Grid& grid, const Box& h_cells, const Box& e_cells,
                                         const Factors& h_factors, const Factors& e_factors, const Media<T>& h_media,
                                         const Media<T>& e_media, T* h, T* e, const Absorber<T>& h_layers,
                                         const Absorber<T>& e_layers) {
  const Sweep<Field::magnetic, T> first(grid, h_cells, h_factors, h_media, h_layers, e, h);
  const Sweep<Field::electric, T> second(grid, e_cells, e_factors, e_media, e_layers, h, e);
  if (h_cells.empty() && e_cells.empty()) return;
  const Box& some = h_cells.empty() ? e_cells : h_cells;
  const Box& other = e_cells.empty() ? h_cells : e_cells;
  const int x0 = std::min(some.x0, other.x0);
  const int y0 = std::min(some.y0, other.y0);
  const int x1 = std::max(first.end(&Box::x1), second.end(&Box::x1));
  const int y1 = std::max(first.end(&Box::y1), second.end(&Box::y1));
  for (int y = y0; y < y1; y += rows_per_block)
    for (int i = x0; i < x1; ++i) advance_rows(first, second, i, y, std::min(y + rows_per_block, y1));
}

}  // namespace

template <>
ASTERISM_CLONES void update(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                            const Media<double>& media, const double* from, double* to,
                            const Absorber<double>& layers) {
  update_any(field, grid, cells, factors, media, layers, from, to);
}
template <>
ASTERISM_CLONES void update(Field field, const Grid& grid, const Box& cells, const Factors& factors,
                            const Media<float>& media, const float* from, float* to, const Absorber<float>& layers) {
  update_any(field, grid, cells, factors, media, layers, from, to);
}

template <>
ASTERISM_CLONES void update_both(const Grid& grid, const Box& h_cells, const Box& e_cells, const Factors& h_factors,
                                 const Factors& e_factors, const Media<double>& h_media, const Media<double>& e_media,
                                 double* h, double* e, const Absorber<double>& h_layers,
                                 const Absorber<double>& e_layers) {
  update_rows_of_both(grid, h_cells, e_cells, h_factors, e_factors, h_media, e_media, h, e, h_layers, e_layers);
}
template <>
ASTERISM_CLONES void update_both(const Grid& grid, const Box& h_cells, const Box& e_cells, const Factors& h_factors,
                                 const Factors& e_factors, const Media<float>& h_media, const Media<float>& e_media,
                                 float* h, float* e, const Absorber<float>& h_layers, const Absorber<float>& e_layers) {
  update_rows_of_both(grid, h_cells, e_cells, h_factors, e_factors, h_media, e_media, h, e, h_layers, e_layers);
}

}  // namespace asterism::fdtd::cpu
