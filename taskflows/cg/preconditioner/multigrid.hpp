// SPDX-License-Identifier: Apache-2.0
// The V-cycle of a multigrid hierarchy as a task flow: z = M^-1 r from any flow of conjugate gradient. Each level is
// cut into block-rows as the matrix is, small levels are one block; the smoother is a Chebyshev polynomial in D^-1 A
// (Adams, Brezina, Hu, Tuminaro, J. Comput. Phys. 188 (2003)): products and updates only, so that every division,
// scheduler and kind of unit gives the same bits.
#pragma once

#include <memory>
#include <vector>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/gpu_contexts.hpp"
#include "runtime/memory/host_memory.hpp"
#include "taskflows/cg/preconditioner/hierarchy.hpp"
#include "taskflows/cg/preconditioner/preconditioner_tasks.hpp"

namespace asterism::cg {

/// Steps of the smoother before and after the coarser levels: the degree of its polynomial, which tasks are made for.
inline constexpr int smoother_steps = 2;

class Multigrid final : public PreconditionerTasks {
 public:
  /// After the blocks of A are there. `a`: all rows of the matrix. Both must outlive this.
  Multigrid(System& system, const CsrMatrix& a, const Hierarchy& hierarchy);

  void submit(const System& system) override;
  [[nodiscard]] starpu_data_handle_t z(int i) const override;

 private:
  struct Plain {  ///< a vector that no matrix multiplies
    std::vector<Handle> block;
  };
  struct LevelData {
    int size = 1;
    double largest = 0, smoothed_share = 0;
    Cuts cuts;
    Operator a, p, r;
    std::unique_ptr<HaloVector> x;       ///< the correction
    std::unique_ptr<HaloVector> d;       ///< the smoother's first step
    std::unique_ptr<HaloVector> defect;  ///< b - A x, or b itself on the coarsest level
    Plain b, q;
    HostBuffer<double> inverse_memory;
    std::vector<Handle> inverse;
    [[nodiscard]] int blocks() const { return static_cast<int>(cuts.size()) - 1; }
  };
  Plain make_plain(const Cuts& cuts, const std::string& name) const;
  void make_inverse(LevelData& level, const std::vector<double>& inverse);
  void submit_level(std::size_t l, const System& system);
  void submit_smoother(LevelData& level, const std::vector<starpu_data_handle_t>& b, codelets::Write write);
  void submit_product(const Operator& a, const HaloVector& x, const std::vector<starpu_data_handle_t>& y, bool add);

  const Partition& owners_;
  GpuContexts* gpus_;
  std::vector<LevelData> levels_;
};

}  // namespace asterism::cg
