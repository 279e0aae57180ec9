// SPDX-License-Identifier: Apache-2.0
// The GPUs of all ranks, for kernels that write to the memory of GPUs of other ranks.
#pragma once

#include <vector>

#include "runtime/session.hpp"

namespace asterism {

/// The same on all ranks.
struct GpusOfRanks {
  std::vector<int> workers;      ///< CUDA workers, by rank
  bool on_one_machine = true;    ///< all ranks are
  bool of_one_rank_each = true;  ///< no two ranks have workers on the same GPU
};

/// All ranks call it.
GpusOfRanks gpus_of_ranks(const Session& session);

}  // namespace asterism
