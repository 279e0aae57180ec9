// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces {

std::vector<Finding> diagnose(const Recording& recording, const Metrics& metrics, const PlatformRec* models) {
  using namespace diagnosis;
  const Evidence evidence(recording, metrics, models);
  Findings findings;
  find_slow_tasks(evidence, findings);
  find_data_read_again(evidence, findings);
  find_transfers_through_memory(evidence, findings);
  find_impossible_links(evidence, findings);
  find_starvation(evidence, findings);
  find_small_tasks(evidence, findings);
  find_priority_inversions(evidence, findings);
  for (Finding& f : findings) {
    f.begin = std::clamp(f.begin, recording.begin, recording.end);
    f.end = std::clamp(f.end, f.begin, recording.end);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.seconds > b.seconds; });
  return findings;
}

}  // namespace asterism::traces
