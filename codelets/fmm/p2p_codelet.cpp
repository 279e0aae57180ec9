#include "codelets/fmm/p2p_codelet.hpp"

#ifdef ASTERISM_CUDA
#include <starpu_cuda.h>

#include "codelets/fmm/kernels/near/p2p_cuda.hpp"
#endif

namespace asterism::fmm::codelets {
namespace {

#ifdef ASTERISM_CUDA
template <class Kernel>
void p2p_gpu(void** b, void* arguments) {
  const auto& a = *static_cast<const P2PArgs<Kernel>*>(arguments);
  const auto* set = reinterpret_cast<const std::int32_t*>(STARPU_VECTOR_GET_PTR(b[0]));
  const auto* particles = reinterpret_cast<const double*>(STARPU_VECTOR_GET_PTR(b[1]));
  auto* result = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(b[2]));
  cuda::p2p(a.kernel, near_view(a.near, set), sources(particles, a.particles), field(result, a.particles),
            starpu_cuda_get_local_stream());
}
#endif

template <class Kernel>
starpu_codelet make() {
#ifdef ASTERISM_CUDA
  return detail::make_p2p<Kernel>(p2p_gpu<Kernel>);
#else
  return detail::make_p2p<Kernel>(without_cuda);
#endif
}

}  // namespace

#define ASTERISM_P2P(Kernel)                        \
  template <>                                       \
  starpu_codelet& p2p<Kernel>() {                   \
    static starpu_codelet codelet = make<Kernel>(); \
    return codelet;                                 \
  }
ASTERISM_P2P(Laplace)
ASTERISM_P2P(InverseSquare)
ASTERISM_P2P(Yukawa)
#undef ASTERISM_P2P

}  // namespace asterism::fmm::codelets
