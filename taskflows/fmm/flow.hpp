// SPDX-License-Identifier: Apache-2.0
// The order of operations of the fast multipole method (section 2.2 and Figure 2 of RR-8513), as tasks on the data of a
// Simulation: P2M, M2M, M2L, L2L, L2P for the far field, P2P and its reduction for the near field. The parts: flow.cpp
// the order and the operators; exchange.cpp the messages between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/simulation.hpp"

namespace asterism::fmm {

/// Priorities of tasks, higher first: the homogeneous column of the paper's Table 3, with one value per level for M2M,
/// L2L and M2L. They depend on the height of the tree, so this is a structure and not an enumeration as in other
/// methods. All are between 0 and 3 h + 4.
struct Priorities {
  int height;  ///< of the tree
  [[nodiscard]] int reduction() const { return 0; }
  [[nodiscard]] int l2p() const { return 1; }
  [[nodiscard]] int p2p_small() const { return 2; }
  [[nodiscard]] int m2l(int level) const { return 2 + height - level; }  ///< coarse levels first
  [[nodiscard]] int p2p_large() const { return 3 + height; }
  [[nodiscard]] int l2l(int child_level) const { return 3 + 2 * height - child_level; }
  [[nodiscard]] int m2m(int child_level) const { return 3 + 2 * height + child_level; }  ///< fine levels first
  [[nodiscard]] int p2m() const { return 4 + 3 * height; }
  [[nodiscard]] int zero() const { return p2m(); }
  [[nodiscard]] int packing() const { return p2m(); }  ///< what other ranks wait for
};

class Flow {
 public:
  /// `simulation` must outlive this. `worker`: StarPU's number of the unit that runs every task whose codelet it can
  /// run; none: the scheduler decides.
  explicit Flow(Simulation& simulation, std::optional<int> worker = {}) : simulation_(simulation), worker_(worker) {}

  /// Submits the tasks of one evaluation.
  void submit();
  /// One evaluation from beginning to end, results in main memory. Returns seconds.
  double evaluate();
  /// Tasks of the last evaluation, of this rank.
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_; }

  // Single operators, on all groups of this rank; M2M, M2L and L2L on those of one level.
  void submit_p2m();
  void submit_m2m(int child_level);
  void submit_m2l(int level);
  void submit_l2l(int child_level);
  void submit_l2p();
  void submit_p2p();
  /// Whether the unit of `worker` runs the tasks of a codelet.
  [[nodiscard]] bool on_worker(Codelet& codelet) const;

 private:
  void submit_p2m(std::int32_t group);
  void submit_m2m(int child_level, std::int32_t child_group);
  void submit_m2l(int level, std::int32_t group);
  void submit_l2l(int child_level, std::int32_t child_group);
  void submit_l2p(std::int32_t group);
  void submit_p2p(std::int32_t group);
  void submit_zero(std::int32_t group);
  void submit_reduction(std::int32_t group);
  void submit_transfers_to_main_memory();

  // exchange.cpp
  void expect_messages();
  void send_near(std::int32_t group);
  void send_multipoles(int level);
  void send_locals(int level);

  template <class Arguments, class Accesses>
  void submit_task(Codelet& codelet, const Arguments& arguments, const Accesses& accesses, int priority, int home);
  static bool can_run(int worker, Codelet& codelet);
  [[nodiscard]] Range leaf_groups() const;
  [[nodiscard]] Priorities priorities() const;
  [[nodiscard]] starpu_data_access_mode result_mode(codelets::ResultUpdate update) const;

  Simulation& simulation_;
  std::optional<int> worker_;
  HomeGpus homes_;
  std::size_t tasks_ = 0;
};

}  // namespace asterism::fmm
