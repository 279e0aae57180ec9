#include "codelets/fmm/m2l_simple.cuh"

namespace asterism::fmm::cuda {

void m2l(const M2LView& operators, double scale, const M2LList& list, const M2LSources& sources, double* locals,
         cudaStream_t stream, M2LVariant) {
  if (list.tiles == 0) return;
  device::launch(m2l_simple_kernel, dim3(static_cast<unsigned>(list.tiles)), simple_threads,
                 static_cast<std::size_t>(operators.stride) * sizeof(double), stream, 1, operators, scale, list,
                 sources, locals);
}

}  // namespace asterism::fmm::cuda
