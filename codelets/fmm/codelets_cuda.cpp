// SPDX-License-Identifier: Apache-2.0
// Unpacks StarPU's buffers and calls the kernels of kernels/*_cuda.hpp, asynchronously on the worker's stream.
#include "codelets/fmm/codelets_cuda.hpp"

#include <starpu_cuda.h>

#include "base/cuda_check.hpp"
#include "codelets/fmm/codelets.hpp"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"
#include "codelets/fmm/kernels/near/p2p_cuda.hpp"
#include "codelets/fmm/kernels/near/reduction_cuda.hpp"

namespace asterism::fmm::codelets::gpu {
namespace {

cudaStream_t stream() {
  return starpu_cuda_get_local_stream();
}
void zero(double* values, std::int64_t count) {
  if (count > 0)
    ASTERISM_CHECK_CUDA(cudaMemsetAsync(values, 0, static_cast<std::size_t>(count) * sizeof(double), stream()));
}

}  // namespace

void p2m(void** b, void* arguments) {
  const auto& a = as<P2MArgs>(arguments);
  cuda::p2m(basis_view(a.operators, doubles(b[0])), a.grid, source_leaf_view(a.cells, ints(b[1])),
            sources(doubles(b[2]), a.particles), array<double>(b[3]), stream());
}

void m2m(void** b, void* arguments) {
  const auto& a = as<M2MArgs>(arguments);
  auto* parents = array<double>(b[3]);
  zero(parents, std::int64_t{a.zeroed_parents} * a.operators.stride);
  cuda::m2m(basis_view(a.operators, doubles(b[0])), doubles(b[0]) + a.operators.shift,
            families(a.cells, ints(b[1])) + a.first_family, a.families, cell_index(ints(b[1])), doubles(b[2]), parents,
            stream());
}

void m2l(void** b, void* arguments) {
  const auto& a = as<M2LArgs>(arguments);
  auto* locals = array<double>(b[2]);
  zero(locals, std::int64_t{a.zeroed_targets} * a.operators.stride);
  cuda::M2LSources multipoles{};
  for (std::int32_t i = 0; i < a.sources; ++i) multipoles.at[i] = doubles(b[3 + i]);
  cuda::m2l(m2l_view(a.operators, doubles(b[0])), a.scale, list_view(a.list, ints(b[1])), multipoles, locals, stream());
}

void l2l(void** b, void* arguments) {
  const auto& a = as<L2LArgs>(arguments);
  cuda::l2l(basis_view(a.operators, doubles(b[0])), doubles(b[0]) + a.operators.shift,
            families(a.cells, ints(b[1])) + a.first_family, a.families, cell_index(ints(b[1])), doubles(b[2]),
            array<double>(b[3]), stream());
}

void l2p(void** b, void* arguments) {
  const auto& a = as<L2PArgs>(arguments);
  cuda::l2p(basis_view(a.operators, doubles(b[0])), a.grid, leaf_view(a.cells, ints(b[1])),
            sources(doubles(b[2]), a.particles), static_cast<std::int32_t>(a.own), doubles(b[3]),
            field(array<double>(b[4]), a.own), a.update == ResultUpdate::add, stream());
}

void reduction(void** b, void* arguments) {
  const auto& a = as<ReductionArgs>(arguments);
  auto* result = array<double>(b[1]);
  if (a.update == ResultUpdate::overwrite) zero(result, 4 * a.own);
  const auto* set = array<const ReductionSet>(b[0]);
  for (std::int32_t s = 0; s < a.sets; ++s)
    cuda::reduce(set, a.sets, s, a.parts, doubles(b[2 + s]), a.own, result, stream());
}

template <class Kernel>
void p2p(void** b, void* arguments) {
  const auto& a = as<P2PArgs<Kernel>>(arguments);
  // a GPU computes each direction of a pair by itself: one way differs in the lists of sources alone
  if (a.acting == Acting::one_way && a.near.items == 0) return;
  cuda::p2p(a.kernel, near_view(a.near, ints(b[0])), sources(doubles(b[1]), a.particles),
            field(array<double>(b[2]), a.results), stream());
}
template void p2p<Laplace>(void** b, void* arguments);
template void p2p<InverseSquare>(void** b, void* arguments);
template void p2p<Yukawa>(void** b, void* arguments);
template void p2p<Softened<Laplace>>(void** b, void* arguments);
template void p2p<Softened<InverseSquare>>(void** b, void* arguments);
template void p2p<Softened<Yukawa>>(void** b, void* arguments);

}  // namespace asterism::fmm::codelets::gpu
