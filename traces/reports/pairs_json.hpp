// SPDX-License-Identifier: Apache-2.0
// Pairs of ranks and their messages as JSON: of asterism-trace's record and of the page.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "traces/metrics.hpp"

namespace asterism::traces {

inline nlohmann::json pairs_json(const std::vector<PairUse>& pairs) {
  nlohmann::json list = nlohmann::json::array();
  for (const PairUse& p : pairs)
    list.push_back({{"from", p.from},
                    {"to", p.to},
                    {"messages", p.messages},
                    {"bytes", p.bytes},
                    {"shortest", p.shortest},
                    {"median", p.median},
                    {"busy", p.busy},
                    {"bandwidth", p.bandwidth}});
  return list;
}

}  // namespace asterism::traces
