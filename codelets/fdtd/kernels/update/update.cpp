// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"
#include "codelets/fdtd/kernels/update/sweep.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// Rows of a block are found in the caches again when the next plane needs them.
constexpr int rows_per_block = 24;

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

// One field is both, where the other one has no cells; nothing of it is written.
template <class T>
void update(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const T* from, T* to, const Absorber<T>& layers) {
  T* const other = const_cast<T*>(from);
  const bool electric = field == Field::electric;
  update_both<T>(grid, electric ? Box{} : cells, electric ? cells : Box{}, factors, factors, media, media,
                 electric ? other : to, electric ? to : other, layers, layers);
}
template void update(Field, const Grid&, const Box&, const Factors&, const Media<double>&, const double*, double*,
                     const Absorber<double>&);
template void update(Field, const Grid&, const Box&, const Factors&, const Media<float>&, const float*, float*,
                     const Absorber<float>&);

}  // namespace asterism::fdtd::cpu
