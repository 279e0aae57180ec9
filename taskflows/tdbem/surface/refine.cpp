// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/surface/refine.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "io/mesh/surface.hpp"

namespace asterism::tdbem {
namespace {

using Vertex = std::array<double, 3>;

Vertex midpoint(const Vertex& a, const Vertex& b) {
  return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
}

std::uint64_t edge_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32U | static_cast<std::uint64_t>(std::max(a, b));
}

/// A closed surface by half-edges: number 3 t + c goes from corner c of triangle t to the next one.
class HalfEdges {
 public:
  explicit HalfEdges(mesh::TriangleMesh& mesh) : mesh_(mesh), mate_(3 * mesh.triangles.size()) {
    std::unordered_map<std::uint64_t, std::int32_t> first;
    for (std::int32_t h = 0; h < static_cast<std::int32_t>(mate_.size()); ++h) {
      const auto [found, fresh] = first.emplace(edge_key(from(h), to(h)), h);
      if (!fresh) join(h, found->second);
      enter(h);
    }
  }

  /// Returns the end of the edge with the lower number.
  std::int32_t bisect_longest() {
    for (;; queue_.pop()) {
      const auto [length, a, b, h] = queue_.top();
      if (std::min(from(h), to(h)) == -a && std::max(from(h), to(h)) == -b) {
        queue_.pop();
        bisect(h);
        return -a;
      }
    }
  }

 private:
  /// Squared length, then the ends, so that the order does not depend on how triangles are stored. Entries of edges
  /// that are no more where they were are skipped.
  using Entry = std::tuple<double, std::int32_t, std::int32_t, std::int32_t>;

  static std::int32_t next(std::int32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
  [[nodiscard]] std::int32_t from(std::int32_t h) const { return mesh_.triangles[as_size(h / 3)][as_size(h % 3)]; }
  [[nodiscard]] std::int32_t to(std::int32_t h) const { return from(next(h)); }

  void join(std::int32_t h, std::int32_t other) {
    mate_[as_size(h)] = other;
    mate_[as_size(other)] = h;
  }
  void enter(std::int32_t h) {
    const std::int32_t low = std::min(from(h), to(h)), high = std::max(from(h), to(h));
    const Vertex& p = mesh_.vertices[as_size(low)];
    const Vertex& q = mesh_.vertices[as_size(high)];
    const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    queue_.emplace(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], -low, -high, h);
  }

  /// Cuts the triangle of h at `middle` from the end of h to the opposite corner: it keeps the half at the begin of h.
  /// Returns the half-edge from the middle to the end of h.
  std::int32_t cut(std::int32_t h, std::int32_t middle) {
    const std::int32_t end = to(h), opposite = to(next(h)), beyond = mate_[as_size(next(h))];
    const auto fresh = static_cast<std::int32_t>(mate_.size());
    mesh_.triangles.push_back({middle, end, opposite});
    mate_.resize(mate_.size() + 3);
    mesh_.triangles[as_size(h / 3)][as_size(next(h) % 3)] = middle;
    join(fresh + 1, beyond);
    join(fresh + 2, next(h));
    return fresh;
  }

  void bisect(std::int32_t h) {
    const std::int32_t other = mate_[as_size(h)];
    const auto middle = static_cast<std::int32_t>(mesh_.vertices.size());
    mesh_.vertices.push_back(midpoint(mesh_.vertices[as_size(from(h))], mesh_.vertices[as_size(to(h))]));
    const std::int32_t end = cut(h, middle);
    const std::int32_t begin = cut(other, middle);
    join(h, begin);
    join(other, end);
    for (const std::int32_t changed : {h, end, next(h), next(other), next(end), next(begin)}) enter(changed);
  }

  mesh::TriangleMesh& mesh_;
  std::vector<std::int32_t> mate_;
  std::priority_queue<Entry> queue_;
};

}  // namespace

std::vector<std::int32_t> bisect_longest_edges(mesh::TriangleMesh& mesh, std::int32_t vertices) {
  const mesh::SurfaceReport report = mesh::check_closed_surface(mesh);
  if (mesh.triangles.empty() || !report.closed() || report.degenerate_triangles.count > 0)
    bad_input("surface that is to be refined: {}", mesh.triangles.empty() ? "no triangles" : report.describe());
  HalfEdges edges(mesh);
  std::vector<std::int32_t> beside;
  while (mesh.vertices.size() < static_cast<std::size_t>(std::max(vertices, 0)))
    beside.push_back(edges.bisect_longest());
  return beside;
}

std::vector<std::int32_t> order_beside(std::span<const std::int32_t> beside, std::int32_t vertices) {
  const std::int32_t first_new = vertices - static_cast<std::int32_t>(beside.size());
  std::vector<std::vector<std::int32_t>> followers(as_size(vertices));
  for (std::int32_t v = first_new; v < vertices; ++v) followers[as_size(beside[as_size(v - first_new)])].push_back(v);
  std::vector<std::int32_t> order, next;
  for (std::int32_t v = 0; v < first_new; ++v)
    for (next.push_back(v); !next.empty();) {
      order.push_back(next.back());
      next.pop_back();
      const std::vector<std::int32_t>& after = followers[as_size(order.back())];
      next.insert(next.end(), after.rbegin(), after.rend());
    }
  return order;
}

void quarter_triangles(mesh::TriangleMesh& mesh) {
  std::unordered_map<std::uint64_t, std::int32_t> middles;
  std::vector<std::array<std::int32_t, 3>> finer;
  finer.reserve(4 * mesh.triangles.size());
  const auto middle = [&](std::int32_t a, std::int32_t b) {
    const auto [found, fresh] = middles.emplace(edge_key(a, b), static_cast<std::int32_t>(mesh.vertices.size()));
    if (fresh) mesh.vertices.push_back(midpoint(mesh.vertices[as_size(a)], mesh.vertices[as_size(b)]));
    return found->second;
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    finer.push_back({a, ab, ca});
    finer.push_back({ab, b, bc});
    finer.push_back({ca, bc, c});
    finer.push_back({ab, bc, ca});
  }
  mesh.triangles = std::move(finer);
}

}  // namespace asterism::tdbem
