// SPDX-License-Identifier: Apache-2.0
// The text of Matrix Market files: header, size and records, one per line, read in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/error.hpp"
#include "io/text_reader.hpp"
#include "io/text_words.hpp"

namespace asterism::cg {

inline constexpr CommentMarks market_comments = {.whole_line = "%"};

// ---- header

struct Header {
  bool array = false;
  bool integer = false;
  bool symmetric = false;

  double value(TextReader& line) const {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    return integer ? static_cast<double>(line.integer_in_range("value", -any, any)) : line.finite_number("value");
  }
};

inline constexpr std::string_view banner = "%%MatrixMarket";

/// Whether a text begins as a Matrix Market file does.
bool has_banner(std::string_view text);

/// Takes the header line; its words must be among those allowed.
Header read_header(TextReader& text, std::initializer_list<std::string_view> formats,
                   std::initializer_list<std::string_view> symmetries);

struct Size {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
};

/// Takes the size line; check(size, text) complains about the line where the size is wrong.
template <class Check>
Size read_size(TextReader& text, const Header& header, Check check) {
  const char* const form = header.array ? "rows columns" : "rows columns entries";
  if (!text.next_line()) bad_input("{}: ends before its size line; expected \"{}\"", text.file(), form);
  Size size;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  size.rows = text.integer_in_range("number of rows", 1, most);
  size.columns = text.integer_in_range("number of columns", 1, most);
  size.entries = header.array ? size.rows * size.columns
                              : text.integer_in_range("number of entries", 0, std::numeric_limits<std::int64_t>::max());
  text.require_end();
  check(size, text);
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

/// Reads exactly `expected` records, one per line: parse(line) makes a Record of a line. Memory
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
      TextReader lines(file, chunk.lines, market_comments);
      while (lines.next_line()) {
        const Record record = parse(lines);
        lines.require_end();
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
      TextReader lines(file, chunk.lines, market_comments);
      for (std::int64_t k = count; k <= expected; ++k) lines.next_line();
      lines.fail("found {} after the last entry; expected {} entries", in_quotes(lines.line()), expected);
    }
    if (!chunk.error.empty()) bad_input("{}", chunk.error);
    count += chunk.count;
  }
  if (count < expected) bad_input("{}: ends after {} entries; expected {}", file, count, expected);
  return records;
}

}  // namespace asterism::cg
