// SPDX-License-Identifier: Apache-2.0
#include "io/arrays/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "io/text_words.hpp"

namespace asterism {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_dimensions = 32;  // NumPy's own limit

/// A header that is read.
struct Source {
  const std::string& name;
  std::string_view expected;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// The text that follows the key in the dictionary.
std::string_view value_of(const Source& source, std::string_view dictionary, std::string_view key) {
  std::size_t at = dictionary.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) at = dictionary.find(fmt::format("\"{}\"", key));
  const std::size_t colon = at == std::string_view::npos ? at : dictionary.find(':', at + key.size() + 2);
  if (colon == std::string_view::npos)
    bad_input("{}: its NumPy header has no {}; expected {}", source.name, key, source.expected);
  return trimmed(dictionary.substr(colon + 1));
}

void parse_type(const Source& source, std::string_view value, NpyArray& array) {
  const std::size_t end = value.empty() ? value.npos : value.find(value[0], 1);
  const bool is_quoted = end != value.npos && (value[0] == '\'' || value[0] == '"') && end >= 4;
  const std::string_view type = is_quoted ? value.substr(1, end - 1) : "???";
  std::int64_t width = 0;
  const bool known =
      std::string_view("<>=|").find(type[0]) != std::string_view::npos && parse_integer(type.substr(2), width) &&
      (type[1] == 'S' ? width > 0 && width < 256
                      : (type[1] == 'f' || type[1] == 'i') && (width == 4 || width == 8) && type[0] != '|');
  if (!known)
    bad_input("{}: holds values of type {}; expected {}", source.name,
              in_quotes(value.substr(0, value.find_first_of("],}"))), source.expected);
  array.kind = type[1];
  array.width = static_cast<std::size_t>(width);
  array.swapped = type[0] == (std::endian::native == std::endian::little ? '>' : '<') && array.kind != 'S';
}

void parse_shape(const Source& source, std::string_view value, NpyArray& array) {
  const std::size_t end = value.find(')');
  const std::string_view inside = value.starts_with('(') && end != value.npos ? value.substr(1, end - 1) : "?";
  for (std::size_t begin = 0; begin < inside.size();) {
    const std::size_t comma = std::min(inside.find(',', begin), inside.size());
    const std::string_view word = trimmed(inside.substr(begin, comma - begin));
    begin = comma + 1;
    std::int64_t extent = 0;
    if (word.empty() && begin > inside.size()) break;  // "(3,)"
    if (!parse_integer(word, extent) || extent < 0 || array.shape.size() == most_dimensions)
      bad_input("{}: its NumPy header gives the shape {}; expected {}", source.name,
                in_quotes(value.substr(0, end == value.npos ? end : end + 1)), source.expected);
    array.shape.push_back(static_cast<std::size_t>(extent));
  }
}

}  // namespace

std::string NpyArray::show_shape() const {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(magic);
}

NpyArray parse_npy(const std::string& name, std::string_view bytes, std::string_view expected) {
  const Source source{name, expected};
  if (!is_npy(bytes)) bad_input("{}: does not begin as a NumPy array does; expected {}", name, expected);
  const unsigned version = bytes.size() > 6 ? static_cast<unsigned char>(bytes[6]) : 0;
  const std::size_t size_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + size_bytes) bad_input("{}: cut off in its NumPy header", name);
  if (version < 1 || version > 3) bad_input("{}: NumPy format {}; expected 1 to 3", name, version);
  const std::size_t length = little_endian(bytes.substr(8, size_bytes));
  if (length > bytes.size() - 8 - size_bytes) bad_input("{}: cut off in its NumPy header", name);
  const std::string_view dictionary = bytes.substr(8 + size_bytes, length);
  NpyArray array;
  array.values = bytes.substr(8 + size_bytes + length);
  parse_type(source, value_of(source, dictionary, "descr"), array);
  array.column_major = value_of(source, dictionary, "fortran_order").starts_with("True");
  parse_shape(source, value_of(source, dictionary, "shape"), array);
  // The size that the shape announces, without overflow.
  std::size_t announced = array.width;
  bool fits = true;
  const bool is_empty = std::find(array.shape.begin(), array.shape.end(), 0U) != array.shape.end();
  for (const std::size_t extent : array.shape) {
    if (is_empty) break;
    fits = fits && extent <= array.values.size() / announced;
    if (fits) announced *= extent;
  }
  if (is_empty) announced = 0;
  if (!fits || announced != array.values.size())
    bad_input("{}: its header announces shape {} of {} bytes each, but {} bytes follow; the file is {}", name,
              array.show_shape(), array.width, array.values.size(),
              fits && announced < array.values.size() ? "too long" : "cut off");
  return array;
}

std::string npy_header(const std::vector<std::size_t>& shape) {
  NpyArray array;
  array.shape = shape;
  std::string header = fmt::format("{{'descr': '{}f8', 'fortran_order': False, 'shape': {}, }}",
                                   std::endian::native == std::endian::little ? '<' : '>', array.show_shape());
  constexpr std::size_t preamble = 10;  // magic, version, length of the header
  constexpr std::size_t alignment = 64;
  header.append(alignment - 1 - (preamble + header.size()) % alignment, ' ');
  header += '\n';
  const std::string length{static_cast<char>(header.size() & 0xffU), static_cast<char>(header.size() >> 8U)};
  return std::string(magic) + std::string("\x01\x00", 2) + length + header;
}

}  // namespace asterism
