// SPDX-License-Identifier: Apache-2.0
#include "codelets/decay/codelets_cuda.hpp"

#include <starpu_cuda.h>

#include "codelets/decay/codelets.hpp"
#include "runtime/buffers.hpp"

namespace asterism::decay::codelets::gpu {

void step(void** buffers, void* arguments) {
  const auto& a = as<StepArgs>(arguments);
  cuda::step(a.block, step_data(buffers, a), starpu_cuda_get_local_stream());
}

}  // namespace asterism::decay::codelets::gpu
