// SPDX-License-Identifier: Apache-2.0
// The `group` sums of a row in vector registers: the widest ones first, then halves for what is left. Nothing beyond
// `group` elements is read or written, as what lies behind a window belongs to another one.
#pragma once

#include "base/isa.hpp"
#include "base/vectors.hpp"

namespace asterism::tdbem {

template <class T, int lanes>
struct Piece {
  using Vector __attribute__((vector_size(lanes * sizeof(T)))) = T;
  using Anywhere __attribute__((vector_size(lanes * sizeof(T)), aligned(alignof(T)), may_alias)) = T;
};
template <class T>
struct Piece<T, 1> {
  using Vector = T;
  using Anywhere = T;
};

/// The largest power of two up to n that a register of `most` elements takes.
constexpr int piece_lanes(int n, int most) {
  int lanes = 1;
  while (2 * lanes <= n && 2 * lanes <= most) lanes *= 2;
  return lanes;
}

template <class T, int group>
struct GroupLanes {
  static constexpr int lanes = piece_lanes(group, width<T>);
  static constexpr int pieces = 1 + GroupLanes<T, group - lanes>::pieces;
  using Vector = typename Piece<T, lanes>::Vector;
  using Anywhere = typename Piece<T, lanes>::Anywhere;

  Vector first;
  GroupLanes<T, group - lanes> others;

  ASTERISM_INLINE void load(const T* from) {
    first = *reinterpret_cast<const Anywhere*>(from);
    others.load(from + lanes);
  }
  ASTERISM_INLINE void store(T* to) const {
    *reinterpret_cast<Anywhere*>(to) = first;
    others.store(to + lanes);
  }
  /// += value * window[0 .. group)
  ASTERISM_INLINE void add(T value, const T* window) {
    first += value * *reinterpret_cast<const Anywhere*>(window);
    others.add(value, window + lanes);
  }
};
template <class T>
struct GroupLanes<T, 0> {
  static constexpr int pieces = 0;
  ASTERISM_INLINE void load(const T*) {}
  ASTERISM_INLINE void store(T*) const {}
  ASTERISM_INLINE void add(T, const T*) {}
};

}  // namespace asterism::tdbem
