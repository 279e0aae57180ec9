// SPDX-License-Identifier: Apache-2.0
#include "codelets/fmm/codelets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "codelets/fmm/codelets_cuda.hpp"

namespace asterism::fmm::codelets {
namespace {

/// Tasks within this factor are of one class.
constexpr double same_class = 1.06;
constexpr std::size_t most_sources = 256;

long class_number(double flops) {
  return std::lround(std::log(std::max(flops, 1.0)) / std::log(same_class));
}

void zero_cells(double* expansions, std::int32_t cells, const OperatorLayout& operators, const Work& work) {
  std::memset(
      expansions, 0,
      static_cast<std::size_t>(cells) * static_cast<std::size_t>(operators.stride * work.vectors) * sizeof(double));
}

/// Calls apply(v, basis, at) for each vector of charges, whose expansions begin `at` doubles behind those of the first.
template <class Apply>
void for_vectors(const Work& work, const OperatorLayout& operators, const double* base, const Apply& apply) {
  BasisView basis = basis_view(operators, base);
  basis.stride *= work.vectors;
  for (std::int32_t v = 0; v < work.vectors; ++v) apply(v, basis, std::int64_t{v} * operators.stride);
}

void p2m_cpu(void** b, void* arguments) {
  const auto& a = as<P2MArgs>(arguments);
  const ChargeVectors charges = charge_vectors(a.work, a.particles, 0);
  for_vectors(a.work, a.operators, doubles(b[0]), [&](std::int32_t v, const BasisView& basis, std::int64_t at) {
    cpu::p2m(basis, a.grid, source_leaf_view(a.cells, ints(b[1])), charges.of(sources(doubles(b[2]), a.particles), v),
             array<double>(b[3]) + at);
  });
}

void m2m_cpu(void** b, void* arguments) {
  const auto& a = as<M2MArgs>(arguments);
  auto* parents = array<double>(b[3]);
  zero_cells(parents, a.zeroed_parents, a.operators, a.work);
  for_vectors(a.work, a.operators, doubles(b[0]), [&](std::int32_t, const BasisView& basis, std::int64_t at) {
    cpu::m2m(basis, doubles(b[0]) + a.operators.shift, families(a.cells, ints(b[1])) + a.first_family, a.families,
             cell_index(ints(b[1])), doubles(b[2]) + at, parents + at);
  });
}

void m2l_cpu(void** b, void* arguments) {
  const auto& a = as<M2LArgs>(arguments);
  auto* locals = array<double>(b[2]);
  zero_cells(locals, a.zeroed_targets, a.operators, a.work);
  std::array<const double*, most_sources> multipoles{};
  for (std::int32_t i = 0; i < a.sources; ++i) multipoles[static_cast<std::size_t>(i)] = doubles(b[3 + i]);
  cpu::m2l(m2l_view(a.operators, doubles(b[0])), a.scale, list_view(a.list, ints(b[1])), multipoles.data(), locals,
           a.work.vectors);
}

void l2l_cpu(void** b, void* arguments) {
  const auto& a = as<L2LArgs>(arguments);
  for_vectors(a.work, a.operators, doubles(b[0]), [&](std::int32_t, const BasisView& basis, std::int64_t at) {
    cpu::l2l(basis, doubles(b[0]) + a.operators.shift, families(a.cells, ints(b[1])) + a.first_family, a.families,
             cell_index(ints(b[1])), doubles(b[2]) + at, array<double>(b[3]) + at);
  });
}

void l2p_cpu(void** b, void* arguments) {
  const auto& a = as<L2PArgs>(arguments);
  const ChargeVectors charges = charge_vectors(a.work, a.particles, a.own);
  for_vectors(a.work, a.operators, doubles(b[0]), [&](std::int32_t v, const BasisView& basis, std::int64_t at) {
    cpu::l2p(basis, a.grid, leaf_view(a.cells, ints(b[1])), sources(doubles(b[2]), a.particles), doubles(b[3]) + at,
             charges.of(field(array<double>(b[4]), a.own), v), a.update == ResultUpdate::add);
  });
}

void reduction_cpu(void** b, void* arguments) {
  const auto& a = as<ReductionArgs>(arguments);
  const auto* set = array<const ReductionSet>(b[0]);
  const auto* part = reinterpret_cast<const ReductionPart*>(set + a.sets + 1);
  auto* result = array<double>(b[1]);
  const std::int64_t components = 4 * std::int64_t{a.work.vectors};
  if (a.update == ResultUpdate::overwrite)
    std::memset(result, 0, static_cast<std::size_t>(a.own * components) * sizeof(double));
  for (std::int32_t s = 0; s < a.sets; ++s) {
    const double* near = doubles(b[2 + s]);
    for (std::int32_t p = set[s].first_part; p < set[s + 1].first_part; ++p)
      for (std::int64_t component = 0; component < components; ++component) {
        const double* from = near + component * set[s].particles + part[p].from;
        double* to = result + component * a.own + part[p].to;
        for (std::int32_t i = 0; i < part[p].count; ++i) to[i] += from[i];
      }
  }
}

CodeletSpec operator_spec(const char* name, starpu_cpu_func_t cpu, starpu_cuda_func_t cuda) {
  return {.name = name,
          .variant = "double",
          .cpu = cpu,
          .cuda = cuda,
          .flops = flops_of_task,
          .footprint = footprint,
          .number = [](const void* arguments) -> std::int64_t { return static_cast<const Work*>(arguments)->basis; }};
}

}  // namespace

double class_flops(double flops) {
  return flops > 0 ? std::pow(same_class, class_number(flops)) : 0;
}

double flops_of_task(const void* arguments, std::span<const Access> /*accesses*/) {
  return class_flops(static_cast<const Work*>(arguments)->flops);
}

std::uint32_t footprint(starpu_task* task) {
  const auto& work = *static_cast<const Work*>(task->cl_arg);
  return static_cast<std::uint32_t>(class_number(work.flops)) << 13 |
         (static_cast<std::uint32_t>(work.basis) & 0x1fffU);
}

Codelet p2m(operator_spec("fmm_p2m", p2m_cpu, gpu::p2m));
Codelet m2m(operator_spec("fmm_m2m", m2m_cpu, gpu::m2m));
Codelet m2l(operator_spec("fmm_m2l", m2l_cpu, gpu::m2l));
Codelet l2l(operator_spec("fmm_l2l", l2l_cpu, gpu::l2l));
Codelet l2p(operator_spec("fmm_l2p", l2p_cpu, gpu::l2p));
Codelet reduction(operator_spec("fmm_reduction", reduction_cpu, gpu::reduction));

namespace {
Codelet p2p_laplace(p2p_spec<Laplace>(gpu::p2p<Laplace>));
Codelet p2p_inverse_square(p2p_spec<InverseSquare>(gpu::p2p<InverseSquare>));
Codelet p2p_yukawa(p2p_spec<Yukawa>(gpu::p2p<Yukawa>));
Codelet p2p_softened_laplace(p2p_spec<Softened<Laplace>>(gpu::p2p<Softened<Laplace>>));
Codelet p2p_softened_inverse_square(p2p_spec<Softened<InverseSquare>>(gpu::p2p<Softened<InverseSquare>>));
Codelet p2p_softened_yukawa(p2p_spec<Softened<Yukawa>>(gpu::p2p<Softened<Yukawa>>));
}  // namespace

template <>
Codelet& p2p<Laplace>() {
  return p2p_laplace;
}
template <>
Codelet& p2p<InverseSquare>() {
  return p2p_inverse_square;
}
template <>
Codelet& p2p<Yukawa>() {
  return p2p_yukawa;
}
template <>
Codelet& p2p<Softened<Laplace>>() {
  return p2p_softened_laplace;
}
template <>
Codelet& p2p<Softened<InverseSquare>>() {
  return p2p_softened_inverse_square;
}
template <>
Codelet& p2p<Softened<Yukawa>>() {
  return p2p_softened_yukawa;
}

}  // namespace asterism::fmm::codelets
