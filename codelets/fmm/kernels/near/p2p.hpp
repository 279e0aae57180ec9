// SPDX-License-Identifier: Apache-2.0
// Direct interactions between the particles of neighbouring leaves (P2P) on the CPU: each unordered pair once, by
// anti-symmetry. Section 3.1.1 and figure 4 of the FMM paper.
//
// p2p_one_way: between particles that only act and particles that are only acted on, each ordered pair once.
//
// p2p, p2p_one_way and p2p_targets are compiled for three instruction sets and pick one when they are called. They
// exist for the kernels of kernel_function.hpp; for one's own, p2p_impl.hpp and the CMake function asterism_fmm_p2p.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fmm/kernels/near/kernel_function.hpp"
#include "codelets/fmm/kernels/near/particle_views.hpp"

namespace asterism::fmm {

/// Work for a thread block of a GPU: the field of particles [first, end), which are some of a leaf or all.
struct P2PItem {
  std::int32_t leaf, first, end;
};

/// Leaves of one group followed by copies ("ghosts") of its neighbours of higher Morton index in other groups, and
/// who interacts with whom. Leaf a has the particles begin[a] .. begin[a+1] of the set; leaves may be empty.
struct P2PSet {
  std::int32_t own_leaves;    ///< leaves [0, own_leaves) are the group's
  std::int32_t leaves;        ///< leaves [own_leaves, leaves) are ghosts
  const std::int32_t* begin;  ///< leaves + 1

  /// For own leaf a the neighbours b > a, upper[upper_begin[a]] ..: every unordered pair of neighbouring leaves of
  /// which at least one is own, once. Read on the CPU; in ascending order consecutive leaves become one loop.
  const std::int32_t* upper_begin;  ///< own_leaves + 1
  const std::int32_t* upper;

  /// Every leaf whose particles act on a leaf, itself included for own leaves; for ghosts their own neighbours only
  /// (own = of the group). Read on the GPU.
  const std::int32_t* source_begin;  ///< leaves + 1
  const std::int32_t* source;

  /// The work as thread blocks of a GPU take it in turn, p2p_items(); none: a leaf each.
  std::int32_t items = 0;
  const P2PItem* item = nullptr;
};

/// Unordered pairs of particles of a set.
[[nodiscard]] std::int64_t p2p_pairs(const P2PSet& set);
/// Ordered pairs, of a particle of the leaves [0, own_leaves) with one of a leaf in `source`.
[[nodiscard]] std::int64_t p2p_one_way_pairs(const P2PSet& set);

/// Divides a set among thread blocks so that none waits for one with much more: leaves of which the pairs are more than
/// about a thousandth of all are cut into pieces of at least p2p_least_targets particles, and pieces with more than
/// twice the mean of pairs come first, the largest before the others. All else stays in the order of the leaves, whose
/// sources are then in the cache.
[[nodiscard]] std::vector<P2PItem> p2p_items(const P2PSet& set);
inline constexpr std::int32_t p2p_least_targets = 64;

/// Instruction sets the kernels are compiled for: 2, 4 and 8 doubles at a time.
enum class Isa { portable, avx2, avx512 };
[[nodiscard]] const char* name(Isa isa);
[[nodiscard]] bool supported(Isa isa);
/// The widest one of this machine.
[[nodiscard]] Isa best_isa();

// The same functions in each instruction set; p2p_impl.hpp defines them.
#define ASTERISM_FMM_DECLARE(isa)                                                                                 \
  namespace isa {                                                                                                 \
  template <class Kernel>                                                                                         \
  void p2p(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field);                       \
  template <class Kernel>                                                                                         \
  void p2p_vectors(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field,                \
                   const ChargeVectors& charges);                                                                 \
  template <class Kernel>                                                                                         \
  void p2p_one_way(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field);               \
  template <class Kernel>                                                                                         \
  void p2p_targets(const Kernel& kernel, std::int64_t targets, const double* x, const double* y, const double* z, \
                   std::int64_t sources, SourceView source, FieldView field);                                     \
  }
ASTERISM_FMM_DECLARE(portable)
#if defined(__x86_64__)
ASTERISM_FMM_DECLARE(avx2)
ASTERISM_FMM_DECLARE(avx512)
#endif
#undef ASTERISM_FMM_DECLARE

/// Overwrites the field of all particles of the set, own and ghosts:
///   potential_i = sum_j q_j K(|x_i - x_j|),  field_i = -sum_j q_j slope(|x_i - x_j|) (x_i - x_j)
/// over the j != i of neighbouring leaves (for ghosts: of own neighbours). Coincident particles of a leaf do not
/// act on each other, unless the kernel is Softened; those of different leaves must differ, as they do in a tree.
/// Relative error of a pair with AVX-512: 2e-12 at most. Arrays hold begin[leaves] doubles and need no alignment or
/// padding. `isa` must be supported.
template <class Kernel>
void p2p(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field, Isa isa = best_isa()) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::p2p(kernel, set, particles, field);
  if (isa == Isa::avx2) return avx2::p2p(kernel, set, particles, field);
#else
  (void)isa;
#endif
  portable::p2p(kernel, set, particles, field);
}

/// p2p() of up to most_vectors vectors of charges: each has the bits that it has alone, and the kernel of a pair is
/// evaluated once for all.
template <class Kernel>
void p2p_vectors(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field,
                 const ChargeVectors& charges, Isa isa = best_isa()) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::p2p_vectors(kernel, set, particles, field, charges);
  if (isa == Isa::avx2) return avx2::p2p_vectors(kernel, set, particles, field, charges);
#else
  (void)isa;
#endif
  portable::p2p_vectors(kernel, set, particles, field, charges);
}

/// Overwrites the field of the particles of the leaves [0, own_leaves), of which a result has begin[own_leaves]:
///   potential_i = sum_j q_j K(|x_i - x_j|),  field_i = -sum_j q_j slope(|x_i - x_j|) (x_i - x_j)
/// over the particles j of the leaves in `source`. Of these leaves the first may have particles at the places of the
/// leaf's own, which act where the kernel is Softened; the others must not. `upper` is not read.
template <class Kernel>
void p2p_one_way(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field, Isa isa = best_isa()) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::p2p_one_way(kernel, set, particles, field);
  if (isa == Isa::avx2) return avx2::p2p_one_way(kernel, set, particles, field);
#else
  (void)isa;
#endif
  portable::p2p_one_way(kernel, set, particles, field);
}

/// Overwrites the field at `targets` points with that of `sources` particles, all with all; a source at distance 0
/// does not act, unless the kernel is Softened. For checks of large systems: partial sums of 512 sources keep the error
/// of summation small.
template <class Kernel>
void p2p_targets(const Kernel& kernel, std::int64_t targets, const double* x, const double* y, const double* z,
                 std::int64_t sources, SourceView source, FieldView field, Isa isa = best_isa()) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::p2p_targets(kernel, targets, x, y, z, sources, source, field);
  if (isa == Isa::avx2) return avx2::p2p_targets(kernel, targets, x, y, z, sources, source, field);
#else
  (void)isa;
#endif
  portable::p2p_targets(kernel, targets, x, y, z, sources, source, field);
}

}  // namespace asterism::fmm
