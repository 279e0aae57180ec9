// SPDX-License-Identifier: Apache-2.0
// A text file of any size, plain or gzip, one line at a time in constant memory; io/text_reader.hpp is for texts in
// memory.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace asterism {

class LineStream {
 public:
  /// Throws Error (bad_input) when the file cannot be opened.
  explicit LineStream(std::filesystem::path path);
  ~LineStream();
  LineStream(const LineStream&) = delete;
  LineStream& operator=(const LineStream&) = delete;

  /// The next line without its end; valid until the next call. False at the end of the file. Throws Error (bad_input)
  /// when the file is damaged or its last line has no end: recorders end every line, so the file was cut.
  bool next(std::string_view& line);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// fraction of the file that was read
  [[nodiscard]] double progress() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Throws Error (bad_input) with file and line in front.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    bad_input("{}:{}: {}", path_.string(), number_, fmt::format(format, std::forward<Args>(args)...));
  }

  /// The whole of `text` as a number, else an error naming `what`.
  template <class Number>
  Number parse(std::string_view text, const char* what, int base = 10) const {
    Number value{};
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<Number>)
      result = std::from_chars(text.data(), text.data() + text.size(), value);
    else
      result = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size())
      fail("'{}' found where {} was expected", text.substr(0, 40), what);
    return value;
  }

 private:
  bool fill();

  std::filesystem::path path_;
  struct File;
  File* file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t size_ = 0;
};

/// Takes the first field of a line: fields are separated by blanks and may stand in double quotes. False at the end.
bool next_quoted_field(std::string_view& rest, std::string_view& field);

}  // namespace asterism
