// The 3-node triangles of gmsh's MSH 2.2 and 4.1 ASCII files, and the nodes that they use.
#include <unordered_map>

#include "base/error.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

constexpr std::int64_t triangle_type = 2;

/// Nodes by their number in the file, and triangles between them.
class GmshReader {
 public:
  explicit GmshReader(const TextFile& file) : file_(file), words_(file, file.text) {}

  TriangleMesh read() {
    while (words_.next_line()) {
      const std::string section(words_.word());
      if (section == "$MeshFormat") {
        read_format();
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
    return mesh();
  }

 private:
  struct Triangle {
    std::array<std::int64_t, 3> corner;
    std::int64_t line;
  };

  void read_format() {
    constexpr const char* expected = "2.2 or 4.1";
    words_.require_line(expected);
    const std::string_view version = words_.require_word(expected);
    if (version != "2.2" && version != "4.1") words_.unexpected(version, expected);
    constexpr const char* ascii = "0 (an ASCII file)";
    if (const std::string_view type = words_.require_word(ascii); type != "0") words_.unexpected(type, ascii);
    version_ = version == "2.2" ? 2 : 4;
  }
  std::size_t count_in_line(const char* expected) {
    words_.require_line(expected);
    return words_.count(expected);
  }
  void add_node(std::int64_t number, const std::array<double, 3>& point) {
    const bool is_new = index_.emplace(number, static_cast<std::int32_t>(points_.size())).second;
    if (!is_new) words_.unexpected(std::to_string(number), "a node number that was not used before");
    points_.push_back(point);
    check_size(file_, points_.size());
  }
  void add_triangle() {
    Triangle triangle{.corner = {}, .line = words_.number()};
    for (std::int64_t& corner : triangle.corner) corner = words_.integer("the number of a node");
    triangles_.push_back(triangle);
  }
  void read_nodes_2() {
    for (std::size_t left = count_in_line("the number of nodes"); left > 0; --left) {
      words_.require_line("a node");
      const std::int64_t number = words_.integer("the number of a node");
      add_node(number, words_.point());
    }
  }
  void read_elements_2() {
    for (std::size_t left = count_in_line("the number of elements"); left > 0; --left) {
      words_.require_line("an element");
      words_.integer("the number of an element");
      if (words_.integer("the type of an element") != triangle_type) continue;
      for (std::size_t tags = words_.count("a number of tags"); tags > 0; --tags) words_.integer("a tag");
      add_triangle();
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
      words_.integer(head);
      words_.integer(head);
      const bool wanted = words_.integer(head) == triangle_type;
      for (std::size_t left = words_.count(head); left > 0; --left) {
        words_.require_line("an element");
        words_.integer("the number of an element");
        if (wanted) add_triangle();
      }
    }
  }
  /// Nodes that no triangle uses, as those inside of a volume, are left out.
  TriangleMesh mesh() const {
    TriangleMesh mesh;
    std::vector<std::int32_t> renumbered(points_.size(), -1);
    for (const Triangle& from : triangles_) {
      std::array<std::int32_t, 3> triangle{};
      for (std::size_t c = 0; c < 3; ++c) {
        const auto found = index_.find(from.corner[c]);
        if (found == index_.end()) {
          bad_input("{}: line {}: found node {}; expected a number listed in $Nodes", file_.name, from.line,
                    from.corner[c]);
        }
        std::int32_t& index = renumbered[static_cast<std::size_t>(found->second)];
        if (index < 0) {
          index = static_cast<std::int32_t>(mesh.vertices.size());
          mesh.vertices.push_back(points_[static_cast<std::size_t>(found->second)]);
        }
        triangle[c] = index;
      }
      mesh.triangles.push_back(triangle);
    }
    return mesh;
  }

  const TextFile& file_;
  Words words_;
  int version_ = 0;
  std::vector<std::array<double, 3>> points_;
  std::unordered_map<std::int64_t, std::int32_t> index_;
  std::vector<Triangle> triangles_;
};

}  // namespace

TriangleMesh read_gmsh(const TextFile& file) {
  return GmshReader(file).read();
}

}  // namespace asterism::mesh
