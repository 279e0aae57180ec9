#include "taskflows/cg/matrix/market_records.hpp"

#include <omp.h>

#include <cstdlib>

namespace asterism::cg {
bool next_data(Lines& lines, std::string_view& line) {
  while (lines.next(line)) {
    const auto* const first = std::find_if_not(line.begin(), line.end(), is_blank);
    if (first != line.end() && *first != '%') return true;
  }
  return false;
}

double Fields::unusual_number(const char* what) {
  const char* const after_sign = skip_sign();
  const char* const start = at_;
  std::string copy(word());
  copy.erase(0, static_cast<std::size_t>(after_sign - start));
  at_ = start;
  const std::size_t d = copy.find_first_of("dD");
  if (d != std::string::npos && d > 0) copy[d] = 'e';
  double value = 0;
  const auto [last, error] = std::from_chars(copy.data(), copy.data() + copy.size(), value);
  if (copy.empty() || error == std::errc::invalid_argument || last != copy.data() + copy.size()) {
    fail("the {} is {}; expected a number", what, found());
  }
  if (error == std::errc::result_out_of_range) value = std::strtod(copy.c_str(), nullptr);
  if (!std::isfinite(value)) fail("the {} is {}; expected a number that fits in a double", what, found());
  word();
  return value;
}

bool has_banner(std::string_view text) {
  return lower_case(text.substr(0, banner.size())) == lower_case(banner);
}

Header read_header(const std::string& file, Lines& lines, std::initializer_list<std::string_view> formats,
                   std::initializer_list<std::string_view> symmetries) {
  std::string_view line;
  lines.next(line);
  Fields fields(file, lines, line);
  const std::string_view first = fields.word();
  if (!has_banner(first) || first.size() != banner.size()) {
    fields.fail("found {}; expected the header \"{} matrix ...\"", in_quotes(line), banner);
  }
  const auto choose = [&](const char* what, std::initializer_list<std::string_view> allowed) {
    const std::string_view word = fields.word();
    std::string chosen = lower_case(word);
    if (std::find(allowed.begin(), allowed.end(), chosen) == allowed.end()) {
      fields.fail("the header's {} is {}; expected {}", what, word.empty() ? "missing" : in_quotes(word),
                  fmt::join(allowed, " or "));
    }
    return chosen;
  };
  choose("object", {"matrix"});
  Header header;
  header.array = choose("format", formats) == "array";
  header.integer = choose("field", {"real", "integer"}) == "integer";
  header.symmetric = choose("symmetry", symmetries) == "symmetric";
  fields.finish();
  return header;
}

std::vector<Chunk> cut(const Lines& rest) {
  constexpr std::int64_t smallest = 1 << 16;  // bytes
  const std::int64_t bytes = rest.end - rest.at;
  const std::int64_t pieces = std::clamp<std::int64_t>(bytes / smallest, 1, std::int64_t{64} * omp_get_max_threads());
  std::vector<Chunk> chunks;
  const char* begin = rest.at;
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    const char* end = std::max(begin, rest.at + bytes / pieces * piece);
    end = piece == pieces ? rest.end : std::find(end, rest.end, '\n');
    if (end != rest.end) ++end;
    chunks.emplace_back().lines = {begin, end};
    begin = end;
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
