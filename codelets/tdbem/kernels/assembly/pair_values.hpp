// SPDX-License-Identifier: Apache-2.0
// The contributions of a pair of triangles to the convolution matrices M^0, M^1, ...: for every lag a 3 x 3 matrix.
//
// Rigid: the hypersingular operator (A. Bamberger, T. Ha Duong, Math. Methods Appl. Sci. 8 (1986), 598), unknowns
// linear in time. Soft: the single layer (ibid., 405), unknowns constant in each step, differentiated in time. Both are
// tested with constants in each step. Point pairs p have the weight g = w / (4 pi r), rho = r / (c dt), q = floor(rho),
// th = rho - q:
//
//   rigid  M^k_ac = dt (curl_a . curl_c) sum g B_(k-q)(th) + (n_x . n_y) / (c^2 dt) sum g b_a(x) b_c(y) D_(k-q)
//          B = ((1 - th)^2, 1 + 2 th - 2 th^2, th^2) / 2    D = (1, -2, 1)
//   soft   M^k_ac = sum g b_a(x) b_c(y) D_(k-q)             D = (1, -1)
//
// curl_a = (v_(a+2) - v_(a+1)) / (2 area) is the surface curl of the basis function of corner a. What depends on q only
// is summed first, H_ac[q] = sum g b_a b_c and the moments of th, and differences in k are taken afterwards.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/assembly/pair_distances.hpp"

namespace asterism::tdbem {

/// The values of a pair: value[3 a + c][k - first] for corner a of one triangle, c of the other; zeros follow.
struct PairValues {
  std::int32_t first = 0;
  std::int32_t count = 0;
  alignas(64) double value[9][most_lags + 8];
};

/// Precondition: distances of the pair span fewer than most_lags - 2 steps (tile_structure() makes sure). Values of a
/// triangle and itself are symmetric to the bit.
void pair_values(const PairRules& rules, const Discretisation& d, const PairTriangle& x, const PairTriangle& y,
                 PairScratch& scratch, PairValues& out);

}  // namespace asterism::tdbem
