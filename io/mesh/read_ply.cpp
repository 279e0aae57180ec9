// SPDX-License-Identifier: Apache-2.0
// PLY (Turk 1994): a header in words that says which properties each element has, then the elements, in text or binary.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

enum class Number { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct Property {
  std::string name;
  Number number = Number::float32;
  bool is_list = false;
  Number count = Number::uint8;  ///< of a list
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

enum class Encoding { ascii, little, big };

struct Header {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements;
  std::size_t bytes = 0;
  std::int64_t lines = 0;
};

Number number_of(const TextReader& words, std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 8> names = {{{"char", "int8"},
                                                                     {"uchar", "uint8"},
                                                                     {"short", "int16"},
                                                                     {"ushort", "uint16"},
                                                                     {"int", "int32"},
                                                                     {"uint", "uint32"},
                                                                     {"float", "float32"},
                                                                     {"double", "float64"}}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i][0] || name == names[i][1]) return static_cast<Number>(i);
  }
  words.unexpected(name, "a type of PLY files, such as float or uchar");
}

Header read_header(const TextFile& file) {
  Header header;
  MeshReader words(file);
  words.require_line("ply");
  if (const std::string_view found = words.word(); found != "ply") words.unexpected(found, "ply");
  bool has_format = false;
  for (;;) {
    words.require_line("end_header");
    const std::string_view keyword = words.word();
    if (keyword == "end_header") break;
    if (keyword == "comment" || keyword == "obj_info") continue;
    if (keyword == "format") {
      const char* expected = "ascii, binary_little_endian or binary_big_endian";
      const std::string_view found = words.require_word(expected);
      if (found == "binary_little_endian") {
        header.encoding = Encoding::little;
      } else if (found == "binary_big_endian") {
        header.encoding = Encoding::big;
      } else if (found != "ascii") {
        words.unexpected(found, expected);
      }
      has_format = true;
    } else if (keyword == "element") {
      Element element;
      element.name = words.require_word("the name of an element");
      element.count = words.count("a number of elements that the file can hold");
      header.elements.push_back(std::move(element));
    } else if (keyword == "property" && !header.elements.empty()) {
      Property property;
      std::string_view type = words.require_word("a type");
      property.is_list = type == "list";
      if (property.is_list) {
        property.count = number_of(words, words.require_word("a type"));
        type = words.require_word("a type");
      }
      property.number = number_of(words, type);
      property.name = words.require_word("the name of a property");
      header.elements.back().properties.push_back(std::move(property));
    } else {
      words.unexpected(keyword, "a keyword of PLY headers");
    }
  }
  if (!has_format) bad_input("{}: the header has no format; expected one", file.name);
  header.bytes = std::min(file.text.size(), static_cast<std::size_t>(words.line().end() - file.text.begin()) + 1);
  header.lines = words.line_number();
  return header;
}

/// The numbers behind the header, one after the other.
class Values {
 public:
  Values(const TextFile& file, const Header& header)
      : file_(file),
        encoding_(header.encoding),
        words_(file, Lines{file.text.data() + header.bytes, file.text.data() + file.text.size(), header.lines}),
        at_(header.bytes) {}

  double next(Number number) {
    if (encoding_ == Encoding::ascii) {
      const std::string_view word = words_.flowing_word("a number");
      double value = 0;
      if (!parse_number(word, value)) words_.unexpected(word, "a number");
      return value;
    }
    switch (number) {
      case Number::int8:
        return bytes<std::int8_t>();
      case Number::uint8:
        return bytes<std::uint8_t>();
      case Number::int16:
        return bytes<std::int16_t>();
      case Number::uint16:
        return bytes<std::uint16_t>();
      case Number::int32:
        return bytes<std::int32_t>();
      case Number::uint32:
        return bytes<std::uint32_t>();
      case Number::float32:
        return bytes<float>();
      case Number::float64:
        return bytes<double>();
    }
    return 0;
  }
  /// Complains about the value taken last.
  [[noreturn]] void refuse(double value, const char* expected) const {
    if (encoding_ == Encoding::ascii) words_.unexpected(fmt::format("{}", value), expected);
    bad_input("{}: byte {}: found {}; expected {}", file_.name, last_, value, expected);
  }
  void check_end() {
    if (encoding_ == Encoding::ascii) {
      if (const std::string_view word = words_.word(); !word.empty()) words_.unexpected(word, "the end of the file");
      if (words_.next_line()) words_.unexpected(words_.word(), "the end of the file");
    } else if (at_ != file_.text.size()) {
      bad_input("{}: byte {}: found {} bytes more; expected the end of the file", file_.name, at_,
                file_.text.size() - at_);
    }
  }

 private:
  template <class T>
  double bytes() {
    if (file_.text.size() - at_ < sizeof(T))
      bad_input("{}: byte {}: the file ends; expected a number", file_.name, at_);
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), file_.text.data() + at_, sizeof(T));
    if ((encoding_ == Encoding::big) != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
    last_ = at_;
    at_ += sizeof(T);
    return static_cast<double>(std::bit_cast<T>(raw));
  }

  const TextFile& file_;
  Encoding encoding_;
  MeshReader words_;
  std::size_t at_;
  std::size_t last_ = 0;
};

std::size_t length_of(Values& values, const Property& property, const TextFile& file) {
  const double length = values.next(property.count);
  if (!(length >= 0) || length != std::floor(length) || length > static_cast<double>(file.text.size())) {
    values.refuse(length, "the length of a list");
  }
  return static_cast<std::size_t>(length);
}

void skip(Values& values, const Property& property, const TextFile& file) {
  const std::size_t length = property.is_list ? length_of(values, property, file) : 1;
  for (std::size_t i = 0; i < length; ++i) values.next(property.number);
}

std::size_t find(const TextFile& file, const Element& element, std::initializer_list<const char*> names, bool is_list) {
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    for (const char* name : names) {
      if (element.properties[i].name == name && element.properties[i].is_list == is_list) return i;
    }
  }
  bad_input("{}: the header gives element {} no {} {}; expected one", file.name, in_quotes(element.name),
            is_list ? "list" : "number", *names.begin());
}

void read_vertices(const TextFile& file, const Element& element, Values& values, TriangleMesh& mesh) {
  const std::array<std::size_t, 3> axes = {find(file, element, {"x"}, false), find(file, element, {"y"}, false),
                                           find(file, element, {"z"}, false)};
  check_size(file, element.count);
  mesh.vertices.reserve(element.count);
  for (std::size_t v = 0; v < element.count; ++v) {
    std::array<double, 3> p{};
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const auto axis = std::find(axes.begin(), axes.end(), i);
      if (axis == axes.end()) {
        skip(values, element.properties[i], file);
        continue;
      }
      const double x = values.next(element.properties[i].number);
      if (!std::isfinite(x)) values.refuse(x, "a finite coordinate");
      p[static_cast<std::size_t>(axis - axes.begin())] = x;
    }
    mesh.vertices.push_back(p);
  }
}

void read_faces(const TextFile& file, const Element& element, std::size_t vertices, Values& values,
                TriangleMesh& mesh) {
  const std::size_t list = find(file, element, {"vertex_indices", "vertex_index"}, true);
  mesh.triangles.reserve(element.count);
  std::vector<double> corners;
  for (std::size_t f = 0; f < element.count; ++f) {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& property = element.properties[i];
      if (i != list) {
        skip(values, property, file);
        continue;
      }
      corners.clear();
      const std::size_t length = length_of(values, property, file);
      if (length < 3) values.refuse(static_cast<double>(length), "a face of three vertices or more");
      for (std::size_t c = 0; c < length; ++c) {
        const double corner = values.next(property.number);
        if (!(corner >= 0) || corner >= static_cast<double>(vertices) || corner != std::floor(corner)) {
          values.refuse(corner, "the index of a vertex");
        }
        corners.push_back(corner);
      }
      add_fan(mesh, length, [&](std::size_t c) { return corners[c]; });
    }
  }
}

}  // namespace

TriangleMesh read_ply(const TextFile& file) {
  const Header header = read_header(file);
  std::size_t vertices = 0;
  bool has_vertices = false;
  for (const Element& element : header.elements) {
    if (element.name == "vertex") {
      vertices = element.count;
      has_vertices = true;
    }
  }
  if (!has_vertices) bad_input("{}: the header has no element \"vertex\"; expected one", file.name);
  TriangleMesh mesh;
  Values values(file, header);
  for (const Element& element : header.elements) {
    if (element.name == "vertex") {
      read_vertices(file, element, values, mesh);
    } else if (element.name == "face") {
      read_faces(file, element, vertices, values, mesh);
    } else {
      for (std::size_t i = 0; i < element.count; ++i) {
        for (const Property& property : element.properties) skip(values, property, file);
      }
    }
  }
  values.check_end();
  return mesh;
}

}  // namespace asterism::mesh
