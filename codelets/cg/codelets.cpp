#include "codelets/cg/codelets.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <span>

#include "codelets/cg/codelets_cuda.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "runtime/arena.hpp"
#include "runtime/submit.hpp"

namespace asterism::cg::codelets {
namespace {

template <class T>
T& scalar(void* buffer) {
  return *reinterpret_cast<T*>(STARPU_VECTOR_GET_PTR(buffer));
}

/// Of one block-row, or of all in a row.
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

// ---------------------------------------------------------------------------------------------- CPU tasks
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
  const bool accumulate = a.accumulate != 0;
  if (!with_dot) {
    if (a.layout.format == Format::sell)
      cpu::spmv(a.layout.sell(block), x, y, accumulate);
    else
      cpu::spmv(a.layout.csr(block), x, y, accumulate);
    return;
  }
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
  if (a.accumulate == Accumulate::first)
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
  if (a.accumulate == Accumulate::first) {
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
  if (a.slot >= 0) (&scalar<HistoryEntry>(b[1 + a.partials]))[a.slot] = history_entry(state);
}
void alpha_step_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const StepArgs*>(arguments);
  cg::alpha_step(scalar<State>(b[0]), total_sum(b + 1, a.partials));
}

void axpy_cpu(void** b, void* arguments) {
  const auto& state = scalar<State>(b[0]);
  const bool subtract = static_cast<const AxpyArgs*>(arguments)->subtract != 0;
  cpu::axpy(length(b[1]), subtract ? state.minus_alpha : state.alpha, elements_of(b[1]), elements_of(b[2]));
}
void xpby_cpu(void** b, void*) {
  cpu::xpby(length(b[1]), elements_of(b[1]), scalar<State>(b[0]).beta, elements_of(b[2]));
}

void precondition_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const PreconditionArgs*>(arguments);
  cpu::precondition(length(b[1]), preconditioner(a.block, b[0]), elements_of(b[1]), elements_of(b[2]));
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
  if (a.slot >= 0) (&scalar<HistoryEntry>(*next++))[a.slot] = history_entry(state);
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
  scalar<Dots>(dots) = cpu::pipelined_update(buffers.length, state.alpha, state.beta, buffers.vectors, buffers.m);
  if (a.slot >= 0) (&scalar<HistoryEntry>(*next++))[a.slot] = history_entry(state);
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

constexpr auto commuting = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);

starpu_codelet with_modes(starpu_codelet codelet, std::initializer_list<starpu_data_access_mode> modes) {
  codelet.nbuffers = static_cast<int>(modes.size());
  std::copy(modes.begin(), modes.end(), codelet.modes);
  return codelet;
}

}  // namespace

std::int64_t length(const void* buffer) {
  return static_cast<std::int64_t>(count_of(buffer));
}

PreconditionerView preconditioner(int block, void* inverse) {
  return {block, elements_of(inverse)};
}

ResidualBuffers residual_buffers(void** next, const ResidualArgs& a) {
  ResidualBuffers result{};
  result.dots = *next++;
  result.length = length(*next);
  result.q = elements_of(*next++);
  void* const start = a.starting != 0 ? *next++ : nullptr;
  result.r = elements_of(*next++);
  result.r_in = start != nullptr ? elements_of(start) : result.r;
  if (a.block > 0) {
    result.m = preconditioner(a.block, *next++);
    result.z = elements_of(*next++);
  }
  return result;
}

PipelinedBuffers pipelined_buffers(void**& next, int block) {
  PipelinedBuffers result{};
  auto& v = result.vectors;
  result.length = length(next[0]);
  v.n = elements_of(*next++);
  v.z = elements_of(*next++);
  v.s = elements_of(*next++);
  v.p = elements_of(*next++);
  v.x = elements_of(*next++);
  v.r = elements_of(*next++);
  v.w = elements_of(*next++);
  v.m = v.w;
  if (block > 0) {
    result.m = preconditioner(block, *next++);
    v.q = elements_of(*next++);
    v.u = elements_of(*next++);
    v.m = elements_of(*next++);
  }
  return result;
}

// One definition per codelet: stable name, CPU function, CUDA function (null without CUDA), model symbol with
// precision. first, last: the buffers that stay in main memory.
#define ASTERISM_CODELET_IN_MEMORY(function, label, cpu_function, cuda_function, first, last)   \
  starpu_codelet& function() {                                                                  \
    static starpu_perfmodel model = performance_model("cg_" label "_double");                   \
    static starpu_codelet codelet =                                                             \
        make_codelet({label, cpu_function, #cpu_function, cuda_function, &model, first, last}); \
    return codelet;                                                                             \
  }
#define ASTERISM_CODELET(function, label, cpu_function, cuda_function) \
  ASTERISM_CODELET_IN_MEMORY(function, label, cpu_function, cuda_function, 0, 0)

ASTERISM_CODELET(copy, "copy", copy_cpu, gpu::copy)
ASTERISM_CODELET(zero, "zero", vector_zero_cpu, gpu::zero)
ASTERISM_CODELET(spmv, "spmv", spmv_cpu, gpu::spmv)
ASTERISM_CODELET_IN_MEMORY(spmv_dot, "spmv_dot", spmv_cpu, gpu::spmv, 2, 3)
ASTERISM_CODELET(dot, "dot", dot_cpu, gpu::dot)
ASTERISM_CODELET(residual_dots, "residual_dots", residual_dots_cpu, gpu::residual_dots)
ASTERISM_CODELET(begin, "begin", dots_step_cpu<cg::begin>, gpu::begin)
ASTERISM_CODELET(alpha_step, "alpha", alpha_step_cpu, gpu::alpha_step)
ASTERISM_CODELET(beta_step, "beta", dots_step_cpu<cg::beta_step>, gpu::beta_step)
ASTERISM_CODELET_IN_MEMORY(begin_shared, "begin_shared", dots_step_cpu<cg::begin>, gpu::begin, 0, max_buffers)
ASTERISM_CODELET_IN_MEMORY(alpha_step_shared, "alpha_shared", alpha_step_cpu, gpu::alpha_step, 0, max_buffers)
ASTERISM_CODELET_IN_MEMORY(beta_step_shared, "beta_shared", dots_step_cpu<cg::beta_step>, gpu::beta_step, 0,
                           max_buffers)
ASTERISM_CODELET_IN_MEMORY(pipelined_step, "pipelined_step", dots_step_cpu<cg::pipelined_step>, gpu::pipelined_step, 0,
                           max_buffers)
ASTERISM_CODELET(axpy, "axpy", axpy_cpu, gpu::axpy)
ASTERISM_CODELET(xpby, "scal_axpy", xpby_cpu, gpu::xpby)
ASTERISM_CODELET(precondition, "precondition", precondition_cpu, gpu::precondition)
ASTERISM_CODELET(pack, "pack", pack_cpu, gpu::pack)
ASTERISM_CODELET(pipelined_dots, "pipelined_dots", pipelined_dots_cpu, gpu::pipelined_dots)

// The fused codelets, by the number of contributions: which buffers stay in main memory depends on it. Without
// contributions the state is shared and stays there, too; otherwise each block-row's replica is with its vectors.
namespace {
using ByPartials = std::array<starpu_codelet, max_inline_partials + 1>;
ByPartials by_partials(StarpuCodeletSpec spec, int outputs) {
  ByPartials codelets;
  for (int partials = 0; partials <= max_inline_partials; ++partials) {
    spec.main_memory_first = partials == 0 ? 0 : 1;
    spec.main_memory_last = 1 + partials + outputs;
    if (partials == 1) spec.main_memory_first = spec.main_memory_last = 0;  // a single block-row exchanges nothing
    codelets[static_cast<std::size_t>(partials)] = make_codelet(spec);
  }
  return codelets;
}
}  // namespace

#define ASTERISM_FUSED_CODELET(function, label, cpu_function, cuda_function, outputs)                               \
  starpu_codelet& function(int partials) {                                                                          \
    static starpu_perfmodel model = performance_model("cg_" label "_double");                                       \
    static ByPartials codelets = by_partials({label, cpu_function, #cpu_function, cuda_function, &model}, outputs); \
    return codelets.at(static_cast<std::size_t>(partials));                                                         \
  }
ASTERISM_FUSED_CODELET(residual, "residual", residual_cpu, gpu::residual, 1)
ASTERISM_FUSED_CODELET(direction, "direction", direction_cpu, gpu::direction, 0)
ASTERISM_FUSED_CODELET(pipelined, "pipelined", pipelined_cpu, gpu::pipelined, 1)

// StarPU insists on fixed buffers for the codelets of a reduction.
#define ASTERISM_REDUCTION_CODELET(function, label, cpu_function, cuda_function, ...)                         \
  starpu_codelet& function() {                                                                                \
    static starpu_perfmodel model = performance_model("cg_" label "_double");                                 \
    static starpu_codelet codelet =                                                                           \
        with_modes(make_codelet({label, cpu_function, #cpu_function, cuda_function, &model}), {__VA_ARGS__}); \
    return codelet;                                                                                           \
  }

ASTERISM_REDUCTION_CODELET(zero_sum, "zero_sum", zero_cpu<Sum>, gpu::zero_sum, STARPU_W)
ASTERISM_REDUCTION_CODELET(zero_dots, "zero_dots", zero_cpu<Dots>, gpu::zero_dots, STARPU_W)
ASTERISM_REDUCTION_CODELET(add_sum, "add_sum", add_sum_cpu, gpu::add_sum, commuting, STARPU_R)
ASTERISM_REDUCTION_CODELET(add_dots, "add_dots", add_dots_cpu, gpu::add_dots, commuting, STARPU_R)

}  // namespace asterism::cg::codelets
