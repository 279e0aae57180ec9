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
template <class U, class T>
ASTERISM_INLINE void store(T* p, const U& u) {
  if constexpr (sizeof(U) == sizeof(T))
    *p = u;
  else
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

/// All components of the entries from k on, as many as U has. `factors`: of U, of the row.
template <Field field, bool materials, bool graded, class U, class T>
ASTERISM_INLINE void advance(const Row<T>& row, const U (&factors)[3], std::int64_t k) {
  U factor[3] = {factors[0], factors[1], factors[2]};
  if constexpr (graded) factor[2] = factor[2] * load<U>(row.inverse_length + k);
  constexpr int side = field == Field::electric ? -1 : 1;
  const std::int64_t along[3] = {side * row.plane, side * row.pitch, side};
  U here[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) here[a] = load<U>(row.from[a] + k);
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    const U c_side = load<U>(row.from[c] + k + along[b]);
    const U b_side = load<U>(row.from[b] + k + along[c]);
    const U rotation = field == Field::electric ? curl<U>(factor[b], here[c], c_side, factor[c], here[b], b_side)
                                                : curl<U>(factor[b], c_side, here[c], factor[c], b_side, here[b]);
    const U old = load<U>(row.to[a] + k);
    if constexpr (materials) {
      U m_a, m_b;
      look_up<U, T>(row.table, row.index[a] + k, m_a, m_b);
      store<U>(row.to[a] + k, advanced<field, U>(old, rotation, m_a, m_b));
    } else {
      store<U>(row.to[a] + k, advanced<field, U>(old, rotation));
    }
  }
}

/// Entries [begin, end) of all components.
template <Field field, bool materials, bool graded, class T>
ASTERISM_INLINE void advance_row(const Row<T>& row, const T (&factor)[3], std::int64_t begin, std::int64_t end) {
  const Vector<T> factors[3] = {Vector<T>{} + factor[0], Vector<T>{} + factor[1], Vector<T>{} + factor[2]};
  std::int64_t k = begin;
  for (; k + width<T> <= end; k += width<T>) advance<field, materials, graded, Vector<T>>(row, factors, k);
  for (; k < end; ++k) advance<field, materials, graded, T>(row, factor, k);
}

}  // namespace asterism::fdtd::cpu
