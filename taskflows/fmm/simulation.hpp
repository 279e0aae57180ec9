// SPDX-License-Identifier: Apache-2.0
// A fast multipole simulation: the tree, the data of its groups as StarPU data, and their life while particles move.
// Over several ranks, each has the groups of an interval of the Morton curve; of groups of others it has what tasks
// here read. The order of operations on these data is flow.hpp. The parts:
//   simulation.cpp            construction, moving particles, collecting results
//   groups/group_data.cpp     cells and particles of groups
//   groups/message_data.cpp   the data that ranks send each other
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fmm/decomposition.hpp"
#include "taskflows/fmm/groups/cell_messages.hpp"
#include "taskflows/fmm/groups/group_data.hpp"
#include "taskflows/fmm/particles/particle_exchange.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/problem.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// Where the near field that groups computed for each other is brought together (section 4.3.1).
enum class ReductionOrder {
  last,   ///< after L2P: L2P need not wait for P2P results that come back from GPUs
  first,  ///< before L2P, right after P2P
  any,    ///< whichever is ready first (STARPU_COMMUTE), on results that a task of their own sets to zero
};

/// What the field at a particle is multiplied with in results: its charge, which gives the force, or nothing.
enum class FieldTimes { charge, one };

struct Options {
  TreeShape shape;
  std::optional<Box> box;  ///< that the tree divides, with all particles in it; none: around them
  ReductionOrder reduction = ReductionOrder::last;
  /// P2P tasks above the median size get one priority, those below another (Table 3).
  bool split_near = true;
  /// any: the ranks of the cluster together, each with a part of the particles.
  Ranks ranks = Ranks::one;
  ShareOf share = ShareOf::work;
  /// Measured seconds of a near and of a far pair; none: their flops.
  std::optional<PairCosts> pair_seconds;
  /// CPUs compute these pieces, GPUs all else, in a single process with both.
  NearPieces pieces;
  /// The scheduler decides where tasks run, on several GPUs too (HomeGpus, scheduling.hpp).
  bool scheduler_places = false;
  /// Sources and targets are apart: the first so many particles act, on the others alone (equation 1 of RR-8513 with N
  /// sources and M targets), and only these have results. The charges of targets have to be 0: over several ranks,
  /// where such particles are acted on as all others, results are the same and the work is not. None: all act on all.
  std::optional<std::size_t> sources;
};

/// Work of one evaluation by operator.
struct WorkSummary {
  double p2m = 0, m2m = 0, m2l = 0, l2l = 0, l2p = 0, p2p = 0;  ///< flops
  std::int64_t near_pairs = 0;  ///< unordered pairs of particles; of a source and a target where these are apart
  std::int64_t far_pairs = 0;   ///< pairs of cells
  [[nodiscard]] double total() const { return p2m + m2m + m2l + l2l + l2p + p2p; }
  WorkSummary& operator+=(const WorkSummary& other);
};

class Simulation {
 public:
  /// Builds the tree, the operators and the data. A Session must be running and outlive this.
  /// Over several ranks, which have to call everything here together, `particles` are a part, at least one, and all
  /// parts in the order of the ranks are the problem's. Throws Error: bad_input for a bad shape, or when it does not
  /// fit in this machine's memory.
  Simulation(const Problem& problem, const Options& options, const Particles& particles);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// The same particles at other places: the tree is adapted, and only what changed is built anew. Charges may change
  /// too.
  void move(const Particles& particles);
  /// Other charges of the same particles at the same places.
  void take_charges(const Particles& particles) { fill_particles(particles, particles.charge, 1); }
  /// Several vectors of charges, which are evaluated together until the next charges or places: of all particles, or of
  /// the sources where these are apart. On one rank, without GPUs. The data grow where they are for fewer vectors.
  void take_charges(const Particles& particles, std::span<const double> charges, int vectors);
  /// The most vectors of charges that can be evaluated together: of most_vectors, what fits in this machine's memory; 1
  /// over several ranks and with GPUs.
  [[nodiscard]] int vectors_together() const;
  /// Vectors of charges of the next evaluation.
  [[nodiscard]] int vectors() const noexcept { return vectors_; }

  /// Potential and force (charge times field, or the field) of the last evaluation in the order of the particles, of
  /// this rank's part, of one of the vectors of charges. Those of sources that are apart are not touched.
  void collect(Result& result, FieldTimes times = FieldTimes::charge, int vector = 0) const;

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const Tree& tree() const noexcept { return *tree_; }
  [[nodiscard]] const Basis& basis() const noexcept { return basis_; }
  [[nodiscard]] const M2LOperators& operators() const noexcept { return *operators_.front(); }
  /// What a near and a far pair cost: seconds if the options have them, else flops.
  [[nodiscard]] PairCosts pair_costs() const;
  [[nodiscard]] WorkSummary work() const;          ///< flops and pairs of this rank
  [[nodiscard]] double particles_of_rank() const;  ///< particles of its groups
  /// Whether several ranks share the simulation.
  [[nodiscard]] bool distributed() const noexcept { return distributed_; }

  // The data, for the flow.
  [[nodiscard]] CellGroup& cells(int level, std::int32_t group) {
    return cells_[static_cast<std::size_t>(level)][static_cast<std::size_t>(group)];
  }
  [[nodiscard]] ParticleGroup& particles(std::int32_t group) { return particles_[static_cast<std::size_t>(group)]; }
  [[nodiscard]] std::span<ParticleGroup> own_particles();
  [[nodiscard]] const PackedOperators& operators_of(int level) const;
  /// (half width of the cells)^degree of homogeneous kernels, 1 of others.
  [[nodiscard]] double scale_of(int level) const;
  [[nodiscard]] const CellMessages& cell_messages_of(int level) const {
    return messages_[static_cast<std::size_t>(level)];
  }
  /// Near results that lower ranks send for leaves here.
  [[nodiscard]] const std::vector<NearMessage>& near_messages() const noexcept { return near_in_; }
  [[nodiscard]] NearGroup& near_group(std::int32_t near_set) {
    return near_groups_[static_cast<std::size_t>(near_set)];
  }
  /// Near results of an own set, or what a group of another rank sends for leaves here.
  [[nodiscard]] starpu_data_handle_t near_values(std::int32_t near_set) const;

 private:
  void build_operators(const Box& box);
  void add_operators(const std::vector<PrimitiveOperator>& primitives);
  [[nodiscard]] std::size_t operators_number(int level) const;
  void make_tree(const Box& box, const Particles& particles);
  void make_distributed_tree(const Box& box, const Particles& particles);
  Change update_distributed_tree(const Particles& particles);
  [[nodiscard]] double bytes(int vectors) const;
  void check_memory() const;
  /// Cells of this rank, of all its groups or of those that `which` is true of.
  [[nodiscard]] double cells_of(int level, bool (Level::*which)(std::int32_t) const = nullptr) const;

  // groups/group_data.cpp
  void build_cells();
  void build_cell_data();
  void describe_cells(int level, std::int32_t group);
  [[nodiscard]] std::vector<std::int32_t> begin_of_sources(std::int32_t group, std::int32_t targets) const;
  void build_particles(const Particles& particles);
  void build_particle_group(std::int32_t group);
  void build_near(std::int32_t group, std::int32_t near_set);
  void build_reduction(std::int32_t group);
  void fill_particles(const Particles& particles, std::span<const double> charges, int vectors);

  // groups/gpu_data.cpp
  void bring_to_gpus();

  // groups/message_data.cpp
  Handle shared(Handle handle, int owner, std::int64_t tag) const;
  [[nodiscard]] std::int64_t tag_of(int level, std::int32_t group, CellData data) const;
  void find_cell_messages();
  void build_near_in();
  void build_near_out(std::int32_t group);
  [[nodiscard]] const NearMessage& near_in(std::int32_t group) const;
  [[nodiscard]] std::int32_t near_particles(std::int32_t near_set) const;  ///< with a result

  Problem problem_;
  Options options_;
  Basis basis_;
  std::unique_ptr<Tree> tree_;
  /// One, or one per level from 2 on; of periodic trees the last one is the root's.
  std::vector<std::unique_ptr<M2LOperators>> operators_;
  std::vector<std::unique_ptr<PackedOperators>> packed_;
  std::vector<std::vector<CellGroup>> cells_;  ///< [level][group]
  std::vector<ParticleGroup> particles_;       ///< [group of leaves]
  std::vector<NearGroup> near_groups_;         ///< [near set]
  std::vector<double> charge_;                 ///< of own leaves, in the order of the tree, of each vector
  int vectors_ = 1;                            ///< of charges
  int room_ = 1;                               ///< vectors of charges that the data have room for
  bool distributed_ = false;
  std::unique_ptr<ParticleExchange> exchange_;
  std::vector<CellMessages> messages_;   ///< [level]
  std::vector<NearMessage> near_in_;     ///< in the order of tree().near_in()
  std::vector<std::int64_t> cell_tags_;  ///< [level]: the first, of two for each group
  std::int64_t near_tags_ = 0;           ///< the first, of one for each group of leaves and rank
};

}  // namespace asterism::fmm
