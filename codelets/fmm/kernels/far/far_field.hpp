// SPDX-License-Identifier: Apache-2.0
// The five far-field operators on groups of cells, for CPUs: plain functions on pointers and sizes. Expansions of a
// group are `stride` doubles per cell, one cell after the other; everything that a basis leaves out stays zero. Several
// vectors of charges have as many expansions per cell, one after the other: m2l() takes all of them together; for the
// others `stride` is the distance of cells, and each vector a call.
#pragma once

#include <cstdint>

#include "codelets/fmm/kernels/far/basis.hpp"
#include "codelets/fmm/kernels/far/m2l_operators.hpp"
#include "codelets/fmm/kernels/far/views.hpp"
#include "codelets/fmm/kernels/near/particle_views.hpp"

namespace asterism::fmm {

namespace cpu {

/// M_abc(cell) = sum_j q_j T_a(x_j) T_b(y_j) T_c(z_j), coordinates relative to the cell, scaled to [-1, 1]. Overwrites.
void p2m(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         double* multipoles);

/// Adds the moments of children to those of their parents: with X = (x +- 1) / 2 in each direction,
/// T_a(X) = sum_b S_ab T_b(x).  `shift`: shift_matrix(l)
void m2m(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* children, double* parents);

/// L(target) += scale U_t V_t^T M(source) over the pairs of the list. `sources`: the multipoles of each source group.
/// `vectors`: 1 to most_vectors expansions of each cell, whose results have the bits that they have alone.
void m2l(const M2LView& operators, double scale, const M2LList& list, const double* const* sources, double* locals,
         int vectors = 1);

/// Adds to children the polynomial of their parents: the transpose of m2m.
void l2l(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* parents, double* children);

/// potential_i (+)= sum_abc L_abc T_a T_b T_c and field_i (-)= its gradient, at each particle.
void l2p(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         const double* locals, const FieldView& result, bool add);

}  // namespace cpu
}  // namespace asterism::fmm
