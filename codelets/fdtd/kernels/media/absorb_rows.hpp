// SPDX-License-Identifier: Apache-2.0
// Absorbing layers on CPUs: with the update of whole rows, vector by vector; after that of others, row by row.
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
  store<T>(r.to + k, absorbed<sign, U>(load<U>(r.to + k), g, stretch, b, psi));
  store<T>(r.psi + k, psi);
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
/// Aligned as instruction sets with larger registers than the compiler's default expect it, also on the heap.
template <class T>
struct alignas(sizeof(Vector<T>)) Across {
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
  store(r.to, V(s.counts > T{0} ? u : old));
  store(r.psi, V(s.counts > T{0} ? psi : old_psi));
}

/// Vectors with entries in layers along z, from `first` up to `lower_end` and from `upper` on.
template <class T>
struct AcrossVectors {
  const Across<T>* vectors = nullptr;
  std::int64_t first = 0, lower_end = 0, upper = 0;

  /// The one with entry k; null: in no layer.
  [[nodiscard]] ASTERISM_INLINE const Across<T>* at(std::int64_t k) const {
    if (k < lower_end) return vectors + (k - first) / width<T>;
    return k < upper ? nullptr : vectors + (lower_end - first + k - upper) / width<T>;
  }
};

/// The layers of a row whose entries are updated in vectors. psi: where that of entry k = 0 is, or would be, of
/// component a and the differences along a + 1 and a + 2; null: in no layer along that axis.
template <class T>
struct RowLayers {
  static constexpr bool none = false;
  T* psi[3][2] = {};
  T* psi_of_upper[2] = {};   ///< along z, of x and y components
  Stretch<T> along[2] = {};  ///< at the depths of the row, along x and y
  AcrossVectors<T> across = {};

  /// The term of the difference along a + number, `difference`, in a component of a vector, or of its first `count`
  /// entries. b: of the medium.
  template <Field field, bool whole>
  ASTERISM_INLINE void add(int a, int number, std::int64_t k, Vector<T>& now, const Vector<T>& difference,
                           const Vector<T>& b, int count) const {
    using V = Vector<T>;
    const int axis = (a + number) % 3;
    T* at = psi[a][number - 1];
    if (at == nullptr) return;
    if (axis < 2) {
      const Stretch<T>& s = along[axis];
      const V old_psi = load<V>(at + k);
      V new_psi = old_psi;
      now = with<field>(number, now, difference, {V{} + s.decay, V{} + s.gain, V{} + s.slope}, b, new_psi);
      if constexpr (!whole) new_psi = numbers<T>() < static_cast<T>(count) ? new_psi : old_psi;
      store(at + k, new_psi);
      return;
    }
    const Across<T>* const z = across.at(k);
    if (z == nullptr) return;
    if (k >= across.upper) at = psi_of_upper[a];
    // entries that do not count stay as they are
    const V before = now;
    const V old_psi = load<V>(at + k);
    V new_psi = old_psi;
    now = with<field>(number, now, difference, z->of, b, new_psi);
    now = z->counts > T{0} ? now : before;
    store(at + k, V(z->counts > T{0} ? new_psi : old_psi));
  }

 private:
  template <Field field>
  ASTERISM_INLINE static Vector<T> with(int number, const Vector<T>& u, const Vector<T>& difference,
                                        const Stretch<Vector<T>>& s, const Vector<T>& b, Vector<T>& psi) {
    return sign_of_term(field, number) > 0 ? absorbed<1>(u, difference, s, b, psi)
                                           : absorbed<-1>(u, difference, s, b, psi);
  }
};

/// The layers of one field in a box of cells.
template <Field field, class T>
class AbsorbedRows {
 public:
  AbsorbedRows(const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
               const Absorber<T>& absorber, const T* from, T* to)
      : grid_(grid), media_(media), absorber_(absorber), from_(from), to_(to) {
    if (none()) return;
    for (int a = 0; a < 3; ++a) {
      entries_[a] = grid.entries(field, a, cells);
      factor_[a] = static_cast<T>(factors.along[a]);
    }
    // x and y components, which these layers have, lie at the same z
    const AxisLayers& z = absorber.layers->axis[2];
    const auto add = [&](int first, int end) {
      for (int k = first; k < end; k += width<T> - k % width<T>)
        across_.emplace_back(absorber.stretches + z.row(k), k, end);
    };
    add(entries_[0].z0, std::min(entries_[0].z1, z.lower));
    vectors_ = {nullptr, cells.z0, cells.z0 + static_cast<std::int64_t>(across_.size()) * width<T>, cells.z1};
    add(std::max(entries_[0].z0, z.upper), entries_[0].z1);
    const auto lower = static_cast<std::size_t>((vectors_.lower_end - vectors_.first) / width<T>);
    if (across_.size() > lower) vectors_.upper = across_[lower].k;
    vectors_.vectors = across_.data();
  }
  AbsorbedRows(const AbsorbedRows&) = delete;
  AbsorbedRows& operator=(const AbsorbedRows&) = delete;
  [[nodiscard]] ASTERISM_INLINE bool none() const { return absorber_.layers == nullptr; }
  /// Can rows of cells be updated with their layers? On uniform meshes, where vectors begin as those across the layers
  /// do, each in one layer, and have all entries.
  [[nodiscard]] ASTERISM_INLINE bool with_rows(const Box& cells) const {
    const auto all = [&](const Box& e) { return e.z1 == cells.z1; };
    return !media_.graded() && cells.z0 % width<T> == 0 && vectors_.lower_end <= vectors_.upper && all(entries_[0]) &&
           all(entries_[1]) && all(entries_[2]);
  }
  /// What a row is to be updated with; `has`: which components it has.
  [[nodiscard]] ASTERISM_INLINE RowLayers<T> of_row(int i, int j, const bool (&has)[3]) const {
    const Layers& layers = *absorber_.layers;
    RowLayers<T> row;
    const int depth[2] = {i, j};
    for (int axis = 0; axis < 2; ++axis) {
      if (!layers.axis[axis].has(depth[axis])) continue;
      row.along[axis] = absorber_.stretches[layers.axis[axis].row(depth[axis])];
      for (int number = 1; number < 3; ++number) {
        const int a = (axis + 3 - number) % 3;
        if (has[a]) row.psi[a][number - 1] = absorber_.psi.along[axis] + layers.at(axis, a, i, j, 0);
      }
    }
    if (across_.empty()) return row;
    row.across = vectors_;
    const AxisLayers& z = layers.axis[2];
    for (int a = 0; a < 2; ++a) {
      if (!has[a]) continue;
      T* const slots = absorber_.psi.along[2] + layers.at(2, a, i, j, 0) - z.slot(0);
      row.psi[a][1 - a] = slots;
      row.psi_of_upper[a] = slots + z.upper_slot - z.upper;
    }
    return row;
  }

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
      for (const Across<T>& vector : across_) {
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
  std::vector<Across<T>> across_;
  AcrossVectors<T> vectors_;
};

/// row_at() of the instruction set of the processor.
template <Field field, class T>
void absorb_row_at(const AbsorbedRows<field, T>& rows, int i, int j);

}  // namespace asterism::fdtd::cpu
