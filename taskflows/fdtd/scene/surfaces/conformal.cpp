// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/surfaces/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "taskflows/fdtd/scene/surfaces/samples.hpp"

namespace asterism::fdtd::scene {
namespace {

constexpr int dense = 16;  ///< points along an edge of a cell

/// What the points outside of conductors have.
struct Outside {
  double share = 1;
  double eps = 1, mu = 1, sigma = 0, sigma_m = 0;  ///< means
};

class CutCells {
 public:
  CutCells(const Scene& scene, const Problem& problem)
      : problem_(problem), grid_(whole_grid(problem)), coarse_(scene, coarse), dense_(scene, dense) {
    const double half = 2 / std::pow(courant_number(problem), 2) - 1;
    limit_ = 2 + half + std::sqrt(half * half - 1);
  }

  std::vector<CutEntry> entries() {
    const Box cells = grid_.cells();
    for (std::int32_t i = 0; i <= cells.x1; ++i)
      for (std::int32_t j = 0; j <= cells.y1; j += rows_at_once)
        add({i, i + 1, j, std::min(j + rows_at_once, cells.y1 + 1), 0, cells.z1 + 1});
    enlarge_faces();
    std::vector<CutEntry> found;
    for (const auto& [place, o] : edges_)
      found.push_back({Field::electric, place.first, place.second,
                       o.share == 0 ? Medium{1, std::numeric_limits<double>::infinity()}
                                    : Medium{rounded(o.eps / o.share), o.sigma / o.share}});
    for (const auto& [place, o] : faces_)
      found.push_back({Field::magnetic, place.first, place.second, {rounded(o.mu * o.share), o.sigma_m * o.share}});
    return found;
  }

 private:
  using Node = std::array<int, 3>;
  /// Edges and faces that begin at the nodes of a box.
  void add(const Box& nodes) {
    coarse_.fill(wider(points_of(nodes, coarse), 2 * coarse));
    if (!is_near_conductor(wider(points_of(nodes, coarse), 2 * coarse))) return;
    dense_.fill(wider(points_of(nodes, dense), dense + 1));
    for (int i = nodes.x0; i < nodes.x1; ++i)
      for (int j = nodes.y0; j < nodes.y1; ++j)
        for (int k = nodes.z0; k < nodes.z1; ++k) {
          const Box here = points_of({i, i, j, j, k, k}, coarse);
          if (!is_near_conductor(wider(here, 2 * coarse))) continue;
          for (int c = 0; c < 3; ++c) {
            if (holds(grid_.entries(Field::electric, c, grid_.cells()), i, j, k)) add_edge(c, {i, j, k});
            if (holds(grid_.entries(Field::magnetic, c, grid_.cells()), i, j, k)) add_face(c, {i, j, k});
          }
        }
  }
  static Box points_of(const Box& b, int times) {
    return {b.x0 * times, b.x1 * times, b.y0 * times, b.y1 * times, b.z0 * times, b.z1 * times};
  }
  static bool holds(const Box& b, int i, int j, int k) {
    return i >= b.x0 && i < b.x1 && j >= b.y0 && j < b.y1 && k >= b.z0 && k < b.z1;
  }
  [[nodiscard]] bool is_conductor(std::int32_t material) const {
    return material != Samples::none && std::isinf(problem_.materials[static_cast<std::size_t>(material)].sigma);
  }
  [[nodiscard]] bool is_near_conductor(const Box& b) const {
    for (std::int32_t i = b.x0; i < b.x1; ++i)
      for (std::int32_t j = b.y0; j < b.y1; ++j)
        for (std::int32_t k = b.z0; k < b.z1; ++k)
          if (is_conductor(coarse_.at(i, j, k))) return true;
    return false;
  }

  /// Points of an edge along `axis` from a node on, or of a face across it, with one more on either side of what is
  /// flat.
  [[nodiscard]] Box extent(Field field, int axis, const Node& node) const {
    std::array<std::int32_t, 3> first{}, end{};
    for (std::size_t a = 0; a < 3; ++a) {
      const bool along = (static_cast<int>(a) == axis) == (field == Field::electric);
      first[a] = node[a] * dense - (along ? 0 : 1);
      end[a] = node[a] * dense + (along ? dense : 1);
    }
    return {first[0], end[0], first[1], end[1], first[2], end[2]};
  }
  [[nodiscard]] Outside look(Field field, int axis, const Node& node) const {
    const Box b = extent(field, axis, node);
    double all = 0, n = 0, weights = 0;
    Outside sum{0, 0, 0, 0, 0};
    for (std::int32_t i = b.x0; i < b.x1; ++i)
      for (std::int32_t j = b.y0; j < b.y1; ++j)
        for (std::int32_t k = b.z0; k < b.z1; ++k) {
          const std::int32_t material = dense_.at(i, j, k);
          if (material == Samples::none) continue;
          ++all;
          if (is_conductor(material)) continue;
          const fdtd::Material& m = problem_.materials[static_cast<std::size_t>(material)];
          const double weight = length_around(0, i) * length_around(1, j) * length_around(2, k);
          ++n;
          weights += weight;
          sum.eps += weight * m.eps_r;
          sum.mu += weight / m.mu_r;
          sum.sigma += weight * m.sigma;
          sum.sigma_m += weight * m.sigma_m;
        }
    if (n == 0) return {0};
    return {n / all, sum.eps / weights, weights / sum.mu, sum.sigma / weights, sum.sigma_m / weights};
  }
  /// The length of the cell that a point lies in, in spacings.
  [[nodiscard]] double length_around(std::size_t axis, std::int32_t point) const {
    return problem_.mesh.cell(axis, (point + dense) / dense - 1);
  }

  void add_edge(int axis, const Node& node) { edges_[{axis, node}] = look(Field::electric, axis, node); }
  void add_face(int axis, const Node& node) {
    Outside o = look(Field::magnetic, axis, node);
    if (o.share == 1) return;
    for (int b = 0; b < 3; ++b) {
      if (b == axis) continue;
      const auto across = static_cast<std::size_t>(3 - axis - b);
      Node upper = node;
      ++upper[across];
      double edges = 0;
      for (const Node& at : {node, upper})
        edges += look(Field::electric, b, at).share / problem_.mesh.across(across, at[across]);
      o.share = std::max(o.share, edges / (problem_.mesh.cell(across, node[across]) * limit_));
    }
    if (o.share > 0) faces_[{axis, node}] = o;
  }

  /// On both sides of an edge along an axis: faces that are cut become larger where they are too small.
  void enlarge_faces_beside(int axis, const Node& node, double share, int across) {
    const auto a = static_cast<std::size_t>(across);
    const double between = problem_.mesh.across(a, node[a]);
    double whole = 0, cut = 0;
    std::vector<Outside*> faces;
    for (const int below : {0, 1}) {
      Node at = node;
      at[a] -= below;
      const double inverse = share / (between * problem_.mesh.cell(a, at[a]));
      if (problem_.face[2 * a] == Face::neighbour) at[a] = (at[a] + problem_.cells[a]) % problem_.cells[a];
      const auto face = faces_.find({3 - axis - across, at});
      if (face != faces_.end()) faces.push_back(&face->second);
      (face == faces_.end() ? whole : cut) += inverse / (face == faces_.end() ? 1 : face->second.share);
    }
    if (whole + cut <= limit_) return;
    for (Outside* face : faces) face->share = std::min(face->share * cut / (limit_ - whole), 1.0);
  }

  void enlarge_faces() {
    for (const auto& [place, edge] : edges_)
      for (const int turn : {1, 2})
        enlarge_faces_beside(place.first, place.second, edge.share, (place.first + turn) % 3);
  }

  const Problem& problem_;
  fdtd::Grid grid_;
  Samples coarse_, dense_;
  double limit_;                                           ///< 1/m^2
  std::map<std::pair<int, Node>, Outside> edges_, faces_;  ///< by axis and node
};

}  // namespace

std::vector<CutEntry> cut_entries(const Scene& scene, const Problem& problem) {
  return CutCells(scene, problem).entries();
}

}  // namespace asterism::fdtd::scene
