// One reader per format, and what those of text formats share. Internal to read_mesh().
#pragma once

#include <string_view>

#include "io/mesh/mesh.hpp"
#include "io/text_file.hpp"
#include "io/text_words.hpp"

namespace asterism::mesh {

TriangleMesh read_stl(const TextFile& file);
TriangleMesh read_obj(const TextFile& file);
TriangleMesh read_off(const TextFile& file);
TriangleMesh read_ply(const TextFile& file);
TriangleMesh read_gmsh(const TextFile& file);

/// The words of a text, line by line; what follows '#' is a comment.
class Words {
 public:
  Words(const TextFile& file, std::string_view text, std::int64_t lines_before = 0)
      : lines_{text.data(), text.data() + text.size(), lines_before}, file_(file) {}

  /// Goes to the next line that has words; false at the end of the file.
  bool next_line();
  /// The same, where the file must not end.
  void require_line(const char* expected);
  /// The next word of the line; empty when there is none.
  std::string_view word();
  std::string_view require_word(const char* expected);
  /// The next word of the line or of the lines after it.
  std::string_view flowing_word(const char* expected);

  double coordinate(std::string_view word) const;
  double coordinate() { return coordinate(require_word("a coordinate")); }
  std::array<double, 3> point();
  std::int64_t integer(std::string_view word, const char* expected) const;
  std::int64_t integer(const char* expected) { return integer(require_word(expected), expected); }
  /// A number of things, not more than the file has bytes.
  std::size_t count(const char* expected);

  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  [[nodiscard]] std::int64_t number() const noexcept { return lines_.number; }
  [[noreturn]] void unexpected(std::string_view found, const char* expected) const;

 private:
  Lines lines_;
  const TextFile& file_;
  std::string_view line_;
  std::string_view rest_;
};

/// Throws Error (bad_input) unless there are as few vertices as 32-bit indices take.
void check_size(const TextFile& file, std::size_t vertices);

/// Adds a polygon of n corners as a fan; corner(i) is the index of one.
template <class Corner>
void add_fan(TriangleMesh& mesh, std::size_t n, const Corner& corner) {
  for (std::size_t i = 2; i < n; ++i) {
    mesh.triangles.push_back({static_cast<std::int32_t>(corner(0)), static_cast<std::int32_t>(corner(i - 1)),
                              static_cast<std::int32_t>(corner(i))});
  }
}

}  // namespace asterism::mesh
