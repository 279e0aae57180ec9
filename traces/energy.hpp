// SPDX-License-Identifier: Apache-2.0
// Joules of a recorded run: every unit draws its busy watts while it runs a task's function, and its idle watts
// otherwise, from the recording's begin to its end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "traces/metrics.hpp"
#include "traces/recording.hpp"

namespace asterism::traces {

struct UnitPower {
  double idle = 0;  ///< W
  double busy = 0;  ///< W, at least idle
};

/// By kind of unit: "CPU", "CUDA", or "CUDA (model)", which goes before "CUDA".
using Power = std::map<std::string, UnitPower>;

/// "CPU=3:8,CUDA=70:350": idle and busy watts of one unit. Throws Error (bad_input).
Power parse_power(const std::string& option, const std::string& text);

/// That of a kind; null: not known.
const UnitPower* power_of(const Power& power, const std::string& kind);

struct KindEnergy {
  std::uint32_t kind = 0;
  double busy = 0;  ///< J while its units run tasks
  double idle = 0;  ///< J otherwise
};

struct Energy {
  std::vector<KindEnergy> kinds;     ///< those whose watts are known
  std::vector<std::string> unknown;  ///< the others: their joules are not counted
  [[nodiscard]] double joules() const;
};

/// Units are StarPU's workers: cores without one, memory and the rest of the machine are not counted.
Energy energy_of(const Recording& recording, const Metrics& metrics, const Power& power);

}  // namespace asterism::traces
