// SPDX-License-Identifier: Apache-2.0
// Absorbing layers on CPUs, row by row: after the update of a row, while it is in the first-level cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/fdtd/kernels/media/cpml.hpp"
#include "codelets/fdtd/kernels/update/rows.hpp"

namespace asterism::fdtd::cpu {

/// Entries of a row in layers along one axis. `upper`: entries of the other field whose difference with those `apart`
/// before is taken.
template <class T>
struct LayerRow {
  const T* upper;
  std::int64_t apart;
  T factor;
  const std::uint16_t* index;
  const Coefficients<T>* table;
  T* psi;
  T* to;
  const T* inverse_length;  ///< along z, of layers along z on a graded mesh; else null
};

/// Entries from k on, as many as U has. `stretch` and `factor`: of U.
template <int sign, bool materials, class U, class T>
ASTERISM_INLINE void absorb_entries(const LayerRow<T>& r, const Stretch<U>& stretch, const U& factor, std::int64_t k) {
  U a = U{} + T{1};
  U b = a;
  if constexpr (materials) look_up<U, T>(r.table, r.index + k, a, b);
  const U g = factor * (load<U>(r.upper + k) - load<U>(r.upper + k - r.apart));
  U psi = load<U>(r.psi + k);
  store<U>(r.to + k, absorbed<sign, U>(load<U>(r.to + k), g, stretch, b, psi));
  store<U>(r.psi + k, psi);
}

/// All entries at the same depth.
template <int sign, bool materials, class T>
ASTERISM_INLINE void absorb_row(const LayerRow<T>& r, const Stretch<T>& s, int count) {
  using V = Vector<T>;
  const Stretch<V> stretch{V{} + s.decay, V{} + s.gain, V{} + s.slope};
  int k = 0;
  for (; k + width<T> <= count; k += width<T>) absorb_entries<sign, materials, V>(r, stretch, V{} + r.factor, k);
  for (; k < count; ++k) absorb_entries<sign, materials, T>(r, s, r.factor, k);
}

/// A vector of entries from `k` on, whole lines of memory, each at its own depth. [first, end) of them are in a layer.
template <class T>
struct Across {
  Stretch<Vector<T>> of{};
  Vector<T> counts{};  ///< 1: in a layer
  int k, first, end;

  Across(const Stretch<T>* stretch, int begin, int last)
      : k(begin / width<T> * width<T>), first(begin - k), end(std::min(last - k, width<T>)) {
    for (int l = first; l < end; ++l) {
      of.decay[l] = stretch[l - first].decay;
      of.gain[l] = stretch[l - first].gain;
      of.slope[l] = stretch[l - first].slope;
      counts[l] = 1;
    }
  }
};

/// `r`: from the vector's first entry on. Entries that do not count are written as they were: those in
/// no layer, and those of other boxes.
template <int sign, bool materials, class T>
ASTERISM_INLINE void absorb_across(const LayerRow<T>& r, const Across<T>& s) {
  using V = Vector<T>;
  V b = V{} + T{1};
  if constexpr (materials)
    for (int l = s.first; l < s.end; ++l) b[l] = r.table[r.index[l]].b;
  V factor = V{} + r.factor;
  if (r.inverse_length != nullptr) factor = factor * load<V>(r.inverse_length);
  const V g = factor * (load<V>(r.upper) - load<V>(r.upper - r.apart));
  const V old = load<V>(r.to);
  const V old_psi = load<V>(r.psi);
  V psi = old_psi;
  const V u = absorbed<sign, V>(old, g, s.of, b, psi);
  store<V>(r.to, s.counts > T{0} ? u : old);
  store<V>(r.psi, s.counts > T{0} ? psi : old_psi);
}

/// The layers of one field in a box of cells.
template <Field field, class T>
class AbsorbedRows {
 public:
  AbsorbedRows(const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
               const Absorber<T>& absorber, const T* from, T* to)
      : grid_(grid), media_(media), absorber_(absorber), from_(from), to_(to) {
    if (none()) return;
    const AxisLayers& z = absorber.layers->axis[2];
    for (int a = 0; a < 3; ++a) {
      entries_[a] = grid.entries(field, a, cells);
      factor_[a] = static_cast<T>(factors.along[a]);
      if (a == 2) continue;
      for (int k = entries_[a].z0; k < std::min(entries_[a].z1, z.lower); k += width<T> - k % width<T>)
        across_[a].emplace_back(absorber.stretches + z.row(k), k, std::min(entries_[a].z1, z.lower));
      for (int k = std::max(entries_[a].z0, z.upper); k < entries_[a].z1; k += width<T> - k % width<T>)
        across_[a].emplace_back(absorber.stretches + z.row(k), k, entries_[a].z1);
    }
  }
  [[nodiscard]] ASTERISM_INLINE bool none() const { return absorber_.layers == nullptr; }

  /// All entries of row j of plane i, each in layers along a + 1 first.
  ASTERISM_INLINE void row_at(int i, int j) const {
    if (media_.index == nullptr)
      components_at<false>(i, j);
    else
      components_at<true>(i, j);
  }

 private:
  template <bool materials>
  ASTERISM_INLINE void components_at(int i, int j) const {
    term<materials, 0, 1>(i, j);
    term<materials, 0, 2>(i, j);
    term<materials, 1, 1>(i, j);
    term<materials, 1, 2>(i, j);
    term<materials, 2, 1>(i, j);
    term<materials, 2, 2>(i, j);
  }
  template <bool materials, int a, int number>
  ASTERISM_INLINE void term(int i, int j) const {
    constexpr int along = (a + number) % 3;
    constexpr int sign = sign_of_term(field, number);
    const Layers& layers = *absorber_.layers;
    const Box& e = entries_[a];
    if (i < e.x0 || i >= e.x1 || j < e.y0 || j >= e.y1) return;
    if constexpr (along == 2) {
      for (const Across<T>& vector : across_[a]) {
        LayerRow<T> row = entries_at<a, number>(i, j, vector.k);
        row.psi = absorber_.psi.along[2] + layers.at(2, a, i, j, vector.k + vector.first) - vector.first;
        absorb_across<sign, materials>(row, vector);
      }
    } else {
      const int depth = along == 0 ? i : j;
      if (!layers.axis[along].has(depth)) return;
      absorb_row<sign, materials>(entries_at<a, number>(i, j, e.z0), absorber_.stretches[layers.axis[along].row(depth)],
                                  e.z1 - e.z0);
    }
  }
  template <int a, int number>
  [[nodiscard]] ASTERISM_INLINE LayerRow<T> entries_at(int i, int j, int k) const {
    constexpr int along = (a + number) % 3;
    constexpr int other = (a + 3 - number) % 3;
    const std::int64_t at = grid_.at(a, i, j, k);
    const std::int64_t apart = grid_.stride(along);
    T factor = factor_[along];
    if (along != 2 && media_.graded()) factor *= media_.inverse_length[along][along == 0 ? i : j];
    return {from_ + grid_.at(other, i, j, k) + (field == Field::magnetic ? apart : 0),
            apart,
            factor,
            media_.index == nullptr ? nullptr : media_.index + at,
            media_.table,
            absorber_.psi.along[along] + absorber_.layers->at(along, a, i, j, k),
            to_ + at,
            along == 2 && media_.graded() ? media_.inverse_length[2] + k : nullptr};
  }

  const Grid& grid_;
  Box entries_[3]{};
  T factor_[3]{};
  Media<T> media_;
  Absorber<T> absorber_;
  const T* from_;
  T* to_;
  std::vector<Across<T>> across_[2];  ///< of the components that layers along z have
};

}  // namespace asterism::fdtd::cpu
