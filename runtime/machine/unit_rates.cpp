// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/unit_rates.hpp"

#include <starpu.h>

namespace asterism {

void Balance::add(int worker, double cells) {
  (starpu_worker_get_type(worker) == STARPU_CUDA_WORKER ? cells_of_gpus_ : cells_of_cpus_) += cells;
}

Rates Balance::measured(long steps) {
  const BusyTime::Seconds busy = busy_.since_last();
  const auto updates = static_cast<double>(steps);
  Rates rates;
  if (busy.cpus > 0) rates.cpus = updates * cells_of_cpus_ / busy.cpus;
  if (busy.gpus > 0) rates.gpus = updates * cells_of_gpus_ / busy.gpus;
  return rates;
}

}  // namespace asterism
