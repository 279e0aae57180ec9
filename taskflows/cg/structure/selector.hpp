// SPDX-License-Identifier: Apache-2.0
// Which nodes, faces, edges and tetrahedra of a mesh a selection is.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "taskflows/cg/matrix/elastic_element.hpp"
#include "taskflows/cg/structure/model.hpp"

namespace asterism::cg {

/// A triangle of a tetrahedron; corners in the mesh's numbering turn anticlockwise seen from outside of the
/// tetrahedron.
struct Face {
  std::array<std::int32_t, 3> corner;
  bool inner;  ///< between two tetrahedra: it has no outside
};

/// Elements of one dimension, of which a load takes its measure: area, length, number or volume.
struct Elements {
  int dimension = 2;
  std::vector<Face> faces = {};                         ///< dimension 2
  std::vector<std::array<std::int32_t, 2>> lines = {};  ///< dimension 1; in the mesh's numbering
  std::vector<std::int32_t> points = {};                ///< dimension 0; in the mesh's numbering
  std::vector<std::int32_t> tetrahedra = {};            ///< dimension 3
};

class Selector {
 public:
  /// Keeps references to both. unit: of Model.
  Selector(const TetMesh& mesh, const ElasticityNodes& nodes, double unit);

  /// Nodes of the elements of a group of any dimension, or those in a region; ascending. All functions throw Error
  /// (bad_input), one line: a group that the mesh has not, with those that it has, or nothing found.
  [[nodiscard]] std::vector<std::int32_t> nodes(const Selection& part) const;
  /// Triangles of a group, or those of the surface of the body with all corners in a region.
  [[nodiscard]] std::vector<Face> faces(const Selection& part) const;
  /// As faces(), or a group of lines, points or tetrahedra where there is no group of triangles of that name or tag.
  [[nodiscard]] Elements elements(const Selection& part) const;
  /// All, a group's, or those with all corners in a region; ascending.
  [[nodiscard]] std::vector<std::int32_t> tetrahedra(const Selection& part) const;

 private:
  struct TetFace {
    std::array<std::int32_t, 3> key;  ///< corners, ascending
    std::int32_t tetrahedron;
    std::int32_t opposite;  ///< local corner
  };

  /// The group of the first of some dimensions that has it.
  [[nodiscard]] const MeshGroup& group(const Selection& part, std::initializer_list<int> dimensions) const;
  [[nodiscard]] bool inside(const Region& region, const Vector3& mesh_point) const;
  [[nodiscard]] const std::vector<TetFace>& all_faces() const;
  [[nodiscard]] Face face_of(const TetFace& face, bool inner) const;

  const TetMesh& mesh_;
  const ElasticityNodes& nodes_;
  double unit_;
  double tolerance_ = 0;                ///< of coordinates, in the unit of the mesh
  mutable std::vector<TetFace> faces_;  ///< sorted by key; made when first needed
};

}  // namespace asterism::cg
