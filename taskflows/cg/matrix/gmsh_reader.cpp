#include "taskflows/cg/matrix/gmsh_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "io/text_file.hpp"

namespace asterism::cg {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// Takes the next blank-separated field off `text`; false, and `value` undefined, if it is not wholly a T.
template <class T>
bool take(std::string_view& text, T& value) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() && (text.empty() || text.front() == ' ' || text.front() == '\t');
}

/// The lines of a file, trimmed, with the number of the current one for messages.
class Lines {
 public:
  Lines(std::string_view text, const fs::path& file) : rest_(text), file_(file) {}

  bool next() {
    ended_ = rest_.empty();
    if (ended_) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    current_ = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  /// Moves to the next line, which has to exist.
  std::string_view require_next(std::string_view what) {
    if (!next()) expected(what);
    return current_;
  }
  [[nodiscard]] std::string_view current() const { return current_; }
  [[nodiscard]] std::int64_t number() const { return number_; }

  [[noreturn]] void expected(std::string_view what) const {
    if (ended_) bad_input("{}:{}: the file ends, expected {}", file_.string(), number_, what);
    std::string found(current_.substr(0, 60));  // a binary file must not garble the terminal
    for (char& c : found) c = c >= ' ' && c <= '~' ? c : '?';
    bad_input("{}:{}: found '{}', expected {}", file_.string(), number_, found, what);
  }

 private:
  std::string_view rest_;
  std::string_view current_;
  const fs::path& file_;
  std::int64_t number_ = 0;
  bool ended_ = false;
};

/// A mesh as the file has it: nodes under arbitrary numbers, tetrahedra that refer to them.
struct FileMesh {
  struct Tet {
    std::array<std::int64_t, 4> corner;
    std::int64_t line;
  };
  std::vector<std::array<double, 3>> position;
  std::unordered_map<std::int64_t, std::int32_t> index;  ///< of a node number in `position`
  std::vector<Tet> tet;
};

std::int64_t read_count(Lines& lines, std::string_view what) {
  std::string_view line = lines.require_next(what);
  std::int64_t count = 0;
  if (!take(line, count) || !line.empty() || count < 0 || count > std::numeric_limits<std::int32_t>::max()) {
    lines.expected(what);
  }
  return count;
}

void read_nodes(Lines& lines, FileMesh& mesh) {
  for (std::int64_t left = read_count(lines, "the number of nodes"); left > 0; --left) {
    constexpr std::string_view what = "a node 'number x y z'";
    std::string_view line = lines.require_next(what);
    std::int64_t number = 0;
    std::array<double, 3> x{};
    if (!take(line, number)) lines.expected(what);
    for (double& component : x) {
      if (!take(line, component) || !std::isfinite(component)) lines.expected(what);
    }
    if (!line.empty()) lines.expected(what);
    const bool is_new = mesh.index.emplace(number, static_cast<std::int32_t>(mesh.position.size())).second;
    if (!is_new) lines.expected("a node number that was not used before");
    mesh.position.push_back(x);
  }
}

void read_elements(Lines& lines, FileMesh& mesh) {
  constexpr int gmsh_tetrahedron = 4;
  for (std::int64_t left = read_count(lines, "the number of elements"); left > 0; --left) {
    constexpr std::string_view what = "an element 'number type tag-count tags nodes' (a tetrahedron has 4 nodes)";
    std::string_view line = lines.require_next(what);
    std::int64_t number = 0;
    std::int64_t tag = 0;
    int type = 0;
    int tags = 0;
    if (!take(line, number) || !take(line, type) || !take(line, tags)) lines.expected(what);
    if (type != gmsh_tetrahedron) continue;
    for (int i = 0; i < tags; ++i) {
      if (!take(line, tag)) lines.expected(what);
    }
    FileMesh::Tet tet{.corner = {}, .line = lines.number()};
    for (std::int64_t& corner : tet.corner) {
      if (!take(line, corner)) lines.expected(what);
    }
    if (!line.empty()) lines.expected(what);
    mesh.tet.push_back(tet);
  }
}

FileMesh read_sections(Lines& lines) {
  FileMesh mesh;
  bool have_format = false;
  while (lines.next()) {
    if (lines.current().empty()) continue;
    if (!lines.current().starts_with('$')) lines.expected("a section such as $MeshFormat, $Nodes or $Elements");
    const std::string section(lines.current().substr(1));
    const std::string end = "$End" + section;
    if (section == "MeshFormat") {
      constexpr std::string_view what = "'2.2 0 8' (MSH 2.2 ASCII: gmsh -format msh22)";
      if (!lines.require_next(what).starts_with("2.2 0 ")) lines.expected(what);
      have_format = true;
    } else if (section == "Nodes" || section == "Elements") {
      if (!have_format) lines.expected("$MeshFormat before it");
      section == "Nodes" ? read_nodes(lines, mesh) : read_elements(lines, mesh);
    } else {
      while (lines.require_next(end) != end) continue;
      continue;
    }
    if (lines.require_next(end) != end) lines.expected(end);
  }
  if (!have_format) lines.expected("$MeshFormat");
  return mesh;
}

/// Six times the signed volume over the product of the three edges at corner 0: 0 if flat, at most 1 in magnitude.
double shape(const std::array<double, 3>& x0, const std::array<double, 3>& x1, const std::array<double, 3>& x2,
             const std::array<double, 3>& x3) {
  std::array<std::array<double, 3>, 3> e{};
  for (std::size_t c = 0; c < 3; ++c) {
    e[0][c] = x1[c] - x0[c];
    e[1][c] = x2[c] - x0[c];
    e[2][c] = x3[c] - x0[c];
  }
  const double six_volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  const double edges = std::hypot(e[0][0], e[0][1], e[0][2]) * std::hypot(e[1][0], e[1][1], e[1][2]) *
                       std::hypot(e[2][0], e[2][1], e[2][2]);
  return edges > 0 ? six_volume / edges : 0;
}

}  // namespace

TetMesh read_gmsh(const fs::path& file) {
  // Coplanar corners with rounded coordinates give a shape of about 1e-16; no usable element comes near 1e-12.
  constexpr double flat = 1e-12;
  const TextFile source(file, "a gmsh mesh");
  Lines lines(source.text, file);
  const FileMesh read = read_sections(lines);
  if (read.tet.empty()) bad_input("{}: no element is a 4-node tetrahedron, expected some (type 4)", file.string());

  TetMesh mesh;
  mesh.name = file.filename().string();
  mesh.tet.reserve(read.tet.size());
  std::vector<std::int32_t> renumbered(read.position.size(), -1);
  for (const FileMesh::Tet& from : read.tet) {
    std::array<std::int32_t, 4> tet{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto found = read.index.find(from.corner[k]);
      if (found == read.index.end()) {
        bad_input("{}:{}: found node {}, expected a number listed in $Nodes", file.string(), from.line, from.corner[k]);
      }
      tet[k] = found->second;
      renumbered[static_cast<std::size_t>(tet[k])] = 0;
    }
    const auto x = [&](std::size_t k) -> const auto& {
      return read.position[static_cast<std::size_t>(tet[k])];
    };
    const double quality = shape(x(0), x(1), x(2), x(3));
    if (!(std::abs(quality) > flat)) {
      bad_input("{}:{}: found a tetrahedron of zero volume, expected a positive one", file.string(), from.line);
    }
    if (quality < 0) std::swap(tet[2], tet[3]);
    mesh.tet.push_back(tet);
  }

  for (std::size_t i = 0; i < renumbered.size(); ++i) {
    if (renumbered[i] < 0) continue;
    renumbered[i] = static_cast<std::int32_t>(mesh.node.size());
    mesh.node.push_back(read.position[i]);
  }
  for (auto& tet : mesh.tet) {
    for (std::int32_t& corner : tet) corner = renumbered[static_cast<std::size_t>(corner)];
  }
  return mesh;
}

}  // namespace asterism::cg
