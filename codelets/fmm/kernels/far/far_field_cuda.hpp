// SPDX-License-Identifier: Apache-2.0
// The five far-field operators on GPUs: the same meaning and data as in far_field.hpp, every pointer inside the views
// to device memory. Asynchronous on the stream, no allocation; sums have a fixed order, so equal input gives equal
// bits. Launch errors throw. Operations: costs.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "codelets/fmm/kernels/far/views.hpp"
#include "codelets/fmm/kernels/near/particle_views.hpp"

namespace asterism::fmm::cuda {

/// M_abc(cell) = sum_j q_j T_a T_b T_c. Overwrites. A thread block per leaf.
void p2m(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         double* multipoles, cudaStream_t stream);

/// Adds the moments of children to those of their parents, which differ from family to family.
void m2m(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* children, double* parents, cudaStream_t stream);

/// Device addresses of the multipoles of each source group, passed to the kernel by value.
struct M2LSources {
  static constexpr int max = 256;  ///< 32 - source_bits bits
  const double* at[max];
};

/// How to compute M2L. All but `simple` take the pairs of a direction whose targets are among some columns, adjacent
/// in rank, as two products of tensor cores, with the local expansions of those targets in shared memory.
enum class M2LVariant {
  best,              ///< one of the others, by the size of the basis
  simple,            ///< a thread block per tile, pair after pair; any basis. What the others are measured against
  columns_16,        ///< two thread blocks per SM up to k = 480; reads the operators from the L2 cache most often
  columns_32,        ///< half of that traffic; two thread blocks per SM up to k = 64 only
  columns_32_ahead,  ///< one thread block per SM, which loads while it multiplies; up to k = 500
};

inline constexpr int m2l_max_cluster = 8;

/// L(target) += scale U_t V_t^T M(source). Needs list.rank. m2l_flops(k, r) operations per pair.
/// `most_in_cluster`: thread blocks that share the directions of a tile, where tiles are few.
void m2l(const M2LView& operators, double scale, const M2LList& list, const M2LSources& sources, double* locals,
         cudaStream_t stream, M2LVariant variant = M2LVariant::best, int most_in_cluster = m2l_max_cluster);

/// Adds to children the polynomial of their parents.
void l2l(const BasisView& basis, const double* shift, const Family* families, std::int32_t count,
         const CellIndex* child_index, const double* parents, double* children, cudaStream_t stream);

/// potential_i (+)= sum_abc L_abc T_a T_b T_c, field_i (-)= its gradient. A thread per particle: those of the group
/// stand one after the other, leaf after leaf. `particles`: leaves.begin[cells] - leaves.begin[0], on the host.
void l2p(const BasisView& basis, const Grid& grid, const LeafView& leaves, const SourceView& particles,
         std::int32_t count, const double* locals, const FieldView& result, bool add, cudaStream_t stream);

}  // namespace asterism::fmm::cuda
