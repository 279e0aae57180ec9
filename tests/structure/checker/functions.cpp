// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/checker/functions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace asterism::structure {
namespace {

enum class Block { function, scope, type, other };

/// What stands outside all pairs of `open` and `close`; a pair that is left out is a space.
std::string outside(const std::string& text, char open, char close) {
  std::string kept;
  int depth = 0;
  for (const char c : text) {
    if (c == open && depth++ == 0) kept += ' ';
    if (depth == 0) kept += c;
    if (c == close && depth > 0) --depth;
  }
  return kept;
}

std::string without_spaces_before(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string{} : text.substr(begin);
}

/// The head without template <...> in front and without __launch_bounds__(...).
std::string declaration(std::string head) {
  while (head.starts_with("template")) {
    int depth = 0;
    std::size_t end = head.find('<');
    while (end < head.size()) {
      if (head[end] == '<') ++depth;
      if (head[end] == '>' && --depth == 0) break;
      ++end;
    }
    if (end >= head.size()) break;
    head = without_spaces_before(head.substr(end + 1));
  }
  const std::size_t bounds = head.find("__launch_bounds__(");
  if (bounds == std::string::npos) return head;
  std::size_t end = head.find('(', bounds);
  for (int depth = 0; end < head.size(); ++end) {
    if (head[end] == '(') ++depth;
    if (head[end] == ')' && --depth == 0) break;
  }
  return head.erase(bounds, end + 1 - bounds);
}

std::string first_word(const std::string& head) {
  return head.substr(0, head.find_first_of(" ;:{("));
}

/// Position of the '=' of an initialiser outside parentheses, not that of an operator's name; npos: none.
std::size_t initialiser(const std::string& head) {
  int depth = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '(') ++depth;
    if (head[i] == ')') --depth;
    if (depth > 0) continue;
    if (head.compare(i, 8, "operator") == 0) {
      i = std::min(head.find('(', i), head.size()) - 1;
    } else if (head[i] == '=') {
      return i;
    }
  }
  return std::string::npos;
}

Block kind_of(const std::string& whole_head) {
  static constexpr std::array<std::string_view, 4> types = {"class", "struct", "union", "enum"};
  const std::string head = declaration(whole_head);
  if (head.starts_with("namespace") || head.starts_with("inline namespace") || head.starts_with("extern \"")) {
    return Block::scope;
  }
  const std::size_t equals = initialiser(head);
  if (equals != std::string::npos) {
    return without_spaces_before(head.substr(equals + 1)).starts_with('[') ? Block::function : Block::other;
  }
  const bool parameters = head.find('(') != std::string::npos;
  if (std::find(types.begin(), types.end(), first_word(head)) != types.end()) {
    // alignas(64), __align__(16) and attributes have parentheses and are no parameters
    const std::string bare = outside(outside(head, '[', ']'), '(', ')');
    const bool aligned = bare.find("align") != std::string::npos || bare.find("__attribute__") != std::string::npos;
    if (!parameters || aligned) return first_word(head) == "enum" ? Block::other : Block::type;
  }
  return parameters ? Block::function : Block::other;
}

std::string name_of(const std::string& whole_head) {
  std::string head = declaration(whole_head);
  const std::size_t equals = initialiser(head);
  if (equals != std::string::npos) {
    head.resize(head.find_last_not_of(' ', equals - 1) + 1);
    return head.substr(head.find_last_of(' ') + 1);
  }
  // the parentheses of operator() are part of the name
  std::size_t end = head.find('(');
  if (head.compare(0, end, "operator") == 0 || head.substr(0, end).ends_with(" operator")) end += 2;
  const std::string name = head.substr(0, end);
  std::string last = name.substr(name.find_last_of(' ') + 1);
  if (!last.starts_with("TEST") && !last.starts_with("TYPED_TEST")) return last;
  return last + head.substr(end, head.find(')', end) + 1 - end);
}

bool is_access(const std::string& code) {
  return code.ends_with("public:") || code.ends_with("protected:") || code.ends_with("private:");
}

class Reader {
 public:
  explicit Reader(const std::vector<Line>& lines) : lines_(lines), skipped_(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool goes_on = i > 0 && skipped_[i - 1] && lines[i - 1].text.ends_with('\\');
      skipped_[i] = goes_on || code(i).starts_with('#');
    }
  }

  /// Reads the statements of [begin, end) that are indented by `indent`.
  void read_scope(std::size_t begin, std::size_t end, std::size_t indent) {
    std::string head;
    std::size_t first = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (lines_[i].text.empty()) head.clear();
      const std::string text = skipped_[i] ? std::string{} : code(i);
      if (text.empty()) continue;
      if (head.empty()) {
        if (lines_[i].indent() != indent || text.starts_with('}') || is_access(text)) continue;
        first = i;
      }
      head += (head.empty() ? "" : " ") + text;
      if (text.ends_with('{')) {
        i = read_block(head, first, i, end, indent);
        head.clear();
      } else if (text.ends_with(';') || text.ends_with('}')) {
        head.clear();
      }
    }
  }

  std::vector<Function> found;

 private:
  /// Code of a line without the spaces at its ends.
  [[nodiscard]] std::string code(std::size_t i) const {
    const std::size_t begin = lines_[i].indent();
    if (begin == std::string::npos) return {};
    const std::string& text = lines_[i].code;
    return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  }

  /// The block whose head ends in line `open`; returns the last line that is done.
  std::size_t read_block(const std::string& head, std::size_t first, std::size_t open, std::size_t end,
                         std::size_t indent) {
    const Block kind = kind_of(head);
    if (kind == Block::scope) return open;
    std::size_t close = open + 1;
    while (close + 1 < end && (skipped_[close] || lines_[close].indent() != indent || !code(close).starts_with('}'))) {
      ++close;
    }
    if (kind == Block::type) read_scope(open + 1, close, indent + 2);
    if (kind == Block::function) {
      found.push_back({name_of(head), static_cast<int>(first) + 1, static_cast<int>(close - first) + 1});
    }
    return close;
  }

  const std::vector<Line>& lines_;
  std::vector<bool> skipped_;  ///< lines of the preprocessor
};

}  // namespace

std::vector<Function> functions(const std::vector<Line>& lines) {
  Reader reader(lines);
  reader.read_scope(0, lines.size(), 0);
  return std::move(reader.found);
}

}  // namespace asterism::structure
