#include "apps/common/verdict.hpp"

#include <fmt/format.h>

namespace asterism::apps {

nlohmann::json record_of(const Verdict& verdict) {
  return {{"against", verdict.against}, {"error", verdict.error}, {"allowed", verdict.allowed}};
}

std::pair<std::string, std::string> row_of(const Verdict& verdict) {
  return {"verified", fmt::format("{:.2e}: {}", verdict.error, verdict.against)};
}

std::string complaint_of(const Verdict& verdict) {
  return fmt::format("{}: {:.3e}, expected at most {:.1e}", verdict.against, verdict.error, verdict.allowed);
}

}  // namespace asterism::apps
