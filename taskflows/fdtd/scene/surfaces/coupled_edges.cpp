// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/surfaces/coupled_edges.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "taskflows/fdtd/reference/reference_media.hpp"
#include "taskflows/fdtd/scene/surfaces/samples.hpp"
#include "taskflows/fdtd/scene/surfaces/smoothing.hpp"
#include "taskflows/fdtd/scene/surfaces/surface_matrix.hpp"

namespace asterism::fdtd::scene {
namespace {

using Node = std::array<int, 3>;
using EdgeOfE = std::tuple<int, Node>;  ///< component and cell

/// Points along an axis around a node: places from the centre of the node's cell of the dual grid, by its length, and
/// the lengths of the cells that they stand for, by the same.
struct PointsAlong {
  std::vector<double> places, lengths;
};

/// What points around a node say of the surface, in lengths of its cell of the dual grid, from its centre.
struct Points {
  double eps_first = 0, eps_second = 0;
  double weight = 0, weight_second = 0;
  Vector moment_second{};
};

/// The share of a ball of radius 1, with weights (1 - r^2)^2, beyond a plane at distance t from its centre.
double share_beyond(double t) {
  const double s = t * t;
  return 0.5 - 35.0 / 32 * t * (1 - s * (1 - s * (0.6 - s / 7)));
}
double distance_of(double share) {
  double low = -1, high = 1;
  for (int n = 0; n < 50; ++n) {
    const double middle = (low + high) / 2;
    (share_beyond(middle) > share ? low : high) = middle;
  }
  return (low + high) / 2;
}

class CoupledEdges {
 public:
  CoupledEdges(const Scene& scene, Problem& problem)
      : problem_(problem),
        grid_(whole_grid(problem)),
        coarse_(scene, coarse),
        fine_(scene, fine),
        scene_grid_(scene.grid),
        reach_(scene.grid.graded() ? 2 * fine : fine) {
    for (const Resistor& r : problem.resistors) lumped_.insert({r.component, r.cell});
    for (const SmoothedEdge& edge : problem.smoothed) diagonal_[{edge.component, edge.cell}] = edge.medium;
    for (std::size_t a = 0; a < 3; ++a) {
      periodic_[a] = problem.face[2 * a] == Face::neighbour;
      first_[a] = periodic_[a] ? 0 : 1;
    }
  }

  void couple() {
    const std::array<int, 3>& n = problem_.cells;
    for (int i = first_[0]; i < n[0]; ++i)
      for (int j = first_[1]; j < n[1]; j += rows_at_once)
        add({i, i + 1, j, std::min(j + rows_at_once, n[1]), first_[2], n[2]});
    add_other_halves();
    replace();
  }

 private:
  /// Nodes of a box.
  void add(const Box& nodes) {
    if (nodes.empty()) return;
    coarse_.fill({nodes.x0 * coarse - 2, nodes.x1 * coarse + 2, nodes.y0 * coarse - 2, nodes.y1 * coarse + 2,
                  nodes.z0 * coarse - 2, nodes.z1 * coarse + 2});
    std::vector<Node> mixed;
    Box hull{};
    for (int i = nodes.x0; i < nodes.x1; ++i)
      for (int j = nodes.y0; j < nodes.y1; ++j)
        for (int k = nodes.z0; k < nodes.z1; ++k) {
          if (!is_mixed(coarse_, wider({i * coarse, i * coarse, j * coarse, j * coarse, k * coarse, k * coarse}, 2)))
            continue;
          const Box b = wider({i * fine, i * fine, j * fine, j * fine, k * fine, k * fine}, reach_);
          hull = mixed.empty() ? b : Box{std::min(hull.x0, b.x0), std::max(hull.x1, b.x1), std::min(hull.y0, b.y0),
                                         std::max(hull.y1, b.y1), std::min(hull.z0, b.z0), std::max(hull.z1, b.z1)};
          mixed.push_back({i, j, k});
        }
    if (mixed.empty()) return;
    fine_.fill(hull);
    for (const Node& node : mixed) add(node);
  }

  void add(const Node& node) {
    const std::optional<Points> points = look_around(node);
    if (!points) {
      uneven_.insert(node);
      return;
    }
    if (points->weight_second == 0) return;
    const Vector& m = points->moment_second;
    const double length = std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    const double distance = distance_of(points->weight_second / points->weight);
    // the first moment of what lies beyond a plane
    const double expected = 35.0 / 256 * std::pow(1 - distance * distance, 4) * points->weight;
    const DualCell cell = dual_cell(node);
    SurfacePlane plane = plane_of(*points, length, distance, cell);
    refine(plane, node, cell);
    const std::optional<SurfaceMatrix> matrix = surface_matrix(plane, cell);
    if (!matrix) return;
    constexpr double nearly_plane = 0.9;
    if (length < nearly_plane * expected) {
      uneven_.insert(node);
      return;
    }
    matrices_.insert(node);
    for (std::size_t f = 0; f < 6; ++f) {
      const double by_edge = cell.length(f / 2) / (2 * cell.half(f));
      for (std::size_t g = 0; g < 6; ++g)
        inverse_[half_edge(node, static_cast<int>(f))][half_edge(node, static_cast<int>(g))] +=
            (*matrix)[f][g] * by_edge;
    }
  }

  [[nodiscard]] DualCell dual_cell(const Node& node) const {
    DualCell cell;
    for (std::size_t a = 0; a < 3; ++a) {
      cell.below[a] = problem_.spacing[a] * problem_.mesh.cell(a, node[a] - 1) / 2;
      cell.above[a] = problem_.spacing[a] * problem_.mesh.cell(a, node[a]) / 2;
    }
    return cell;
  }

  static SurfacePlane plane_of(const Points& points, double length, double distance, const DualCell& cell) {
    SurfacePlane plane{{}, 0, points.eps_first, points.eps_second};
    double norm = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      plane.normal[a] = points.moment_second[a] / length / cell.length(a);
      norm += plane.normal[a] * plane.normal[a];
    }
    norm = std::sqrt(norm);
    plane.offset = distance / norm;
    for (std::size_t a = 0; a < 3; ++a) {
      plane.normal[a] /= norm;
      plane.offset += plane.normal[a] * (cell.above[a] - cell.below[a]) / 2;
    }
    return plane;
  }

  /// Where the shape is known at any point: five points of the surface, along the normal of the estimate.
  void refine(SurfacePlane& plane, const Node& node, const DualCell& cell) const {
    const double reach = 0.3 * std::min({cell.length(0), cell.length(1), cell.length(2)});
    const auto [t1, t2] = tangents(plane.normal);
    const std::optional<double> middle = crossing(plane, node, {}, reach);
    if (!middle) return;
    Vector normal = plane.normal;
    for (const Vector& t : {t1, t2}) {
      std::array<std::optional<double>, 2> at;
      for (const int side : {0, 1}) {
        const double by = side == 0 ? -reach : reach;
        at[static_cast<std::size_t>(side)] = crossing(plane, node, {by * t[0], by * t[1], by * t[2]}, reach);
      }
      if (!at[0] || !at[1]) return;
      for (std::size_t a = 0; a < 3; ++a) normal[a] -= (*at[1] - *at[0]) / (2 * reach) * t[a];
    }
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    plane.normal = {normal[0] / length, normal[1] / length, normal[2] / length};
    plane.offset = *middle / length;  // normal . plane.normal is 1 before the division
  }
  /// How far from node + shift, along the normal, the surface is; none where it is not within `reach` of the plane.
  [[nodiscard]] std::optional<double> crossing(const SurfacePlane& plane, const Node& node, const Vector& shift,
                                               double reach) const {
    const auto is = [&](double distance, double eps) {
      Vector p{};
      for (std::size_t a = 0; a < 3; ++a) p[a] = scene_grid_.place(a, node[a]) + shift[a] + distance * plane.normal[a];
      const std::optional<std::uint16_t> material = fine_.exactly_at(p);
      return material && problem_.materials[*material].eps_r == eps;
    };
    double low = plane.offset - reach, high = plane.offset + reach;
    if (!is(low, plane.eps_below) || !is(high, plane.eps_above)) return std::nullopt;
    for (int n = 0; n < 30; ++n) {
      const double middle = (low + high) / 2;
      (is(middle, plane.eps_below) ? low : high) = middle;
    }
    return (low + high) / 2;
  }

  /// None where there are more than two dielectrics, or anything else, or an edge with a law of its own.
  [[nodiscard]] std::optional<Points> look_around(const Node& node) const {
    for (int f = 0; f < 6; ++f)
      if (lumped_.contains(half_edge(node, f))) return std::nullopt;
    for (int c = 0; c < 8; ++c)
      if (!is_plain(material_of({node[0] - (c & 1), node[1] - (c >> 1 & 1), node[2] - (c >> 2)}))) return std::nullopt;
    Points points;
    const std::array<PointsAlong, 3> along{points_along(0, node), points_along(1, node), points_along(2, node)};
    for (int x = -reach_; x < reach_; ++x)
      for (int y = -reach_; y < reach_; ++y)
        for (int z = -reach_; z < reach_; ++z) {
          const std::array<int, 3> shift{x, y, z};
          double beyond = 1, volume = 1;
          Vector place{};
          for (std::size_t a = 0; a < 3; ++a) {
            const auto point = static_cast<std::size_t>(shift[a] + reach_);
            place[a] = along[a].places[point];
            volume *= along[a].lengths[point];
            beyond -= place[a] * place[a];
          }
          if (beyond <= 0) continue;
          const std::int32_t material = fine_.at(node[0] * fine + x, node[1] * fine + y, node[2] * fine + z);
          if (material == Samples::none || !is_plain(static_cast<std::size_t>(material))) return std::nullopt;
          const double eps = problem_.materials[static_cast<std::size_t>(material)].eps_r;
          const double weight = beyond * beyond * volume;
          if (points.weight == 0) points.eps_first = eps;
          points.weight += weight;
          if (eps == points.eps_first) continue;
          if (points.weight_second == 0) points.eps_second = eps;
          if (eps != points.eps_second) return std::nullopt;
          points.weight_second += weight;
          for (std::size_t a = 0; a < 3; ++a) points.moment_second[a] += weight * place[a];
        }
    return points;
  }
  [[nodiscard]] PointsAlong points_along(std::size_t axis, const Node& node) const {
    const auto cell = [&](int at) { return problem_.mesh.cell(axis, node[axis] + at); };
    const double length = (cell(-1) + cell(0)) / 2, centre = (cell(0) - cell(-1)) / 4;
    PointsAlong points;
    double start = 0;  // of a cell, from the node
    for (int at = -reach_ / fine; at < 0; ++at) start -= cell(at);
    for (int at = -reach_ / fine; at < reach_ / fine; start += cell(at++))
      for (int n = 0; n < fine; ++n) {
        points.places.push_back((start + (n + 0.5) / fine * cell(at) - centre) / length);
        points.lengths.push_back(cell(at) / length);
      }
    return points;
  }
  [[nodiscard]] bool is_plain(std::size_t material) const {
    return problem_.materials[material].sigma == 0 &&
           (material >= problem_.poles.size() || problem_.poles[material].empty());
  }
  [[nodiscard]] std::size_t material_of(Node cell) const {
    std::size_t at = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const int n = problem_.cells[a];
      at = at * static_cast<std::size_t>(n) + static_cast<std::size_t>((cell[a] + n) % n);
    }
    return problem_.material[at];
  }

  /// The edge of which half edge f of a node is a part.
  [[nodiscard]] EdgeOfE half_edge(const Node& node, int f) const {
    const auto a = static_cast<std::size_t>(f / 2);
    Node cell = node;
    if (f % 2 == 0) cell[a] = (cell[a] + problem_.cells[a] - 1) % problem_.cells[a];
    return {f / 2, cell};
  }
  /// A node at an end of an edge.
  [[nodiscard]] Node end_of(const EdgeOfE& edge, int end) const {
    auto [component, node] = edge;
    const auto a = static_cast<std::size_t>(component);
    node[a] += end;
    if (periodic_[a]) node[a] %= problem_.cells[a];
    return node;
  }

  /// Halves of edges whose nodes have no matrix.
  void add_other_halves() {
    for (auto& [edge, row] : inverse_)
      for (const int end : {0, 1}) {
        const Node node = end_of(edge, end);
        if (!matrices_.contains(node)) row[edge] += 0.5 / permittivity(edge, node);
      }
  }
  [[nodiscard]] double permittivity(const EdgeOfE& edge, const Node& node) const {
    const auto& [component, cell] = edge;
    bool inside = !uneven_.contains(node);
    for (std::size_t a = 0; a < 3; ++a) inside = inside && node[a] >= first_[a] && node[a] < problem_.cells[a];
    if (inside) return problem_.materials[material_of(node)].eps_r;  // one around the node
    const auto diagonal = diagonal_.find(edge);
    if (diagonal != diagonal_.end()) return diagonal->second.relative;
    return mean_over(problem_, Field::electric, cells_around(problem_, Field::electric, component, cell)).constant /
           problem_.eps0;
  }

  void replace() {
    constexpr double negligible = 1e-9;
    std::map<EdgeOfE, double> relative;
    for (const auto& [edge, row] : inverse_) {
      const auto& [component, cell] = edge;
      relative[edge] = rounded(1 / row.at(edge));
      diagonal_[edge] = {relative[edge], 0};
      const double before =
          mean_over(problem_, Field::electric, cells_around(problem_, Field::electric, component, cell)).constant /
          problem_.eps0;
      if (rounded(before) == relative[edge]) diagonal_.erase(edge);
    }
    problem_.smoothed.clear();
    for (const auto& [edge, medium] : diagonal_)
      problem_.smoothed.push_back({std::get<0>(edge), std::get<1>(edge), medium});
    for (const auto& [edge, row] : inverse_)
      for (const auto& [other, value] : row)
        if (other != edge && std::abs(value) > negligible)
          problem_.couplings.push_back({std::get<0>(edge), std::get<1>(edge), std::get<0>(other), std::get<1>(other),
                                        value * relative.at(other)});
  }

  Problem& problem_;
  fdtd::Grid grid_;
  Samples coarse_, fine_;
  const Grid& scene_grid_;
  int reach_;  ///< points from a node on
  std::array<bool, 3> periodic_{};
  Node first_{};
  std::set<EdgeOfE> lumped_;
  std::map<EdgeOfE, Medium> diagonal_;
  std::set<Node> matrices_, uneven_;
  std::map<EdgeOfE, std::map<EdgeOfE, double>> inverse_;  ///< of the permittivity
};

}  // namespace

void smooth_by_matrices(const Scene& scene, Problem& problem) {
  problem.smoothed = smoothed_edges(scene, problem);
  CoupledEdges(scene, problem).couple();
}

}  // namespace asterism::fdtd::scene
