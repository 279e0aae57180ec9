// SPDX-License-Identifier: Apache-2.0
// A reader of the plain XML that we write, for tests of VTK and XDMF files.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace asterism {

/// An XML document as nested elements, for the plain XML that we write: every tag has to be closed.
struct Xml {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<Xml> children;

  [[nodiscard]] std::vector<const Xml*> all(const std::string& wanted) const {
    std::vector<const Xml*> found;
    for (const Xml& child : children) {
      if (child.name == wanted) found.push_back(&child);
      for (const Xml* deeper : child.all(wanted)) found.push_back(deeper);
    }
    return found;
  }
};

inline std::string unescaped(std::string text) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; ++at) text.replace(at, from.size(), to);
  }
  return text;
}

inline Xml parse_xml(const std::string& document) {
  static const std::regex tag(R"(<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_]+="[^"<]*")*)\s*(/?)>)");
  static const std::regex attribute(R"(([A-Za-z_]+)="([^"]*)\")");
  const std::string head = "<?xml version=\"1.0\"?>\n";
  EXPECT_EQ(document.substr(0, head.size()), head);
  std::vector<Xml> open(1);
  std::size_t at = head.size();
  while (at < document.size()) {
    const std::size_t next = document.find('<', at);
    open.back().text += unescaped(document.substr(at, next - at));
    if (next == std::string::npos) break;
    std::smatch match;
    if (!std::regex_search(document.begin() + static_cast<std::ptrdiff_t>(next), document.end(), match, tag,
                           std::regex_constants::match_continuous)) {
      ADD_FAILURE() << "no XML: " << document.substr(next, 200);
      return {};
    }
    at = next + match[0].str().size();
    if (match[1] == "/") {
      EXPECT_EQ(open.back().name, match[2]);
      const Xml done = std::move(open.back());
      open.pop_back();
      if (open.empty()) return {};
      open.back().children.push_back(done);
      continue;
    }
    Xml element{.name = match[2], .attributes = {}, .text = {}, .children = {}};
    const std::string list = match[3];
    for (std::sregex_iterator a(list.begin(), list.end(), attribute); a != std::sregex_iterator(); ++a) {
      EXPECT_TRUE(element.attributes.emplace((*a)[1], unescaped((*a)[2])).second) << "twice: " << (*a)[1];
    }
    if (match[4] == "/") {
      open.back().children.push_back(element);
    } else {
      open.push_back(element);
    }
  }
  EXPECT_EQ(open.size(), 1U) << "elements that are not closed";
  return open[0];
}

}  // namespace asterism
