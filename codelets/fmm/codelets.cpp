#include "codelets/fmm/codelets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "codelets/fmm/codelets_cuda.hpp"
#include "codelets/fmm/task_arrays.hpp"
#include "runtime/performance_model.hpp"
#include "runtime/submit.hpp"

namespace asterism::fmm::codelets {
namespace {

/// Tasks within this factor are of one class.
constexpr double same_class = 1.06;
constexpr std::size_t most_sources = 256;

long class_number(double flops) {
  return std::lround(std::log(std::max(flops, 1.0)) / std::log(same_class));
}

void zero_cells(double* expansions, std::int32_t cells, std::int32_t stride) {
  std::memset(expansions, 0, static_cast<std::size_t>(cells) * static_cast<std::size_t>(stride) * sizeof(double));
}

void p2m_cpu(void** b, void* arguments) {
  const auto& a = as<P2MArgs>(arguments);
  cpu::p2m(basis_view(a.operators, doubles(b[0])), a.grid, leaf_view(a.cells, ints(b[1])),
           sources(doubles(b[2]), a.particles), array<double>(b[3]));
}

void m2m_cpu(void** b, void* arguments) {
  const auto& a = as<M2MArgs>(arguments);
  auto* parents = array<double>(b[3]);
  zero_cells(parents, a.overwrite, a.operators.stride);
  cpu::m2m(basis_view(a.operators, doubles(b[0])), doubles(b[0]) + a.operators.shift,
           families(a.cells, ints(b[1])) + a.first_family, a.families, cell_index(ints(b[1])), doubles(b[2]), parents);
}

void m2l_cpu(void** b, void* arguments) {
  const auto& a = as<M2LArgs>(arguments);
  auto* locals = array<double>(b[2]);
  zero_cells(locals, a.overwrite, a.operators.stride);
  std::array<const double*, most_sources> multipoles{};
  for (std::int32_t i = 0; i < a.sources; ++i) multipoles[static_cast<std::size_t>(i)] = doubles(b[3 + i]);
  cpu::m2l(m2l_view(a.operators, doubles(b[0])), a.scale, list_view(a.list, ints(b[1])), multipoles.data(), locals);
}

void l2l_cpu(void** b, void* arguments) {
  const auto& a = as<L2LArgs>(arguments);
  cpu::l2l(basis_view(a.operators, doubles(b[0])), doubles(b[0]) + a.operators.shift,
           families(a.cells, ints(b[1])) + a.first_family, a.families, cell_index(ints(b[1])), doubles(b[2]),
           array<double>(b[3]));
}

void l2p_cpu(void** b, void* arguments) {
  const auto& a = as<L2PArgs>(arguments);
  cpu::l2p(basis_view(a.operators, doubles(b[0])), a.grid, leaf_view(a.cells, ints(b[1])),
           sources(doubles(b[2]), a.particles), doubles(b[3]), field(array<double>(b[4]), a.own), a.add != 0);
}

void reduction_cpu(void** b, void* arguments) {
  const auto& a = as<ReductionArgs>(arguments);
  const auto* set = array<const ReductionSet>(b[0]);
  const auto* part = reinterpret_cast<const ReductionPart*>(set + a.sets + 1);
  auto* result = array<double>(b[1]);
  if (a.overwrite != 0) std::memset(result, 0, static_cast<std::size_t>(a.own) * 4 * sizeof(double));
  for (std::int32_t s = 0; s < a.sets; ++s) {
    const double* near = doubles(b[2 + s]);
    for (std::int32_t p = set[s].first_part; p < set[s + 1].first_part; ++p)
      for (std::int64_t component = 0; component < 4; ++component) {
        const double* from = near + component * set[s].particles + part[p].from;
        double* to = result + component * a.own + part[p].to;
        for (std::int32_t i = 0; i < part[p].count; ++i) to[i] += from[i];
      }
  }
}

}  // namespace

double class_flops(double flops) {
  return flops > 0 ? std::pow(same_class, class_number(flops)) : 0;
}

std::uint32_t footprint(starpu_task* task) {
  const auto& work = *static_cast<const Work*>(task->cl_arg);
  return static_cast<std::uint32_t>(class_number(work.flops)) << 13 |
         (static_cast<std::uint32_t>(work.basis) & 0x1fffU);
}

#define ASTERISM_CODELET(name)                                                                                    \
  starpu_codelet& name() {                                                                                        \
    static starpu_perfmodel m = performance_model("fmm_" #name "_double", footprint);                             \
    static starpu_codelet codelet = make_codelet({"fmm_" #name, name##_cpu, "fmm_" #name "_cpu", gpu::name, &m}); \
    return codelet;                                                                                               \
  }
ASTERISM_CODELET(p2m)
ASTERISM_CODELET(m2m)
ASTERISM_CODELET(m2l)
ASTERISM_CODELET(l2l)
ASTERISM_CODELET(l2p)
ASTERISM_CODELET(reduction)
#undef ASTERISM_CODELET

}  // namespace asterism::fmm::codelets
