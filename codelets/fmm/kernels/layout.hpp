// SPDX-License-Identifier: Apache-2.0
// The data that tasks share beside particles and expansions: the structure of groups, packed into one integer array
// each, and the basis with its operators, packed into one array of doubles, so that each is a single StarPU datum that
// can be on any memory node. A layout says where the parts are; it travels with the arguments of a task.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/near/p2p.hpp"

namespace asterism::fmm {

/// Basis, shift matrix and M2L operators.
struct OperatorLayout {
  std::int32_t order, size, stride, rows;
  std::int64_t row_begin, row_a, row_b, row_of;  ///< in doubles from the beginning, as the others
  std::int64_t shift, direction, data;
};

[[nodiscard]] inline BasisView basis_view(const OperatorLayout& l, const double* base) {
  const auto ints = [&](std::int64_t at) { return reinterpret_cast<const std::int32_t*>(base + at); };
  return {l.order, l.size, l.stride, l.rows, ints(l.row_begin), ints(l.row_a), ints(l.row_b), ints(l.row_of)};
}
[[nodiscard]] inline M2LView m2l_view(const OperatorLayout& l, const double* base) {
  return {l.size, l.stride, reinterpret_cast<const M2LDirection*>(base + l.direction), base + l.data};
}

/// Packs basis, shift matrix and operators into `out`; returns their layout.
OperatorLayout pack_operators(const Basis& basis, const M2LOperators& operators, std::vector<double>& out);

/// Cells of a group, the particles of leaves, and families.
struct CellLayout {
  std::int32_t cells;
  std::int32_t begin;     ///< offset of the leaves' particle offsets: of the targets, for L2P
  std::int32_t sources;   ///< likewise of the sources, for P2M; the same where all particles are both
  std::int32_t families;  ///< offset of the families
};
[[nodiscard]] inline const CellIndex* cell_index(const std::int32_t* base) {
  return reinterpret_cast<const CellIndex*>(base);
}
[[nodiscard]] inline LeafView leaf_view(const CellLayout& l, const std::int32_t* base) {
  return {l.cells, cell_index(base), base + l.begin};
}
[[nodiscard]] inline LeafView source_leaf_view(const CellLayout& l, const std::int32_t* base) {
  return {l.cells, cell_index(base), base + l.sources};
}
[[nodiscard]] inline const Family* families(const CellLayout& l, const std::int32_t* base) {
  return reinterpret_cast<const Family*>(base + l.families);
}

/// Interactions of an M2L task.
struct ListLayout {
  std::int32_t tiles;
  std::int32_t rank;   ///< offset of the octant-major ranks of the targets
  std::int64_t pairs;  ///< offset of the pairs; the table of beginnings comes first
};
[[nodiscard]] inline M2LList list_view(const ListLayout& l, const std::int32_t* base) {
  return {l.tiles, base, reinterpret_cast<const M2LPair*>(base + l.pairs), base + l.rank};
}

/// Near field of a group.
struct NearLayout {
  std::int32_t own_leaves, leaves;
  std::int32_t upper_begin, source_begin;  ///< offsets; the leaves' particle offsets come first
  std::int64_t upper, source;
  std::int32_t items = 0;  ///< pieces of work for GPUs
  std::int64_t item = 0;
};
[[nodiscard]] inline P2PSet near_view(const NearLayout& l, const std::int32_t* base) {
  return {l.own_leaves,         l.leaves,       base,
          base + l.upper_begin, base + l.upper, base + l.source_begin,
          base + l.source,      l.items,        reinterpret_cast<const P2PItem*>(base + l.item)};
}

/// Four arrays of n doubles one after the other: x, y, z, charge of particles, or potential and field.
[[nodiscard]] inline SourceView sources(const double* base, std::int64_t n) {
  return {base, base + n, base + 2 * n, base + 3 * n};
}
[[nodiscard]] inline FieldView field(double* base, std::int64_t n) {
  return {base, base + n, base + 2 * n, base + 3 * n};
}

}  // namespace asterism::fmm
