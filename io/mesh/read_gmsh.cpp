// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/gmsh.hpp"

#include "base/error.hpp"
#include "io/mesh/gmsh_builder.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

/// Goes through the sections of a text.
class GmshReader {
 public:
  explicit GmshReader(const TextFile& file) : file_(file), words_(file) { mesh_.file = file.name; }

  GmshMesh read() {
    while (words_.next_line()) {
      const std::string section(words_.word());
      if (section == "$MeshFormat") {
        read_format();
      } else if (section == "$PhysicalNames") {
        read_names();
      } else if (section == "$Entities" && version_ == 4) {
        read_entities();
      } else if (section == "$Nodes" || section == "$Elements") {
        if (version_ == 0) words_.unexpected(section, "$MeshFormat before it");
        if (section == "$Nodes") {
          version_ == 2 ? read_nodes_2() : read_nodes_4();
        } else {
          version_ == 2 ? read_elements_2() : read_elements_4();
        }
      } else if (section.starts_with('$')) {
        const std::string end = "$End" + section.substr(1);
        do {
          words_.require_line(end.c_str());
        } while (trimmed(words_.line()) != end);
        continue;
      } else {
        words_.unexpected(section, "a section such as $MeshFormat, $Nodes or $Elements");
      }
      const std::string end = "$End" + section.substr(1);
      words_.require_line(end.c_str());
      if (const std::string_view found = words_.word(); found != end) words_.unexpected(found, end.c_str());
    }
    if (version_ == 0) words_.unexpected({}, "$MeshFormat");
    return std::move(mesh_);
  }

 private:
  void read_format() {
    constexpr const char* expected = "2.2 or 4.1";
    words_.require_line(expected);
    const std::string_view version = words_.require_word(expected);
    if (version != "2.2" && version != "4.1") words_.unexpected(version, expected);
    constexpr const char* ascii = "0 (an ASCII file) or 1 (a binary one)";
    if (const std::string_view type = words_.require_word(ascii); type != "0") words_.unexpected(type, ascii);
    version_ = version == "2.2" ? 2 : 4;
  }
  std::size_t count_in_line(const char* expected) {
    words_.require_line(expected);
    return words_.count(expected);
  }
  /// A line such as: 2 5 "wall", the dimension, tag and name of a group.
  void read_names() {
    for (std::size_t left = count_in_line("the number of names"); left > 0; --left) {
      constexpr const char* expected = "the dimension, tag and name of a group";
      words_.require_line(expected);
      const std::int64_t dimension = words_.integer(expected);
      if (dimension < 0 || dimension > 3) words_.unexpected(std::to_string(dimension), "a dimension from 0 to 3");
      const std::int64_t tag = words_.integer(expected);
      const std::string_view line = words_.line();
      const std::size_t first = line.find('"');
      const std::size_t last = line.rfind('"');
      if (first == std::string_view::npos || last == first) words_.unexpected(words_.word(), "a name in quotes");
      builder_.name_group(static_cast<int>(dimension), tag, std::string(line.substr(first + 1, last - first - 1)));
    }
  }
  /// Points, curves, surfaces and volumes: their place or bounding box, then the groups that they belong to.
  void read_entities() {
    constexpr const char* head = "the numbers of points, curves, surfaces and volumes";
    words_.require_line(head);
    std::array<std::size_t, 4> counts{};
    for (std::size_t& count : counts) count = words_.count(head);
    for (std::size_t dimension = 0; dimension < counts.size(); ++dimension) {
      for (std::size_t left = counts[dimension]; left > 0; --left) {
        words_.require_line("an entity");
        const std::int64_t tag = words_.integer("the tag of an entity");
        for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) words_.finite_number("coordinate");
        std::vector<std::int64_t> tags(words_.count("a number of physical groups"));
        for (std::int64_t& group : tags) group = words_.integer("the tag of a physical group");
        builder_.add_entity(static_cast<int>(dimension), tag, std::move(tags));
      }
    }
  }
  void add_node(std::int64_t number, const std::array<double, 3>& point) {
    if (!builder_.add_node(number, point))
      words_.unexpected(std::to_string(number), "a node number that was not used before");
    check_size(file_, mesh_.nodes.size());
  }
  void add_element(std::int64_t type, std::int32_t groups) {
    std::array<std::int64_t, 4> node{};
    const std::size_t corners = GmshBuilder::corners_of(type);
    if (corners == 0) return;
    for (std::size_t k = 0; k < corners; ++k) node[k] = words_.integer("the number of a node");
    words_.require_end();
    builder_.add_element(type, node.data(), words_.line_number(), groups);
  }
  void read_nodes_2() {
    for (std::size_t left = count_in_line("the number of nodes"); left > 0; --left) {
      words_.require_line("a node");
      const std::int64_t number = words_.integer("the number of a node");
      add_node(number, words_.point());
      words_.require_end();
    }
  }
  void read_elements_2() {
    for (std::size_t left = count_in_line("the number of elements"); left > 0; --left) {
      words_.require_line("an element");
      words_.integer("the number of an element");
      const std::int64_t type = words_.integer("the type of an element");
      if (GmshBuilder::corners_of(type) == 0) continue;
      std::int64_t group = 0;  // the first of the tags
      const std::size_t tags = words_.count("a number of tags");
      for (std::size_t i = 0; i < tags; ++i) {
        const std::int64_t tag = words_.integer("a tag");
        if (i == 0) group = tag;
      }
      add_element(type, builder_.groups({group}));
    }
  }
  void read_nodes_4() {
    std::vector<std::int64_t> numbers;
    for (std::size_t blocks = count_in_line("the number of blocks of nodes"); blocks > 0; --blocks) {
      constexpr const char* head = "a block: dimension, entity, whether parametric, number of nodes";
      words_.require_line(head);
      for (int i = 0; i < 3; ++i) words_.integer(head);
      numbers.resize(words_.count(head));
      for (std::int64_t& number : numbers) {
        words_.require_line("the number of a node");
        number = words_.integer("the number of a node");
      }
      for (const std::int64_t number : numbers) {
        words_.require_line("the coordinates of a node");
        add_node(number, words_.point());
      }
    }
  }
  void read_elements_4() {
    for (std::size_t blocks = count_in_line("the number of blocks of elements"); blocks > 0; --blocks) {
      constexpr const char* head = "a block: dimension, entity, type, number of elements";
      words_.require_line(head);
      const std::int64_t dimension = words_.integer(head);
      const std::int32_t groups = builder_.groups_of_entity(dimension, words_.integer(head));
      const std::int64_t type = words_.integer(head);
      for (std::size_t left = words_.count(head); left > 0; --left) {
        words_.require_line("an element");
        words_.integer("the number of an element");
        add_element(type, groups);
      }
    }
  }

  const TextFile& file_;
  MeshReader words_;
  int version_ = 0;
  GmshMesh mesh_;
  GmshBuilder builder_{mesh_};
};

}  // namespace

std::string GmshMesh::place(std::int64_t line) const {
  return fmt::format("{} {}", binary ? "element" : "line", line);
}

std::int32_t GmshMesh::node_index(std::int64_t number, std::int64_t line) const {
  const auto found = index.find(number);
  if (found == index.end()) {
    bad_input("{}: {}: found node {}; expected a number listed in $Nodes", file, place(line), number);
  }
  return found->second;
}

GmshMesh read_gmsh(const TextFile& file) {
  return is_binary_gmsh(file) ? read_binary_gmsh(file) : GmshReader(file).read();
}

/// The triangles and the nodes that they use; nodes that no triangle uses, as those inside a volume, are left out.
TriangleMesh read_gmsh_surface(const TextFile& file) {
  const GmshMesh from = read_gmsh(file);
  TriangleMesh mesh;
  mesh.triangles.reserve(from.triangles.size());
  std::vector<std::int32_t> renumbered(from.nodes.size(), -1);
  for (const auto& element : from.triangles) {
    std::array<std::int32_t, 3> triangle{};
    for (std::size_t c = 0; c < 3; ++c) {
      const auto node = static_cast<std::size_t>(from.node_index(element.node[c], element.line));
      if (renumbered[node] < 0) {
        renumbered[node] = static_cast<std::int32_t>(mesh.vertices.size());
        mesh.vertices.push_back(from.nodes[node]);
      }
      triangle[c] = renumbered[node];
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

}  // namespace asterism::mesh
