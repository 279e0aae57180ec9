// SPDX-License-Identifier: Apache-2.0
// The StarPU codelets of the lattice Boltzmann method, on CPUs and GPUs, each for populations stored as Float16, float
// and double. Next to each: its
// arguments and, in order, the data that a task must be submitted with. Populations of a brick are one datum of
// 128-byte lines; a brick with solid cells has two more, written [solid R, links R] below: a byte per cell, and the
// offsets of Links, first all `fluid`, then all `solid`, then `share` where links are interpolated.
#pragma once

#include <starpu.h>

#include <cstdint>

#include "codelets/lbm/kernels/boundary/force_sums.hpp"
#include "codelets/lbm/kernels/kernels.hpp"
#include "runtime/buffers.hpp"
#include "runtime/codelet.hpp"

namespace asterism::lbm::codelets {

/// The layout of a brick, and its solid cells.
struct BrickDescriptor {
  Brick layout{};
  bool obstacle = false;             ///< it has solid cells
  bool interpolated = false;         ///< Links::share is there
  std::int32_t link_begin[q + 1]{};  ///< Links::begin
};

/// What is still to be done about the half-step `last`: arrays from neighbours to be put in place, walls and solid
/// cells that return what they were sent. Velocity walls are left to the task that updates the cells beside them, all
/// else to the first task of the next half-step.
struct Completion {
  enum class Part : std::int32_t {
    nothing,         ///< the state is complete
    velocity_walls,  ///< of the task's own cells: another task has done the rest
    all,
  };
  Part part = Part::nothing;
  Half last = Half::beta;
  std::int32_t walls = 0;
  Wall wall[faces]{};
  std::uint32_t wraps = 0;  ///< axes along which the brick is its own neighbour, as bits
  std::int32_t received = 0;
  Transfer receive[2]{};
};

/// Completes the last half-step, updates some boxes by the next one, f*_i = f_i + Omega_i(f) + S_i, and packs what
/// neighbours need of them.
/// populations RW, [solid R, links R], received R (two at most), sent W (two at most)
struct AdvanceArgs {
  Work work;
  BrickDescriptor brick;
  Completion completion;
  Collision collision;
  Half half = Half::alpha;
  std::int32_t steps = 1;  ///< half-steps, each completed before the next: several only without other bricks
  std::int32_t boxes = 0;
  Box box[faces + 1]{};
  std::int32_t sent = 0;
  Transfer send[2]{};
};
extern PrecisionCodelet advance;

/// Passes on what crosses an edge of the brick.  populations RW, received R (two at most), sent W (two at most)
struct ForwardArgs {
  Work work;
  Brick brick{};
  std::int32_t received = 0;
  Transfer receive[2]{};
  std::int32_t sent = 0;
  Transfer send[2]{};
};
extern PrecisionCodelet forward;

/// Completes the last half-step and nothing else; measures force and moment on solid cells before these return what
/// they were sent, if there is a place for them.  populations RW, [solid R, links R], received R (two at most), [force
/// W: ForceSums]
struct CompleteArgs {
  Work work;
  BrickDescriptor brick;
  Completion completion;
  bool measure_force = false;
  bool measures_only = false;  ///< walls and solid cells are left to the next task
  Origin origin{};             ///< of the brick, for the moment
};
extern PrecisionCodelet complete;

/// Density and velocity of a box (kernels.hpp), as float where populations are Float16.  populations R, [solid R, links
/// R], fields W
struct ObserveArgs {
  Work work;
  BrickDescriptor brick;
  Collision collision;
  Box box{};
  Half next = Half::alpha;
};
extern PrecisionCodelet observe;
/// Sums over a box, with ObserveArgs.  populations R, [solid R, links R], totals W, scratch
extern PrecisionCodelet total;
/// Bytes of the scratch datum of `total`.
std::size_t total_scratch_bytes();

/// All nineteen slots of a box to and from an array, slot by slot.  populations R, array W / populations RW, array R
struct CopyArgs {
  Work work;
  Brick brick{};
  Box box{};
  bool fresh = false;  ///< to be loaded: nothing is in the brick yet
};
extern PrecisionCodelet store;
extern PrecisionCodelet load;

}  // namespace asterism::lbm::codelets
