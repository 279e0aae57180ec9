// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/gmsh_reader.hpp"

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "io/mesh/gmsh.hpp"

namespace asterism::cg {
namespace {

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

TetMesh read_gmsh(const std::filesystem::path& file) {
  // Coplanar corners with rounded coordinates give a shape of about 1e-16; no usable element comes near 1e-12.
  constexpr double flat = 1e-12;
  const mesh::GmshMesh read = mesh::read_gmsh(TextFile(file, "a gmsh mesh"));
  if (read.tetrahedra.empty()) {
    bad_input("{}: no element is a 4-node tetrahedron, expected some (type 4)", file.string());
  }

  TetMesh mesh;
  mesh.name = file.filename().string();
  mesh.tet.reserve(read.tetrahedra.size());
  std::vector<std::int32_t> renumbered(read.nodes.size(), -1);
  for (const auto& from : read.tetrahedra) {
    std::array<std::int32_t, 4> tet{};
    for (std::size_t k = 0; k < 4; ++k) {
      tet[k] = read.node_index(from.node[k], from.line);
      renumbered[static_cast<std::size_t>(tet[k])] = 0;
    }
    const auto x = [&](std::size_t k) -> const auto& {
      return read.nodes[static_cast<std::size_t>(tet[k])];
    };
    const double quality = shape(x(0), x(1), x(2), x(3));
    if (!(std::abs(quality) > flat)) {
      bad_input("{}: line {}: found a tetrahedron of zero volume; expected a positive one", file.string(), from.line);
    }
    if (quality < 0) std::swap(tet[2], tet[3]);
    mesh.tet.push_back(tet);
  }

  for (std::size_t i = 0; i < renumbered.size(); ++i) {
    if (renumbered[i] < 0) continue;
    renumbered[i] = static_cast<std::int32_t>(mesh.node.size());
    mesh.node.push_back(read.nodes[i]);
  }
  for (auto& tet : mesh.tet) {
    for (std::int32_t& corner : tet) corner = renumbered[static_cast<std::size_t>(corner)];
  }
  return mesh;
}

}  // namespace asterism::cg
