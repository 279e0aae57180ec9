// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/checker/complaint.hpp"

#include <fmt/format.h>

namespace asterism::structure {

std::string to_string(const Complaint& complaint) {
  const std::string line = complaint.line > 0 ? fmt::format(":{}", complaint.line) : std::string{};
  return fmt::format("{}{}: {}, expected {}", complaint.file, line, complaint.found, complaint.expected);
}

std::vector<std::string> judge(const std::vector<Complaint>& complaints, const KnownExceptions& known,
                               const std::string& table) {
  std::map<std::string, std::vector<std::string>> by_key;
  for (const Complaint& complaint : complaints) by_key[complaint.exception].push_back(to_string(complaint));
  std::vector<std::string> messages;
  for (const auto& [key, texts] : by_key) {
    const auto exception = known.find(key);
    const int allowed = exception == known.end() ? 0 : exception->second;
    if (static_cast<int>(texts.size()) <= allowed) continue;
    messages.insert(messages.end(), texts.begin(), texts.end());
    if (allowed > 0)
      messages.push_back(fmt::format("{}: \"{}\": {} found, expected at most {}", table, key, texts.size(), allowed));
  }
  for (const auto& [key, allowed] : known) {
    const auto found = by_key.find(key);
    const int count = found == by_key.end() ? 0 : static_cast<int>(found->second.size());
    if (count >= allowed) continue;
    const std::string change = count == 0 ? std::string("remove the row") : fmt::format("write {}", count);
    messages.push_back(fmt::format("{}: \"{}\": {} known, {} found: {}", table, key, allowed, count, change));
  }
  return messages;
}

}  // namespace asterism::structure
