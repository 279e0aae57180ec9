// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/dispersive.hpp"

#include <algorithm>

#include "base/isa.hpp"

namespace asterism::fdtd::cpu {
namespace {

/// Entries of one medium that are done at once.
constexpr int most_entries = 128;

/// j and p of a pole, or nothing.
template <class T>
struct Kept {
  T* current;
  T* polarization;
};
/// Takes the pole's slots from `next`.
template <class T>
ASTERISM_INLINE Kept<T> take(const PoleCoefficients<T>& c, std::int64_t stride, T*& next) {
  Kept<T> kept{nullptr, nullptr};
  if (c.has_current) {
    kept.current = next;
    next += stride;
  }
  if (c.has_polarization) {
    kept.polarization = next;
    next += stride;
  }
  return kept;
}

template <bool current, bool polarization, class T>
ASTERISM_INLINE void recall(const PoleCoefficients<T>& c, const Kept<T>& kept, int count, T* sum) {
#pragma GCC ivdep
  for (int k = 0; k < count; ++k)
    sum[k] += recalled(c, current ? kept.current[k] : T{0}, polarization ? kept.polarization[k] : T{0});
}
template <bool current, bool polarization, class T>
ASTERISM_INLINE void advance(const PoleCoefficients<T>& c, const Kept<T>& kept, int count, const T* both_fields) {
#pragma GCC ivdep
  for (int k = 0; k < count; ++k) {
    const T j = current ? kept.current[k] : T{0};
    const T p = polarization ? kept.polarization[k] : T{0};
    const T m = contributed(c, j, p, both_fields[k]);
    if (current) kept.current[k] = T{2} * m - j;
    if (polarization) kept.polarization[k] = p + m;
  }
}

/// `count` entries of one medium in a row; `state` of the first, slot 0.
template <class T>
ASTERISM_INLINE void disperse_entries(const PoleCoefficients<T>* poles, int number, T b, std::int64_t stride, int count,
                                      T* state, T* e) {
  alignas(64) T sum[most_entries] = {};
  T* next = state + stride;
  for (int q = 0; q < number; ++q) {
    const PoleCoefficients<T> c = poles[q];
    const Kept<T> kept = take(c, stride, next);
    if (!c.has_polarization)
      recall<true, false>(c, kept, count, sum);
    else if (!c.has_current)
      recall<false, true>(c, kept, count, sum);
    else
      recall<true, true>(c, kept, count, sum);
  }
#pragma GCC ivdep
  for (int k = 0; k < count; ++k) {
    e[k] -= b * sum[k];
    sum[k] = e[k] + state[k];
    state[k] = e[k];
  }
  next = state + stride;
  for (int q = 0; q < number; ++q) {
    const PoleCoefficients<T> c = poles[q];
    const Kept<T> kept = take(c, stride, next);
    if (!c.has_polarization)
      advance<true, false>(c, kept, count, sum);
    else if (!c.has_current)
      advance<false, true>(c, kept, count, sum);
    else
      advance<true, true>(c, kept, count, sum);
  }
}

template <class T>
ASTERISM_INLINE void disperse_box(const Grid& grid, const Box& cells, const Media<T>& media, const Poles<T>& poles,
                                  const PoleStates& states, T* state, T* e) {
  const Box& s = states.box;
  for (int a = 0; a < 3; ++a) {
    const Box all = grid.entries(Field::electric, a, cells);
    const int end = std::min(all.z1, s.z1);
    for (int i = std::max(all.x0, s.x0); i < std::min(all.x1, s.x1); ++i)
      for (int j = std::max(all.y0, s.y0); j < std::min(all.y1, s.y1); ++j)
        for (int k = std::max(all.z0, s.z0); k < end;) {
          const std::int64_t at = grid.at(a, i, j, k);
          const std::uint16_t medium = media.index[at];
          const int most = std::min(end - k, most_entries);
          int count = 1;
          while (count < most && media.index[at + count] == medium) ++count;
          const PoleRange range = poles.ranges[medium];
          if (range.count > 0)
            disperse_entries(poles.poles + range.first, range.count, media.table[medium].b, states.stride(), count,
                             state + states.at(a, i, j, k), e + at);
          k += count;
        }
  }
}

}  // namespace

template <>
ASTERISM_CLONES void disperse(const Grid& grid, const Box& cells, const Media<double>& media,
                              const Poles<double>& poles, const PoleStates& states, double* state, double* e) {
  disperse_box(grid, cells, media, poles, states, state, e);
}
template <>
ASTERISM_CLONES void disperse(const Grid& grid, const Box& cells, const Media<float>& media, const Poles<float>& poles,
                              const PoleStates& states, float* state, float* e) {
  disperse_box(grid, cells, media, poles, states, state, e);
}

}  // namespace asterism::fdtd::cpu
