// SPDX-License-Identifier: Apache-2.0
// What the links between main memory and all GPUs carry together.
#pragma once

namespace asterism {

/// Bytes per second of copies from pinned memory to every GPU and back at the same time, in all; the best of several
/// repetitions. `gpus` >= 1: devices 0 to gpus - 1. Throws std::runtime_error.
double measure_transfers_together(int gpus);

}  // namespace asterism
