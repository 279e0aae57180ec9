// SPDX-License-Identifier: Apache-2.0
// Tetrahedral meshes made by rule, fields at their nodes, and solutions by a direct method.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "taskflows/cg/matrix/elasticity.hpp"

namespace asterism::cg {

using Vector = std::array<double, 3>;

/// A box of cells[0] x cells[1] x cells[2] bricks, each cut into six tetrahedra around one diagonal.
inline TetMesh box(std::array<std::int32_t, 3> cells, Vector side) {
  TetMesh mesh;
  mesh.name = "box";
  const auto node = [&](std::int32_t i, std::int32_t j, std::int32_t k) {
    return i + (cells[0] + 1) * (j + (cells[1] + 1) * k);
  };
  for (std::int32_t k = 0; k <= cells[2]; ++k) {
    for (std::int32_t j = 0; j <= cells[1]; ++j) {
      for (std::int32_t i = 0; i <= cells[0]; ++i) {
        mesh.node.push_back({side[0] * i / cells[0], side[1] * j / cells[1], side[2] * k / cells[2]});
      }
    }
  }
  for (std::int32_t cell = 0; cell < cells[0] * cells[1] * cells[2]; ++cell) {
    const std::array<std::int32_t, 3> low{cell % cells[0], cell / cells[0] % cells[1], cell / cells[0] / cells[1]};
    std::array<int, 3> axes{0, 1, 2};
    do {  // one tetrahedron per way to walk from the low corner to the high one
      std::array<std::int32_t, 3> at = low;
      std::array<std::int32_t, 4> tet{node(at[0], at[1], at[2])};
      for (std::size_t step = 0; step < 3; ++step) {
        ++at[as_size(axes[step])];
        tet[step + 1] = node(at[0], at[1], at[2]);
      }
      const bool odd = (axes[1] - axes[0] + 3) % 3 != 1;
      if (odd) std::swap(tet[2], tet[3]);
      mesh.tet.push_back(tet);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
  for (std::size_t i = 0; i < mesh.node.size(); ++i) mesh.number.push_back(static_cast<std::int64_t>(10 * i + 7));
  return mesh;
}

/// Adds the triangles whose corners all fulfil a condition as a group of that name; those of the surface of a box when
/// the condition is that of one of its sides.
inline void add_face_group(TetMesh& mesh, const std::string& name, const std::function<bool(const Vector&)>& on) {
  MeshGroup group{.dimension = 2, .tag = static_cast<std::int64_t>(mesh.group.size() + 1), .name = name};
  for (const auto& tet : mesh.tet) {
    for (std::size_t opposite = 0; opposite < 4; ++opposite) {
      std::array<std::int32_t, 3> face{};
      for (std::size_t k = 0; k < 3; ++k) face[k] = tet[(opposite + 1 + k) % 4];
      if (std::all_of(face.begin(), face.end(), [&](std::int32_t node) { return on(mesh.node[as_size(node)]); }))
        group.entry.insert(group.entry.end(), face.begin(), face.end());
    }
  }
  mesh.group.push_back(group);
}

/// The six sides of a box as groups x0, x1, y0, y1, z0, z1.
inline TetMesh box_with_groups(std::array<std::int32_t, 3> cells, Vector side) {
  TetMesh mesh = box(cells, side);
  for (std::size_t c = 0; c < 3; ++c) {
    for (const int end : {0, 1})
      add_face_group(mesh, std::string(1, static_cast<char>('x' + c)) + std::to_string(end),
                     [=](const Vector& x) { return std::abs(x[c] - end * side[c]) < 1e-9 * side[c]; });
  }
  return mesh;
}

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

inline Sparse sparse(const CsrMatrix& a) {
  std::vector<Eigen::Triplet<double, std::int64_t>> entries;
  for (std::int64_t i = 0; i < a.n; ++i) {
    for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i) + 1]; ++k) {
      entries.emplace_back(i, a.column[as_size(k)], a.value[as_size(k)]);
    }
  }
  Sparse result(a.n, a.n);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

inline Eigen::VectorXd nodal(const ElasticityNodes& nodes, const std::function<Vector(const Vector&)>& field) {
  Eigen::VectorXd u(3 * static_cast<Eigen::Index>(nodes.position.size()));
  for (std::size_t i = 0; i < nodes.position.size(); ++i) {
    const Vector value = field(nodes.position[i]);
    for (std::size_t c = 0; c < 3; ++c) u[static_cast<Eigen::Index>(3 * i + c)] = value[c];
  }
  return u;
}

}  // namespace asterism::cg
