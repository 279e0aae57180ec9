// SPDX-License-Identifier: Apache-2.0
#include "traces/readers/job.hpp"

namespace asterism::traces {

Job job_of(const LineStream& lines, std::string_view text) {
  Job job;
  if (const auto bar = text.rfind('_'); bar != std::string_view::npos) {
    job.rank = lines.parse<std::uint32_t>(text.substr(0, bar), "a rank");
    text.remove_prefix(bar + 1);
  }
  job.number = lines.parse<std::uint64_t>(text, "a job's number");
  return job;
}

}  // namespace asterism::traces
