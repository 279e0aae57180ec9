// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace asterism::mesh {
namespace {

using Point = std::array<double, 3>;

Point difference(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// An edge of a triangle, from its lower to its higher vertex.
struct Edge {
  std::uint64_t ends;
  std::uint32_t triangle;
  bool turned;  ///< the triangle goes from the higher to the lower one

  friend bool operator<(const Edge& a, const Edge& b) {
    return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle;
  }
};

template <class... Args>
void note(Defect& defect, fmt::format_string<Args...> format, Args&&... args) {
  if (defect.count++ == 0) defect.first = fmt::format(format, std::forward<Args>(args)...);
}

void check_edges(const TriangleMesh& mesh, SurfaceReport& report) {
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& corner = mesh.triangles[t];
    // its two other edges are one, there and back: its neighbours meet in it
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto a = static_cast<std::uint64_t>(corner[c]);
      const auto b = static_cast<std::uint64_t>(corner[(c + 1) % 3]);
      edges.push_back({std::min(a, b) << 32U | std::max(a, b), static_cast<std::uint32_t>(t), a > b});
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].ends == edges[begin].ends) ++end;
    const Edge& first = edges[begin];
    const std::uint64_t low = first.ends >> 32U;
    const std::uint64_t high = first.ends & 0xffffffffU;
    if (end - begin == 1) {
      note(report.open_edges, "edge {}-{} of triangle {} only", low, high, first.triangle);
    } else if (end - begin > 2) {
      note(report.crowded_edges, "edge {}-{} of {} triangles, such as {}, {} and {}", low, high, end - begin,
           first.triangle, edges[begin + 1].triangle, edges[begin + 2].triangle);
    } else if (first.turned == edges[begin + 1].turned) {
      note(report.inconsistent_edges, "edge {}-{} of triangles {} and {}, which turn in opposite ways", low, high,
           first.triangle, edges[begin + 1].triangle);
    }
  }
}

void check_triangles(const TriangleMesh& mesh, SurfaceReport& report) {
  constexpr double flat = 1e-12;  // of the area over the longest edge squared
  const Point centre = {(report.low[0] + report.high[0]) / 2, (report.low[1] + report.high[1]) / 2,
                        (report.low[2] + report.high[2]) / 2};
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& corner = mesh.triangles[t];
    std::array<Point, 3> p;
    for (std::size_t c = 0; c < 3; ++c) p[c] = difference(mesh.vertices[static_cast<std::size_t>(corner[c])], centre);
    const Point u = difference(p[1], p[0]);
    const Point v = difference(p[2], p[0]);
    const Point w = difference(p[2], p[1]);
    const Point normal = cross(u, v);
    report.signed_volume += dot(p[0], normal) / 6;
    const double longest = std::max({dot(u, u), dot(v, v), dot(w, w)});
    if (!(std::sqrt(dot(normal, normal)) > flat * longest)) {
      note(report.degenerate_triangles, "triangle {} of vertices {}, {} and {}", t, corner[0], corner[1], corner[2]);
    }
  }
}

void check_vertices(const TriangleMesh& mesh, SurfaceReport& report) {
  std::vector<std::uint32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return mesh.vertices[a] != mesh.vertices[b] ? mesh.vertices[a] < mesh.vertices[b] : a < b;
  });
  std::uint32_t least = 0;
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    if (mesh.vertices[order[i]] != mesh.vertices[order[i - 1]]) {
      first = i;
      continue;
    }
    if (report.duplicate_vertices.count++ > 0 && order[i] > least) continue;
    least = order[i];
    report.duplicate_vertices.first = fmt::format("vertex {} where vertex {} is", order[i], order[first]);
  }
}

}  // namespace

SurfaceReport check_closed_surface(const TriangleMesh& mesh) {
  SurfaceReport report;
  report.vertices = static_cast<std::int64_t>(mesh.vertices.size());
  report.triangles = static_cast<std::int64_t>(mesh.triangles.size());
  if (!mesh.vertices.empty()) report.low = report.high = mesh.vertices.front();
  for (const Point& p : mesh.vertices) {
    for (std::size_t d = 0; d < 3; ++d) {
      report.low[d] = std::min(report.low[d], p[d]);
      report.high[d] = std::max(report.high[d], p[d]);
    }
  }
  check_edges(mesh, report);
  check_triangles(mesh, report);
  check_vertices(mesh, report);
  return report;
}

std::string SurfaceReport::describe() const {
  std::string text;
  const auto add = [&](const Defect& defect, const char* what) {
    if (defect.count == 0) return;
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", defect.count, what, defect.first);
  };
  add(open_edges, "open edges");
  add(crowded_edges, "edges of more than two triangles");
  add(inconsistent_edges, "edges between triangles of opposite orientation");
  add(degenerate_triangles, "triangles without area");
  add(duplicate_vertices, "duplicate vertices");
  return text;
}

}  // namespace asterism::mesh
