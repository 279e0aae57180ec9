// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/market_records.hpp"

#include <omp.h>

namespace asterism::cg {

bool has_banner(std::string_view text) {
  return lower_case(text.substr(0, banner.size())) == lower_case(banner);
}

Header read_header(TextReader& text, std::initializer_list<std::string_view> formats,
                   std::initializer_list<std::string_view> symmetries) {
  text.next_any_line();
  const std::string_view first = text.word();
  if (!has_banner(first) || first.size() != banner.size()) {
    text.fail("found {}; expected the header \"{} matrix ...\"", in_quotes(text.line()), banner);
  }
  const auto choose = [&](const char* what, std::initializer_list<std::string_view> allowed) {
    const std::string_view word = text.word();
    std::string chosen = lower_case(word);
    if (std::find(allowed.begin(), allowed.end(), chosen) == allowed.end()) {
      text.fail("the header's {} is {}; expected {}", what, word.empty() ? "missing" : in_quotes(word),
                fmt::join(allowed, " or "));
    }
    return chosen;
  };
  choose("object", {"matrix"});
  Header header;
  header.array = choose("format", formats) == "array";
  header.integer = choose("field", {"real", "integer"}) == "integer";
  header.symmetric = choose("symmetry", symmetries) == "symmetric";
  text.require_end();
  return header;
}

std::vector<Chunk> cut(const Lines& rest) {
  constexpr std::int64_t smallest = 1 << 16;  // bytes
  std::vector<Chunk> chunks;
  for (const Lines& lines : cut_at_lines(rest, smallest, std::int64_t{64} * omp_get_max_threads())) {
    chunks.emplace_back().lines = lines;
  }
#pragma omp parallel for schedule(dynamic)
  for (Chunk& chunk : chunks) {
    std::int64_t newlines = 0;
    const char* const text = chunk.lines.at;
    const std::int64_t length = chunk.lines.end - text;
#pragma omp simd reduction(+ : newlines)
    for (std::int64_t i = 0; i < length; ++i) newlines += text[i] == '\n' ? 1 : 0;
    chunk.slot = newlines;
  }
  std::int64_t lines_before = 0;
  for (Chunk& chunk : chunks) {
    chunk.lines.number = rest.number + lines_before;
    lines_before += std::exchange(chunk.slot, lines_before);
  }
  return chunks;
}

}  // namespace asterism::cg
