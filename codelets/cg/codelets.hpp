// The StarPU codelets of conjugate gradient: each wraps one kernel for CPUs and GPUs. Next to each: its
// arguments and, in order, the data that a task must be submitted with.
//
// What the blocks contribute to a scalar, and a shared State, stay in main memory for the fused codelets: a GPU
// reaches 16 bytes there sooner than StarPU can copy them to it.
//
// `State` may be shared by all blocks (read here, written by the step codelets) or kept once per block: a
// task given `partials` > 0 first takes the step itself from the contributions of all blocks, on its own
// replica. Every replica sees the same sums in the same order, so they stay equal.
#pragma once

#include <starpu.h>

#include <cstdint>

#include "codelets/cg/kernels/block_layout.hpp"
#include "codelets/cg/kernels/recurrence.hpp"

namespace asterism::cg {

class GpuContexts;

namespace codelets {

/// y = x.  x R, y W
starpu_codelet& copy();
/// x = 0.  x W
starpu_codelet& zero();

/// y = A x or y += A x.  A R, y W (RW when accumulating), [p.y W or RW when dot], inputs R...
/// x is the vector that the first input is part of, from element x_offset on.
struct SpmvArgs {
  BlockLayout layout;
  std::int64_t x_offset;
  std::int32_t accumulate;
  ProductDot dot;  ///< also p.y or p.(A x), p being input number dot_input; own accumulates with y
  std::int32_t dot_input;
  std::int64_t dot_offset;  ///< element of that input's vector where p of this block begins; -1: the input itself
  GpuContexts* gpus;
};
starpu_codelet& spmv();
starpu_codelet& spmv_dot();  ///< when `dot`: p.y stays in main memory, where all units read it

/// How a dot product is brought together over the blocks.
enum class Accumulate : std::int32_t {
  first,   ///< overwrite the result
  serial,  ///< add to it
};
/// out = x.y.  x R, y R, out W / RW / REDUX
struct DotArgs {
  Accumulate accumulate;
  std::int32_t vendor;  ///< cuBLAS on GPUs
  GpuContexts* gpus;
};
starpu_codelet& dot();
/// out = {r.r, r.z}.  r R, [z R], out W / RW / REDUX
starpu_codelet& residual_dots();

/// Most block-rows whose contributions every task adds by itself.
inline constexpr int max_inline_partials = 8;

/// Scalar steps.  state RW, contributions R..., [history RW when slot >= 0]. As `_shared`, for a State that stays in
/// main memory with the contributions.
struct StepArgs {
  std::int32_t partials;
  std::int32_t slot;  ///< entry of the history to write, -1 none
};
starpu_codelet& begin();
starpu_codelet& alpha_step();
starpu_codelet& beta_step();
starpu_codelet& pipelined_step();
starpu_codelet& begin_shared();
starpu_codelet& alpha_step_shared();
starpu_codelet& beta_step_shared();

/// y += alpha x or y -= alpha x.  state R, x R, y RW
struct AxpyArgs {
  std::int32_t subtract;
  std::int32_t vendor;
};
starpu_codelet& axpy();
/// p = z + beta p.  state R, z R, p RW
starpu_codelet& xpby();

/// z = M^-1 r.  inverse R, r R, z W
struct PreconditionArgs {
  std::int32_t block;
};
starpu_codelet& precondition();

/// out_k = p[index_k], the indices of all outputs one after the other.  index R, p R, outputs W...
struct PackArgs {
  std::int32_t outputs;
};
starpu_codelet& pack();

/// r = r_in - alpha q, z = M^-1 r, {r.r, r.z}.
/// state R (RW with partials), p.q contributions R..., dots W, q R, [b R when starting], r RW (W when starting),
/// [inverse R, z W when block > 0]
struct ResidualArgs {
  std::int32_t partials;
  std::int32_t starting;  ///< r_in = b instead of r
  std::int32_t block;     ///< size of the preconditioner's diagonal blocks, 0 none
  GpuContexts* gpus;
};
starpu_codelet& residual(int partials);

/// x += alpha p; p = z + beta p, and packs the pieces of p that other blocks need.
/// state R (RW with partials), contributions R..., z R, x RW, p RW, [history RW], [index R, outputs W...]
struct DirectionArgs {
  std::int32_t partials;
  std::int32_t slot;
  std::int32_t outputs;
};
starpu_codelet& direction(int partials);

/// One step of pipelined CG.
/// state R (RW with partials), contributions R..., dots W, n R, z RW, s RW, p RW, x RW, r RW, w RW,
/// [inverse R, q RW, u RW, m RW when block > 0], [history RW], [index R, outputs W...]
struct PipelinedArgs {
  std::int32_t partials;
  std::int32_t slot;
  std::int32_t block;
  std::int32_t outputs;
  GpuContexts* gpus;
};
starpu_codelet& pipelined(int partials);
/// {r.r, r.u, w.u}.  r R, [u R], w R, dots W
starpu_codelet& pipelined_dots();

/// For STARPU_REDUX: (neutral element, sum) for Sum and for Dots.
starpu_codelet& zero_sum();
starpu_codelet& add_sum();
starpu_codelet& zero_dots();
starpu_codelet& add_dots();

}  // namespace codelets
}  // namespace asterism::cg
