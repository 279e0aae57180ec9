// SPDX-License-Identifier: Apache-2.0
// Tables of numbers: one particle per line, fields separated by blanks, commas or semicolons.
#include <algorithm>

#include "taskflows/fmm/particles/readers.hpp"
#include "taskflows/fmm/particles/text_records.hpp"

namespace asterism::fmm {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // as spreadsheets begin UTF-8

bool is_comment(std::string_view line) {
  return !line.empty() && (line.front() == '#' || line.front() == '%');
}

/// Neither blank nor a comment.
bool is_table_line(std::string_view line) {
  const std::string_view content = trimmed(line);
  return !content.empty() && !is_comment(content);
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> result;
  const std::string no_file;
  TextReader fields(no_file, line);
  fields.next_line();
  for (std::string_view field; fields.next_field(field, separator);) {
    const bool has_quotes = field.size() > 1 && field.front() == '"' && field.back() == '"';
    result.emplace_back(has_quotes ? field.substr(1, field.size() - 2) : field);
  }
  return result;
}

bool is_number(const std::string& word) {
  double value = 0;
  return parse_number(word, value);
}

struct Table {
  Lines lines;  ///< of particles
  char separator = ' ';
  Columns columns = {};
  bool only_positions = false;  ///< three columns without names: a fourth in a later line is a mistake
};

/// Looks at the first lines: which separator, a header or not, and where its columns are.
Table read_head(const TextFile& file, const ReadOptions& options) {
  std::string_view text = file.text;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Lines lines{text.data(), text.data() + text.size()};
  Lines before = lines;
  std::string_view line;
  std::string_view comment;  // the last one before the table
  while (true) {
    before = lines;
    if (!lines.next(line)) bad_input("{}: there are only comments; expected lines of x y z [charge]", file.name);
    if (is_table_line(line)) break;
    if (is_comment(trimmed(line))) comment = trimmed(line);
  }
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  Table table{.lines = lines, .separator = has(';') ? ';' : has(',') ? ',' : ' '};
  const std::string where = fmt::format("{}: line {}", file.name, lines.number);
  const std::vector<std::string> first = split(line, table.separator);
  std::vector<std::string> header;
  if (std::none_of(first.begin(), first.end(), is_number)) {
    header = first;
  } else {
    table.lines = before;
    // NumPy's savetxt writes the header as a comment.
    if (!comment.empty()) header = split(comment.substr(1), table.separator);
    if (header.size() != first.size()) header.clear();
  }
  const std::optional<Columns> named = header.empty() ? std::nullopt : columns_of_header(where, header);
  if (!options.columns.empty()) {
    table.columns = columns_of_option(where, options.columns, header);
  } else if (named) {
    table.columns = *named;
  } else if (std::none_of(first.begin(), first.end(), is_number)) {
    bad_input("{}: found {}; expected numbers x y z [charge], or a header that names x, y and z", where,
              in_quotes(trimmed(line)));
  } else {
    if (first.size() > 3) table.columns.charge = 3;
    table.only_positions = first.size() == 3;
  }
  return table;
}

}  // namespace

Particles read_text(const TextFile& file, const ReadOptions& options) {
  const Table table = read_head(file, options);
  const Columns& columns = table.columns;
  constexpr std::size_t x = 0;
  constexpr std::size_t y = 1;
  constexpr std::size_t z = 2;
  constexpr std::size_t charge = 3;
  constexpr std::size_t vx = 4;
  constexpr std::size_t mass = 7;
  constexpr std::size_t skipped = 8;
  std::vector<std::size_t> meaning(columns.last() + 1, skipped);  // of each column
  for (const std::size_t axis : {x, y, z}) meaning[columns.position[axis]] = axis;
  if (columns.charge) meaning[*columns.charge] = charge;
  if (columns.velocity)
    for (const std::size_t axis : {x, y, z}) meaning[(*columns.velocity)[axis]] = vx + axis;
  if (columns.mass) meaning[*columns.mass] = mass;
  const auto parse = [&](TextReader& line) {
    std::array<std::string_view, skipped + 1> words = {};
    for (const std::size_t m : meaning) {
      if (!line.next_field(words[m], table.separator)) break;
    }
    Record record{};
    record.x = line.finite_number("x", words[x]);
    record.y = line.finite_number("y", words[y]);
    record.z = line.finite_number("z", words[z]);
    record.charge = columns.charge ? line.finite_number("charge", words[charge]) : 1;
    if (columns.velocity) {
      record.vx = line.finite_number("vx", words[vx + x]);
      record.vy = line.finite_number("vy", words[vx + y]);
      record.vz = line.finite_number("vz", words[vx + z]);
    }
    if (columns.mass) record.mass = line.finite_number("mass", words[mass]);
    if (std::string_view surplus; table.only_positions && line.next_field(surplus, table.separator)) {
      line.fail("found {} after z; expected 3 columns as in the first line", in_quotes(surplus));
    }
    return record;
  };
  Particles particles = read_records(file.name, table.lines, options.part, is_table_line, parse,
                                     {.velocity = columns.velocity.has_value(), .mass = columns.mass.has_value()});
  if (particles.size() == 0) bad_input("{}: there is no particle after the header", file.name);
  return particles;
}

}  // namespace asterism::fmm
