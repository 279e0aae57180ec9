// SPDX-License-Identifier: Apache-2.0
// Index of the mathematics of time-domain boundary elements (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015),
// doi:10.1016/j.parco.2015.07.005; sections and equations in brackets). Bytes and operations of each: costs.hpp.
// References: reference/ beside the task flow; tests/codelets/tdbem has plain versions of each kernel.
//
// N unknowns: values at the vertices of a triangulated surface. Time step n, lag k, 1 <= k <= Kmax = longest distance /
// (c dt) + 2. The march [2]:   M^0 a^n = l^n - sum_k M^k a^(n-k).
//
// assembly/   The matrices.
//   pair_values()     pair of triangles -> 3 x 3 x lags  M^k_ac = sum over point pairs of w / (4 pi r) times splines of
//                     r / (c dt) - k and basis functions; 34 flops, 80 bytes of tables per point pair (pair_values.hpp)
//   tile_structure()  tile of rows x slices -> first lag and length of each row-vector M^k(i, j), k = first ...
//                     first + length - 1, from the distances of the same points (tile_structure.hpp)
//   assemble()        tile -> its values, those of its mirror image, and of M^0 (tile_values.hpp)
//   near_rows()       pairs with values at lags below n_g, by rows, for the radiation stage (near_rows.hpp)
//
// product/    Summation stage [3.2, 3.3]: slices, the row-vectors of one j below each other.
//   product()              s_i^(n+g) += sum_j sum_k M^k(i, j) a_j^(n+g-k), g < n_g <= 16, where a^m of m >= n is 0;
//                          tiles [rows x slices x length], windows [slices x reach + n_g], sums [rows x n_g];
//                          2 n_g flops per value, sizeof(T) bytes per value and 2 per row-vector (product.hpp)
//   k_order_product()      s^n = sum_k M^k a^(n-k) by sparse matrices, one for each k [3.1]: 2 flops and sizeof(T) + 4
//                          bytes per value; to compare with (k_order.hpp)
//   full_blocks_product()    product() over dense blocks of b_r x b_c [5.1]; --kernel full-blocking (full_blocking.hpp)
//   scalar_products(), matrix_vector_products()   product() without its two optimisations [3.2, 3.3], CPUs only;
//                          --kernel scalar and matrix-vector (variants.hpp)
//
// march/      From sums to solutions.
//   combine()          totals = begun + sum of partial sums [rows x n_g] of units and ranks: a flop per addend and
//                      element (partial_sums.hpp)
//   right_hand_side()  r^(n+g) = l^(n+g) - s^(n+g) (partial_sums.hpp)
//   extrapolate()      first guess a^n = 2 a^(n-1) - a^(n-2) (partial_sums.hpp)
//   solve()            M^0 a = r by conjugate gradients with the diagonal as preconditioner: per iteration 2 flops and
//                      sizeof(T) + 4 bytes per non-zero, 13 flops and about 10 sizeof(T) bytes per row (solve.hpp)
//   radiate()          radiation stage [3.3]: s_i^(n+h) += sum_j M^(h-g)(i, j) a_j^(n+g), g < h < n_g, over near pairs:
//                      2 flops per pair and lag (radiation.hpp)
//   move_on()          window_j = (a_j^(n+n_g-reach), ..., a_j^(n+n_g-1), 0, ...): reads and writes each window once
//                      (windows.hpp)
//
// waves/      The incident wave, and the pressure at observers.
//   illuminate()  l_i^n: the tested incident plane wave f(t_n - d.x / c) - f(t_(n-1) - d.x / c); about 40 flops per
//                 evaluation of f (illumination.hpp, pulse.hpp)
//   observe()     p_o^n = sum_j sum_k w_oj^k a_j^(n-k): 2 flops and sizeof(T) bytes per weight and step (observe.hpp)
//
// Those with a .cu file run on GPUs as well (namespace cuda): product, combine, right_hand_side, solve, radiate,
// move_on, illuminate, observe, and both products to compare with.
#pragma once

#include "codelets/tdbem/kernels/assembly/near_rows.hpp"
#include "codelets/tdbem/kernels/assembly/pair_values.hpp"
#include "codelets/tdbem/kernels/assembly/tile_structure.hpp"
#include "codelets/tdbem/kernels/assembly/tile_values.hpp"
#include "codelets/tdbem/kernels/costs.hpp"
#include "codelets/tdbem/kernels/march/partial_sums.hpp"
#include "codelets/tdbem/kernels/march/radiation.hpp"
#include "codelets/tdbem/kernels/march/solve.hpp"
#include "codelets/tdbem/kernels/march/windows.hpp"
#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "codelets/tdbem/kernels/product/k_order.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/waves/illumination.hpp"
#include "codelets/tdbem/kernels/waves/observe.hpp"
