// SPDX-License-Identifier: Apache-2.0
// NumPy arrays (numpy/lib/format.py, versions 1.0 to 3.0): magic, version, length of the header, the header as a Python
// dictionary with descr, fortran_order and shape, then the values.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "io/text_words.hpp"
#include "taskflows/fmm/particles/readers.hpp"

namespace asterism::fmm {
namespace {

constexpr const char* expected = "an array of n rows x, y, z [, charge] of float64 or float32";

/// Bytes of the file as a little-endian number.
std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Header {
  std::size_t width = 0;  ///< bytes of a value
  bool swapped = false;   ///< in the other byte order than this machine's
  bool column_major = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string_view values;
};

/// The text that follows the key in the dictionary.
std::string_view value_of(const std::string& file, std::string_view dictionary, std::string_view key) {
  std::size_t at = dictionary.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) at = dictionary.find(fmt::format("\"{}\"", key));
  const std::size_t colon = at == std::string_view::npos ? at : dictionary.find(':', at + key.size() + 2);
  if (colon == std::string_view::npos) bad_input("{}: its NumPy header has no {}; expected {}", file, key, expected);
  return trimmed(dictionary.substr(colon + 1));
}

void parse_type(const std::string& file, std::string_view value, Header& header) {
  const std::string_view type = value.size() < 5 ? value : value.substr(1, 3);
  const bool is_quoted = value.size() >= 5 && (value[0] == '\'' || value[0] == '"') && value[4] == value[0];
  if (!is_quoted || type[1] != 'f' || (type[2] != '4' && type[2] != '8') ||
      std::string_view("<>=").find(type[0]) == std::string_view::npos) {
    bad_input("{}: holds values of type {}; expected {}", file, in_quotes(value.substr(0, value.find_first_of("],}"))),
              expected);
  }
  header.width = static_cast<std::size_t>(type[2] - '0');
  const bool little = std::endian::native == std::endian::little;
  header.swapped = type[0] == (little ? '>' : '<');
}

std::vector<std::size_t> parse_shape(const std::string& file, std::string_view value) {
  const std::size_t end = value.find(')');
  const std::string_view inside = value.starts_with('(') && end != value.npos ? value.substr(1, end - 1) : "?";
  std::vector<std::size_t> shape;
  for (std::size_t begin = 0; begin < inside.size();) {
    const std::size_t comma = std::min(inside.find(',', begin), inside.size());
    const std::string_view word = trimmed(inside.substr(begin, comma - begin));
    begin = comma + 1;
    std::int64_t extent = 0;
    if (word.empty() && begin > inside.size()) break;  // "(3,)"
    if (!parse_integer(word, extent) || extent < 0) {
      bad_input("{}: its NumPy header gives the shape {}; expected (n, 3) or (n, 4)", file, in_quotes(value));
    }
    shape.push_back(static_cast<std::size_t>(extent));
  }
  return shape;
}

Header read_header(const TextFile& file) {
  const std::string_view text = file.text;
  constexpr std::string_view magic = "\x93NUMPY";
  if (!text.starts_with(magic)) bad_input("{}: does not begin as a NumPy array does; expected {}", file.name, expected);
  const unsigned version = text.size() > 6 ? static_cast<unsigned char>(text[6]) : 0;
  const std::size_t size_bytes = version == 1 ? 2 : 4;
  if (text.size() < 8 + size_bytes) bad_input("{}: cut off in its NumPy header", file.name);
  if (version < 1 || version > 3) bad_input("{}: NumPy format {}; expected 1 to 3", file.name, version);
  const std::size_t length = little_endian(text.substr(8, size_bytes));
  if (length > text.size() - 8 - size_bytes) bad_input("{}: cut off in its NumPy header", file.name);
  const std::string_view dictionary = text.substr(8 + size_bytes, length);
  Header header;
  header.values = text.substr(8 + size_bytes + length);
  parse_type(file.name, value_of(file.name, dictionary, "descr"), header);
  header.column_major = value_of(file.name, dictionary, "fortran_order").starts_with("True");
  const std::vector<std::size_t> shape = parse_shape(file.name, value_of(file.name, dictionary, "shape"));
  const std::string shown = fmt::format("({})", fmt::join(shape, ", "));
  if (shape.size() != 2) bad_input("{}: an array of shape {}; expected (n, 3) or (n, 4)", file.name, shown);
  header.rows = shape[0];
  header.columns = shape[1];
  if (header.rows == 0 || header.columns == 0) bad_input("{}: shape {} holds no particle", file.name, shown);
  // The size that the shape announces, without overflow.
  const std::size_t available = header.values.size() / header.width;
  const bool fits = header.rows <= available && header.columns <= available / header.rows;
  if (!fits || header.rows * header.columns * header.width != header.values.size()) {
    bad_input("{}: its header announces shape {} of {} bytes each, but {} bytes follow; the file is {}", file.name,
              shown, header.width, header.values.size(), fits ? "too long" : "cut off");
  }
  return header;
}

/// (n, 3), (n, 4), (n, 7) with velocities, and (n, 8) or (n, 14) as write_result() writes them; (3, n) and (4, n) when
/// that is the only way to see them.
Columns choose_columns(const std::string& file, Header& header, const std::string& option) {
  constexpr std::size_t with_velocities = 7, results = 8, motion = 14;
  const auto is_width = [](std::size_t n) {
    return n == 3 || n == 4 || n == with_velocities || n == results || n == motion;
  };
  if (!option.empty()) {
    const Columns columns = columns_of_option(file, option, {});
    if (columns.last() >= header.columns) {
      bad_input("{}: has {} columns; --columns asks for column {}", file, header.columns, columns.last() + 1);
    }
    return columns;
  }
  if (!is_width(header.columns) && (header.rows == 3 || header.rows == 4)) {
    std::swap(header.rows, header.columns);
    header.column_major = !header.column_major;
  }
  if (!is_width(header.columns)) {
    bad_input("{}: an array of shape ({}, {}); expected (n, 3), (n, 4) or (n, 7), or the columns to take in --columns",
              file, header.rows, header.columns);
  }
  Columns columns;
  if (header.columns > 3) columns.charge = 3;
  if (header.columns == with_velocities) columns.velocity = {4, 5, 6};
  if (header.columns == motion) columns.velocity = {8, 9, 10};
  return columns;
}

/// Rows from `begin` on, as many as `out` has places for.
template <class Bits, class Number>
void take_column(const Header& header, std::size_t column, std::size_t begin, Array<double>& out) {
  const std::size_t row_step = header.column_major ? 1 : header.columns;
  const std::size_t first = (header.column_major ? column * header.rows : column) + begin * row_step;
  const char* const values = header.values.data();  // of no particular alignment
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < out.size(); ++i) {
    Bits bits = 0;
    std::memcpy(&bits, values + (first + i * row_step) * sizeof(Bits), sizeof(Bits));
    if (header.swapped) {
      Bits other = 0;
      for (std::size_t b = 0; b < sizeof(Bits); ++b) other = other << 8U | (bits >> (8 * b) & 0xffU);
      bits = other;
    }
    out[i] = static_cast<double>(std::bit_cast<Number>(bits));
  }
}

}  // namespace

Particles read_npy(const TextFile& file, const ReadOptions& options) {
  Header header = read_header(file);
  const Columns columns = choose_columns(file.name, header, options.columns);
  check_parts(file.name, header.rows, options.part);
  const std::size_t begin = options.part.begin(header.rows);
  Particles particles(options.part.end(header.rows) - begin);
  const auto take = [&](std::size_t column, Array<double>& out) {
    if (header.width == 8) {
      take_column<std::uint64_t, double>(header, column, begin, out);
    } else {
      take_column<std::uint32_t, float>(header, column, begin, out);
    }
  };
  take(columns.position[0], particles.x);
  take(columns.position[1], particles.y);
  take(columns.position[2], particles.z);
  if (columns.charge) {
    take(*columns.charge, particles.charge);
  } else {
    std::fill(particles.charge.begin(), particles.charge.end(), 1.0);
  }
  if (columns.velocity) {
    std::size_t axis = 0;
    for (Array<double>* const v : {&particles.vx, &particles.vy, &particles.vz}) {
      *v = Array<double>(particles.size());
      take((*columns.velocity)[axis++], *v);
    }
  }
  check_finite(file.name, particles, begin);
  return particles;
}

}  // namespace asterism::fmm
