// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels of conjugate gradient. Every function is asynchronous on the given stream, allocates
// nothing and takes device pointers; scalars are read from and written to device memory, so that no
// iteration waits for the host. Same arithmetic, bit for bit, as codelets/cg/kernels/kernels.hpp.
// Launch errors throw asterism::Error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/kernels/recurrence.hpp"
#include "codelets/cg/kernels/team.hpp"
#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg::cuda {

/// Scratch of the reductions, one per stream: partial sums of the thread blocks and a ticket that must
/// start at zero (each kernel leaves it at zero).
struct Workspace {
  Dots* partial;     ///< max_grid entries
  unsigned* ticket;  ///< 1
};
inline constexpr int max_grid = 4096;

/// Device addresses of what the blocks contribute to a scalar; passed to kernels by value.
template <class T>
struct Partials {
  const T* at[max_partials];
  int count = 0;
};

/// A team (team.hpp) as the kernels of member `me` see it; in the memory of its GPU, so that launches which are
/// replayed find another round each time.
struct Team {
  int me;
  int size;
  std::uint64_t round;         ///< iterations that are complete, through all tasks
  Mailbox* mailbox[max_team];  ///< of every member, on its GPU
  int outputs;                 ///< members that need elements of p of this one
  double* out[max_team];       ///< where they go, on their GPUs: elements begin[k] .. begin[k+1] of the index
  std::int64_t begin[max_team + 1];
};
void place_team(Team* place, const Team& team, cudaStream_t stream);
/// p[index[k]], n elements, to the other members, after which the round is complete; ends when theirs have arrived.
void send_halo(std::int64_t n, Team* team, const std::int32_t* index, const double* p, Workspace workspace,
               cudaStream_t stream);

/// y = A x (or +=). 12 nnz + 20 N bytes.
void spmv(const SellView& a, const double* x, double* y, bool accumulate, cudaStream_t stream);
/// y = A x (or +=) and *p_dot_y = p.y over the rows; ProductDot::own: p.(A x), added to *p_dot_y when accumulating.
/// `step`: also takes alpha_step() with it, for a single block-row, or with those of all members of a team.
void spmv_dot(const SellView& a, const double* x, double* y, bool accumulate, const double* p, Sum* p_dot_y,
              Workspace workspace, cudaStream_t stream, ProductDot dot = ProductDot::total, State* step = nullptr,
              const Team* team = nullptr);

/// *out = x.y, or *out += x.y when `accumulate`.
void dot(std::int64_t n, const double* x, const double* y, Sum* out, bool accumulate, Workspace workspace,
         cudaStream_t stream);
/// *out (+)= {r.r, r.z}
void residual_dots(std::int64_t n, const double* r, const double* z, Dots* out, bool accumulate, Workspace workspace,
                   cudaStream_t stream);

/// y += alpha x, *alpha on the device
void axpy(std::int64_t n, const double* alpha, const double* x, double* y, cudaStream_t stream);
/// y = x + state->beta y; nothing when state->alpha is 0
void xpby(std::int64_t n, const double* x, const State* state, double* y, cudaStream_t stream);
void precondition(std::int64_t n, const PreconditionerView& m, const double* r, double* z, cudaStream_t stream);
/// d = w M^-1 (b - A x), q memory for A x; a null: x is 0.
void smooth_first(std::int64_t n, const SellView* a, const double* x, const PreconditionerView& m, double w,
                  const double* b, double* q, double* d, cudaStream_t stream);
/// x += e d - w M^-1 A d, q memory for A d; with `add` false x = that.
void smooth_second(std::int64_t n, const SellView& a, const double* d_all, const PreconditionerView& m, double e,
                   double w, const double* d, bool add, double* q, double* x, cudaStream_t stream);
/// Rows of a list: x = x + M^-1 (b - q); q null: x is 0.
void relax(std::int64_t n, const std::int32_t* row, const PreconditionerView& m, const double* b, const double* q,
           double* x, cudaStream_t stream);
/// t = b - A x, of n rows.
void defect(std::int64_t n, const SellView& a, const double* x, const double* b, double* t, cudaStream_t stream);
/// out[k] = p[index[k]]
void pack(std::int64_t n, const std::int32_t* index, const double* p, double* out, cudaStream_t stream);
/// Packs into several outputs in one launch: output k takes the elements begin[k] .. begin[k+1] of the index.
inline constexpr int max_pack_outputs = 64;
struct PackOutputs {
  double* out[max_pack_outputs];
  std::int64_t begin[max_pack_outputs + 1];
  int count = 0;
};
void pack(const PackOutputs& outputs, const std::int32_t* index, const double* p, cudaStream_t stream);

/// Where the next entry of the history goes. In device memory, so that a launch that is replayed finds another place
/// each time.
struct HistoryCursor {
  HistoryEntry* next;
};
void place_history(HistoryCursor* cursor, HistoryEntry* next, cudaStream_t stream);

/// r_out = r_in - alpha q, z = M^-1 r_out, *out = {r.r, r.z}; alpha = state->alpha. 24 N bytes.
void update_residual(std::int64_t n, const State* state, const double* q, const double* r_in, double* r_out,
                     const PreconditionerView& m, double* z, Dots* out, Workspace workspace, cudaStream_t stream);
/// The same for a single block-row or a member of a team, which also takes beta_step() and writes the history unless
/// that is null.
void update_residual_and_step(std::int64_t n, State* state, const double* q, double* r, const PreconditionerView& m,
                              double* z, Dots* out, HistoryCursor* history, Workspace workspace, cudaStream_t stream,
                              const Team* team = nullptr);
/// x += alpha p; p = z + beta p; nothing when alpha is 0. 40 N bytes.
void update_direction(std::int64_t n, const State* state, const double* z, double* x, double* p, cudaStream_t stream);

/// As cpu::pipelined_update, the dot products to *out; nothing when the state is not running.
void pipelined_update(std::int64_t n, const State* state, const cpu::PipelinedVectors& v, const PreconditionerView& m,
                      Dots* out, Workspace workspace, cudaStream_t stream);
/// *out = {r.r, r.u, w.u}
void pipelined_dots(std::int64_t n, const double* r, const double* u, const double* w, Dots* out, Workspace workspace,
                    cudaStream_t stream);

/// The scalar recurrences on the device: sum the blocks' contributions in their order, take the step.
/// history, when not null, receives the state after the step.
void begin(State* state, const Partials<Dots>& dots, cudaStream_t stream);
void alpha_step(State* state, const Partials<Sum>& sums, cudaStream_t stream);
void beta_step(State* state, const Partials<Dots>& dots, HistoryEntry* history, cudaStream_t stream);
void note_residual(State* state, const Partials<Dots>& dots, cudaStream_t stream);
void pipelined_step(State* state, const Partials<Dots>& dots, HistoryEntry* history, cudaStream_t stream);

/// *sum += *other, for reductions; *sum = {}
void add(Sum* sum, const Sum* other, cudaStream_t stream);
void add(Dots* sum, const Dots* other, cudaStream_t stream);

}  // namespace asterism::cg::cuda
