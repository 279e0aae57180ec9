// SPDX-License-Identifier: Apache-2.0
// Walks through the lines, words and numbers of a text in memory; every complaint names the file and the line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/text_words.hpp"

namespace asterism {

/// Characters that begin a comment; none when empty.
struct CommentMarks {
  std::string_view whole_line = {};  ///< where the first word of a line begins with one, the line is a comment
  std::string_view anywhere = {};    ///< what follows one, to the end of the line, is a comment
};

/// Goes from line to line, and within a line from word to word, words being separated by blanks. The text and the name
/// of the file must outlive the reader.
class TextReader {
 public:
  TextReader(const std::string& file, const Lines& lines, CommentMarks comments = {})
      : lines_(lines), file_(file), comments_(comments) {}
  TextReader(const std::string& file, std::string_view text, CommentMarks comments = {})
      : TextReader(file, Lines{text.data(), text.data() + text.size()}, comments) {}

  // ---- lines

  /// Goes to the next line that has words outside of comments; false at the end of the text.
  bool next_line() {
    while (lines_.next(line_)) {
      std::string_view content = line_;
      if (!comments_.anywhere.empty()) content = content.substr(0, content.find_first_of(comments_.anywhere));
      begin_words(content);
      if (at_ != end_ && comments_.whole_line.find(*at_) == std::string_view::npos) return true;
    }
    line_ = {};
    begin_words({});
    return false;
  }
  /// Goes to the next line, be it blank or a comment; false at the end of the text.
  bool next_any_line() {
    const bool exists = lines_.next(line_);
    if (!exists) line_ = {};
    begin_words(line_);
    return exists;
  }
  /// As next_line(), where the text must not end.
  void require_line(const char* expected) {
    if (!next_line()) unexpected({}, expected);
  }

  [[nodiscard]] std::string_view line() const noexcept { return line_; }  ///< with its comment
  [[nodiscard]] std::int64_t line_number() const noexcept { return lines_.number; }
  [[nodiscard]] const Lines& remaining() const noexcept { return lines_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  // ---- words

  /// The next word of the line; empty when there is none.
  std::string_view word() {
    skip_blanks();
    const char* const first = at_;
    at_ = std::find_if(at_, end_, is_blank);
    return {first, at_};
  }
  std::string_view require_word(const char* expected);
  /// The next word of the line or of the lines after it.
  std::string_view flowing_word(const char* expected);
  /// The next field of a line whose fields are separated by a character, without the blanks around it; ' ' stands for
  /// any run of blanks. False at the end of the line; a separator that ends the line begins no field.
  bool next_field(std::string_view& field, char separator);
  /// Complains of what follows the last word taken.
  void require_end() {
    const std::string_view surplus = word();
    if (!surplus.empty()) fail("found {} after the last field; expected the end of the line", in_quotes(surplus));
  }

  // ---- numbers

  std::int64_t integer(std::string_view word, const char* expected) const;
  std::int64_t integer(const char* expected) { return integer(require_word(expected), expected); }
  /// A number of things, not more than the text had bytes when the reader began.
  std::size_t count(std::string_view word, const char* expected) const;
  std::size_t count(const char* expected) { return count(require_word(expected), expected); }

  /// The next word, an integer of a range; `what` names it in the complaint. For files of many numbers.
  std::int64_t integer_in_range(const char* what, std::int64_t low, std::int64_t high) {
    const char* const first = skip_sign();
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(first, end_, value);
    if (error != std::errc() || !is_word_end(last) || value < low || value > high) {
      fail("the {} is {}; expected an integer from {} to {}", what, quoted(word()), low, high);
    }
    at_ = last;
    return value;
  }
  /// The next word, a finite number as parse_number() takes it; `what` names it in the complaint.
  double finite_number(const char* what) {
    const char* const first = skip_sign();
    double value = 0;
    const auto [last, error] = std::from_chars(first, end_, value);
    if (error != std::errc() || !is_word_end(last)) return unusual_number(what);
    if (!std::isfinite(value)) fail("the {} is {}; expected a finite number", what, quoted(word()));
    at_ = last;
    return value;
  }
  /// The finite number that a word is.
  double finite_number(const char* what, std::string_view word) const;

  // ---- complaints: all throw Error (bad_input)

  /// "FILE: line N: found WORD; expected ..."; an empty word stands for the end of the line or of the file.
  [[noreturn]] void unexpected(std::string_view found, const char* expected) const;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    bad_input("{}: line {}: {}", file_, lines_.number, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  static std::string quoted(std::string_view word) { return word.empty() ? "missing" : in_quotes(word); }
  [[nodiscard]] bool is_word_end(const char* p) const { return p == end_ || is_blank(*p); }
  void begin_words(std::string_view content) {
    at_ = content.data();
    end_ = at_ + content.size();
    skip_blanks();
  }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  /// Where std::from_chars, which knows no leading '+', has to start.
  const char* skip_sign() {
    skip_blanks();
    return end_ - at_ > 1 && at_[0] == '+' && at_[1] != '-' ? at_ + 1 : at_;
  }
  double unusual_number(const char* what);

  Lines lines_;
  const std::string& file_;
  CommentMarks comments_;
  std::size_t bytes_ = static_cast<std::size_t>(lines_.end - lines_.at);  ///< of the text
  std::string_view line_;
  const char* at_ = nullptr;  ///< behind the last word taken
  const char* end_ = nullptr;
};

/// Cuts a text into pieces that end with a line, for readers that run in parallel: at least `smallest` bytes each and
/// at most `most` of them. Only the first piece knows its line number.
std::vector<Lines> cut_at_lines(const Lines& text, std::int64_t smallest, std::int64_t most);

}  // namespace asterism
