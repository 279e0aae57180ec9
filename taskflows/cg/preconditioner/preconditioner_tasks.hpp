// SPDX-License-Identifier: Apache-2.0
// A preconditioner that is a task flow of its own, and the matrices in block-rows that such flows multiply with.
#pragma once

#include <vector>

#include "codelets/cg/kernels/block_layout.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "taskflows/cg/preconditioner/halo_vector.hpp"

namespace asterism::cg {

class System;

class PreconditionerTasks {
 public:
  PreconditionerTasks() = default;
  PreconditionerTasks(const PreconditionerTasks&) = delete;
  PreconditionerTasks& operator=(const PreconditionerTasks&) = delete;
  virtual ~PreconditionerTasks() = default;

  /// z = M^-1 r
  virtual void submit(const System& system) = 0;
  /// z_i
  [[nodiscard]] virtual starpu_data_handle_t z(int i) const = 0;
};

/// Whether block-row k is of this rank.
[[nodiscard]] bool is_here(const Partition& owners, int k);

/// A sparse matrix in block-rows.
struct OperatorBlock {
  BlockLayout layout;
  HostBuffer<char> memory;
  Handle owned;
  starpu_data_handle_t handle = nullptr;  ///< null: no rows, or those of another rank
};
using Operator = std::vector<OperatorBlock>;

/// Block-row i has rows rows[i] .. rows[i + 1] of `a` and numbers its columns as x.inputs(i) has them. With
/// `diagonals` it may be stored by diagonals.
Operator make_operator(const CsrMatrix& a, const Cuts& rows, const HaloVector& x, const char* name, bool diagonals,
                       const Partition& owners);

}  // namespace asterism::cg
