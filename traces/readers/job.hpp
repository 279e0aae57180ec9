// SPDX-License-Identifier: Apache-2.0
// Job numbers as StarPU writes them in its records.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/line_stream.hpp"

namespace asterism::traces {

/// A job by its number, and by its rank where that is in front: "12", or "3_12" under MPI.
struct Job {
  std::optional<std::uint32_t> rank;
  std::uint64_t number = 0;
};
Job job_of(const LineStream& lines, std::string_view text);

}  // namespace asterism::traces
