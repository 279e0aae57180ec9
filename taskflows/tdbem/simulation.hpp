// SPDX-License-Identifier: Apache-2.0
// The data of a march and their life. Marching on in time: problem.hpp; the order of operations: flow.hpp.
//   simulation.cpp            units; the surface and M^0; values asked for
//   simulation_windows.cpp    windows of past values, and solutions
//   simulation_sums.cpp       what the products with slices are added up in
//   simulation_observers.cpp  the pressure at observers and its record
//   simulation_memory.cpp     whether it all fits into the memory of GPUs
//   simulation_state.cpp      the state of a march, which checkpoint.hpp writes and reads
//   flow.cpp                  the tasks of a group of steps
//   distributed_sums.cpp      the exchange of sums over several ranks
// Over several ranks each does the products with its own slices; all find all solutions, from the same sums.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "codelets/tdbem/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/machine/unit_choice.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"
#include "taskflows/tdbem/balance.hpp"
#include "taskflows/tdbem/decomposition.hpp"
#include "taskflows/tdbem/distributed_sums.hpp"
#include "taskflows/tdbem/flow.hpp"
#include "taskflows/tdbem/matrices/direct.hpp"
#include "taskflows/tdbem/matrices/distributed_direct.hpp"
#include "taskflows/tdbem/matrices/full_block_matrices.hpp"
#include "taskflows/tdbem/matrices/matrices.hpp"
#include "taskflows/tdbem/surface/observer_weights.hpp"

namespace asterism::tdbem {

/// From when a worker could start with its products, as they were submitted, until the last one ended: what it waits
/// for data counts, as in the paper, where each worker's time for its interval is taken (section 6.2). In ns of
/// StarPU's clock; threads of units add to it.
class ProductSpan {
 public:
  void add(std::int64_t submitted, std::int64_t ended) {
    for (std::int64_t now = begin_; submitted < now && !begin_.compare_exchange_weak(now, submitted);) continue;
    for (std::int64_t now = end_; ended > now && !end_.compare_exchange_weak(now, ended);) continue;
  }
  /// Seconds, 0 where nothing was added; then it is as new. No task of it may run.
  double take() {
    const std::int64_t begin = begin_.exchange(never), end = end_.exchange(0);
    return begin == never ? 0 : static_cast<double>(end - begin) * 1e-9;
  }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> begin_{never}, end_{0};
};

template <class T>
class Simulation {
 public:
  /// `matrices`, filled, and `problem` are kept by reference. Time before step 0 is zero. All ranks make
  /// it and advance() it alike; "collective" below: all of them have to call it.
  Simulation(const Problem& problem, const Method& method, Matrices<T>& matrices, const Session& session,
             Sharing sharing = Sharing::intervals);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Submits the steps of a group: after it, steps() is larger by `group`. Does not block.
  void advance();
  /// Steps that were submitted: a^0 to a^(steps - 1).
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int32_t group() const { return method_.group; }

  /// Workers in their order: all cores, if there are any, then each GPU.
  [[nodiscard]] std::int32_t workers() const;
  /// Numbers of consecutive blocks of this rank for each worker, from the next group on. Sharing::intervals only.
  void share(const Sizes& blocks);
  [[nodiscard]] const Sizes& shares() const { return shares_; }
  /// Seconds of each worker from when its products could start until the last one ended, waiting for data included,
  /// of those since the last call, a group of steps; all tasks have to be done. Needs profiling (BusyTime).
  std::vector<double> product_seconds();

  /// a^n of a wave, by unknown; n is one of the last group. Blocking.
  std::vector<double> solution(std::int64_t step, std::int32_t wave);
  /// Scattered pressure at observer o in steps 0 to steps() - 1: a pointer to as many values. Blocking. Over several
  /// ranks: on rank 0, up to the last gather_observed_pressure().
  [[nodiscard]] const double* observed_pressure(std::int32_t wave, std::int32_t observer);
  /// Adds up, on rank 0, the pressure at observers by the slices of all ranks. Blocking; collective.
  void gather_observed_pressure();
  /// Room for the observers' record: steps to come must not exceed it. Blocking if it has to grow.
  void reserve(std::int64_t steps);
  /// How the solutions went. Blocking.
  SolveTally tally();

  /// Numbers of some unknowns: [wave][unknown][place].
  struct Rows {
    Range unknowns;
    std::vector<T> values;
  };
  /// All that the past leaves behind, n = steps. With the same method and number of ranks it continues bit for bit. A
  /// rank has a part of it, all ranks' make the whole.
  struct State {
    std::int64_t steps = 0;
    std::int32_t reach = 0;      ///< places of the history
    Rows history;                ///< a^(n - reach) to a^(n - 1)
    Rows begun;                  ///< sums, of the next group if they were begun (`ahead`)
    std::vector<T> last;         ///< a^(n - group) to a^(n - 1) of all: [wave][unknown][group]
    std::vector<double> record;  ///< of the pressure at observers, on rank 0: [wave][observer][steps]
  };
  /// This rank's part, each number on one rank. Collective.
  State state();
  /// Which unknowns' history and sums set() wants.
  struct Wanted {
    Range history, begun;
  };
  [[nodiscard]] Wanted wanted() const;
  /// Takes a state that has these. Collective, with the same one.
  void set(const State& state);

  [[nodiscard]] std::int64_t tasks() const { return tasks_; }
  /// Largest lag.
  [[nodiscard]] std::int32_t largest_lag() const { return matrices_.structure().counts.largest_lag; }

 private:
  struct Part {  ///< consecutive rows
    std::int32_t row_begin = 0, rows = 0;
    HostBuffer<T> totals_memory;
    Handle totals;
    std::vector<Handle> incident;  ///< of each wave
    std::vector<char> near_bytes;
    Handle near;
    codelets::RadiateArgs radiate;
  };
  struct Partial {  ///< the sums of one worker, or of one core's rows
    std::size_t first = 0, end = 0;
    std::int32_t row_begin = 0, rows = 0;
    int worker = any_worker;
    Handle sums;
    bool used = false;  ///< has it sums of the present group?
  };

  [[nodiscard]] Radiation radiation() const;
  void build_surface();
  void build_parts();
  void build_partials();
  void build_windows(std::int32_t observer_lag);
  void build_initial();
  void build_observers(const ObserverWeights<T>& all);
  [[nodiscard]] std::vector<Range> rows_of_parts() const;
  [[nodiscard]] Rows own_history();
  [[nodiscard]] Rows own_begun();
  void check_memory_of_gpus() const;
  void pin_constants();
  [[nodiscard]] int node_of_solving_unit() const;
  Partial partial_of(std::size_t first, std::size_t end, int worker, const std::string& name) const;
  TaskOptions on_solving_unit(Priority priority) const;
  TaskOptions on_exchanging_unit() const;

  [[nodiscard]] starpu_data_handle_t product_block(std::size_t b) const;
  [[nodiscard]] std::int64_t product_bytes_of(std::size_t b) const;
  [[nodiscard]] double counted_values(std::size_t b) const;
  Codelet& product_codelet() const;
  void submit_product(Range blocks, std::size_t partial, ProductSpan* span);
  [[nodiscard]] std::int32_t end_of_batch(std::int32_t first, std::int32_t end) const;
  void submit_products();
  void submit_combine();
  void submit_illuminate();
  void submit_incident(std::int32_t row_begin, std::int32_t rows, const std::vector<Handle>& incident,
                       const TaskOptions& options);
  [[nodiscard]] codelets::SolveArgs solve_args(std::int32_t g, std::int32_t wave) const;
  [[nodiscard]] std::vector<Access> solve_accesses() const;
  void submit_solve(std::int32_t g, std::int32_t wave);
  void submit_radiate(Part& part, std::int32_t g);
  [[nodiscard]] bool marches() const;
  void submit_march();
  void submit_move_on(Range blocks);
  void submit_moves();
  void submit_observe();
  [[nodiscard]] starpu_data_handle_t solutions(std::int64_t group_number) const {
    return solutions_[static_cast<std::size_t>(group_number % 2)];
  }
  [[nodiscard]] bool illuminated(std::int64_t step) const;
  [[nodiscard]] int owner(std::size_t block) const;
  void begin_group();
  void wait_for_record();

  const Problem& problem_;
  Method method_;
  Matrices<T>& matrices_;
  Sharing sharing_;
  std::int32_t unknowns_ = 0, waves_ = 0, width_ = 1;
  WindowShape shape_;
  std::vector<int> cores_;
  std::vector<int> gpus_;          ///< a worker of each GPU
  std::int64_t batch_bytes_ = 0;   ///< of blocks that a GPU takes together
  bool marches_ = false;           ///< all solutions of a group in one task
  int solving_unit_ = any_worker;  ///< of all tasks but products: a stream of the first GPU, if there is one
  std::int64_t steps_ = 0;
  std::int64_t tasks_ = 0;
  bool begun_ = false;  ///< are the sums of the group to come put together?
  Passage passage_;

  std::unique_ptr<DistributedSums<T>> distributed_sums_;  ///< over several
  std::unique_ptr<FullBlockMatrices<T>> full_blocks_;     ///< Kernel::full_blocking
  std::vector<Part> parts_;                               ///< of all rows, or of this rank's (Radiation::own_rows)
  std::vector<Partial> partials_;                         ///< of cores, then of GPUs; one for Sharing::scheduler
  std::size_t core_partials_ = 0;
  Sizes shares_;
  std::vector<ProductSpan> spans_;            ///< of each worker
  std::vector<HostBuffer<T>> window_memory_;  ///< of own blocks, as handles
  std::vector<Handle> windows_;
  HostBuffer<T> solution_memory_[2];
  Handle solutions_[2];
  HostBuffer<SolveTally> tally_memory_;
  Handle tally_;
  Handle product_scratch_, solve_scratch_;
  std::vector<starpu_data_handle_t> pinned_;  ///< held where solutions are computed, for as long as this lives

  std::vector<Triangle> triangles_;
  std::vector<Handle> surface_;  ///< vertices, triangles, normals, areas, start, around
  std::vector<std::int32_t> m0_start_;
  std::vector<T> m0_value_, m0_inverse_;
  std::vector<Handle> m0_;  ///< start, column, value, inverse
  std::unique_ptr<DirectSolver<T>> direct_;
  std::unique_ptr<DistributedDirectSolver<T>> distributed_direct_;  ///< over several
  std::function<void(void*)> solve_directly_;

  struct ObservedBlock {  ///< the pressure at observers of a block
    std::vector<std::uint64_t> start;
    std::vector<std::int32_t> first;
    std::vector<T> weight;
    Handle start_handle, first_handle, weight_handle, pressure;
  };
  std::vector<ObservedBlock> observed_blocks_;
  HostBuffer<T> pressure_memory_[2];
  Handle pressure_[2];  ///< at observers, of a group
  std::vector<double> record_;
  std::int64_t record_stride_ = 0;
  std::int64_t gathered_until_ = 0;  ///< steps whose record rank 0 has of all ranks
};

/// What is left open for the machine: GPUs alone where there are some, as cores beside them cost more in transfers than
/// they take over, as far as has been measured; else intervals.
Sharing suited_sharing(const std::optional<Sharing>& asked, const Session& session);
/// Method::block_size, or one that suits the units and what they share. Over several ranks the same on all; collective.
std::int32_t suited_block_size(const Method& method, const Problem& problem, const Session& session, Sharing sharing);
Widths suited_widths(Kernel kernel);
/// What the choice of units depends on, of bodies that few cores may be best for; nothing of others. Arguments but
/// `sharing` are kept by reference.
std::optional<StepWork> step_work_of(const Problem& problem, const Method& method, std::optional<Sharing> sharing);

/// Throws Error (failed) when M^0 a = s of some step has no solution.
void require_solved(const SolveTally& tally, const Problem& problem);

}  // namespace asterism::tdbem
