// SPDX-License-Identifier: Apache-2.0
// The StarPU codelets of conjugate gradient: each wraps one kernel for CPUs and GPUs. Next to each: its arguments and,
// in order, the data that a task must be submitted with.
//
// The codelets exist in double precision only (problem.hpp). Their performance models are cg_OPERATION_double.
//
// What the block-rows contribute to a scalar, and a shared State, stay in main memory for the fused codelets: a GPU
// reaches 16 bytes there sooner than StarPU can copy them to it.
//
// A State may be shared by all block-rows (the fused codelets read it, the step codelets write it) or be kept once for
// each block-row: a task given `partials` > 0 first takes the step itself from the contributions of all block-rows, on
// its own replica. Every replica sees the same sums in the same order, so all stay equal.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <deque>

#include "codelets/cg/introduction.hpp"
#include "codelets/cg/kernels/block_layout.hpp"
#include "codelets/cg/kernels/recurrence.hpp"
#include "codelets/cg/kernels/team.hpp"
#include "runtime/codelet.hpp"

namespace asterism::cg {

class GpuContexts;

namespace codelets {

/// What a task does to its output.
enum class Write : std::int32_t { replace, add };
/// Which kernels a task runs on a GPU.
enum class Library : std::int32_t {
  own,     ///< those of codelets/cg/kernels
  vendor,  ///< cuBLAS
};

/// Arguments of the codelets that need none.
struct NoArgs {};

/// A task that writes no entry of the history.
inline constexpr std::int32_t no_slot = -1;

/// Builds the blocks of a block-row where they will be used: memory pages are placed by the unit that writes them
/// first. blocks W (any number)
struct AssembleArgs {
  void (*fill)(const void* plan, void* memory);
  const void* const* plans;  ///< one for each block
  std::int32_t blocks;
};
extern Codelet assemble;

/// y = x.  x R, y W
extern Codelet copy;
/// x = 0.  x W
extern Codelet zero;

/// y = A x or y += A x.  A R, y W (RW when adding), [p.y W or RW when dot], inputs R (any number)
/// x is the vector that the first input is part of, from element x_offset on.
struct SpmvArgs {
  BlockLayout layout;
  std::int64_t x_offset;
  Write write;
  ProductDot dot;  ///< also p.y or p.(A x), p being input number dot_input; own adds up as y does
  std::int32_t dot_input;
  std::int64_t dot_offset;  ///< element of that input's vector where p of this block begins; -1: the input itself
  GpuContexts* gpus;
};
extern Codelet spmv;
extern Codelet spmv_dot;  ///< with a dot product of several block-rows, which stays in main memory for all units

/// out = x.y.  x R, y R, out W / RW / REDUX
struct DotArgs {
  Write write;
  Library library;
  GpuContexts* gpus;
};
extern Codelet dot;
/// out = {r.r, r.z}.  r R, [z R], out W / RW / REDUX
extern Codelet residual_dots;

/// Most block-rows whose contributions every task adds by itself.
inline constexpr int max_inline_partials = 8;

/// Scalar steps.  state RW, contributions R (any number), [history RW unless no_slot]. Those named `_shared` are for a
/// State that stays in main memory with the contributions.
struct StepArgs {
  std::int32_t partials;
  std::int32_t slot;  ///< entry of the history to write
};
extern Codelet begin;
extern Codelet alpha_step;
extern Codelet beta_step;
extern Codelet pipelined_step;
extern Codelet note_residual;
extern Codelet begin_shared;
extern Codelet note_residual_shared;
extern Codelet alpha_step_shared;
extern Codelet beta_step_shared;

/// y += alpha x or y -= alpha x.  state R, x R, y RW
struct AxpyArgs {
  enum class Sign : std::int32_t { plus, minus };
  Sign sign;
  Library library;
};
extern Codelet axpy;
/// p = z + beta p, the paper's scal-axpy; without a step (alpha = 0) Library::own leaves p.  state R, z R, p RW
struct XpbyArgs {
  Library library;
};
extern Codelet xpby;

/// z = M^-1 r.  inverse R, r R, z W
struct PreconditionArgs {
  std::int32_t block;
};
extern Codelet precondition;

/// The first step of a level's smoother, blocks of `block` rows: d = w M^-1 (b - A x). q is memory for a product on a
/// GPU. A R, q W, inverse R, b R, d W, x R (any number of pieces). Without product x is 0: inverse R, b R, d W
struct SmoothFirstArgs {
  BlockLayout layout;
  double w;
  std::int32_t block;
  std::int32_t product;  ///< 0: x is 0
};
extern Codelet smooth_first;
/// The first and the second step: x += e d - w M^-1 A d, or x = that.
/// A R, q W, inverse R, d R, x RW (W unless adding), further pieces of d R (any number)
struct SmoothSecondArgs {
  BlockLayout layout;
  double e;
  double w;
  std::int32_t block;
  Write write;
};
extern Codelet smooth_second;
/// Rows of a list, nodes of `block` rows: q = A x, x = x + M^-1 (b - q) there.
/// A R, q W, inverse R, rows R, b R, x RW, further pieces of x R (any number). Without product x is 0: inverse R,
/// rows R, b R, x RW
struct RelaxArgs {
  BlockLayout layout;
  std::int32_t block;
  std::int32_t product;  ///< 0: x is 0
};
extern Codelet relax;
/// t = b - A x.  A R, t W, b R, x R (any number)
struct DefectArgs {
  BlockLayout layout;
};
extern Codelet defect;
/// {r.r, r.z} as residual_dots, into main memory.
extern Codelet residual_dots_shared;

/// out_k = p[index_k], the indices of all outputs one after the other.  index R, p R, outputs W (any number)
struct PackArgs {
  std::int32_t outputs;
};
extern Codelet pack;

/// A fused codelet, by the number of contributions that its tasks add: the buffers that stay in main memory depend on
/// it.
class CodeletByPartials {
 public:
  /// `outputs`: contributions to the next scalar that its tasks write, behind those that they read.
  CodeletByPartials(const CodeletSpec& spec, int outputs);
  /// The codelet of tasks with 0 to max_inline_partials contributions.
  [[nodiscard]] Codelet& of(int partials) { return codelets_.at(static_cast<std::size_t>(partials)); }

 private:
  std::deque<Codelet> codelets_;  // a codelet cannot move
};

/// r = r_in - alpha q, z = M^-1 r, {r.r, r.z}.
/// state R (RW with partials), contributions R (any number), dots W, q R, [b R when starting], r RW (W when starting),
/// [inverse R, z W when block > 0]
struct ResidualArgs {
  enum class From : std::int32_t {
    residual,         ///< r_in = r
    right_hand_side,  ///< r_in = b
  };
  std::int32_t partials;
  From from;
  std::int32_t block;  ///< size of the preconditioner's diagonal blocks, 0 none
  GpuContexts* gpus;
};
extern CodeletByPartials residual;

/// x += alpha p; p = z + beta p, and packs the pieces of p that other block-rows need. Without a step (alpha = 0) x and
/// p stay. state R (RW with partials), contributions R (any number), z R, x RW, p RW, [history RW], [index R, outputs W
/// (any number)]
struct DirectionArgs {
  std::int32_t partials;
  std::int32_t slot;
  std::int32_t outputs;
};
extern CodeletByPartials direction;

/// Several iterations of the fused flow in one task: q = A p, p.q, alpha; r -= alpha q, z = M^-1 r, {r.r, r.z}, beta;
/// x += alpha p, p = z + beta p. On a GPU no scalar leaves its memory. For a single block-row, or for each of a team
/// (kernels/team.hpp), whose tasks have to run at the same time, on a unit each.
/// state RW, introductions R (of the whole team), p.q W, dots W, A R (Format::sell), q W, r RW, [inverse R, z W when
/// block > 0], x RW, p RW, [history RW unless no_slot], [elements of p from other block-rows RW (of `sources`, in
/// order)], [index R when there are `targets`]
struct IterationsArgs {
  enum class Launch : std::int32_t {
    kernels,  ///< one by one
    graph,    ///< a CUDA graph of an iteration, captured once and replayed
  };
  BlockLayout layout;
  std::int32_t block;
  std::int32_t slot;   ///< of the first iteration in the history
  std::int32_t count;  ///< iterations
  Launch launch;
  GpuContexts* gpus;
  std::int32_t team = 0;       ///< block-rows of the team, 0: a single one
  std::int32_t members = 0;    ///< introductions: all of the team, or in a meeting its own
  std::int32_t me = 0;         ///< number in the team
  std::uint32_t sources = 0;   ///< bit j: block-row j has elements of p that this one needs
  std::uint32_t targets = 0;   ///< bit j: block-row j needs elements of this one
  std::uint64_t round = 0;     ///< iterations that the team has done before
  Mailbox* mailbox = nullptr;  ///< of this member where it is a core
  std::int32_t rank = one_process;
  std::int32_t tells_ranks = 0;  ///< meeting: other ranks do not know yet, or no more, where its data are
};
extern Codelet iterations;
extern CodeletByPartials team_iterations;  ///< by the number of members
/// What a member of a team does first, on the unit and with the data of the iterations that follow: says where its data
/// are, and makes ready what would have to wait while the others run. Its introduction W, everything else as above.
extern Codelet meeting;
/// What a member does then where it has not yet reached the memory of other ranks: opens it, before any member of its
/// process begins to iterate. introductions R, or RW for members of its own process (of the whole team)
extern Codelet opening;

/// One step of pipelined CG (kernels.hpp: pipelined_update).
/// state R (RW with partials), contributions R (any number), dots W, n R, z RW, s RW, p RW, x RW, r RW, w RW,
/// [inverse R, q RW, u RW, m RW when block > 0], [history RW], [index R, outputs W (any number)]
struct PipelinedArgs {
  std::int32_t partials;
  std::int32_t slot;
  std::int32_t block;
  std::int32_t outputs;
  GpuContexts* gpus;
};
extern CodeletByPartials pipelined;
/// {r.r, r.u, w.u}.  r R, [u R], w R, dots W
extern Codelet pipelined_dots;

/// Neutral element and sum of STARPU_REDUX, for Sum and for Dots.
extern Codelet zero_sum;
extern Codelet add_sum;
extern Codelet zero_dots;
extern Codelet add_dots;

}  // namespace codelets
}  // namespace asterism::cg
