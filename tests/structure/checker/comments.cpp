// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "tests/structure/checker/checks.hpp"
#include "tests/structure/checker/source_text.hpp"

namespace asterism::structure {
namespace {

/// Beginnings of comments that only the declaration above explains.
constexpr std::string_view openings[] = {"Likewise", "The same.", "The same,"};

constexpr std::string_view ellipses[] = {"...", "\u2026"};

/// No sentence begins after the first one.
bool single_sentence(const std::string& text) {
  for (std::size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1)) {
    const std::size_t next = text.find_first_not_of(' ', at + 1);
    if (next != std::string::npos && std::isupper(static_cast<unsigned char>(text[next])) != 0) return false;
  }
  return true;
}

/// What the comment does wrong, empty: nothing.
std::string fault(const std::string& text) {
  for (const std::string_view opening : openings) {
    if (text.starts_with(opening)) return fmt::format("begins with \"{}\"", opening);
  }
  if (text.starts_with("Of ") && single_sentence(text)) return "is a phrase that begins with \"Of\"";
  for (const std::string_view ellipsis : ellipses) {
    if (!text.ends_with(ellipsis)) continue;
    const std::size_t before = text.find_last_not_of(' ', text.size() - ellipsis.size() - 1);
    const bool sequence = text.size() > ellipsis.size() && before != std::string::npos && text[before] == ',';
    if (!sequence) return "ends in an ellipsis";
  }
  return {};
}

}  // namespace

std::vector<Complaint> check_comments(const SourceTree& tree) {
  std::vector<Complaint> found;
  for (const auto& [file, text] : tree) {
    if (!is_cpp(file)) continue;
    for (const Comment& comment : comments(split_lines(text))) {
      const std::string what = fault(comment.text);
      if (what.empty()) continue;
      found.push_back({file, comment.line, fmt::format("a comment {}: \"{}\"", what, comment.text.substr(0, 40)),
                       "one that names its subject and stands by itself", file});
    }
  }
  return found;
}

}  // namespace asterism::structure
