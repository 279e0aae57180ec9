// TRANSITION: removed when all programs use the driver.
#pragma once

#include <fmt/format.h>

#include "apps/common/driver.hpp"

namespace asterism::apps {
inline std::pair<std::string, std::string> row_of(const Verdict& verdict) {
  return {"verified", fmt::format("{:.2e}: {}", verdict.error, verdict.against)};
}
inline std::string complaint_of(const Verdict& verdict) {
  return fmt::format("{}: {:.3e}, expected at most {:.1e}", verdict.against, verdict.error, verdict.allowed);
}
}  // namespace asterism::apps
