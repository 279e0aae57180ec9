// What --verify finds: how far an answer is from another one, and how a solver says so.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace asterism::apps {

struct Verdict {
  std::string against;  ///< what the answer was compared with, and how
  double error = 0;
  double allowed = 0;
  [[nodiscard]] bool right() const { return error <= allowed; }  ///< not for NaN
};

/// In the record of a run.
nlohmann::json record_of(const Verdict& verdict);
/// In its table.
std::pair<std::string, std::string> row_of(const Verdict& verdict);
/// What to fail with where it is not right.
std::string complaint_of(const Verdict& verdict);

}  // namespace asterism::apps
