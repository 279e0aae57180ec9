// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/physics/coupled_energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <tuple>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fdtd/brick_data.hpp"

namespace asterism::fdtd {
namespace {

bool before(const CoupledEdge& a, const CoupledEdge& b) {
  return std::tie(a.component, a.cell) < std::tie(b.component, b.cell);
}

/// xi with its diagonal scaled to 1, without the diagonal.
struct Scaled {
  struct Element {
    std::size_t row, column;
    double value;
  };
  std::vector<Element> elements;

  /// y = (1 + elements) x
  void times(const std::vector<double>& x, std::vector<double>& y) const {
    y = x;
    for (const Element& m : elements) y[m.row] += m.value * x[m.column];
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// b . x of A x = b
double solved_by_conjugate_gradients(const Scaled& matrix, const std::vector<double>& b) {
  constexpr double tolerance = 1e-14;
  constexpr int most_iterations = 1000;
  std::vector<double> x(b.size()), r = b, p = b, q;
  const double norm = dot(b, b);
  double rr = norm;
  for (int n = 0; n < most_iterations && rr > tolerance * tolerance * norm; ++n) {
    matrix.times(p, q);
    const double pq = dot(p, q);
    if (!(pq > 0)) failed("energy: the matrix of permittivities of coupled edges is not positive");
    const double alpha = rr / pq;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    for (std::size_t i = 0; i < x.size(); ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  return dot(b, x);
}

}  // namespace

// With x = relative^(1/2) z: (relative_i / relative_j)^(1/2) factor_ij of z_j, as factor_ij = xi_ij relative_j.
double coupled_part(const std::vector<Coupling>& couplings, std::vector<CoupledEdge> edges) {
  std::sort(edges.begin(), edges.end(), before);
  const auto number_of = [&](int component, const std::array<int, 3>& cell) {
    const auto found = std::lower_bound(edges.begin(), edges.end(), CoupledEdge{component, cell, 0, 0}, before);
    return static_cast<std::size_t>(found - edges.begin());
  };
  Scaled matrix;
  for (const Coupling& c : couplings) {
    const std::size_t row = number_of(c.component, c.cell), column = number_of(c.other_component, c.other_cell);
    matrix.elements.push_back({row, column, std::sqrt(edges[row].relative / edges[column].relative) * c.factor});
  }
  std::vector<double> b;
  b.reserve(edges.size());
  for (const CoupledEdge& edge : edges) b.push_back(std::sqrt(edge.relative) * edge.e);
  return solved_by_conjugate_gradients(matrix, b) - dot(b, b);
}

/// Over all bricks and ranks, what coupled_part() says. On a graded mesh edges count by their volumes, with which the
/// matrix is symmetric.
double Simulation::coupled_part_of_energy() {
  std::vector<CoupledEdge> mine;
  for (const Coupling& c : problem_.couplings) mine.push_back({c.component, c.cell, 0, 0});
  std::sort(mine.begin(), mine.end(), before);
  const auto same = [](const CoupledEdge& a, const CoupledEdge& b) { return !before(a, b) && !before(b, a); };
  mine.erase(std::unique(mine.begin(), mine.end(), same), mine.end());
  for (CoupledEdge& edge : mine)
    for (const std::size_t b : own_) {
      const BrickData& brick = *bricks_[b];
      const auto here = within(brick.scheme.grid, brick.origin(), Field::electric, edge.component, edge.cell);
      const bool last = brick.overlap[1] == 0;
      if (!here || (*here)[0] < brick.first_plane() || (!last && (*here)[0] >= brick.end_plane())) continue;
      const std::int64_t at = brick.scheme.grid.at(edge.component, (*here)[0], (*here)[1], (*here)[2]);
      edge.relative = brick.relative_memory[0][brick.index_memory[0][static_cast<std::size_t>(at)]];
      if (!problem_.mesh.graded()) continue;
      for (int axis = 0; axis < 3; ++axis)
        edge.relative *=
            problem_.mesh.of_entry(Field::electric, edge.component, axis, edge.cell[static_cast<std::size_t>(axis)]);
    }
  std::erase_if(mine, [](const CoupledEdge& edge) { return edge.relative == 0; });  // of other ranks
  get(Field::electric, [&](const Box& box, const void* values) {
    const std::array<std::int64_t, 3> n{box.x1 - box.x0, box.y1 - box.y0, box.z1 - box.z0};
    for (CoupledEdge& edge : mine) {
      const std::array<int, 3>& c = edge.cell;
      if (c[0] < box.x0 || c[0] >= box.x1 || c[1] < box.y0 || c[1] >= box.y1 || c[2] < box.z0 || c[2] >= box.z1)
        continue;
      const std::int64_t row = (edge.component * n[0] + c[0] - box.x0) * n[1] + c[1] - box.y0;
      const std::int64_t at = row * n[2] + c[2] - box.z0;
      edge.e = with_precision(problem_.precision, [&](auto real) {
        return static_cast<double>(static_cast<const decltype(real)*>(values)[at]);
      });
    }
  });
  if (!dealt_) return coupled_part(problem_.couplings, std::move(mine));
  const std::vector<CoupledEdge> all = rank_group().collect(std::span<const CoupledEdge>(mine));
  double part = rank_group().is_root() ? coupled_part(problem_.couplings, all) : 0;
  rank_group().broadcast(part);
  return part;
}

}  // namespace asterism::fdtd
