// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/checker/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace asterism::structure {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Goes through a file once and marks each character.
class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text), marks_(text.size(), code) {}

  /// One mark for each character of the text.
  std::string scan() {
    while (at_ < text_.size()) step();
    return std::move(marks_);
  }

  static constexpr char code = 'c', line_comment = '/', hidden = ' ';

 private:
  void step() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("//")) {
      mark(text_.find('\n', at_), line_comment);
    } else if (rest.starts_with("/*")) {
      mark(after("*/", at_ + 2), hidden);
    } else if (rest.starts_with('"')) {
      if (raw()) {
        const std::size_t open = text_.find('(', at_);
        const std::string close = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
        contents(after(close, open));
      } else {
        contents(after_quoted('"'));
      }
    } else if (rest.starts_with('\'') && !separates_digits()) {
      contents(after_quoted('\''));
    } else {
      ++at_;
    }
  }

  /// R"(, u8R"( and the like; at_ is at the quote.
  [[nodiscard]] bool raw() const {
    return at_ > 0 && text_[at_ - 1] == 'R' && text_.find('(', at_) != std::string::npos;
  }

  [[nodiscard]] bool separates_digits() const {
    std::size_t begin = at_;
    while (begin > 0 && (in_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(text_[begin])) != 0;
  }

  [[nodiscard]] std::size_t after(const std::string& close, std::size_t from) const {
    const std::size_t found = text_.find(close, from);
    return found == std::string::npos ? text_.size() : found + close.size();
  }

  [[nodiscard]] std::size_t after_quoted(char quote) const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  /// Up to `end`; the first and the last character, the quotes, stay code.
  void contents(std::size_t end) {
    ++at_;
    mark(end - 1, hidden);
    at_ = std::max(at_, end);
  }

  void mark(std::size_t end, char as) {
    for (end = std::min(end, text_.size()); at_ < end; ++at_) marks_[at_] = as;
  }

  const std::string& text_;
  std::string marks_;
  std::size_t at_ = 0;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

Line make_line(const std::string& text, const std::string& marks) {
  Line line{.text = text, .code = text, .comment = {}};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (marks[i] != Scanner::code) line.code[i] = ' ';
  }
  line.comment_column = marks.find(Scanner::line_comment);
  if (line.comment_column == std::string::npos) return line;
  std::size_t begin = text.find_first_not_of('/', line.comment_column);
  if (begin == std::string::npos) begin = text.size();
  line.slashes = begin - line.comment_column;
  if (begin < text.size() && text[begin] == '<') ++begin;
  line.comment = trimmed(text.substr(begin));
  return line;
}

}  // namespace

std::vector<Line> split_lines(const std::string& text) {
  const std::string marks = Scanner(text).scan();
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(make_line(text.substr(begin, end - begin), marks.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

std::vector<Comment> comments(const std::vector<Line>& lines) {
  std::vector<Comment> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.slashes == 0) continue;
    const bool goes_on = i > 0 && line.only_comment() && lines[i - 1].slashes == line.slashes &&
                         lines[i - 1].comment_column == line.comment_column;
    if (!goes_on) {
      found.push_back({static_cast<int>(i) + 1, line.comment});
    } else if (!line.comment.empty()) {
      found.back().text += found.back().text.empty() ? line.comment : " " + line.comment;
    }
  }
  return found;
}

std::vector<Include> includes(const std::vector<Line>& lines) {
  std::vector<Include> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t hash = lines[i].indent();
    if (hash == std::string::npos || lines[i].code[hash] != '#') continue;
    const std::string directive = trimmed(lines[i].text.substr(hash + 1));
    if (!directive.starts_with("include")) continue;
    const std::string operand = trimmed(directive.substr(7));
    if (operand.empty() || (operand[0] != '"' && operand[0] != '<')) continue;
    const bool quoted = operand[0] == '"';
    const std::size_t end = operand.find(quoted ? '"' : '>', 1);
    if (end != std::string::npos) found.push_back({static_cast<int>(i) + 1, operand.substr(1, end - 1), quoted});
  }
  return found;
}

}  // namespace asterism::structure
