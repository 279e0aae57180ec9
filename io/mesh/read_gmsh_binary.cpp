// SPDX-License-Identifier: Apache-2.0
// gmsh's binary files: sections between lines such as $Nodes and $EndNodes, with numbers of fixed sizes in between
// (reference manual of gmsh, "MSH file format", versions 2.2 and 4.1).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "io/mesh/gmsh_builder.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

/// Nodes of an element of every type that gmsh writes, by its number; 0: unknown. The binary formats do not say it.
constexpr std::size_t nodes_of_type[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                         8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};

class BinaryReader {
 public:
  explicit BinaryReader(const TextFile& file) : file_(file) {
    mesh_.file = file.name;
    mesh_.binary = true;
  }

  GmshMesh read() {
    while (!at_end()) {
      const std::string section(line());
      if (section.empty()) continue;
      if (!section.starts_with('$')) fail(in_quotes(section), "a section such as $Nodes or $Elements");
      if (section == "$MeshFormat") {
        read_format();
      } else if (section == "$PhysicalNames") {
        read_names();
      } else if (section == "$Entities") {
        read_entities();
      } else if (section == "$Nodes") {
        version_ == 2 ? read_nodes_2() : read_nodes_4();
      } else if (section == "$Elements") {
        version_ == 2 ? read_elements_2() : read_elements_4();
      } else {
        skip_to("$End" + section.substr(1));
      }
      end_of(section);
    }
    return std::move(mesh_);
  }

 private:
  // ---- bytes

  [[nodiscard]] bool at_end() const { return at_ == file_.text.size(); }
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    bad_input("{}: byte {}: found {}; expected {}", file_.name, at_, found, expected);
  }
  template <class T>
  T take(const char* expected) {
    if (file_.text.size() - at_ < sizeof(T)) fail("the end of the file", expected);
    T value;
    std::memcpy(&value, file_.text.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  /// A number of things of so many bytes at least, which the rest of the file has to hold.
  template <class T>
  std::size_t count(std::size_t bytes, const char* expected) {
    const T value = take<T>(expected);
    if (value < T{0} || static_cast<std::size_t>(value) > (file_.text.size() - at_) / bytes)
      fail(std::to_string(value), expected);
    return static_cast<std::size_t>(value);
  }
  std::string_view line() {
    const std::size_t first = at_;
    const std::size_t last = std::min(file_.text.find('\n', at_), file_.text.size());
    at_ = std::min(last + 1, file_.text.size());
    return trimmed(file_.text.substr(first, last - first));
  }
  void skip_to(const std::string& end) {
    const std::size_t found = file_.text.find(end, at_);
    if (found == std::string_view::npos) fail("the end of the file", end);
    at_ = found;
  }
  /// The line that ends a section, perhaps behind the end of a line.
  void end_of(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    std::string_view found = line();
    if (found.empty()) found = line();
    if (found != end) fail(in_quotes(found), end);
  }

  // ---- sections

  void read_format() {
    version_ = line().starts_with("2.2") ? 2 : 4;
    if (take<std::int32_t>("the number one") != 1) fail("another order of bytes", "that of this machine");
  }
  void read_names() {
    std::int64_t left = 0;
    if (!parse_integer(line(), left)) fail("no number", "the number of names");
    for (; left > 0; --left) {
      const std::string_view text = line();
      const std::size_t blank = text.find(' ');
      const std::size_t first = text.find('"');
      const std::size_t last = text.rfind('"');
      std::int64_t dimension = 0;
      std::int64_t tag = 0;
      if (first == std::string_view::npos || last == first || blank >= first ||
          !parse_integer(text.substr(0, blank), dimension) || dimension < 0 || dimension > 3 ||
          !parse_integer(trimmed(text.substr(blank, first - blank)), tag))
        fail(in_quotes(text), "the dimension, tag and name of a group");
      builder_.name_group(static_cast<int>(dimension), tag, std::string(text.substr(first + 1, last - first - 1)));
    }
  }
  void read_entities() {
    std::array<std::size_t, 4> counts{};
    for (std::size_t& n : counts) n = count<std::uint64_t>(1, "the number of entities");
    for (std::size_t dimension = 0; dimension < counts.size(); ++dimension) {
      for (std::size_t left = counts[dimension]; left > 0; --left) {
        const auto tag = take<std::int32_t>("the tag of an entity");
        for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) take<double>("a coordinate");
        std::vector<std::int64_t> tags(count<std::uint64_t>(4, "a number of physical groups"));
        for (std::int64_t& group : tags) group = take<std::int32_t>("the tag of a physical group");
        builder_.add_entity(static_cast<int>(dimension), tag, std::move(tags));
        if (dimension == 0) continue;
        for (std::size_t of = count<std::uint64_t>(4, "a number of bounding entities"); of > 0; --of)
          take<std::int32_t>("the tag of a bounding entity");
      }
    }
  }
  void add_node(std::int64_t number) {
    std::array<double, 3> point{};
    for (double& x : point) {
      x = take<double>("a coordinate");
      if (!std::isfinite(x)) fail(fmt::format("{}", x), "a finite coordinate");
    }
    if (!builder_.add_node(number, point)) fail(fmt::format("node {}", number), "a number that was not used before");
    check_size(file_, mesh_.nodes.size());
  }
  std::size_t line_count() {
    std::int64_t value = 0;
    const std::string_view text = line();
    if (!parse_integer(text, value) || value < 0) fail(in_quotes(text), "a number of nodes or elements");
    return static_cast<std::size_t>(value);
  }
  void read_nodes_2() {
    for (std::size_t left = line_count(); left > 0; --left) add_node(take<std::int32_t>("the number of a node"));
  }
  /// Blocks: type, number of elements, number of tags; then each element with its number, tags and nodes.
  void read_elements_2() {
    for (std::size_t left = line_count(); left > 0;) {
      const auto type = take<std::int32_t>("the type of an element");
      const std::size_t elements = count<std::int32_t>(1, "the number of elements");
      const std::size_t tags = count<std::int32_t>(1, "the number of tags");
      if (elements == 0 || elements > left) fail(std::to_string(elements), "a block of elements as long as the rest");
      left -= elements;
      for (std::size_t e = 0; e < elements; ++e) {
        take<std::int32_t>("the number of an element");
        std::int64_t group = 0;
        for (std::size_t t = 0; t < tags; ++t) {
          const auto tag = take<std::int32_t>("a tag");
          if (t == 0) group = tag;
        }
        add_element<std::int32_t>(type, builder_.groups({group}));
      }
    }
  }
  template <class Number>
  void add_element(std::int64_t type, std::int32_t groups) {
    if (type < 1 || type >= static_cast<std::int64_t>(std::size(nodes_of_type)))
      fail(fmt::format("elements of type {}", type), "a type up to 31");
    std::array<std::int64_t, 64> node{};
    for (std::size_t k = 0; k < nodes_of_type[type]; ++k)
      node[k] = static_cast<std::int64_t>(take<Number>("the number of a node"));
    builder_.add_element(type, node.data(), ++elements_, groups);
  }
  void read_nodes_4() {
    const std::size_t blocks = count<std::uint64_t>(1, "the number of blocks of nodes");
    for (int i = 0; i < 3; ++i) take<std::uint64_t>("the number of nodes");
    std::vector<std::int64_t> numbers;
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto dimension = take<std::int32_t>("a dimension");
      take<std::int32_t>("the tag of an entity");
      const bool parametric = take<std::int32_t>("whether nodes have parameters") != 0;
      numbers.resize(count<std::uint64_t>(8 + 24, "the number of nodes of a block"));
      for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(take<std::uint64_t>("a node's number"));
      for (const std::int64_t number : numbers) {
        add_node(number);
        for (int i = 0; parametric && i < dimension; ++i) take<double>("a parameter");
      }
    }
  }
  void read_elements_4() {
    const std::size_t blocks = count<std::uint64_t>(1, "the number of blocks of elements");
    for (int i = 0; i < 3; ++i) take<std::uint64_t>("the number of elements");
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto dimension = take<std::int32_t>("a dimension");
      const auto entity = take<std::int32_t>("the tag of an entity");
      const auto type = take<std::int32_t>("the type of an element");
      const std::int32_t groups = builder_.groups_of_entity(dimension, entity);
      for (std::size_t left = count<std::uint64_t>(8, "the number of elements of a block"); left > 0; --left) {
        take<std::uint64_t>("the number of an element");
        add_element<std::uint64_t>(type, groups);
      }
    }
  }

  const TextFile& file_;
  std::size_t at_ = 0;
  int version_ = 4;
  std::int64_t elements_ = 0;
  GmshMesh mesh_;
  GmshBuilder builder_{mesh_};
};

}  // namespace

bool is_binary_gmsh(const TextFile& file) {
  Lines lines{file.text.data(), file.text.data() + file.text.size()};
  std::string_view line;
  if (!lines.next(line) || trimmed(line) != "$MeshFormat" || !lines.next(line)) return false;
  const std::string_view words = trimmed(line);
  return words.starts_with("2.2 1 ") || words.starts_with("4.1 1 ");
}

GmshMesh read_binary_gmsh(const TextFile& file) {
  return BinaryReader(file).read();
}

}  // namespace asterism::mesh
