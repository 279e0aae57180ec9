// The P2P codelet, one per interaction kernel.
#pragma once

#include <starpu.h>

#include <string>

#include "codelets/fmm/codelets.hpp"
#include "codelets/fmm/kernels/near/kernel_function.hpp"
#include "codelets/fmm/kernels/near/p2p.hpp"
#include "runtime/performance_model.hpp"
#include "runtime/submit.hpp"

namespace asterism::fmm::codelets {

/// Near field of a group and its ghosts.  near set R, particles R, near result W
template <class Kernel>
struct P2PArgs {
  Work work;
  NearLayout near;
  std::int64_t particles;  ///< of the set
  Kernel kernel;
};

namespace detail {
template <class Kernel>
void p2p_cpu(void** b, void* arguments) {
  const auto& a = *static_cast<const P2PArgs<Kernel>*>(arguments);
  const auto* set = reinterpret_cast<const std::int32_t*>(STARPU_VECTOR_GET_PTR(b[0]));
  const auto* particles = reinterpret_cast<const double*>(STARPU_VECTOR_GET_PTR(b[1]));
  auto* result = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(b[2]));
  fmm::p2p(a.kernel, near_view(a.near, set), sources(particles, a.particles), field(result, a.particles));
}
/// The codelet, with or without a GPU version.
template <class Kernel>
starpu_codelet make_p2p(starpu_cuda_func_t cuda) {
  static const std::string symbol = std::string("fmm_p2p_") + Kernel::name + "_double";
  static starpu_perfmodel model = performance_model(symbol.c_str(), footprint);
  return make_codelet({"fmm_p2p", p2p_cpu<Kernel>, "fmm_p2p_cpu", cuda, &model});
}
}  // namespace detail

/// The codelet of a kernel: with a GPU version for those of kernel_function.hpp, for CPUs only else.
template <class Kernel>
starpu_codelet& p2p() {
  static starpu_codelet codelet = detail::make_p2p<Kernel>(nullptr);
  return codelet;
}
template <>
starpu_codelet& p2p<Laplace>();
template <>
starpu_codelet& p2p<InverseSquare>();
template <>
starpu_codelet& p2p<Yukawa>();

}  // namespace asterism::fmm::codelets
