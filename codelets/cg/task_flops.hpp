// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of a task, from its arguments and its data: what a codelet tells StarPU.
#pragma once

#include <span>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/kernels/costs.hpp"

namespace asterism::cg::codelets {

/// Numbers of a vector, or of a piece of one.
inline double elements(const Access& access) {
  return static_cast<double>(starpu_data_get_size(access.handle) / sizeof(double));
}

inline double spmv_flops(const void* arguments, std::span<const Access>) {
  const auto& a = *static_cast<const SpmvArgs*>(arguments);
  return costs::product_flops(static_cast<double>(a.layout.nonzeros), static_cast<double>(a.layout.rows),
                              a.dot != ProductDot::none);
}
/// The entries of a row lie together in a block of the format csr.
inline double spmv_chunks(const void* arguments) {
  return static_cast<double>(static_cast<const SpmvArgs*>(arguments)->layout.filled_rows);
}
inline double dot_flops(const void*, std::span<const Access> accesses) {
  return costs::dot_flops(elements(accesses[0]));
}
inline double residual_dots_flops(const void*, std::span<const Access> accesses) {
  const bool with_z = accesses.size() == 3;
  return (with_z ? 2 : 1) * costs::dot_flops(elements(accesses[0]));
}
inline double axpy_flops(const void*, std::span<const Access> accesses) {
  return costs::axpy_flops(elements(accesses[1]));
}
inline double xpby_flops(const void*, std::span<const Access> accesses) {
  return costs::scal_axpy_flops(elements(accesses[1]));
}
inline double precondition_flops(const void* arguments, std::span<const Access> accesses) {
  return costs::precondition_flops(elements(accesses[1]), static_cast<const PreconditionArgs*>(arguments)->block);
}
inline double smooth_first_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const SmoothFirstArgs*>(arguments);
  const double n = elements(accesses[1]);
  return costs::smooth_first_flops(n, a.block) +
         (a.product != 0 ? costs::product_flops(static_cast<double>(a.layout.nonzeros), n, false) : 0);
}
inline double smooth_second_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const SmoothSecondArgs*>(arguments);
  const double n = elements(accesses[1]);
  return costs::smooth_second_flops(n, a.block) +
         costs::product_flops(static_cast<double>(a.layout.nonzeros), n, false);
}
inline double relax_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const RelaxArgs*>(arguments);
  if (a.product == 0) return costs::precondition_flops(elements(accesses[0]) / a.block, a.block);
  const double n = elements(accesses[1]);
  return costs::precondition_flops(n, a.block) + 2 * n +
         costs::product_flops(static_cast<double>(a.layout.nonzeros), n, false);
}
inline double defect_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const DefectArgs*>(arguments);
  const double n = elements(accesses[1]);
  return costs::product_flops(static_cast<double>(a.layout.nonzeros), n, false) + n;
}
inline double residual_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const ResidualArgs*>(arguments);
  return costs::residual_flops(elements(accesses[static_cast<std::size_t>(2 + a.partials)]), a.block);
}
inline double direction_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const DirectionArgs*>(arguments);
  return costs::direction_flops(elements(accesses[static_cast<std::size_t>(1 + a.partials)]));
}
inline double iterations_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const IterationsArgs*>(arguments);
  const double n = elements(accesses[static_cast<std::size_t>(4 + a.members)]);
  return a.count * (costs::product_flops(static_cast<double>(a.layout.nonzeros), n, true) +
                    costs::residual_flops(n, a.block) + costs::direction_flops(n));
}
/// By the sizes of the data and the number of iterations.
inline std::uint32_t iterations_footprint(starpu_task* task) {
  const auto count = static_cast<std::uint32_t>(static_cast<const IterationsArgs*>(task->cl_arg)->count);
  return starpu_hash_crc32c_be(count, starpu_task_data_footprint(task));
}
inline double pipelined_flops(const void* arguments, std::span<const Access> accesses) {
  const auto& a = *static_cast<const PipelinedArgs*>(arguments);
  return costs::pipelined_flops(elements(accesses[static_cast<std::size_t>(2 + a.partials)]), a.block);
}
inline double pipelined_dots_flops(const void*, std::span<const Access> accesses) {
  const bool with_u = accesses.size() == 4;
  return (with_u ? 3 : 2) * costs::dot_flops(elements(accesses[0]));
}

}  // namespace asterism::cg::codelets
