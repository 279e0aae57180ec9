// A finite-difference time-domain simulation as a flow of StarPU tasks.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codelets/fdtd/codelets.hpp"
#include "taskflows/fdtd/decomposition.hpp"
#include "taskflows/runtime/array.hpp"
#include "taskflows/runtime/handle.hpp"
#include "taskflows/runtime/host_memory.hpp"
#include "taskflows/runtime/submit.hpp"

namespace asterism::fdtd {

/// Which StarPU worker advances a brick; -1: the scheduler decides.
using Placement = std::vector<int>;

/// Steps that go through memory in one pass: so many planes of both fields stay in a CPU's caches, and GPUs take half
/// of them at once.
constexpr int steps_at_once(bool single_precision) {
  return single_precision ? 8 : 4;
}

/// A part of the state beside the fields, of the whole domain, whatever the decomposition.
struct StateArray {
  std::string name;
  std::size_t element = 0;  ///< bytes of a number, float or double
  std::vector<char> values;
};

class Feature;

class Simulation {
 public:
  /// Bricks as decompose() gives them. `problem` is kept by reference. All fields are zero, at time 0. Absorbing
  /// layers, poles, plane waves and monitors of the problem are there.
  /// `overlap`: planes along x that strips have of their neighbours beside their own; they exchange all of them after
  /// as many steps, instead of two components of one after each half-step, and take those steps in as few passes
  /// through memory as can be. Throws Error (bad input) where may_overlap() says no, and for strips thinner than the
  /// overlap.
  Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement,
             int overlap = 0);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Fields as Problem::initial has them, time 0.
  void initialise();
  /// Submits time steps. Nothing waits. A single brick takes several in one task.
  void advance(long steps = 1);
  [[nodiscard]] long time() const { return time_; }

  /// A further kernel of a brick in the half-step of `field`, with its arrays, of which there is one set for each
  /// brick. Before the first step; `kernel` and the arrays live as long as the simulation.
  void extend(std::size_t brick, Field field, const Extension& kernel, const std::vector<Access>& arrays);
  [[nodiscard]] const BrickPlace& place(std::size_t brick) const;
  [[nodiscard]] const Grid& grid(std::size_t brick) const;

  /// Three components of a box of entries, component by component, z fastest, float or double. Boxes cover
  /// extents(problem); what is no entry of a component is zero there.
  using Read = std::function<void(const Box& entries, void* values)>;
  using Write = std::function<void(const Box& entries, const void* values)>;
  /// E at step `time` and H half a step before, from parts that are asked for one after the other: E, then H.
  void set(long time, const Read& electric, const Read& magnetic);
  /// Hands a field over in parts. What `set` is given in any decomposition continues bit for bit as if nothing had
  /// happened, with set_further_state() after it (kernels of extend() have their own state). Waits.
  void get(Field field, const Write& write);
  /// What absorbing layers, poles, plane waves and monitors have beside the fields; set() makes it zero. Wait.
  [[nodiscard]] std::vector<StateArray> further_state() const;
  void set_further_state(const std::vector<StateArray>& state);

  /// What the problem's monitors have seen. Waits.
  [[nodiscard]] std::vector<Spectrum> spectra() const;

  /// Sum of each component over the domain, of the planes across x one after the other: it does not depend on how the
  /// domain is cut along x. Waits.
  std::array<double, 3> sums(Field field);
  /// Submits the sums of E; the ones submitted before, none the first time. Waits for those only.
  std::optional<std::array<double, 3>> exchange_sums();
  /// Energy (kernels.hpp) at the present time, likewise by planes. Waits.
  Energy energy();

  /// Values of the probes after each step since time 0, or since the state was set: steps x probes. Waits.
  const std::vector<double>& probe_values();

  [[nodiscard]] std::int64_t tasks() const { return tasks_; }
  [[nodiscard]] std::size_t bricks() const { return bricks_.size(); }

 private:
  /// What a brick's probes saw in some steps.
  struct Recording {
    HostBuffer<char> memory;
    Handle values;
  };
  struct BrickData;
  struct Codelets;
  struct Slab;

  void build_fields(BrickData& brick, std::size_t number);
  void build_media(BrickData& brick);
  void build_halo(BrickData& brick, const Placement& placement);
  void build_sources(BrickData& brick);
  void build_probes(BrickData& brick);
  [[nodiscard]] double coefficient_b(const BrickData& brick, Field field, int component,
                                     const std::array<int, 3>& entry) const;
  template <class T>
  void build_media_of_e(BrickData& brick, const Cells& cells, std::vector<Medium>& media);
  void build_features();
  void build_magnetic_sources();
  template <class T>
  void build_poles();
  void clear();

  [[nodiscard]] codelets::AdvanceArgs task_of(const BrickData& brick) const;
  [[nodiscard]] std::vector<Access> accesses(const BrickData& brick, starpu_data_access_mode e,
                                             starpu_data_access_mode h) const;
  void complete(const BrickData& brick, Field field, codelets::Half& half) const;
  void add_sent(const BrickData& brick, Field field, codelets::Half& half) const;
  void submit_advance(const BrickData& brick, codelets::AdvanceArgs& args, int priority, bool last);
  void submit_first(const BrickData& brick, Field field);
  void submit_inner(const BrickData& brick, Field field);
  void submit_fused(const BrickData& brick);
  void submit_rest_of_e(const BrickData& brick);
  void submit_alone(const BrickData& brick, int steps);
  void submit_round(int steps);
  void build_overlap(BrickData& brick);
  void build_order(const Placement& placement);
  void add_overlap(const BrickData& brick, const codelets::Overlap& overlap, std::vector<Access>& data) const;
  [[nodiscard]] codelets::Overlap overlap_of(const BrickData& brick, bool receive, bool send) const;
  void submit_exchange();
  void submit_completion();
  [[nodiscard]] bool fuses(const BrickData& brick) const;
  void advance_once();
  long next_recording(long steps);
  void collect(std::size_t turn);
  void submit_sums(Field field);
  [[nodiscard]] std::array<double, 3> add_sums();
  template <class Body>
  void for_slabs(const Body& body);

  const Problem& problem_;
  const int element_;  ///< bytes of an entry
  std::unique_ptr<Codelets> codelets_;
  std::vector<std::unique_ptr<BrickData>> bricks_;
  const int overlap_;
  bool alone_ = false;              ///< no brick has a neighbour other than itself
  std::vector<std::size_t> order_;  ///< of bricks in a round of overlapping strips
  std::size_t round_ = 0;           ///< rounds whose results were sent
  Handle scratch_[2];               ///< for several steps in one pass on GPUs
  bool sums_submitted_ = false;
  long time_ = 0;
  std::int64_t tasks_ = 0;
  // probes: two recordings take turns, so that one is collected while the other is filled
  std::size_t turn_ = 0;
  std::array<long, 2> recorded_{};  ///< steps in them
  std::vector<double> probe_values_;
  std::vector<std::unique_ptr<Extension>> magnetic_sources_;
  std::vector<std::unique_ptr<Feature>> features_;
};

}  // namespace asterism::fdtd
