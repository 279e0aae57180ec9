// SPDX-License-Identifier: Apache-2.0
// The mathematics of the fast multipole method in one page: potential and field of particles with charges q_j,
//   phi(x_i) = sum_{j != i} q_j K(|x_i - x_j|),   field(x_i) = -sum_{j != i} q_j (K'(r) / r) (x_i - x_j),
// by the Chebyshev method of Agullo, Bramas, Coulaud, Darve, Messner and Takahashi, Inria RR-8513, whose equations and
// sections the comments cite. All numbers are double; every operator has a version for CPUs and one for GPUs.
//
// Notation. l: order; k: coefficients of an expansion, products T_a(x) T_b(y) T_c(z) of Chebyshev polynomials on a cell
// scaled to [-1, 1]^3, k <= l^3 (far/basis.hpp); n: particles; c: cells; r: rank of a compressed operator. An expansion
// is k doubles padded to a stride of a multiple of 8. Operations are counted in costs.hpp; bytes are what a kernel has
// to move at least.
//
// P2P        near/p2p.hpp, near/p2p_cuda.hpp; section 3.1.1
//            phi_i = sum_j q_j K(|x_i - x_j|) over the particles j of neighbouring leaves, and the field.
//            in: n x 4 (x, y, z, q) of a group and the copies of its neighbours; out: n x 4 (phi, field)
//            operations: flops_mutual<Kernel> per unordered pair; bytes: (source_bytes + field_bytes) n.
//            One way, from particles that only act to points that are only acted on: flops_one_way<Kernel> per
//            ordered pair, out: n x 4 of the points.
//            K is a type (near/kernel_function.hpp): Laplace 1/r, InverseSquare 1/r^2, Yukawa exp(-kappa r)/r or one
//            that a program brings, for which near/p2p_impl.hpp and near/p2p_cuda_impl.cuh make the kernels.
//
// P2M        far/far_field.hpp, far/far_field_cuda.hpp; equation 2
//            M_abc = sum_j q_j T_a(x_j) T_b(y_j) T_c(z_j), coordinates relative to the leaf.
//            in: n x 4; out: c x stride; operations: p2m_flops per particle; bytes: source_bytes n + expansion_bytes c.
//
// M2M        far/far_field.hpp, far/far_field_cuda.hpp
//            M(parent) += sum over children of S_x S_y S_z M(child), where T_a((x +- 1) / 2) = sum_b S_ab T_b(x).
//            in: c x stride of children; inout: that of parents; operations: shift_flops per family of eight;
//            bytes: expansion_bytes (children + 2 parents).
//
// M2L        far/far_field.hpp, far/far_field_cuda.hpp; operators: far/m2l_operators.hpp; equations 6 and 7
//            L(target) += scale U_t V_t^T M(source), t the relative position of the two cells, one of 316.
//            in: expansions of the source groups, list of pairs, operators; inout: expansions of the target group;
//            operations: m2l_flops(k, r) per pair of cells; bytes: expansion_bytes (sources + 2 targets) + 8 per pair.
//
// L2L        far/far_field.hpp, far/far_field_cuda.hpp
//            L(child) += S_z^T S_y^T S_x^T L(parent): the transpose of M2M, with the same operations;
//            bytes: expansion_bytes (parents + 2 children).
//
// L2P        far/far_field.hpp, far/far_field_cuda.hpp; equation 3
//            phi_i (+)= sum_abc L_abc T_a(x_i) T_b(y_i) T_c(z_i), field_i (-)= its gradient.
//            in: c x stride, n x 4; out: n x 4; operations: l2p_flops per particle;
//            bytes: expansion_bytes c + (source_bytes + field_bytes) n.
//
// reduction  near/reduction.hpp, near/reduction_cuda.hpp; "P2P-Reduction" in section 4.3.1
//            result_i (+)= sum over groups g of near_g(i): what groups computed for copies of this group's leaves.
//            in: near results of the groups; inout: n x 4; operations: reduction_flops per added particle;
//            bytes: 3 field_bytes per added particle.
#pragma once

#include "codelets/fmm/kernels/costs.hpp"
#include "codelets/fmm/kernels/far/basis.hpp"
#include "codelets/fmm/kernels/far/far_field.hpp"
#include "codelets/fmm/kernels/far/m2l_operators.hpp"
#include "codelets/fmm/kernels/near/kernel_function.hpp"
#include "codelets/fmm/kernels/near/p2p.hpp"
#include "codelets/fmm/kernels/near/reduction.hpp"
