// SPDX-License-Identifier: Apache-2.0
// Edges of E that a surface across the grid couples: the inverse of the permittivity is a matrix there (scene/interface
// in the task flows), and an edge changes by what its own curl does and by what the curls of edges beside it do,
//   E_i <- E_i + sum over j of factor_ij (E_j(n + 1) - E_j(n) before this sum)
// Only these edges are listed. A step of a brick takes three calls:
//   keep()         before its E is updated: the old values, in `change`
//   take_change()  after all that changes E in the step: new values less these
//   couple()       when the bricks around have done both: adds the sum, in the order of the terms
// so that results do not depend on the division of the domain as long as the order of the terms does not. Edges lie in
// media without losses and poles, where a change is the curl alone.
#pragma once

#include <cstdint>

namespace asterism::fdtd {

/// Bricks whose edges couple with those of one: itself and those around.
inline constexpr int most_coupled_bricks = 27;

/// factor times the change number `edge` of brick `brick` in the list of those around.
template <class T>
struct CoupledTerm {
  T factor;
  std::int32_t brick, edge;
};

/// The listed edges of a brick: their places in the field, the first term of each, and one behind the last.
template <class T>
struct CoupledEdges {
  std::int32_t count;
  const std::int64_t* places;
  const std::int32_t* first;
  const CoupledTerm<T>* terms;
};
/// Arrays of changes, of the bricks around.
template <class T>
struct Changes {
  const T* of[most_coupled_bricks];
};

namespace cpu {

template <class T>
void keep(std::int32_t count, const std::int64_t* places, const T* e, T* change);
template <class T>
void take_change(std::int32_t count, const std::int64_t* places, const T* e, T* change);
/// 2 operations per term.
template <class T>
void couple(const CoupledEdges<T>& edges, const Changes<T>& changes, T* e);

}  // namespace cpu
}  // namespace asterism::fdtd
