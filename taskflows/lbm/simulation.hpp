// A lattice Boltzmann simulation as a flow of StarPU tasks.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/array.hpp"
#include "codelets/lbm/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"
#include "taskflows/lbm/decomposition.hpp"
#include "taskflows/lbm/halo.hpp"

namespace asterism::lbm {

/// A box of the domain.
using DomainBox = Box;

/// Which StarPU worker advances a brick; -1: the scheduler decides; -2: one of another rank.
using Placement = std::vector<int>;
/// Each GPU of the session gets the GPU parts of consecutive sub-domains, whose bricks its workers take in turn, as the
/// cores take those of CPU parts. Throws Error (bad input) when there is a part for a kind of unit that the session
/// does not have.
Placement place(const std::vector<BrickPlace>& bricks, const Session& session);

class Simulation {
 public:
  /// Bricks as decompose() gives them. `problem` is kept by reference. The state is not set.
  /// Over several ranks all make it, with the same bricks, and call the same functions in the same order; parts of the
  /// state and of the fields are those of this rank's bricks, sums are over the whole domain.
  Simulation(const Problem& problem, const std::vector<BrickPlace>& bricks, const Placement& placement);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Equilibrium at Problem::initial, time 0.
  void initialise();
  /// Submits time steps: after it, time is `steps` larger. Nothing waits. A single brick takes several in one task.
  void advance(long steps = 1);
  [[nodiscard]] long time() const { return time_; }

  /// A part of the state: nineteen slots of a box of the domain, slot by slot, x fastest, float or double.
  using Read = std::function<void(const DomainBox& box, void* slots)>;
  using Write = std::function<void(const DomainBox& box, const void* slots)>;
  /// Sets the state at a time, from parts that are asked for one after the other.
  void set(long time, const Read& read);
  /// Hands over the state, in parts that cover the domain, zeros in solid cells. What `set` is given in any
  /// decomposition continues bit for bit as if nothing had happened.
  void get(const Write& write);

  /// rho, u, v, w of parts of the domain at the present time, four arrays with x fastest, float or double.
  void observe(const Write& write);
  /// Sums over the domain. Waits.
  Totals totals();
  /// Submits the same sums; the ones submitted before, none the first time. Waits for those only.
  std::optional<Totals> exchange_totals();
  /// Force on solid cells during the step to the present time. Waits.
  std::array<double, 3> force();

  [[nodiscard]] std::int64_t fluid_cells() const { return fluid_cells_; }
  [[nodiscard]] std::int64_t tasks() const { return tasks_; }  ///< of this rank
  [[nodiscard]] std::size_t bricks() const { return bricks_.size(); }
  [[nodiscard]] std::int64_t links() const { return links_; }

 private:
  struct BrickData {
    BrickPlace place;
    int worker = -1;
    codelets::Place layout;  ///< for kernels
    Connected connected{};
    std::vector<Wall> walls;
    std::vector<Box> shell;  ///< all of a brick that need not hide its exchange
    std::vector<Box> core;   ///< one part for each axis with neighbours
    Array<char> memory;      ///< of populations, for a core: placed by its first touch
    HostBuffer<char> shared_memory;
    HostBuffer<std::uint8_t> solid_memory;
    HostBuffer<std::int64_t> links_memory;
    std::array<std::array<HostBuffer<char>, faces>, 2> sent_memory;
    HostBuffer<Totals> totals_memory;
    HostBuffer<double> force_memory;
    bool written = false;  ///< populations exist
    bool here = true;      ///< else of another rank: only what it sends to bricks that are here
    Handle populations, solid, links, totals, force;
    std::array<std::array<Handle, faces>, 2> sent;  ///< of a half-step, through a face
  };
  struct Codelets;
  struct Slab;

  [[nodiscard]] bool is_here(const BrickPlace& place) const;
  void build_brick(BrickData& brick, int number, const Placement& placement);
  void build_faces(BrickData& brick, int number, const std::vector<BrickPlace>& bricks, std::int64_t tags);

  void build_obstacle(BrickData& brick);
  [[nodiscard]] bool hides_exchange(const BrickData& brick, const Placement& placement) const;
  void build_halo(BrickData& brick, const Placement& placement);
  std::vector<Access> accesses(const BrickData& brick, starpu_data_access_mode populations) const;
  void add_received(const BrickData& brick, Half half, int axis, std::int32_t& count, Transfer* transfers,
                    std::vector<Access>& accesses) const;
  void add_sent(const BrickData& brick, Half half, int axis, std::int32_t& count, Transfer* transfers,
                std::vector<Access>& accesses) const;
  codelets::Completion pending_walls(const BrickData& brick) const;
  codelets::Completion completion(const BrickData& brick, std::vector<Access>& accesses) const;
  void advance_once();
  void submit_advance(BrickData& brick, Half half, int steps);
  void submit_core(BrickData& brick, Half half, std::size_t part);
  void submit_forward(BrickData& brick, Half half, int received_axis, int sent_axis);
  void submit_exchange(Half half);
  void complete();
  void clear_solid(const DomainBox& box, char* slots) const;
  void submit_totals();
  [[nodiscard]] Totals sum_totals();
  TaskOptions options(const BrickData& brick, double cells, int priority) const;
  template <class Body>
  void for_slabs(int slots, const Body& body);

  const Problem& problem_;
  const int element_;  ///< bytes of a population
  std::unique_ptr<Codelets> codelets_;
  std::vector<std::unique_ptr<BrickData>> bricks_;  ///< null: far from this rank's
  std::vector<BrickData*> near_;                    ///< of this rank and next to them, in the order of bricks
  std::vector<BrickData*> own_;                     ///< of this rank
  bool dealt_ = false;                              ///< to several ranks
  std::vector<int> axes_;                           ///< along which bricks have neighbours
  bool pending_ = false;                            ///< the last half-step is not completed
  Half last_ = Half::beta;
  bool totals_submitted_ = false;
  long time_ = 0;
  std::int64_t fluid_cells_ = 0;
  std::int64_t tasks_ = 0;
  std::int64_t links_ = 0;
  Handle scratch_;
};

}  // namespace asterism::lbm
