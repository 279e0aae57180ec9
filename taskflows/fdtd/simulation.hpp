// SPDX-License-Identifier: Apache-2.0
// A finite-difference time-domain simulation as a flow of StarPU tasks. Its parts are in several files:
//   simulation.cpp                bricks: fields, sources, probes, hooks
//   brick_data.hpp                what a simulation has of a brick
//   exchange.cpp                  what bricks send each other, and which of their cells go first
//   flow.hpp, flow.cpp            the order of operations, with the equations
//   brick_task.cpp                a task, from the parts that the flow names
//   observers.cpp                 sums, energies, probes
//   state.cpp                     fields to and from main memory
//   physics/media.cpp             media of their entries, lengths of a graded mesh
//   physics/physics.cpp           absorbing layers, poles, plane waves, monitors
//   physics/auxiliary_state.cpp   what these have beside the fields
// Beside it: who gets which brick (decomposition, division, balance), farms of many domains (farm), the state on file
// (checkpoint), fields on file (fields/), problems on file (scene/), judgement (verify, reference/).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "codelets/fdtd/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/submit.hpp"
#include "taskflows/fdtd/decomposition.hpp"

namespace asterism::fdtd {

/// Which StarPU worker advances a brick; -1: the scheduler decides; -2: one of another rank.
using Placement = std::vector<int>;
inline constexpr int worker_elsewhere = -2;

/// When neighbours on other units get border planes in a half-step: before the other cells are updated, which the
/// exchange then hides behind, or with all cells of a brick, as in the thesis (section 3.7.1).
enum class Exchange { hidden, after_update };

/// Fields of GPUs to and from main memory: one GPU after the other, or all at once.
enum class Transfers { in_turn, at_once };

/// As options and records have it.
inline std::string name_of(Exchange exchange) {
  return exchange == Exchange::hidden ? "hidden" : "after-update";
}
inline std::string name_of(Transfers transfers) {
  return transfers == Transfers::in_turn ? "in-turn" : "at-once";
}

/// Steps that go through memory in one pass: so many planes of both fields stay in a CPU's caches, and GPUs take half
/// of them at once.
constexpr int steps_at_once(Precision precision) {
  return precision == Precision::single_precision ? 8 : 4;
}

/// An array of the state beside the fields, of the whole domain, whatever the decomposition.
struct StateKind {
  std::string name;
  std::size_t element = 0;  ///< bytes of a number, float or double
  std::int64_t size = 0;    ///< numbers
};
/// An array of the state with its values; over several ranks on rank 0, none on the others.
struct StateArray {
  std::string name;
  std::size_t element = 0;
  std::vector<char> values;
};

class PhysicsModule;

class Simulation {
 public:
  /// Bricks as decompose() gives them. `problem` is kept by reference. All fields are zero, at time 0. Absorbing
  /// layers, poles, plane waves and monitors of the problem are there.
  /// `overlap`: planes along x that strips have of their neighbours beside their own; they exchange all of them after
  /// as many steps (half as many with coupled edges), instead of two components of one after each half-step, and take
  /// those steps in as few passes through memory as can be. Throws Error (bad input) where may_overlap() says no, and
  /// for strips thinner than the overlap. Over several ranks (BrickPlace::rank) all make it, with the same bricks and
  /// overlap, bricks of a rank one after the other, and call the same functions in the same order. Parts of fields are
  /// those of this rank's bricks, sums are over the whole domain.
  Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement, int overlap = 0,
             Exchange exchange = Exchange::hidden);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Fields as Problem::initial has them, time 0.
  void initialise();
  /// Submits time steps. Does not block. A single brick takes several in one task.
  void advance(long steps = 1);
  [[nodiscard]] long time() const { return time_; }

  /// A kernel beside the update of `field` in a brick, with its arrays, of which there is one set for each brick. To be
  /// called before the first step; `hook` and the arrays live as long as the simulation.
  void add_hook(std::size_t brick, Field field, const KernelHook& hook, const std::vector<Access>& arrays);
  /// What couples edges of E in a brick (Stage::coupled), once bricks around it have changed E; on all ranks that have
  /// one of its arrays.
  void set_coupling(std::size_t brick, const KernelHook& hook, const std::vector<Access>& arrays);
  /// Numbers of the bricks of this rank.
  [[nodiscard]] const std::vector<std::size_t>& own() const { return own_; }
  /// These and those next to them, also across edges and corners where edges of E are coupled.
  [[nodiscard]] const std::vector<std::size_t>& near() const { return near_; }
  /// One of these bricks, or one next to them.
  [[nodiscard]] const BrickPlace& place(std::size_t brick) const;
  [[nodiscard]] const Grid& grid(std::size_t brick) const;
  /// Where cell (0, 0, 0) of its grid is in the domain.
  [[nodiscard]] std::array<int, 3> origin(std::size_t brick) const;
  /// Everywhere it is in a domain that is periodic along x, where an overlap may go around it, with falling x.
  [[nodiscard]] std::vector<std::array<int, 3>> origins(std::size_t brick) const;

  /// Three components of a box of entries, component by component, z fastest, float or double. Boxes cover
  /// extents(problem); what is no entry of a component is zero there.
  using Read = std::function<void(const Box& entries, void* values)>;
  using Write = std::function<void(const Box& entries, const void* values)>;
  /// E at step `time` and H half a step before, from parts that are asked for one after the other: E, then H.
  void set(long time, const Read& electric, const Read& magnetic);
  /// Hands a field over in parts. What `set` is given in any decomposition continues bit for bit as if nothing had
  /// happened, with set_auxiliary_state() after it (hooks of add_hook() have their own state). Blocking.
  void get(Field field, const Write& write);
  /// Brings the fields of bricks that were placed on GPUs into main memory, where alone they are valid then. Blocking.
  void unload(Transfers transfers);
  /// Brings them back. Blocking.
  void load(Transfers transfers);
  /// How many parts that are.
  [[nodiscard]] std::size_t parts() const;

  /// What absorbing layers, poles, plane waves and monitors have beside the fields; set() makes it zero.
  [[nodiscard]] std::vector<StateKind> auxiliary_arrays() const;
  /// Sets or takes `count` numbers of an array from `first` on.
  using ReadNumbers = std::function<void(std::int64_t first, std::int64_t count, void* values)>;
  using WriteNumbers = std::function<void(std::int64_t first, std::int64_t count, const void* values)>;
  /// Hands over the array of this number in parts, one after the other; over several ranks on rank 0. What no brick has
  /// is zero. Blocking.
  void get_auxiliary(std::size_t array, const WriteNumbers& write) const;
  /// Hands over what this rank's bricks have of the array of this number, in parts; several may have the same. In one
  /// process what no brick has is handed over too, as zeros. Blocking.
  void get_auxiliary_here(std::size_t array, const WriteNumbers& write) const;
  /// Asks for the parts in which this rank's bricks have something. Blocking.
  void set_auxiliary(std::size_t array, const ReadNumbers& read);
  [[nodiscard]] std::vector<StateArray> auxiliary_state() const;
  /// Missing arrays are set to zero.
  void set_auxiliary_state(const std::vector<StateArray>& state);

  /// What the problem's monitors have seen; over several ranks on rank 0, none on the others. Blocking.
  [[nodiscard]] std::vector<Spectrum> spectra() const;

  /// Sum of each component over the domain, of the planes across x one after the other: it does not depend on how the
  /// domain is cut along x. Blocking.
  std::array<double, 3> sums(Field field);
  /// Submits the sums of E; the ones submitted before, none the first time. Blocks until those are done.
  std::optional<std::array<double, 3>> exchange_sums();
  /// Energy (kernels.hpp) at the present time, likewise by planes; of coupled edges with the matrix of their
  /// permittivities (physics/coupled_energy.hpp). Blocking.
  Energy energy();

  /// Values of the probes after each step since time 0, or since the state was set: steps x probes; over several ranks
  /// on rank 0, the others have those of their own bricks and zeros. Blocking.
  const std::vector<double>& probe_values();

  [[nodiscard]] std::int64_t tasks() const { return tasks_; }  ///< of this rank
  /// Steps of this rank's bricks that tasks take several at a time in one pass through memory, added up.
  [[nodiscard]] std::int64_t steps_in_passes() const { return steps_in_passes_; }
  [[nodiscard]] std::size_t bricks() const { return bricks_.size(); }
  [[nodiscard]] int overlap() const { return overlap_; }
  [[nodiscard]] bool dealt() const { return dealt_; }  ///< to several ranks
  /// Bytes of an entry.
  [[nodiscard]] std::size_t element() const { return static_cast<std::size_t>(element_); }

 private:
  /// What a brick's probes saw in some steps.
  struct Recording {
    HostBuffer<char> memory;
    Handle values;
  };
  struct BrickData;
  struct Codelets;
  struct Slab;

  [[nodiscard]] bool is_here(const BrickPlace& place) const;
  void build_scheme(BrickData& brick, std::size_t number) const;
  void build_fields(BrickData& brick, std::size_t number);
  void build_media(BrickData& brick);
  class MediaOfEntries;
  void weigh(BrickData& brick, Field field, const Cells& cells, std::vector<Medium>& media) const;
  void add_poles_of_medium(BrickData& brick, std::size_t media, const std::vector<Pole>& poles) const;
  void build_lengths(BrickData& brick) const;
  void smooth(BrickData& brick, std::vector<Medium>& media) const;
  void cut(BrickData& brick, Field field, std::vector<Medium>& media) const;
  void add_resistors(BrickData& brick, std::vector<Medium>& media) const;
  void build_halo(BrickData& brick, const Placement& placement);
  void build_sent(BrickData& brick, std::size_t number, const std::vector<BrickPlace>& bricks, std::int64_t tags);
  void build_sources(BrickData& brick);
  void build_probes(BrickData& brick);
  [[nodiscard]] double coefficient_b(const BrickData& brick, Field field, int component,
                                     const std::array<int, 3>& entry) const;
  template <class T>
  void build_media_of_e(BrickData& brick, const Cells& cells, std::vector<Medium>& media);
  void build_physics();
  void build_magnetic_sources();
  template <class T>
  void build_poles();
  void clear();

  [[nodiscard]] Layers layers_of(const BrickData& brick) const;
  void build_overlap(BrickData& brick, std::size_t number, const std::vector<BrickPlace>& bricks, std::int64_t tags);
  void build_order(const Placement& placement);

  class BrickTask;
  /// The first data of a task that goes through a brick: fields with these modes, and media.
  [[nodiscard]] std::vector<Access> accesses(const BrickData& brick, starpu_data_access_mode e,
                                             starpu_data_access_mode h) const;
  /// One time step of all bricks.
  void submit_step();
  void update_h_beside_neighbours(const BrickData& brick);
  void update_inner_h(const BrickData& brick);
  void update_e_beside_neighbours(const BrickData& brick);
  void couple_e(const BrickData& brick);
  void update_inner_e(const BrickData& brick);
  /// Does a task take both fields in one pass? On a CPU, where no hook comes between them
  /// but absorbing layers.
  [[nodiscard]] bool takes_both_fields(const BrickData& brick) const;
  /// Steps of overlapping strips, each with the planes that it has of its neighbours, until these are exchanged.
  void submit_round_of_strips(int steps);
  /// Steps of a brick that needs nothing of others meanwhile.
  void submit_whole_steps(const BrickData& brick, int steps);
  /// Sends what the next step needs of E, after a state was set.
  void submit_exchange();
  void submit_first_exchange();
  /// Puts ghosts of E in place, as the next step would.
  void submit_completion();
  void move_fields(Transfers transfers, bool to_gpus);

  long next_recording(long steps);
  void collect(std::size_t turn);
  void collect_probes_of_ranks();
  void submit_sums(Field field);
  [[nodiscard]] std::array<double, 3> add_sums();
  double coupled_part_of_energy();
  template <class Body>
  void for_slabs(const Body& body);
  [[nodiscard]] Box entries_of(const BrickData& brick) const;
  [[nodiscard]] int planes_of_slab(const Box& entries) const;

  const Problem& problem_;
  const int element_;  ///< bytes of an entry
  std::unique_ptr<Codelets> codelets_;
  std::vector<std::unique_ptr<BrickData>> bricks_;  ///< null: far from this rank's
  std::vector<std::size_t> own_;                    ///< of this rank
  std::vector<std::size_t> near_;                   ///< and those next to them, in the order of bricks
  bool dealt_ = false;                              ///< to several ranks
  const int overlap_;
  const Exchange exchange_;
  PoleStates poles_{};              ///< of the domain, where strips overlap
  bool alone_ = false;              ///< no brick has a neighbour other than itself
  std::vector<std::size_t> order_;  ///< of this rank's bricks in a round of overlapping strips
  std::size_t round_ = 0;           ///< rounds whose results were sent
  bool exchange_again_ = false;     ///< was something set since that overlaps have of it?
  Handle scratch_[2];  ///< a field and its psi, for several steps in one pass on GPUs; none: no room for it
  bool sums_submitted_ = false;
  long time_ = 0;
  std::int64_t tasks_ = 0;
  std::int64_t steps_in_passes_ = 0;
  // probes: two recordings take turns, so that one is collected while the other is filled
  std::size_t turn_ = 0;
  std::array<long, 2> recorded_{};  ///< steps in them
  std::vector<double> probe_values_;
  std::size_t probes_of_ranks_ = 0;  ///< values among them that have come from all ranks
  std::vector<std::unique_ptr<KernelHook>> magnetic_sources_;
  std::vector<std::unique_ptr<PhysicsModule>> modules_;
};

/// Throws Error (failed) for sums of fields that are not finite, before `step`.
void require_finite(const std::array<double, 3>& sums, long step);

}  // namespace asterism::fdtd
