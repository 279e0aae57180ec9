// SPDX-License-Identifier: Apache-2.0
// Precompiled for libraries that see StarPU.
#include "cmake/pch/house.hpp"

#include <starpu.h>
