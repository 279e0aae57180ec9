// A fast multipole problem on StarPU: the tree, the data of its groups as StarPU data, and evaluations on them. Over
// several ranks, each has the groups of an interval of the Morton curve and runs what writes their data; of groups of
// others it has what tasks here read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codelets/fmm/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/session.hpp"
#include "taskflows/fmm/accuracy.hpp"
#include "taskflows/fmm/cell_messages.hpp"
#include "taskflows/fmm/interaction.hpp"
#include "taskflows/fmm/particles/particle_exchange.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/shares.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// Where the near field that groups computed for each other is brought together (section 4.3.1).
enum class ReductionOrder {
  last,   ///< after L2P: L2P need not wait for P2P results that come back from GPUs
  first,  ///< before L2P, right after P2P
  any,    ///< whichever is ready first (STARPU_COMMUTE), on results that a task of their own sets to zero
};

struct Options {
  Accuracy accuracy;
  TreeShape shape;
  std::optional<Box> box;  ///< that the tree divides, with all particles in it; none: around them
  ReductionOrder reduction = ReductionOrder::last;
  /// P2P tasks above the median size get one priority, those below another (Table 3).
  bool split_near = true;
  /// any: those of the cluster together, each with a part of the particles.
  Ranks ranks = Ranks::one;
  ShareOf share = ShareOf::work;
  /// Measured seconds of a near and of a far pair; none: their flops.
  std::optional<PairCosts> pair_seconds;
};

/// Interactions of one M2L task.
struct ListData {
  HostBuffer<std::int32_t> packed;
  ListLayout layout;
  std::vector<std::int32_t> source_groups;
  std::int64_t pairs = 0;
  double flops = 0;
  Handle handle;
};

/// Cells of one group of one level.
struct CellGroup {
  HostBuffer<std::int32_t> packed;
  CellLayout layout;
  std::vector<ListData> lists;    ///< its interactions
  HostBuffer<double> expansions;  ///< both, where CPUs and GPUs exchange them
  Handle cells, multipoles, locals;
};

/// Near results of a group for leaves of another rank, and at that rank.
struct NearMessage {
  int rank = 0;  ///< the other one
  std::int32_t particles = 0;
  HostBuffer<std::int32_t> parts;  ///< of the task that brings them together, packed
  HostBuffer<double> values;       ///< 4 x particles, where CPUs and GPUs exchange them
  Handle packing, data;
};

/// Particles of one group of leaves.
struct ParticleGroup {
  std::int64_t own = 0;    ///< particles of its leaves
  std::int64_t set = 0;    ///< and of the copies of neighbours
  std::int64_t pairs = 0;  ///< unordered pairs of the near field
  HostBuffer<std::int32_t> near_packed;
  NearLayout near_layout;
  HostBuffer<std::int32_t> parts;    ///< of the reduction, packed
  std::int32_t reduction_count = 0;  ///< their number
  std::vector<std::int32_t> contributors;
  std::vector<NearMessage> near_out;
  HostBuffer<double> particles;   ///< 4 x set
  HostBuffer<double> result;      ///< 4 x own
  HostBuffer<double> near_parts;  ///< 4 x set, where CPUs and GPUs exchange them
  bool large = true;              ///< in the half of P2P tasks with more work
  Handle near, particle_data, near_result, reduction_parts, result_data;
};

/// Work of one evaluation by operator.
struct WorkSummary {
  double p2m = 0, m2m = 0, m2l = 0, l2l = 0, l2p = 0, p2p = 0;  ///< flops
  std::int64_t near_pairs = 0;                                  ///< unordered pairs of particles
  std::int64_t far_pairs = 0;                                   ///< pairs of cells
  [[nodiscard]] double total() const { return p2m + m2m + m2l + l2l + l2p + p2p; }
  WorkSummary& operator+=(const WorkSummary& other);
};

/// Seconds on one unit.
struct OperatorSeconds {
  double p2p = 0, m2l = 0;
  double particles = 0;  ///< P2M and L2P
  double cells = 0;      ///< M2M and L2L
};

class System {
 public:
  /// Builds the tree, the operators and the data. A Session must be running and outlive this.
  /// Over several ranks, which have to call everything here together, `particles` are a part, at least one, and all
  /// parts in the order of the ranks are the problem's. Throws Error: bad_input for a bad shape, or when it does not
  /// fit in this machine's memory.
  System(const Interaction& interaction, const Options& options, const Particles& particles);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// Submits the tasks of one evaluation (flow.cpp).
  void submit();
  /// One evaluation from beginning to end, results in main memory.  Returns seconds.
  double evaluate();
  /// One evaluation, operator after operator, all on one unit; infinite for operators that it does not run.
  OperatorSeconds time_operators(int worker);

  /// The same particles elsewhere: the tree is adapted, and only what changed is built anew. Charges may change too.
  void move(const Particles& particles);

  /// Potential and force (charge times field) of the last evaluation in the order of the particles, of this rank's
  /// part.
  void collect(Result& result) const;

  [[nodiscard]] const Tree& tree() const noexcept { return *tree_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const Interaction& interaction() const noexcept { return interaction_; }
  [[nodiscard]] const Basis& basis() const noexcept { return basis_; }
  [[nodiscard]] const M2LOperators& operators() const noexcept { return *operators_.front(); }
  [[nodiscard]] WorkSummary work() const;                              ///< of this rank
  [[nodiscard]] double particles_of_rank() const;                      ///< of its groups
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_; }  ///< of the last evaluation, of this rank

 private:
  void build_operators(const Box& box);
  void make_tree(const Box& box, const Particles& particles);
  void check_memory() const;

  // of this rank
  [[nodiscard]] double cells_of(int level) const;
  [[nodiscard]] std::span<ParticleGroup> own_particles();

  // group_data.cpp
  [[nodiscard]] CellGroup& cells(int level, std::int32_t group) {
    return cells_[static_cast<std::size_t>(level)][static_cast<std::size_t>(group)];
  }
  [[nodiscard]] ParticleGroup& particles(std::int32_t group) { return particles_[static_cast<std::size_t>(group)]; }
  void build_cells();
  void build_cell_data();
  void describe_cells(int level, std::int32_t group);
  void build_particles(const Particles& particles);
  void build_near(std::int32_t group);
  void fill_particles(const Particles& particles);

  // ranks.cpp
  enum class CellData { multipoles, locals };
  [[nodiscard]] PairCosts pair_costs() const;
  void share_tree(const Box& box, const Particles& particles);
  Change update_shared_tree(const Particles& particles);
  Handle shared(Handle handle, int owner, std::int64_t tag) const;
  [[nodiscard]] std::int64_t tag_of(int level, std::int32_t group, CellData data) const;
  void find_cell_messages();
  void build_near_in();
  void build_near_out(std::int32_t group);
  [[nodiscard]] const NearMessage& near_in(std::int32_t group) const;
  [[nodiscard]] std::int32_t near_particles(std::int32_t group) const;
  [[nodiscard]] starpu_data_handle_t near_values(std::int32_t group) const;
  void expect_messages();
  void send_near(std::int32_t group);
  void send_multipoles(int level);
  void send_locals(int level);

  // flow.cpp
  void submit_p2m(std::int32_t group);
  void submit_m2m(int child_level);
  void submit_m2l(int level);
  void submit_l2l(int child_level);
  void submit_m2m(int child_level, std::int32_t child_group);
  void submit_m2l(int level, std::int32_t group);
  void submit_l2l(int child_level, std::int32_t child_group);
  void submit_l2p(std::int32_t group);
  void submit_p2p(std::int32_t group);
  void submit_reduction(std::int32_t group);
  void submit_zero(std::int32_t group);
  [[nodiscard]] starpu_data_access_mode result_mode(bool overwrite) const;

  struct PackedOperators {
    HostBuffer<double> packed;
    OperatorLayout layout;
    Handle handle;
  };
  [[nodiscard]] const PackedOperators& operators_of(int level) const;
  [[nodiscard]] double scale_of(int level) const;

  Interaction interaction_;
  Options options_;
  Basis basis_;
  std::unique_ptr<Tree> tree_;
  std::vector<std::unique_ptr<M2LOperators>> operators_;  ///< one, or one per level from 2 on
  std::vector<std::unique_ptr<PackedOperators>> packed_;
  std::vector<std::vector<CellGroup>> cells_;  ///< [level][group]
  std::vector<ParticleGroup> particles_;       ///< [group of leaves]
  std::vector<double> charge_;                 ///< of own leaves, in the order of the tree
  bool shared_ = false;                        ///< by several ranks
  std::unique_ptr<ParticleExchange> exchange_;
  std::vector<CellMessages> messages_;   ///< [level]
  std::vector<NearMessage> near_in_;     ///< as the tree's
  std::vector<std::int64_t> cell_tags_;  ///< [level]: the first, of two for each group
  std::int64_t near_tags_ = 0;           ///< the first, of one for each group of leaves and rank
  std::size_t tasks_ = 0;
  int worker_ = -1;  ///< the unit that every task is to run on
  /// `worker_` if it runs the codelet, else -1: any unit.
  [[nodiscard]] int unit_for(const starpu_codelet& codelet) const;
};

/// Priorities of tasks, higher first: the homogeneous column of the paper's Table 3, with one value per level for M2M,
/// L2L and M2L. All are between 0 and 3 h + 4.
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
  [[nodiscard]] int packing() const { return p2m(); }  ///< what other ranks wait for
};

}  // namespace asterism::fmm
