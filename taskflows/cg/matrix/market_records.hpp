// The text of Matrix Market files: header, size and records, one per line, read in parallel.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/error.hpp"
#include "io/text_file.hpp"
#include "io/text_words.hpp"

namespace asterism::cg {

// ---- lines and fields

/// Moves to the next line that is neither blank nor a comment.
bool next_data(Lines& lines, std::string_view& line);

/// Takes the fields of one line from left to right; every complaint names the file and the line.
class Fields {
 public:
  Fields(const std::string& file, const Lines& lines, std::string_view line)
      : file_(file), line_(lines.number), at_(line.data()), end_(line.data() + line.size()) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    bad_input("{}: line {}: {}", file_, line_, fmt::format(format, std::forward<Args>(args)...));
  }

  /// The next word, empty at the end of the line.
  std::string_view word() {
    skip_blanks();
    const char* const first = at_;
    at_ = std::find_if(at_, end_, is_blank);
    return {first, at_};
  }

  std::int64_t integer(const char* what, std::int64_t low, std::int64_t high) {
    const char* const first = skip_sign();
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(first, end_, value);
    if (error != std::errc() || !is_word_end(last) || value < low || value > high) {
      fail("the {} is {}; expected an integer from {} to {}", what, found(), low, high);
    }
    at_ = last;
    return value;
  }

  double number(const char* what) {
    const char* const first = skip_sign();
    double value = 0;
    const auto [last, error] = std::from_chars(first, end_, value);
    if (error != std::errc() || !is_word_end(last)) return unusual_number(what);
    if (!std::isfinite(value)) fail("the {} is {}; expected a finite number", what, found());
    at_ = last;
    return value;
  }

  void finish() {
    const std::string_view surplus = word();
    if (!surplus.empty()) fail("found {} after the last field; expected the end of the line", in_quotes(surplus));
  }

 private:
  [[nodiscard]] bool is_word_end(const char* p) const { return p == end_ || is_blank(*p); }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  /// Where std::from_chars, which knows no leading '+', has to start.
  const char* skip_sign() {
    skip_blanks();
    return end_ - at_ > 1 && at_[0] == '+' && at_[1] != '-' ? at_ + 1 : at_;
  }
  std::string found() {
    const std::string_view next = word();
    return next.empty() ? "missing" : in_quotes(next);
  }

  /// Reads what std::from_chars does not take: Fortran's D exponents, and values that underflow.
  double unusual_number(const char* what);

  const std::string& file_;
  std::int64_t line_;
  const char* at_;
  const char* end_;
};

// ---- header

struct Header {
  bool array = false;
  bool integer = false;
  bool symmetric = false;

  double value(Fields& fields) const {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    return integer ? static_cast<double>(fields.integer("value", -any, any)) : fields.number("value");
  }
};

inline constexpr std::string_view banner = "%%MatrixMarket";

/// Whether a text begins as a Matrix Market file does.
bool has_banner(std::string_view text);

/// Takes the header line; its words must be among those allowed.
Header read_header(const std::string& file, Lines& lines, std::initializer_list<std::string_view> formats,
                   std::initializer_list<std::string_view> symmetries);

struct Size {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
};

/// Takes the size line; the check sees it with the fields, to complain of the line.
template <class Check>
Size read_size(const std::string& file, Lines& lines, const Header& header, Check check) {
  const char* const form = header.array ? "rows columns" : "rows columns entries";
  std::string_view line;
  if (!next_data(lines, line)) bad_input("{}: ends before its size line; expected \"{}\"", file, form);
  Fields fields(file, lines, line);
  Size size;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  size.rows = fields.integer("number of rows", 1, most);
  size.columns = fields.integer("number of columns", 1, most);
  size.entries = header.array ? size.rows * size.columns
                              : fields.integer("number of entries", 0, std::numeric_limits<std::int64_t>::max());
  fields.finish();
  check(size, fields);
  return size;
}

// ---- records: one per data line

/// A piece of the text that ends with a line, and where its records stand.
struct alignas(128) Chunk {
  Lines lines;             ///< at the start of the chunk
  std::int64_t slot = 0;   ///< of the first record; as every line has a slot, there are gaps between chunks
  std::int64_t count = 0;  ///< records
  std::string error;       ///< why reading stopped early
};

template <class Record>
struct Records {
  Array<Record> slots;
  std::vector<Chunk> chunks;
};

/// Cuts the rest of a text into chunks, and counts lines so that each knows its line numbers.
std::vector<Chunk> cut(const Lines& rest);

/// Reads exactly `expected` records, one per line: parse(fields) makes a Record of a line's fields. Memory
/// follows the lines there are, not what the file announces.
template <class Record, class Parse>
Records<Record> read_records(const std::string& file, const Lines& rest, std::int64_t expected, Parse parse) {
  Records<Record> records;
  records.chunks = cut(rest);
  const Chunk& last = records.chunks.back();
  const auto last_lines = std::count(last.lines.at, last.lines.end, '\n') + 1;
  records.slots = Array<Record>(static_cast<std::size_t>(last.slot + last_lines));
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : records.chunks) {
    try {
      Lines lines = chunk.lines;
      std::string_view line;
      while (next_data(lines, line)) {
        Fields fields(file, lines, line);
        const Record record = parse(fields);
        fields.finish();
        records.slots[chunk.slot + chunk.count++] = record;
      }
    } catch (const Error& error) {
      chunk.error = error.what();
    }
  }
  // The first complaint in the order of the file is the one to make.
  std::int64_t count = 0;
  for (const Chunk& chunk : records.chunks) {
    if (count + chunk.count > expected) {
      Lines lines = chunk.lines;
      std::string_view line;
      for (std::int64_t k = count; k <= expected; ++k) next_data(lines, line);
      bad_input("{}: line {}: found {} after the last entry; expected {} entries", file, lines.number, in_quotes(line),
                expected);
    }
    if (!chunk.error.empty()) bad_input("{}", chunk.error);
    count += chunk.count;
  }
  if (count < expected) bad_input("{}: ends after {} entries; expected {}", file, count, expected);
  return records;
}

}  // namespace asterism::cg
