// The five far-field operators on groups of cells, for CPUs: plain functions on pointers and sizes. Expansions of a
// group are `stride` doubles per cell, one cell after the other; everything that a basis leaves out stays zero.
#pragma once

#include <cstdint>

#include "codelets/fmm/basis.hpp"
#include "codelets/fmm/m2l_operators.hpp"
#include "codelets/fmm/particle_views.hpp"

namespace asterism::fmm {

/// A cell's place in the grid of its level.
struct CellIndex {
  std::int32_t x, y, z;
};

/// The cells of a level: cell (i, j, k) is centred at origin + (i + 1/2, j + 1/2, k + 1/2) width.
struct Grid {
  double x, y, z;
  double width;
};

/// Leaves of a group, and where their particles are.
struct LeafView {
  std::int32_t cells;
  const CellIndex* index;     ///< cells
  const std::int32_t* begin;  ///< cells + 1
};

/// A cell with those of its children that are in one group of the next level, where they stand one after the other.
struct Family {
  std::int32_t parent;
  std::int32_t first_child;
  std::int32_t children;
};

/// Child of a cell by the parities of its index.
constexpr int octant_of(const CellIndex& cell) {
  return (cell.x & 1) | (cell.y & 1) << 1 | (cell.z & 1) << 2;
}

/// One interaction of an M2L task.
struct M2LPair {
  std::uint32_t target;  ///< cell of the target group
  std::uint32_t source;  ///< buffer << source_bits | cell of that source group
};
inline constexpr int source_bits = 24;

/// The interactions of an M2L task, direction after direction, within a direction in the order of the targets' tiles:
/// a tile is up to `tile` targets, first all targets of octant 0, then those of octant 1 and so on.
struct M2LList {
  std::int32_t tiles;
  const std::int32_t* begin;  ///< [direction][tiles + 1]: the pairs of a direction with targets of a tile
  const M2LPair* pairs;
  const std::int32_t* rank;  ///< place of each target in octant-major order: tile rank / m2l_tile
};
inline constexpr int m2l_tile = 64;

namespace cpu {

/// M_abc(cell) = sum_j q_j T_a(x_j) T_b(y_j) T_c(z_j), coordinates relative to the cell, scaled to [-1, 1]. Overwrites.
void p2m(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         double* multipoles);

/// Adds the moments of children to those of their parents: with X = (x +- 1) / 2 in each direction,
/// T_a(X) = sum_b S_ab T_b(x).  `shift`: shift_matrix(l)
void m2m(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* children, double* parents);

/// L(target) += scale U_t V_t^T M(source) over the pairs of the list. `sources`: the multipoles of each source group.
void m2l(const M2LView& operators, double scale, const M2LList& list, const double* const* sources, double* locals);

/// Adds to children the polynomial of their parents: the transpose of m2m.
void l2l(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* parents, double* children);

/// potential_i (+)= sum_abc L_abc T_a T_b T_c and field_i (-)= its gradient, at each particle.
void l2p(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         const double* locals, const FieldView& result, bool add);

}  // namespace cpu
}  // namespace asterism::fmm
