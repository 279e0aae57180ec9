// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine/simulated_machine.hpp"

#include <cstdlib>
#include <memory>

namespace asterism {

#ifdef ASTERISM_SIMGRID
constexpr bool over_simgrid = true;
#else
constexpr bool over_simgrid = false;
#endif
const bool simulated = over_simgrid;

const Platform* simulated_platform() {
  static const std::unique_ptr<const Platform> platform = []() -> std::unique_ptr<const Platform> {
    const char* const file = std::getenv(platform_variable);
    if (!simulated || file == nullptr) return nullptr;
    return std::make_unique<const Platform>(read_platform(file));
  }();
  return platform.get();
}

}  // namespace asterism
