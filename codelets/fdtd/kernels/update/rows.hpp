// SPDX-License-Identifier: Apache-2.0
// Rows of entries on CPUs: all three components of a row in one loop of vectors.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd::cpu {

template <class U, class T>
ASTERISM_INLINE U load(const T* p) {
  if constexpr (sizeof(U) == sizeof(T))
    return *p;
  else
    return *reinterpret_cast<const typename Lanes<T>::Unaligned*>(p);
}
template <class T>
ASTERISM_INLINE void store(T* p, const T& u) {
  *p = u;
}
template <class T>
ASTERISM_INLINE void store(T* p, const Vector<T>& u) {
  *reinterpret_cast<typename Lanes<T>::Unaligned*>(p) = u;
}

/// Different ones. Never inlined: they are many instructions, and the same ones for all instruction sets.
template <class T>
[[gnu::noinline]] void gather(const Coefficients<T>* table, const std::uint16_t* index, T (*found)[width<T>]) {
  for (int l = 0; l < width<T>; ++l) {
    found[0][l] = table[index[l]].a;
    found[1][l] = table[index[l]].b;
  }
}

/// Coefficients of a vector of entries; most often all have the same.
template <class U, class T>
ASTERISM_INLINE void look_up(const Coefficients<T>* table, const std::uint16_t* index, U& a, U& b) {
  if constexpr (sizeof(U) == sizeof(T)) {
    a = table[*index].a;
    b = table[*index].b;
  } else {
    const std::uint64_t four = index[0] * 0x0001000100010001U;
    std::uint64_t others = 0;
#pragma GCC unroll 4
    for (int l = 0; l < width<T>; l += 4) {
      std::uint64_t found;
      std::memcpy(&found, index + l, 8);
      others |= found ^ four;
    }
    if (others == 0) {
      a = U{} + table[*index].a;
      b = U{} + table[*index].b;
      return;
    }
    alignas(64) T found[2][width<T>];
    gather(table, index, found);
    a = load<U>(found[0]);
    b = load<U>(found[1]);
  }
}

/// Entry k = 0 of a row: the components of both fields, and the index of each component.
template <class T>
struct Row {
  const T* from[3];
  T* to[3];
  const std::uint16_t* index[3];
  const Coefficients<T>* table;
  std::int64_t plane, pitch;
  const T* inverse_length;  ///< along the row, of a graded mesh
};

/// A row that is in no absorbing layer; absorb_rows.hpp has the others.
struct NoLayers {
  static constexpr bool none = true;
};

/// 0, 1, 2, ...
template <class T>
ASTERISM_INLINE Vector<T> numbers() {
  Vector<T> n;
  for (int l = 0; l < width<T>; ++l) n[l] = static_cast<T>(l);
  return n;
}

/// All components of a vector of entries from k on; whole: of all of them, or of the first `count` (a grid has memory
/// for a whole vector there). `layers`: none, or add<field, whole>(a, number, k, u, difference, b, count) for both
/// terms of the curl of component a.
template <Field field, bool materials, bool graded, bool whole, class T, class Layers>
ASTERISM_INLINE void advance(const Row<T>& row, const Vector<T> (&factors)[3], std::int64_t k, const Layers& layers,
                             int count) {
  using V = Vector<T>;
  V factor[3] = {factors[0], factors[1], factors[2]};
  if constexpr (graded) factor[2] = factor[2] * load<V>(row.inverse_length + k);
  constexpr bool electric = field == Field::electric;
  constexpr int side = electric ? -1 : 1;
  const std::int64_t along[3] = {side * row.plane, side * row.pitch, side};
  V here[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) here[a] = load<V>(row.from[a] + k);
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    const V c_side = load<V>(row.from[c] + k + along[b]);
    const V b_side = load<V>(row.from[b] + k + along[c]);
    const V first = electric ? difference<V>(factor[b], here[c], c_side) : difference<V>(factor[b], c_side, here[c]);
    const V second = electric ? difference<V>(factor[c], here[b], b_side) : difference<V>(factor[c], b_side, here[b]);
    const V old = load<V>(row.to[a] + k);
    V m_a;
    V m_b = V{} + T{1};
    V now;
    if constexpr (materials) {
      const std::uint16_t* index = row.index[a] + k;
      std::uint16_t some[width<T>] = {};
      if constexpr (!whole) {
        for (int l = 0; l < width<T>; ++l) some[l] = index[l < count ? l : 0];
        index = some;
      }
      look_up(row.table, index, m_a, m_b);
      now = advanced<field, V>(old, first - second, m_a, m_b);
    } else {
      now = advanced<field, V>(old, first - second);
    }
    if constexpr (!Layers::none) {
      layers.template add<field, whole>(a, 1, k, now, first, m_b, count);
      layers.template add<field, whole>(a, 2, k, now, second, m_b, count);
    }
    if constexpr (!whole) now = numbers<T>() < static_cast<T>(count) ? now : old;
    store(row.to[a] + k, now);
  }
}

/// Entries [begin, end) of all components.
template <Field field, bool materials, bool graded, class T, class Layers>
ASTERISM_INLINE void advance_row(const Row<T>& row, const T (&factor)[3], std::int64_t begin, std::int64_t end,
                                 const Layers& layers) {
  const Vector<T> factors[3] = {Vector<T>{} + factor[0], Vector<T>{} + factor[1], Vector<T>{} + factor[2]};
  std::int64_t k = begin;
  for (; k + width<T> <= end; k += width<T>) advance<field, materials, graded, true>(row, factors, k, layers, width<T>);
  if (k < end) advance<field, materials, graded, false>(row, factors, k, layers, static_cast<int>(end - k));
}

}  // namespace asterism::fdtd::cpu
