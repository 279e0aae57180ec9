// SPDX-License-Identifier: Apache-2.0
#include "runtime/environment.hpp"

#include <cstdlib>

namespace asterism {

void Environment::set(const char* name, const std::optional<std::string>& value) {
  const char* const before = std::getenv(name);
  changed_.emplace_back(name, before == nullptr ? std::nullopt : std::optional<std::string>(before));
  if (value)
    setenv(name, value->c_str(), 1);
  else
    unsetenv(name);
}

Environment::~Environment() {
  for (auto change = changed_.rbegin(); change != changed_.rend(); ++change) {
    if (change->second)
      setenv(change->first.c_str(), change->second->c_str(), 1);
    else
      unsetenv(change->first.c_str());
  }
}

}  // namespace asterism
