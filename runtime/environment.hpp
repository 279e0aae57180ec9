// SPDX-License-Identifier: Apache-2.0
// Environment variables that a session sets for StarPU.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asterism {

/// Environment variables changed for as long as this lives.
class Environment {
 public:
  Environment() = default;
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// No value: removed.
  void set(const char* name, const std::optional<std::string>& value);

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> changed_;
};

}  // namespace asterism
