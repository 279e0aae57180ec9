#include "codelets/fmm/p2p_codelet.hpp"

namespace asterism::fmm::codelets {
namespace {

/// What the codelet needs to know about GPUs.
template <class Kernel>
constexpr starpu_cuda_func_t gpu_version() {
#ifdef ASTERISM_CUDA
  return gpu::p2p<Kernel>;
#else
  return nullptr;
#endif
}

template <class Kernel>
starpu_codelet make() {
#ifdef ASTERISM_SIMGRID
  // never called: it only tells the simulator that the task may run on a GPU
  return detail::make_p2p<Kernel>(reinterpret_cast<starpu_cuda_func_t>(1));
#else
  return detail::make_p2p<Kernel>(gpu_version<Kernel>());
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
