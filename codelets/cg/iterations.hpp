// SPDX-License-Identifier: Apache-2.0
// The functions of the codelets iterations, meeting and opening (codelets.hpp).
#pragma once

namespace asterism::cg::codelets {

void iterations_cpu(void** buffers, void* arguments);
void meeting_cpu(void** buffers, void* arguments);

namespace gpu {
void iterations(void** buffers, void* arguments);
void meeting(void** buffers, void* arguments);
void opening(void** buffers, void* arguments);
}  // namespace gpu

}  // namespace asterism::cg::codelets
