// SPDX-License-Identifier: Apache-2.0
// What a solid cell returns along a link, for CPUs and GPUs: half-way bounce-back, or linear interpolation (Bouzidi,
// Firdaouss and Lallemand, Physics of Fluids 13, 3452, 2001). With d of the link's length from the fluid cell to the
// surface,
//   f_opposite(j)(x, t + 1) = 2 d f*_j(x) + (1 - 2 d) f*_j(x - c_j)                     d < 1/2
//                             1 / (2 d) f*_j(x) + (1 - 1 / (2 d)) f*_opposite(j)(x)     d >= 1/2
// Of the A-A pattern, both second populations are in place once neighbours have been heard: f*_j(x - c_j) is f_j(x, t +
// 1), and each of the two lies in slot j of x after one half-step, in slot opposite(j) of x - c_j after the other. No
// link writes what another one reads, since d < 1/2 is only for links with a fluid cell x - c_j in the domain.
#pragma once

#include "codelets/lbm/kernels/float16.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// Links::share of a link: `behind`, whether x - c_j is a fluid cell.
inline double link_share(double distance, bool behind) {
  if (distance >= 0.5) return 1 / (2 * distance);
  constexpr double least = 1e-30;  // so that its sign is seen
  return behind ? -2 * (distance > least ? distance : least) : 1;
}

/// f_opposite(j) of the next step from what the half-step `last` left: link `l`, of direction j.
template <class T>
ASTERISM_STORAGE T returned(Half last, const Brick& brick, const Links& links, int j, std::int64_t l, const T* f) {
  const std::int64_t fluid = links.fluid[l];
  const T sent = f[last == Half::alpha ? fluid : links.solid[l]];
  if (links.share == nullptr || links.share[l] == 1) return sent;
  const bool near = links.share[l] < 0;
  const std::int64_t own = fluid + (j - opposite(j)) * brick.slot;
  const std::int64_t behind = fluid - brick.step(j);
  const T second = f[near == (last == Half::alpha) ? behind : own];
  const auto share = static_cast<Arithmetic<T>>(near ? -links.share[l] : links.share[l]);
  const auto rest = static_cast<Arithmetic<T>>(1) - share;
  return stored<T>(share * value_of(sent) + rest * value_of(second));
}

/// Half of f*_j + f_opposite(j): a link carries 2 c_j times this.
template <class T>
ASTERISM_STORAGE double exchanged(Half last, const Brick& brick, const Links& links, int j, std::int64_t l,
                                  const T* f) {
  const auto sent = static_cast<double>(value_of(f[last == Half::alpha ? links.fluid[l] : links.solid[l]]));
  if (links.share == nullptr) return sent;
  return 0.5 * (sent + static_cast<double>(value_of(returned(last, brick, links, j, l, f))));
}

}  // namespace asterism::lbm
