// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/surfaces/smoothing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "taskflows/fdtd/reference/reference_media.hpp"
#include "taskflows/fdtd/scene/surfaces/samples.hpp"

namespace asterism::fdtd::scene {
namespace {

/// The box of one cell around an edge, in points of a finer grid.
Box around(int component, const std::array<int, 3>& edge, int times) {
  std::array<std::int32_t, 3> first{};
  for (std::size_t a = 0; a < 3; ++a) first[a] = edge[a] * times - (static_cast<int>(a) == component ? 0 : times / 2);
  return {first[0], first[0] + times, first[1], first[1] + times, first[2], first[2] + times};
}

class EdgeMeans {
 public:
  EdgeMeans(const Scene& scene, const Problem& problem)
      : problem_(problem), grid_(whole_grid(problem)), coarse_(scene, coarse), fine_(scene, fine) {}

  std::vector<SmoothedEdge> edges() {
    const Box cells = grid_.cells();
    for (std::int32_t i = 0; i <= cells.x1; ++i)
      for (std::int32_t j = 0; j <= cells.y1; j += rows_at_once)
        add({i, i + 1, j, std::min(j + rows_at_once, cells.y1 + 1), 0, cells.z1 + 1});
    return std::move(found_);
  }

 private:
  struct Edge {
    int component;
    std::array<int, 3> cell;
  };
  /// Edges that begin at the nodes of a box.
  void add(const Box& nodes) {
    const Box points{nodes.x0 * coarse, nodes.x1 * coarse, nodes.y0 * coarse,
                     nodes.y1 * coarse, nodes.z0 * coarse, nodes.z1 * coarse};
    coarse_.fill(wider(points, coarse));
    std::vector<Edge> mixed;
    Box hull{};
    for (int c = 0; c < 3; ++c) {
      const Box own = grid_.entries(Field::electric, c, grid_.cells());
      for (int i = std::max(nodes.x0, own.x0); i < std::min(nodes.x1, own.x1); ++i)
        for (int j = std::max(nodes.y0, own.y0); j < std::min(nodes.y1, own.y1); ++j)
          for (int k = std::max(nodes.z0, own.z0); k < std::min(nodes.z1, own.z1); ++k) {
            if (!is_mixed(coarse_, wider(around(c, {i, j, k}, coarse), 1))) continue;
            const Box b = around(c, {i, j, k}, fine);
            hull = mixed.empty() ? b : Box{std::min(hull.x0, b.x0), std::max(hull.x1, b.x1), std::min(hull.y0, b.y0),
                                           std::max(hull.y1, b.y1), std::min(hull.z0, b.z0), std::max(hull.z1, b.z1)};
            mixed.push_back({c, {i, j, k}});
          }
    }
    if (mixed.empty()) return;
    fine_.fill(hull);
    for (const Edge& edge : mixed) add(edge);
  }

  void add(const Edge& edge) {
    const CellsAround cells = cells_around(problem_, Field::electric, edge.component, edge.cell);
    for (const auto& [material, count] : cells)
      if (has_own_law(material)) return;
    const std::optional<Medium> medium = mean(edge);
    if (!medium) return;
    const EntryMedium before = mean_over(problem_, Field::electric, cells);
    const bool is_same =
        rounded(before.constant / problem_.eps0) == medium->relative && rounded(before.loss) == medium->loss;
    if (!is_same) found_.push_back({edge.component, edge.cell, *medium});
  }
  [[nodiscard]] bool has_own_law(std::size_t material) const {
    return std::isinf(problem_.materials[material].sigma) ||
           (material < problem_.poles.size() && !problem_.poles[material].empty());
  }

  /// None where a point lies in a conductor or a dispersive medium.
  [[nodiscard]] std::optional<Medium> mean(const Edge& edge) const {
    const Box b = around(edge.component, edge.cell, fine);
    std::array<std::array<double, fine>, 3> lengths{};  // of points, in spacings times `fine`
    for (std::size_t a = 0; a < 3; ++a)
      for (std::int32_t m = 0; m < fine; ++m) {
        const bool below = a != static_cast<std::size_t>(edge.component) && m < fine / 2;
        lengths[a][static_cast<std::size_t>(m)] = problem_.mesh.cell(a, edge.cell[a] - (below ? 1 : 0));
      }
    double n = 0, eps = 0, inverse = 0, sigma = 0, loss = 0;
    std::array<double, 3> jumps{};  // of eps along each axis
    for (std::int32_t i = b.x0; i < b.x1; ++i)
      for (std::int32_t j = b.y0; j < b.y1; ++j)
        for (std::int32_t k = b.z0; k < b.z1; ++k) {
          const std::int32_t material = fine_.at(i, j, k);
          if (material == Samples::none) continue;
          if (has_own_law(static_cast<std::size_t>(material))) return std::nullopt;
          const fdtd::Material& m = problem_.materials[static_cast<std::size_t>(material)];
          const double x = lengths[0][static_cast<std::size_t>(i - b.x0)];
          const double y = lengths[1][static_cast<std::size_t>(j - b.y0)];
          const double z = lengths[2][static_cast<std::size_t>(k - b.z0)];
          const double share = x * y * z;
          n += share;
          eps += share * m.eps_r;
          inverse += share / m.eps_r;
          sigma += share * m.sigma;
          loss += share * (m.sigma / (m.eps_r * m.eps_r));
          if (i + 1 < b.x1) jumps[0] += y * z * jump(m, i + 1, j, k);
          if (j + 1 < b.y1) jumps[1] += x * z * jump(m, i, j + 1, k);
          if (k + 1 < b.z1) jumps[2] += x * y * jump(m, i, j, k + 1);
        }
    const double normal = normal_square(jumps, static_cast<std::size_t>(edge.component));
    const double along = n / eps, across = inverse / n;  // 1 / eps
    const double mean_eps = 1 / (normal * across + (1 - normal) * along);
    const double mean_loss = normal * loss / n + (1 - normal) * sigma / n * along * along;
    return Medium{rounded(mean_eps), rounded(mean_eps * mean_eps * mean_loss)};
  }
  [[nodiscard]] double jump(const fdtd::Material& from, std::int32_t i, std::int32_t j, std::int32_t k) const {
    const std::int32_t material = fine_.at(i, j, k);
    if (material == Samples::none) return 0;
    return std::abs(problem_.materials[static_cast<std::size_t>(material)].eps_r - from.eps_r);
  }
  /// Rows of points along an axis that cross a surface: its area times the component of the normal, by the rows' own
  /// area, which is inversely proportional to the spacing along the axis.
  [[nodiscard]] double normal_square(const std::array<double, 3>& jumps, std::size_t axis) const {
    const auto square = [&](std::size_t a) { return std::pow(jumps[a] / problem_.spacing[a], 2); };
    const double all = square(0) + square(1) + square(2);
    return all > 0 ? square(axis) / all : 0;
  }

  const Problem& problem_;
  fdtd::Grid grid_;
  Samples coarse_, fine_;
  std::vector<SmoothedEdge> found_;
};

}  // namespace

std::vector<SmoothedEdge> smoothed_edges(const Scene& scene, const Problem& problem) {
  return EdgeMeans(scene, problem).edges();
}

}  // namespace asterism::fdtd::scene
