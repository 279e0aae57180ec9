// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/cpml.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/media/absorb_rows.hpp"

namespace asterism::fdtd {
namespace {

void check(const Grading& g) {
  const auto require = [](bool right, const char* what) {
    if (!right) throw std::invalid_argument(std::string("absorbing layer: ") + what);
  };
  require(std::isfinite(g.order) && g.order >= 0, "the order of its grading has to be 0 or more");
  require(std::isfinite(g.alpha_order) && g.alpha_order >= 0, "the order of alpha has to be 0 or more");
  require(std::isfinite(g.sigma) && g.sigma >= 0, "sigma has to be 0 or more");
  require(std::isfinite(g.alpha) && g.alpha >= 0, "alpha has to be 0 or more");
  require(std::isfinite(g.kappa) && g.kappa >= 1, "kappa has to be 1 or more");
}

/// dt eta0 / eps0 times sigma and alpha: both without units, `courant` being c0 dt / d.
template <class T>
Stretch<T> stretch(const Grading& g, double depth, double courant) {
  const double sigma = 0.8 * (g.order + 1) * g.sigma * std::pow(depth, g.order) * courant;
  const double kappa = 1 + (g.kappa - 1) * std::pow(depth, g.order);
  const double alpha = g.alpha * std::pow(1 - depth, g.alpha_order) * courant;
  const double decay = std::exp(-(sigma / kappa + alpha));
  const double gain = sigma > 0 ? sigma * (decay - 1) / (kappa * (sigma + kappa * alpha)) : 0;
  return {static_cast<T>(decay), static_cast<T>(gain), static_cast<T>(1 / kappa - 1)};
}

/// Entries of a component in the layers along an axis, before the lower and the upper face.
struct Slabs {
  Box side[2];
};
Slabs slabs(Field field, const Grid& grid, const Box& cells, const Layers& layers, int component, int along) {
  Slabs s{};
  for (int side = 0; side < 2; ++side) {
    Box b = grid.entries(field, component, cells);
    std::int32_t* const range[3][2] = {{&b.x0, &b.x1}, {&b.y0, &b.y1}, {&b.z0, &b.z1}};
    if (side == 0)
      *range[along][1] = std::min(*range[along][1], layers.axis[along].lower);
    else
      *range[along][0] = std::max(*range[along][0], layers.axis[along].upper);
    s.side[side] = b;
  }
  return s;
}

}  // namespace

template <class T>
std::vector<Stretch<T>> stretches(Field field, const Cpml& cpml, const double (&spacing)[3], double dt) {
  constexpr double c0 = 299792458;
  check(cpml.grading);
  std::vector<Stretch<T>> all;
  const double half = field == Field::electric ? 0 : 0.5;
  for (int face = 0; face < 6; ++face)
    for (int cell = 0; cell < cpml.cells[face]; ++cell) {
      const double depth = (face % 2 == 0 ? cpml.cells[face] - cell - half : cell + half) / cpml.cells[face];
      all.push_back(stretch<T>(cpml.grading, depth, c0 * dt / (spacing[face / 2] * cpml.length[face])));
    }
  return all;
}
template std::vector<Stretch<double>> stretches(Field, const Cpml&, const double (&)[3], double);
template std::vector<Stretch<float>> stretches(Field, const Cpml&, const double (&)[3], double);

Layers layers_of(const Cpml& cpml, const Grid& grid, const std::int32_t (&origin)[3], const std::int32_t (&domain)[3],
                 PsiRows rows) {
  Layers l{};
  std::int32_t row = 0;
  for (int a = 0; a < 3; ++a) {
    const std::int32_t below = cpml.cells[2 * a];
    const std::int32_t above = cpml.cells[2 * a + 1];
    if (below < 0 || above < 0 || below + above > domain[a])
      throw std::invalid_argument("absorbing layers of " + std::to_string(below) + " and " + std::to_string(above) +
                                  " cells before " + face_names[2 * a] + " and " + face_names[2 * a + 1] +
                                  " in a domain of " + std::to_string(domain[a]));
    const bool touches[2] = {origin[a] == 0, origin[a] + grid.n[a] == domain[a]};
    for (int side = 0; side < 2; ++side) {
      const int face = 2 * a + side;
      if (cpml.cells[face] > 0 && touches[side] && grid.face[face] != Face::electric)
        throw std::invalid_argument(std::string("absorbing layer before ") + face_names[face] +
                                    ": the face behind has to be an electric conductor");
    }
    AxisLayers& axis = l.axis[a];
    // an axis without layers may be periodic, and the sub-domain reach beyond its ends
    axis.lower = below > 0 ? std::clamp(below - origin[a], 0, grid.n[a]) : 0;
    axis.lower_row = row + origin[a];
    const std::int32_t first = domain[a] - above;
    axis.upper = std::max(first - origin[a], 0);
    axis.upper_row = row + below + origin[a] + axis.upper - first;
    const std::int32_t upper_cells = above > 0 ? std::max(grid.n[a] - axis.upper, 0) : 0;
    if (upper_cells == 0) axis.upper = grid.n[a] + 1;
    for (int b = 0; b < 3; ++b) l.n[b][a] = grid.n[a] + (grid.face[2 * a + 1] == Face::magnetic ? 1 : 0);
    axis.upper_slot = axis.lower;
    l.n[a][a] = axis.lower + upper_cells;
    if (a == 2 && rows == PsiRows::aligned) {
      const std::int32_t vector = grid.lead / 2;
      const auto whole = [&](std::int32_t slots) { return (slots + vector - 1) / vector * vector; };
      if (upper_cells > 0) axis.upper_slot = whole(axis.lower) + axis.upper % vector;
      l.n[a][a] = axis.upper_slot + upper_cells;
      for (auto& n : l.n) n[a] = whole(n[a]);
    }
    row += below + above;
  }
  return l;
}

std::int64_t psi_elements(const Layers& layers, std::int32_t first, std::int32_t end) {
  std::int64_t sum = 0;
  for_psi_of_planes(layers, Psi<const float>{}, first, end, [&](const float*, std::int64_t count) { sum += count; });
  return sum;
}

std::int64_t absorbing_entries(Field field, const Grid& grid, const Box& cells, const Layers& layers) {
  std::int64_t count = 0;
  for (int c = 0; c < 3; ++c)
    for (int term = 1; term <= 2; ++term)
      for (const Box& b : slabs(field, grid, cells, layers, c, (c + term) % 3).side) count += b.cells();
  return count;
}

namespace cpu {
namespace {

template <Field field, class T>
void absorb_box(const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
                const Absorber<T>& absorber, const T* from, T* to) {
  const AbsorbedRows<field, T> rows(grid, cells, factors, media, absorber, from, to);
  // one more where that is a magnetic conductor
  for (int i = cells.x0; i <= cells.x1; ++i)
    for (int j = cells.y0; j <= cells.y1; ++j) absorb_row_at(rows, i, j);
}

}  // namespace

template <>
ASTERISM_CLONES void absorb_row_at(const AbsorbedRows<Field::electric, double>& rows, int i, int j) {
  rows.row_at(i, j);
}
template <>
ASTERISM_CLONES void absorb_row_at(const AbsorbedRows<Field::magnetic, double>& rows, int i, int j) {
  rows.row_at(i, j);
}
template <>
ASTERISM_CLONES void absorb_row_at(const AbsorbedRows<Field::electric, float>& rows, int i, int j) {
  rows.row_at(i, j);
}
template <>
ASTERISM_CLONES void absorb_row_at(const AbsorbedRows<Field::magnetic, float>& rows, int i, int j) {
  rows.row_at(i, j);
}

template <class T>
void absorb(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const Absorber<T>& absorber, const T* from, T* to) {
  if (cells.empty()) return;
  if (field == Field::electric)
    absorb_box<Field::electric>(grid, cells, factors, media, absorber, from, to);
  else
    absorb_box<Field::magnetic>(grid, cells, factors, media, absorber, from, to);
}
template void absorb(Field, const Grid&, const Box&, const Factors&, const Media<double>&, const Absorber<double>&,
                     const double*, double*);
template void absorb(Field, const Grid&, const Box&, const Factors&, const Media<float>&, const Absorber<float>&,
                     const float*, float*);

}  // namespace cpu
}  // namespace asterism::fdtd
