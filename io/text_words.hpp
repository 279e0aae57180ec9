// SPDX-License-Identifier: Apache-2.0
// Lines, words and numbers of text files, as readers take them and as messages show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

/// A word of a file as it may stand in a one-line message: in quotes, cut at 40 characters, without control bytes.
std::string in_quotes(std::string_view word);

std::string lower_case(std::string_view word);

/// The value of a whole word as Fortran, C or a spreadsheet writes numbers: a leading '+', exponents with E or D,
/// values that underflow. NaN and infinities count as numbers: callers that refuse them test the value.
/// Returns false, and leaves the value, for anything else.
bool parse_number(std::string_view word, double& value);

/// A word that is a decimal integer as a whole.
bool parse_integer(std::string_view word, std::int64_t& value);

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Without blanks at both ends.
std::string_view trimmed(std::string_view word);

/// Those between blanks and ends of lines, in their order.
std::vector<std::string> words_of(const std::string& text);

/// Walks through the lines of a text, which may end as on any system (LF or CR LF); the CR counts as blank.
struct Lines {
  const char* at;
  const char* end;
  std::int64_t number = 0;  ///< 1-based, of the line returned last

  bool next(std::string_view& line) {
    if (at == end) return false;
    const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    const char* line_end = newline == nullptr ? end : static_cast<const char*>(newline);
    line = {at, line_end};
    at = line_end == end ? end : line_end + 1;
    ++number;
    return true;
  }
};

}  // namespace asterism
