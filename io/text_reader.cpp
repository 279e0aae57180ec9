// SPDX-License-Identifier: Apache-2.0
#include "io/text_reader.hpp"

namespace asterism {

std::string_view TextReader::require_word(const char* expected) {
  const std::string_view found = word();
  if (found.empty()) unexpected({}, expected);
  return found;
}

std::string_view TextReader::flowing_word(const char* expected) {
  std::string_view found = word();
  while (found.empty()) {
    require_line(expected);
    found = word();
  }
  return found;
}

bool TextReader::next_field(std::string_view& field, char separator) {
  skip_blanks();
  if (at_ == end_) return false;
  const char* const last = separator == ' ' ? std::find_if(at_, end_, is_blank) : std::find(at_, end_, separator);
  field = trimmed({at_, last});
  at_ = last == end_ ? end_ : last + 1;
  skip_blanks();
  return true;
}

std::int64_t TextReader::integer(std::string_view word, const char* expected) const {
  std::int64_t value = 0;
  if (!parse_integer(word, value)) unexpected(word, expected);
  return value;
}

std::size_t TextReader::count(std::string_view word, const char* expected) const {
  const std::int64_t value = integer(word, expected);
  if (value < 0 || static_cast<std::size_t>(value) > bytes_) unexpected(word, expected);
  return static_cast<std::size_t>(value);
}

double TextReader::finite_number(const char* what, std::string_view word) const {
  double value = 0;
  if (!parse_number(word, value)) fail("the {} is {}; expected a number", what, quoted(word));
  if (!std::isfinite(value)) fail("the {} is {}; expected a finite number", what, quoted(word));
  return value;
}

/// The next word where std::from_chars does not take it: Fortran's D exponents, and values that underflow.
double TextReader::unusual_number(const char* what) {
  const std::string_view found = word();
  double value = 0;
  if (!parse_number(found, value)) fail("the {} is {}; expected a number", what, quoted(found));
  if (!std::isfinite(value)) fail("the {} is {}; expected a number that fits in a double", what, quoted(found));
  return value;
}

void TextReader::unexpected(std::string_view found, const char* expected) const {
  if (found.empty() && line_.empty()) fail("the file ends; expected {}", expected);
  fail("found {}; expected {}", found.empty() ? "the end of the line" : in_quotes(found), expected);
}

std::vector<Lines> cut_at_lines(const Lines& text, std::int64_t smallest, std::int64_t most) {
  const std::int64_t bytes = text.end - text.at;
  const std::int64_t pieces = std::clamp<std::int64_t>(bytes / smallest, 1, most);
  std::vector<Lines> cut;
  const char* begin = text.at;
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    const char* end = std::max(begin, text.at + bytes / pieces * piece);
    end = piece == pieces ? text.end : std::find(end, text.end, '\n');
    if (end != text.end) ++end;
    cut.push_back({begin, end});
    begin = end;
  }
  cut.front().number = text.number;
  return cut;
}

}  // namespace asterism
