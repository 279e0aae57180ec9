// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient with several right-hand sides at once, on CPUs: each has its own recurrence, and all share the
// products, which read the matrix once. What one of them finds has the bits that it has alone (flow/fused.cpp).
//
//   multi_system.hpp, .cpp  the data: vectors side by side, scalars of each
//   multi_flow.cpp          the order of operations
//   multi_solver.cpp        the host: submits iterations ahead, reads the residuals, and ends
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "codelets/cg/multivector.hpp"
#include "taskflows/cg/simulation.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::cg {

inline constexpr int most_right_hand_sides = cpu::most_vectors;

class MultiSystem {
 public:
  /// Whether such systems can be solved together: by the fused flow, in block-rows, on the cores of one process, and
  /// without a preconditioner that is a flow of its own.
  [[nodiscard]] static bool suits(const System& system, const Session& session);
  /// So many vectors, or the next larger of 2, 4 and 8.
  [[nodiscard]] static int width_for(std::size_t right_hand_sides);

  /// `system` is kept by reference, for its matrix, its block-rows and its preconditioner.
  MultiSystem(const System& system, int vectors);
  ~MultiSystem();
  MultiSystem(const MultiSystem&) = delete;
  MultiSystem& operator=(const MultiSystem&) = delete;

  /// What became of a right-hand side. Not settled: it needs a restart, or has an error, and is to be solved alone.
  struct Solved {
    bool settled = false;
    SolveResult result;
  };
  /// Solves for up to vectors() right-hand sides b, each with its start (null: 0). Those that are settled have their
  /// solution in x, which may be the same memory as b; others' x stays. `progress` is told the largest residual.
  std::vector<Solved> solve(std::span<const double* const> b, std::span<const double* const> start,
                            std::span<double* const> x, const std::function<void(const Progress&)>& progress);

  [[nodiscard]] int vectors() const { return vectors_; }

 private:
  using Pointers = std::array<const double*, most_right_hand_sides>;

  void make_halos();

  // multi_flow.cpp
  [[nodiscard]] codelets::MultiArgs args(int i) const;
  void submit_load();
  void submit_product(Codelet& codelet);
  void submit_true_residual();
  void submit_start();
  void submit_iteration(int window, int slot);
  void submit_store();

  // multi_solver.cpp
  struct Column {
    double b_norm = 0;
    HistoryEntry last;
    std::vector<double> history;
  };
  void set_states();
  void iterate(const std::function<void(const Progress&)>& progress);
  [[nodiscard]] int next_window(int submitted) const;
  bool read_window(int window, int count);

  const System& sys_;
  const int vectors_;
  Array<double> memory_;
  std::vector<codelets::MultiBlock> blocks_;
  std::vector<std::vector<const double*>> halo_from_;  ///< of each block-row
  HostBuffer<State> state_memory_;
  HostBuffer<Sum> sum_memory_;
  HostBuffer<Dots> dots_memory_;
  std::array<HostBuffer<HistoryEntry>, 2> history_memory_;
  std::vector<Handle> own_, p_, sums_, dots_;
  Handle states_;
  std::array<Handle, 2> history_;
  Pointers start_{}, right_{};                       ///< what tasks on their way read
  std::array<double*, most_right_hand_sides> to_{};  ///< and write
  std::vector<Column> columns_;
};

}  // namespace asterism::cg
