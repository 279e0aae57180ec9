// The StarPU codelets of the fast multipole method: each wraps one operator on a group, for CPUs and GPUs. Next to
// each: its arguments and, in order, the data that a task must be submitted with. The paper's Table 3 lists them.
#pragma once

#include <starpu.h>

#include <cstdint>

#include "codelets/fmm/kernels/near/reduction.hpp"
#include "codelets/fmm/layout.hpp"

namespace asterism::fmm::codelets {

/// Every argument begins with this: tasks of a codelet whose work differs by less than some percent, in the same basis,
/// form one class of StarPU's performance models (its footprint).
struct Work {
  double flops;
  std::int32_t basis;  ///< k; 0 where there is none
};

/// M = moments of the particles of each leaf.  operators R, cells R, particles R, multipoles W
struct P2MArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;
  Grid grid;
  std::int64_t particles;  ///< of the group's set: the distance from x to y to z to charge
};
starpu_codelet& p2m();

/// M(parents) += shifted M(children).  operators R, child cells R, child multipoles R, parent multipoles W or RW
struct M2MArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;  ///< of the children
  std::int32_t first_family, families;
  std::int32_t overwrite;  ///< the parents' cells when they are to be zeroed first, else 0
};
starpu_codelet& m2m();

/// L += U V^T M over the pairs of a list (equations 6 and 7).  operators R, list R, locals W or RW, multipoles R...
struct M2LArgs {
  Work work;
  OperatorLayout operators;
  ListLayout list;
  double scale;            ///< (half width of the cells)^degree for homogeneous kernels, else 1
  std::int32_t sources;    ///< groups of multipoles
  std::int32_t overwrite;  ///< cells to be zeroed first, else 0
};
starpu_codelet& m2l();

/// L(children) += L(parents) at the child.  operators R, child cells R, parent locals R, child locals RW
struct L2LArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;
  std::int32_t first_family, families;
};
starpu_codelet& l2l();

/// Potential and field from L.  operators R, cells R, particles R, locals R, result W or RW
struct L2PArgs {
  Work work;
  OperatorLayout operators;
  CellLayout cells;
  Grid grid;
  std::int64_t particles;  ///< of the group's set
  std::int64_t own;        ///< particles of the group, those of the result
  std::int32_t add;
};
starpu_codelet& l2p();

/// Adds what groups of lower Morton index computed for their copies of this group's leaves, and what this group
/// computed for its own ("P2P-Reduction").  parts R, result W or RW, near results R...: first the group's own
struct ReductionArgs {
  Work work;
  std::int64_t own;        ///< particles of the group
  std::int32_t sets;       ///< near results
  std::int32_t parts;      ///< runs of particles, of all of them
  std::int32_t overwrite;  ///< the result is new
};
starpu_codelet& reduction();

/// Flops that stand for all tasks of a class: StarPU wants the tasks of a footprint to agree on them. Within 3 %.
double class_flops(double flops);

/// Class of tasks for the performance models: from Work at the beginning of the arguments.
std::uint32_t footprint(starpu_task* task);

}  // namespace asterism::fmm::codelets
