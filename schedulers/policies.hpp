// The schedulers of this library.
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

namespace asterism::schedulers {

/// Static cyclic mapping: block-row i and all its tasks on unit i mod P.
extern starpu_sched_policy cyclic;

}  // namespace asterism::schedulers
