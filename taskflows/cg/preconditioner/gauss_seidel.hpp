// SPDX-License-Identifier: Apache-2.0
// The symmetric Gauss-Seidel preconditioner by colours as a task flow (SSOR with relaxation 1; Saad, Iterative Methods
// for Sparse Linear Systems, sections 4.1.2 and 12.4):
//
//   z = 0;  for the colours up, then down again:  z_c = z_c + D_c^-1 (r - A z)_c
//
// Nodes of one colour have no entries with each other, so that their rows are relaxed at once. Colours come from the
// whole matrix: every division, scheduler and kind of unit gives the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "taskflows/cg/preconditioner/hierarchy.hpp"
#include "taskflows/cg/preconditioner/preconditioner_tasks.hpp"

namespace asterism::cg {

/// A colour for each node of `size` rows, none that of a node with which it has an entry: the first that is free, in
/// the order of the nodes.
std::vector<std::int32_t> colours_of(const CsrMatrix& a, int size);

/// One level with the inverses of its diagonal blocks, and the colours. Throws Error (bad_input) when a diagonal block
/// shows that A is not positive definite.
Hierarchy coloured(const CsrMatrix& a, int size);

class GaussSeidel final : public PreconditionerTasks {
 public:
  /// After the blocks of A are there. `rows`: all rows of the matrix, or over several ranks those that `setup` has.
  GaussSeidel(System& system, const CsrMatrix& rows, const Hierarchy& setup);

  void submit(const System& system) override;
  [[nodiscard]] starpu_data_handle_t z(int i) const override { return z_->piece(i); }

 private:
  /// The rows of one colour, by block-row; no rows: no handles.
  struct Colour {
    Operator a;
    std::vector<std::vector<std::int32_t>> row_memory;
    std::vector<std::vector<double>> inverse_memory;
    std::vector<Handle> row, inverse, q;
  };
  void add_rows(Colour& colour, int k, const std::vector<std::int32_t>& rows, const Level& level);
  void relax(const Colour& colour, const System& system, bool from_zero);

  const Partition& owners_;
  int size_;
  std::unique_ptr<HaloVector> z_;
  std::vector<Colour> colours_;
};

}  // namespace asterism::cg
