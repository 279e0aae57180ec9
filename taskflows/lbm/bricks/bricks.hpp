// SPDX-License-Identifier: Apache-2.0
// The data of a simulation: bricks with their memory, StarPU's handles and what kernels are told about them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/array.hpp"
#include "codelets/lbm/codelets.hpp"
#include "runtime/handle.hpp"
#include "runtime/memory/host_memory.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"
#include "taskflows/lbm/bricks/halo.hpp"
#include "taskflows/lbm/decomposition.hpp"

namespace asterism::lbm {

/// In a Placement.
inline constexpr int scheduler_decides = -1;
inline constexpr int worker_elsewhere = -2;
/// Which StarPU worker updates a brick, or `scheduler_decides`, or `worker_elsewhere` for one of another rank.
using Placement = std::vector<int>;
/// Each GPU of the session gets the GPU parts of consecutive sub-domains, whose bricks its workers take in turn, as the
/// cores take those of CPU parts. Throws Error (bad input) when there is a part for a kind of unit that the session
/// does not have.
Placement place(const std::vector<BrickPlace>& bricks, const Session& session);

struct BrickData {
  BrickPlace place;
  int worker = scheduler_decides;
  codelets::BrickDescriptor descriptor;  ///< for kernels
  Connected connected{};
  std::vector<Wall> walls;  ///< in the order in which they are applied
  Collision collision;      ///< the problem's, and where the sponge is
  std::vector<Box> border;  ///< cells that are updated first; all of a brick that need not hide its exchange
  std::vector<Box> inner;   ///< the others, one part for each axis with neighbours
  Array<char> memory;       ///< of populations, for a core: placed by its first touch
  HostBuffer<char> shared_memory;
  HostBuffer<std::uint8_t> solid_memory;
  HostBuffer<std::int64_t> links_memory;
  std::array<std::array<HostBuffer<char>, faces>, 2> sent_memory;
  HostBuffer<Totals> totals_memory;
  HostBuffer<ForceSums> force_memory;
  bool written = false;  ///< populations exist
  bool here = true;      ///< else of another rank: only what it sends to bricks that are here
  Handle populations, solid, links, totals, force;
  std::array<std::array<Handle, faces>, 2> sent;  ///< of a half-step, through a face

  /// Populations, and solid cells where there are any: what the tasks of a brick begin with.
  [[nodiscard]] std::vector<Access> accesses(starpu_data_access_mode populations_mode) const;
  /// Where and when a task of this brick runs.
  [[nodiscard]] TaskOptions options(int priority) const;
};

/// Over several ranks, a rank knows its own bricks and those next to them.
class Bricks {
 public:
  /// `problem` is kept by reference.
  Bricks(const Problem& problem, const std::vector<BrickPlace>& places, const Placement& placement);
  Bricks(const Bricks&) = delete;
  Bricks& operator=(const Bricks&) = delete;

  const Problem& problem;
  const int element;                               ///< bytes of a population
  bool distributed = false;                        ///< over several ranks
  std::vector<std::unique_ptr<BrickData>> number;  ///< as in the decomposition; null: far from this rank's
  std::vector<BrickData*> near;                    ///< of this rank and next to them, in the order of bricks
  std::vector<BrickData*> own;                     ///< of this rank
  std::vector<int> axes;                           ///< along which bricks have other neighbours, ascending
  std::uint32_t wraps = 0;                         ///< axes along which a single brick is its own neighbour, as bits
  std::int64_t fluid_cells = 0;                    ///< of the domain
  std::int64_t links = 0;                          ///< of the domain, between fluid and solid cells
  std::int64_t tasks = 0;                          ///< of this rank, submitted for time steps and sums

 private:
  void build_brick(BrickData& brick, int index, const Placement& placement);
  void build_faces(BrickData& brick, int index, const std::vector<BrickPlace>& places, std::int64_t tags);
  void build_obstacle(BrickData& brick);
  void build_border(BrickData& brick, const Placement& placement);
  void count_all_ranks();
};

}  // namespace asterism::lbm
