// SPDX-License-Identifier: Apache-2.0
// What asterism-reproduce's tests ask a record for.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace asterism::tests {

/// A figure of the comparison, by section and name; a failure when it is not there.
inline nlohmann::json figure(const nlohmann::json& record, const std::string& section, const std::string& name) {
  for (const nlohmann::json& s : record["comparison"]["sections"])
    if (s["title"] == section)
      for (const nlohmann::json& f : s["figures"])
        if (f["name"] == name) return f;
  ADD_FAILURE() << section << ", " << name;
  return {};
}

}  // namespace asterism::tests
