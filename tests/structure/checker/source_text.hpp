// SPDX-License-Identifier: Apache-2.0
// A C++ or CUDA file line by line, its code told from its comments and from what stands in strings.
#pragma once

#include <string>
#include <vector>

namespace asterism::structure {

struct Line {
  std::string text;     ///< as in the file
  std::string code;     ///< in the same columns; comments and the contents of strings and characters are spaces
  std::string comment;  ///< what follows //, /// or ///<, without spaces at its ends
  /// Where the // stands, and how many slashes it has; 0 slashes: none.
  std::size_t comment_column = 0;
  std::size_t slashes = 0;

  [[nodiscard]] bool only_comment() const { return slashes > 0 && indent() == std::string::npos; }
  /// Columns before the code; npos without code.
  [[nodiscard]] std::size_t indent() const { return code.find_first_not_of(' '); }
};

/// Sees //, /* */, strings, characters, digit separators and raw strings, over several lines too.
std::vector<Line> split_lines(const std::string& text);

/// A // comment, all its lines joined by spaces.
struct Comment {
  int line = 0;  ///< the first one, from 1
  std::string text;
};

/// Lines of comments that follow each other with // in the same column are one comment; a line with code begins one.
std::vector<Comment> comments(const std::vector<Line>& lines);

/// What #include names.
struct Include {
  int line = 0;  ///< from 1
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};

std::vector<Include> includes(const std::vector<Line>& lines);

}  // namespace asterism::structure
