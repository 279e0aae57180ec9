// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/surface/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "io/mesh/surface.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"

namespace asterism::tdbem {
namespace {

/// Triangles around vertices: Surface::start and ::around.
void connect(Surface& s) {
  s.start.assign(s.vertices.size() + 1, 0);
  for (const Triangle& t : s.triangles)
    for (const std::int32_t v : t.corner) ++s.start[as_size(v) + 1];
  std::partial_sum(s.start.begin(), s.start.end(), s.start.begin());
  s.around.resize(3 * s.triangles.size());
  std::vector<std::int32_t> next(s.start.begin(), s.start.end() - 1);
  for (std::size_t t = 0; t < s.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      s.around[as_size(next[as_size(s.triangles[t].corner[c])]++)] = static_cast<std::int32_t>(3 * t + c);
}

/// The piece that each triangle belongs to; returns their number.
std::int32_t find_pieces(const Surface& s, std::vector<std::int32_t>& piece) {
  piece.assign(s.triangles.size(), -1);
  std::int32_t pieces = 0;
  std::vector<std::int32_t> open;
  for (std::size_t seed = 0; seed < s.triangles.size(); ++seed) {
    if (piece[seed] >= 0) continue;
    piece[seed] = pieces;
    open.push_back(static_cast<std::int32_t>(seed));
    while (!open.empty()) {
      const Triangle& t = s.triangles[as_size(open.back())];
      open.pop_back();
      for (const std::int32_t v : t.corner)
        for (std::int32_t a = s.start[as_size(v)]; a < s.start[as_size(v) + 1]; ++a) {
          const std::int32_t other = s.around[as_size(a)] / 3;
          if (piece[as_size(other)] >= 0) continue;
          piece[as_size(other)] = pieces;
          open.push_back(other);
        }
    }
    ++pieces;
  }
  return pieces;
}

/// Turns pieces of negative volume, or refuses them.
void orient(Surface& s, Inward inward) {
  std::vector<std::int32_t> piece;
  s.bodies = find_pieces(s, piece);
  std::vector<double> volume(as_size(s.bodies));
  std::vector<std::int32_t> origin(as_size(s.bodies), -1);  // from which volumes are measured, for the sake of rounding
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    const Triangle& triangle = s.triangles[t];
    std::int32_t& from = origin[as_size(piece[t])];
    if (from < 0) from = triangle.corner[0];
    const Point& o = s.vertices[as_size(from)];
    const auto corner = [&](int c) { return s.vertices[as_size(triangle.corner[c])] - o; };
    volume[as_size(piece[t])] += dot(corner(0), cross(corner(1), corner(2))) / 6;
  }
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    const double v = volume[as_size(piece[t])];
    if (v > 0) continue;
    if (v == 0) bad_input("surface: the piece with triangle {} encloses no volume", t);
    if (inward == Inward::refused)
      bad_input("surface: the piece with triangle {} is oriented inward (volume {:.6g}); turn its triangles", t, v);
    std::swap(s.triangles[t].corner[1], s.triangles[t].corner[2]);
  }
  s.volume = std::accumulate(volume.begin(), volume.end(), 0.0, [](double a, double v) { return a + std::abs(v); });
}

/// Normals, areas and curls: the curl of the basis function of corner i is the opposite edge over twice the area.
void measure_triangles(Surface& s) {
  for (const Triangle& t : s.triangles) {
    const Point v[3] = {s.vertices[as_size(t.corner[0])], s.vertices[as_size(t.corner[1])],
                        s.vertices[as_size(t.corner[2])]};
    const Point n = cross(v[1] - v[0], v[2] - v[0]);
    const double twice = norm(n);
    s.normals.push_back((1 / twice) * n);
    s.areas.push_back(twice / 2);
    s.curls.push_back({(1 / twice) * (v[2] - v[1]), (1 / twice) * (v[0] - v[2]), (1 / twice) * (v[1] - v[0])});
    s.area += twice / 2;
  }
}

EdgeLengths measure_edges(const Surface& s) {
  EdgeLengths edges;
  std::size_t count = 0;
  for (const Triangle& t : s.triangles)
    for (int c = 0; c < 3; ++c) {
      const std::int32_t a = t.corner[c], b = t.corner[(c + 1) % 3];
      if (a > b) continue;  // the other triangle goes from the lower to the higher vertex
      const double length = norm(s.vertices[as_size(b)] - s.vertices[as_size(a)]);
      edges.shortest = count == 0 ? length : std::min(edges.shortest, length);
      edges.longest = std::max(edges.longest, length);
      edges.mean += length;
      ++count;
    }
  edges.mean /= static_cast<double>(count);
  return edges;
}

}  // namespace

SurfaceView Surface::view() const {
  return {unknowns(),      static_cast<std::int32_t>(triangles.size()),
          vertices.data(), triangles.data(),
          normals.data(),  areas.data(),
          start.data(),    around.data()};
}

Surface prepare_surface(const mesh::TriangleMesh& mesh, Inward inward) {
  const mesh::SurfaceReport report = mesh::check_closed_surface(mesh);
  if (report.triangles < 4) bad_input("surface: {} triangles enclose no volume, at least 4 do", report.triangles);
  if (const std::string defects = report.describe(); !defects.empty()) bad_input("surface: {}", defects);

  Surface s;
  for (const auto& p : mesh.vertices) s.vertices.push_back({p[0], p[1], p[2]});
  for (const auto& t : mesh.triangles) s.triangles.push_back({{t[0], t[1], t[2]}});
  connect(s);
  for (std::size_t v = 0; v < s.vertices.size(); ++v)
    if (s.start[v] == s.start[v + 1]) bad_input("surface: vertex {} is the corner of no triangle", v);
  orient(s, inward);
  connect(s);
  measure_triangles(s);
  s.edges = measure_edges(s);
  s.diameter = diameter(s.vertices);
  s.mesh_vertices.resize(s.vertices.size());
  std::iota(s.mesh_vertices.begin(), s.mesh_vertices.end(), 0);
  return s;
}

Surface renumbered(const Surface& surface, std::span<const std::int32_t> order) {
  const std::vector<std::int32_t> place = places_of(order, surface.vertices.size());
  Surface s;
  for (const std::int32_t unknown : order) {
    s.vertices.push_back(surface.vertices[as_size(unknown)]);
    s.mesh_vertices.push_back(surface.mesh_vertices[as_size(unknown)]);
  }
  for (const Triangle& t : surface.triangles) {
    Triangle moved;
    for (int c = 0; c < 3; ++c) moved.corner[c] = place[as_size(t.corner[c])];
    std::rotate(moved.corner, std::min_element(moved.corner, moved.corner + 3), moved.corner + 3);
    s.triangles.push_back(moved);
  }
  std::sort(s.triangles.begin(), s.triangles.end(), [](const Triangle& a, const Triangle& b) {
    return std::lexicographical_compare(a.corner, a.corner + 3, b.corner, b.corner + 3);
  });
  connect(s);
  measure_triangles(s);
  s.bodies = surface.bodies;
  s.edges = surface.edges;
  s.volume = surface.volume;
  s.diameter = surface.diameter;
  return s;
}

}  // namespace asterism::tdbem
