// SPDX-License-Identifier: Apache-2.0
#include "codelets/cg/codelets.hpp"

#include <cstring>
#include <span>

#include "codelets/cg/codelets_cuda.hpp"
#include "codelets/cg/iterations.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/task_flops.hpp"
#include "codelets/cg/task_functions.hpp"
#include "runtime/memory/arena.hpp"

namespace asterism::cg::codelets {
namespace {

template <class T>
T& scalar(void* buffer) {
  return *reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(buffer));
}

/// What one block-row contributes to a scalar, or what all do, one after the other.
template <class T>
std::span<const T> contributions(void* buffer) {
  return {&scalar<T>(buffer), STARPU_VECTOR_GET_NX(buffer) * STARPU_VECTOR_GET_ELEMSIZE(buffer) / sizeof(T)};
}

Dots total_dots(void** partials, int count) {
  Dots d;
  for (int i = 0; i < count; ++i)
    for (const Dots& other : contributions<Dots>(partials[i])) {
      add(d.rr, other.rr);
      add(d.rz, other.rz);
      add(d.wu, other.wu);
    }
  return d;
}
Sum total_sum(void** partials, int count) {
  Sum s;
  for (int i = 0; i < count; ++i)
    for (const Sum& other : contributions<Sum>(partials[i])) add(s, other);
  return s;
}

void pack_outputs(void* index_buffer, const double* p, void** outputs, int count) {
  const auto* index = reinterpret_cast<const std::int32_t*>(STARPU_VECTOR_GET_PTR(index_buffer));
  for (int k = 0; k < count; ++k) {
    cpu::pack(length(outputs[k]), index, p, elements_of(outputs[k]));
    index += length(outputs[k]);
  }
}

// ---- CPU functions

void assemble_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const AssembleArgs*>(arguments);
  for (int k = 0; k < a.blocks; ++k) a.fill(a.plans[k], reinterpret_cast<void*>(STARPU_VECTOR_GET_PTR(b[k])));
}

void copy_cpu(void** b, void*) {
  std::memcpy(elements_of(b[1]), elements_of(b[0]), count_of(b[0]) * sizeof(double));
}

void vector_zero_cpu(void** b, void*) {
  std::memset(elements_of(b[0]), 0, count_of(b[0]) * sizeof(double));
}

void spmv_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const SpmvArgs*>(arguments);
  const void* block = reinterpret_cast<const void*>(STARPU_VECTOR_GET_PTR(b[0]));
  double* y = elements_of(b[1]);
  const bool with_dot = a.dot != ProductDot::none;
  void** inputs = b + 2 + (with_dot ? 1 : 0);
  const double* x = window_of(inputs[0]) + a.x_offset;
  const bool accumulate = a.write == Write::add;
  if (!with_dot)
    return a.layout.format == Format::sell ? cpu::spmv(a.layout.sell(block), x, y, accumulate)
                                           : cpu::spmv(a.layout.csr(block), x, y, accumulate);
  const double* p = a.dot_offset < 0 ? elements_of(inputs[a.dot_input]) : window_of(inputs[a.dot_input]) + a.dot_offset;
  auto& result = scalar<Sum>(b[2]);
  Sum sum;
  if (a.layout.format == Format::sell)
    sum = cpu::spmv_dot(a.layout.sell(block), x, y, accumulate, p, a.dot);
  else
    sum = cpu::spmv_dot(a.layout.csr(block), x, y, accumulate, p);
  if (a.dot == ProductDot::own && accumulate)
    add(result, sum);
  else
    result = sum;
}

void dot_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const DotArgs*>(arguments);
  const Sum s = cpu::dot(length(b[0]), elements_of(b[0]), elements_of(b[1]));
  if (a.write == Write::replace)
    scalar<Sum>(b[2]) = s;
  else
    add(scalar<Sum>(b[2]), s);
}

/// Buffers before the result: r alone, or r and z; told apart by the number of buffers of the task.
void residual_dots_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const DotArgs*>(arguments);
  const bool with_z = STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) == 3;
  const double* r = elements_of(b[0]);
  const double* z = with_z ? elements_of(b[1]) : r;
  const Dots d = cpu::residual_dots(length(b[0]), r, z);
  Dots& out = scalar<Dots>(b[with_z ? 2 : 1]);
  if (a.write == Write::replace) {
    out = d;
  } else {
    add(out.rr, d.rr);
    add(out.rz, d.rz);
  }
}

template <void (*take)(State&, const Dots&)>
void dots_step_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const StepArgs*>(arguments);
  auto& state = scalar<State>(b[0]);
  take(state, total_dots(b + 1, a.partials));
  if (a.slot != no_slot) (&scalar<HistoryEntry>(b[1 + a.partials]))[a.slot] = history_entry(state);
}
void alpha_step_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const StepArgs*>(arguments);
  cg::alpha_step(scalar<State>(b[0]), total_sum(b + 1, a.partials));
}

void axpy_cpu(void** b, void* arguments) {
  const auto& state = scalar<State>(b[0]);
  const bool subtract = static_cast<const AxpyArgs*>(arguments)->sign == AxpyArgs::Sign::minus;
  cpu::axpy(length(b[1]), subtract ? state.minus_alpha : state.alpha, elements_of(b[1]), elements_of(b[2]));
}
void xpby_cpu(void** b, void*) {
  const auto& state = scalar<State>(b[0]);
  if (state.alpha != 0) cpu::xpby(length(b[1]), elements_of(b[1]), state.beta, elements_of(b[2]));
}

void precondition_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const PreconditionArgs*>(arguments);
  cpu::precondition(length(b[1]), preconditioner(a.block, b[0]), elements_of(b[1]), elements_of(b[2]));
}

void smooth_first_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const SmoothFirstArgs*>(arguments);
  const bool product = a.product != 0;
  const SellView matrix = product ? a.layout.sell(&scalar<char>(b[0])) : SellView{};
  const double* const x = product ? window_of(b[5]) : nullptr;
  if (product) b += 2;
  cpu::smooth_first(length(b[1]), product ? &matrix : nullptr, x, preconditioner(a.block, b[0]), a.w, elements_of(b[1]),
                    elements_of(b[2]));
}
void smooth_second_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const SmoothSecondArgs*>(arguments);
  const SellView matrix = a.layout.sell(&scalar<char>(b[0]));
  cpu::smooth_second(length(b[3]), matrix, window_of(b[3]), preconditioner(a.block, b[2]), a.e, a.w, elements_of(b[3]),
                     a.write == Write::add, elements_of(b[4]));
}
void relax_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const RelaxArgs*>(arguments);
  const double* q = nullptr;
  if (a.product != 0) {
    cpu::spmv(a.layout.sell(&scalar<char>(b[0])), window_of(b[5]), elements_of(b[1]), false);
    q = elements_of(b[1]);
    b += 2;
  }
  cpu::relax(length(b[1]), &scalar<std::int32_t>(b[1]), preconditioner(a.block, b[0]), elements_of(b[2]), q,
             elements_of(b[3]));
}
void defect_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const DefectArgs*>(arguments);
  cpu::defect(a.layout.sell(&scalar<char>(b[0])), window_of(b[3]), elements_of(b[2]), elements_of(b[1]));
}

void pack_cpu(void** b, void* arguments) {
  pack_outputs(b[0], elements_of(b[1]), b + 2, static_cast<const PackArgs*>(arguments)->outputs);
}

void residual_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const ResidualArgs*>(arguments);
  auto& state = scalar<State>(b[0]);
  if (a.partials > 0) cg::alpha_step(state, total_sum(b + 1, a.partials));
  const ResidualBuffers v = residual_buffers(b + 1 + a.partials, a);
  scalar<Dots>(v.dots) = cpu::update_residual(v.length, state.alpha, v.q, v.r_in, v.r, v.m, v.z);
}

void direction_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const DirectionArgs*>(arguments);
  auto& state = scalar<State>(b[0]);
  if (a.partials > 0) cg::beta_step(state, total_dots(b + 1, a.partials));
  void** next = b + 1 + a.partials;
  void* z = *next++;
  void* x = *next++;
  void* p = *next++;
  if (a.slot != no_slot) (&scalar<HistoryEntry>(*next++))[a.slot] = history_entry(state);
  // no step: the direction stays, for a solve that continues with it
  if (state.alpha != 0)
    cpu::update_direction(length(z), state.alpha, state.beta, elements_of(z), elements_of(x), elements_of(p));
  if (a.outputs > 0) pack_outputs(next[0], elements_of(p), next + 1, a.outputs);
}

void pipelined_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const PipelinedArgs*>(arguments);
  auto& state = scalar<State>(b[0]);
  if (a.partials > 0) cg::pipelined_step(state, total_dots(b + 1, a.partials));
  void** next = b + 1 + a.partials;
  void* dots = *next++;
  const PipelinedBuffers buffers = pipelined_buffers(next, a.block);
  scalar<Dots>(dots) = state.status == Status::running
                           ? cpu::pipelined_update(buffers.length, state.alpha, state.beta, buffers.vectors, buffers.m)
                           : Dots{};
  if (a.slot != no_slot) (&scalar<HistoryEntry>(*next++))[a.slot] = history_entry(state);
  if (a.outputs > 0) pack_outputs(next[0], buffers.vectors.m, next + 1, a.outputs);
}

void pipelined_dots_cpu(void** b, void*) {
  const bool with_u = STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) == 4;
  const double* u = with_u ? elements_of(b[1]) : nullptr;
  void* w = b[with_u ? 2 : 1];
  scalar<Dots>(b[with_u ? 3 : 2]) = cpu::pipelined_dots(length(b[0]), elements_of(b[0]), u, elements_of(w));
}

template <class T>
void zero_cpu(void** b, void*) {
  scalar<T>(b[0]) = {};
}
void add_sum_cpu(void** b, void*) {
  add(scalar<Sum>(b[0]), scalar<Sum>(b[1]));
}
void add_dots_cpu(void** b, void*) {
  auto& sum = scalar<Dots>(b[0]);
  const auto& other = scalar<Dots>(b[1]);
  add(sum.rr, other.rr);
  add(sum.rz, other.rz);
  add(sum.wu, other.wu);
}

const gpu::Functions on_gpu = gpu::functions();
constexpr auto commuting = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
}  // namespace

Codelet assemble({.name = "cg_assemble", .variant = "double", .cpu = assemble_cpu, .cuda = nullptr});
Codelet copy({.name = "cg_copy", .variant = "double", .cpu = copy_cpu, .cuda = on_gpu.copy});
Codelet zero({.name = "cg_zero", .variant = "double", .cpu = vector_zero_cpu, .cuda = on_gpu.zero});
Codelet spmv({.name = "cg_spmv",
              .variant = "double",
              .cpu = spmv_cpu,
              .cuda = on_gpu.spmv,
              .flops = spmv_flops,
              .chunks = spmv_chunks});
Codelet spmv_dot({.name = "cg_spmv_dot",
                  .variant = "double",
                  .cpu = spmv_cpu,
                  .cuda = on_gpu.spmv,
                  .flops = spmv_flops,
                  .chunks = spmv_chunks,
                  .main_memory_first = 2,
                  .main_memory_last = 3});
Codelet dot({.name = "cg_dot", .variant = "double", .cpu = dot_cpu, .cuda = on_gpu.dot, .flops = dot_flops});
Codelet residual_dots({.name = "cg_residual_dots",
                       .variant = "double",
                       .cpu = residual_dots_cpu,
                       .cuda = on_gpu.residual_dots,
                       .flops = residual_dots_flops});
Codelet begin({.name = "cg_begin", .variant = "double", .cpu = dots_step_cpu<cg::begin>, .cuda = on_gpu.begin});
Codelet alpha_step({.name = "cg_alpha", .variant = "double", .cpu = alpha_step_cpu, .cuda = on_gpu.alpha_step});
Codelet beta_step(
    {.name = "cg_beta", .variant = "double", .cpu = dots_step_cpu<cg::beta_step>, .cuda = on_gpu.beta_step});
Codelet begin_shared({.name = "cg_begin_shared",
                      .variant = "double",
                      .cpu = dots_step_cpu<cg::begin>,
                      .cuda = on_gpu.begin,
                      .main_memory_last = max_buffers});
Codelet alpha_step_shared({.name = "cg_alpha_shared",
                           .variant = "double",
                           .cpu = alpha_step_cpu,
                           .cuda = on_gpu.alpha_step,
                           .main_memory_last = max_buffers});
Codelet beta_step_shared({.name = "cg_beta_shared",
                          .variant = "double",
                          .cpu = dots_step_cpu<cg::beta_step>,
                          .cuda = on_gpu.beta_step,
                          .main_memory_last = max_buffers});
Codelet note_residual({.name = "cg_note_residual",
                       .variant = "double",
                       .cpu = dots_step_cpu<cg::note_residual>,
                       .cuda = on_gpu.note_residual});
Codelet note_residual_shared({.name = "cg_note_residual_shared",
                              .variant = "double",
                              .cpu = dots_step_cpu<cg::note_residual>,
                              .cuda = on_gpu.note_residual,
                              .main_memory_last = max_buffers});
Codelet pipelined_step({.name = "cg_pipelined_step",
                        .variant = "double",
                        .cpu = dots_step_cpu<cg::pipelined_step>,
                        .cuda = on_gpu.pipelined_step,
                        .main_memory_last = max_buffers});
Codelet axpy({.name = "cg_axpy", .variant = "double", .cpu = axpy_cpu, .cuda = on_gpu.axpy, .flops = axpy_flops});
Codelet xpby({.name = "cg_scal_axpy", .variant = "double", .cpu = xpby_cpu, .cuda = on_gpu.xpby, .flops = xpby_flops});
Codelet precondition({.name = "cg_precondition",
                      .variant = "double",
                      .cpu = precondition_cpu,
                      .cuda = on_gpu.precondition,
                      .flops = precondition_flops});
Codelet smooth_first({.name = "cg_smooth_first",
                      .variant = "double",
                      .cpu = smooth_first_cpu,
                      .cuda = on_gpu.smooth_first,
                      .flops = smooth_first_flops});
Codelet smooth_second({.name = "cg_smooth_second",
                       .variant = "double",
                       .cpu = smooth_second_cpu,
                       .cuda = on_gpu.smooth_second,
                       .flops = smooth_second_flops});
Codelet relax({.name = "cg_relax", .variant = "double", .cpu = relax_cpu, .cuda = on_gpu.relax, .flops = relax_flops});
Codelet defect(
    {.name = "cg_defect", .variant = "double", .cpu = defect_cpu, .cuda = on_gpu.defect, .flops = defect_flops});
Codelet residual_dots_shared({.name = "cg_residual_dots_shared",
                              .variant = "double",
                              .cpu = residual_dots_cpu,
                              .cuda = on_gpu.residual_dots,
                              .flops = residual_dots_flops,
                              .main_memory_first = 2,
                              .main_memory_last = 3});
Codelet pack({.name = "cg_pack", .variant = "double", .cpu = pack_cpu, .cuda = on_gpu.pack});
Codelet pipelined_dots({.name = "cg_pipelined_dots",
                        .variant = "double",
                        .cpu = pipelined_dots_cpu,
                        .cuda = on_gpu.pipelined_dots,
                        .flops = pipelined_dots_flops});

CodeletByPartials::CodeletByPartials(const CodeletSpec& spec, int outputs) {
  for (int partials = 0; partials <= max_inline_partials; ++partials) {
    CodeletSpec of_partials = spec;
    if (partials != 1) {  // a single block-row exchanges nothing
      // Without contributions the state is shared and stays in main memory, too; otherwise the replica of each
      // block-row is with its vectors.
      of_partials.main_memory_first = partials == 0 ? 0 : 1;
      of_partials.main_memory_last = 1 + partials + outputs;
    }
    codelets_.emplace_back(of_partials);
  }
}

CodeletByPartials residual(
    {.name = "cg_residual", .variant = "double", .cpu = residual_cpu, .cuda = on_gpu.residual, .flops = residual_flops},
    1);
CodeletByPartials direction({.name = "cg_direction",
                             .variant = "double",
                             .cpu = direction_cpu,
                             .cuda = on_gpu.direction,
                             .flops = direction_flops},
                            0);
const CodeletSpec of_iterations{.name = "cg_iterations",
                                .variant = "double",
                                .cpu = iterations_cpu,
                                .cuda = on_gpu.iterations,
                                .flops = iterations_flops,
                                .footprint = iterations_footprint};
Codelet iterations(of_iterations);
CodeletByPartials team_iterations(of_iterations, 0);
Codelet meeting({.name = "cg_meeting",
                 .variant = "double",
                 .cpu = meeting_cpu,
                 .cuda = on_gpu.meeting,
                 .main_memory_first = 1,
                 .main_memory_last = 2});
Codelet opening({.name = "cg_opening",
                 .variant = "double",
                 .cpu = nullptr,
                 .cuda = on_gpu.opening,
                 .main_memory_last = max_buffers});
CodeletByPartials pipelined({.name = "cg_pipelined",
                             .variant = "double",
                             .cpu = pipelined_cpu,
                             .cuda = on_gpu.pipelined,
                             .flops = pipelined_flops},
                            1);

// StarPU insists on fixed buffers for the codelets of a reduction.
Codelet zero_sum(
    {.name = "cg_zero_sum", .variant = "double", .cpu = zero_cpu<Sum>, .cuda = on_gpu.zero_sum, .modes = {STARPU_W}});
Codelet zero_dots({.name = "cg_zero_dots",
                   .variant = "double",
                   .cpu = zero_cpu<Dots>,
                   .cuda = on_gpu.zero_dots,
                   .modes = {STARPU_W}});
Codelet add_sum({.name = "cg_add_sum",
                 .variant = "double",
                 .cpu = add_sum_cpu,
                 .cuda = on_gpu.add_sum,
                 .modes = {commuting, STARPU_R}});
Codelet add_dots({.name = "cg_add_dots",
                  .variant = "double",
                  .cpu = add_dots_cpu,
                  .cuda = on_gpu.add_dots,
                  .modes = {commuting, STARPU_R}});

}  // namespace asterism::cg::codelets
