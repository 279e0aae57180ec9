// SPDX-License-Identifier: Apache-2.0
#include "traces/energy.hpp"

#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace asterism::traces {

Power parse_power(const std::string& option, const std::string& text) {
  Power power;
  const auto refuse = [&](const std::string& found) {
    bad_input("{} {}: found '{}', expected KIND=IDLE:BUSY in watts, such as CPU=3:8,CUDA=70:350", option, text, found);
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const std::size_t equals = part.find('='), colon = part.find(':', std::min(equals, part.size()));
    const auto watts = [&](std::size_t begin, std::size_t end) {
      double value = -1;
      const auto read = std::from_chars(part.data() + begin, part.data() + end, value);
      if (read.ec != std::errc() || read.ptr != part.data() + end || !std::isfinite(value) || value < 0) refuse(part);
      return value;
    };
    if (equals == std::string::npos || equals == 0 || colon == std::string::npos) refuse(part);
    const UnitPower own{watts(equals + 1, colon), watts(colon + 1, part.size())};
    if (own.busy < own.idle || !power.emplace(part.substr(0, equals), own).second) refuse(part);
    at = comma + 1;
  }
  return power;
}

const UnitPower* power_of(const Power& power, const std::string& kind) {
  auto found = power.find(kind);
  if (found == power.end()) found = power.find(kind.substr(0, kind.find(' ')));
  return found == power.end() ? nullptr : &found->second;
}

double Energy::joules() const {
  double sum = 0;
  for (const KindEnergy& kind : kinds) sum += kind.busy + kind.idle;
  return sum;
}

Energy energy_of(const Recording& recording, const Metrics& metrics, const Power& power) {
  Energy energy;
  for (std::uint32_t k = 0; k < recording.kinds.size(); ++k) {
    const std::string& name = recording.kinds[k].name;
    const UnitPower* const watts = power_of(power, name);
    if (watts == nullptr) {
      energy.unknown.push_back(name);
      continue;
    }
    const double time = static_cast<double>(recording.units_of(k)) * metrics.makespan;
    const double computing = metrics.kind[k][State::computing];
    energy.kinds.push_back({k, watts->busy * computing * time, watts->idle * (1 - computing) * time});
  }
  return energy;
}

}  // namespace asterism::traces
