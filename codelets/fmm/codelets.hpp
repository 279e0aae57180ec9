// SPDX-License-Identifier: Apache-2.0
// The StarPU codelets of the fast multipole method: each wraps one operator on a group, for CPUs and GPUs, in double
// precision. Next to each: its arguments and, in order, the data that a task must be submitted with. The mathematics is
// in kernels/kernels.hpp; Table 3 of RR-8513 lists the tasks. With several vectors of charges, particles have the
// charges of each behind their places, every cell the expansions of each one after the other, and results follow one
// another.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <span>
#include <string>

#include "codelets/fmm/kernels/layout.hpp"
#include "codelets/fmm/kernels/near/kernel_function.hpp"
#include "codelets/fmm/kernels/near/p2p.hpp"
#include "codelets/fmm/kernels/near/reduction.hpp"
#include "codelets/fmm/task_functions.hpp"
#include "runtime/codelet.hpp"

namespace asterism::fmm::codelets {

/// The arguments of every codelet begin with this. Tasks of a codelet whose work differs by less than some percent, in
/// the same basis, form one class of StarPU's performance models (its footprint).
struct Work {
  double flops;
  std::int32_t basis;        ///< k; 0 where there is no basis, but 1 for P2P one way, which takes other times
  std::int32_t vectors = 1;  ///< vectors of charges, at most most_vectors; several on CPUs only
};

/// Whether a task replaces the result that it writes, or adds to it.
enum class ResultUpdate : std::int32_t { overwrite, add };

/// P2M: M = moments of the particles of each leaf.
/// Data: operators R, cells R, particles R, multipoles W.
struct P2MArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;
  Grid grid;
  std::int64_t particles;  ///< particles of the group's set: the distance from x to y to z to charge
};
extern Codelet p2m;

/// M2M: M(parents) += shifted M(children).
/// Data: operators R, child cells R, child multipoles R, parent multipoles W or RW.
struct M2MArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;  ///< the children
  std::int32_t first_family, families;
  std::int32_t zeroed_parents;  ///< cells of the parents' group that are set to zero first; 0: none
};
extern Codelet m2m;

/// M2L: L += U V^T M over the pairs of a list (equations 6 and 7).
/// Data: operators R, list R, locals W or RW, multipoles R of each source group.
struct M2LArgs {
  Work work;
  OperatorLayout operators;
  ListLayout list;
  double scale;                 ///< (half width of the cells)^degree for homogeneous kernels, else 1
  std::int32_t sources;         ///< source groups
  std::int32_t zeroed_targets;  ///< cells of the target group that are set to zero first; 0: none
};
extern Codelet m2l;

/// L2L: L(children) += L(parents) at the child.
/// Data: operators R, child cells R, parent locals R, child locals RW.
struct L2LArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;  ///< the children
  std::int32_t first_family, families;
};
extern Codelet l2l;

/// L2P: potential and field from L.
/// Data: operators R, cells R, particles R, locals R, result W or RW.
struct L2PArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;
  Grid grid;
  std::int64_t particles;  ///< particles of the group's set
  std::int64_t own;        ///< particles of the group, those of the result
  ResultUpdate update;
};
extern Codelet l2p;

/// P2P-Reduction: adds what groups of lower Morton index computed for their copies of this group's leaves, and what
/// this group computed for its own leaves.
/// Data: parts R, result W or RW, near results R, the group's own first.
struct ReductionArgs {
  Work work;
  std::int64_t own;    ///< particles of the group
  std::int32_t sets;   ///< near results
  std::int32_t parts;  ///< runs of particles in all near results together
  ResultUpdate update;
};
extern Codelet reduction;

/// Which particles of a near set act on which.
enum class Acting : std::int32_t {
  mutual,   ///< neighbours on each other
  one_way,  ///< the sources of ghosts on the targets of the group's leaves
};

/// P2P: near field of a group and its ghosts, or of a group's targets from the sources that are its ghosts.
/// Data: near set R, particles R, near result W.
template <class Kernel>
struct P2PArgs {
  Work work;
  NearLayout near;
  std::int64_t particles;  ///< particles of the set
  std::int64_t results;    ///< those that have a result, the first ones of the set
  Acting acting;
  Kernel kernel;
};

/// Flops that stand for all tasks of a class, since StarPU wants the tasks of a footprint to agree on them: within 3 %.
double class_flops(double flops);
/// CodeletSpec::flops of every codelet here: class_flops() of Work at the beginning of the arguments.
double flops_of_task(const void* arguments, std::span<const Access> accesses);
/// CodeletSpec::footprint of every codelet here: the class of a task, from Work at the beginning of its arguments.
std::uint32_t footprint(starpu_task* task);

/// Where the charges and results of each vector of a task are, of so many particles and results.
[[nodiscard]] inline ChargeVectors charge_vectors(const Work& work, std::int64_t particles, std::int64_t results) {
  return {work.vectors, particles, 4 * results};
}

template <class Kernel>
void p2p_cpu(void** b, void* arguments) {
  const auto& a = as<P2PArgs<Kernel>>(arguments);
  const P2PSet set = near_view(a.near, ints(b[0]));
  const SourceView particles = sources(doubles(b[1]), a.particles);
  const FieldView result = field(array<double>(b[2]), a.results);
  const ChargeVectors charges = charge_vectors(a.work, a.particles, a.results);
  if (a.acting == Acting::one_way)
    for (std::int32_t v = 0; v < charges.vectors; ++v)
      fmm::p2p_one_way(a.kernel, set, charges.of(particles, v), charges.of(result, v));
  else if (charges.vectors > 1)
    fmm::p2p_vectors(a.kernel, set, particles, result, charges);
  else
    fmm::p2p(a.kernel, set, particles, result);
}

/// The codelet of an interaction kernel, whose name and floating type are its variant.
template <class Kernel>
CodeletSpec p2p_spec(starpu_cuda_func_t cuda) {
  static const std::string variant = std::string(Kernel::name) + "_double";
  return {.name = "fmm_p2p",
          .variant = variant.c_str(),
          .cpu = p2p_cpu<Kernel>,
          .cuda = cuda,
          .flops = flops_of_task,
          .footprint = footprint,
          .open_variants = true};
}

/// P2P exists once per interaction kernel, with a GPU version for those of kernel_function.hpp. The codelet of a kernel
/// that a program brings runs on CPUs only and is made at the first call.
template <class Kernel>
Codelet& p2p() {
  static Codelet codelet(p2p_spec<Kernel>(nullptr));
  return codelet;
}
template <>
Codelet& p2p<Laplace>();
template <>
Codelet& p2p<InverseSquare>();
template <>
Codelet& p2p<Yukawa>();
template <>
Codelet& p2p<Softened<Laplace>>();
template <>
Codelet& p2p<Softened<InverseSquare>>();
template <>
Codelet& p2p<Softened<Yukawa>>();

}  // namespace asterism::fmm::codelets
