// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/pair_distances.hpp"

#include <algorithm>

#include "base/isa.hpp"
#include "codelets/tdbem/kernels/assembly/pair_points.hpp"

namespace asterism::tdbem {

using namespace pair_detail;

PairTriangle pair_triangle(const SurfaceView& surface, const PairRules& rules, std::int32_t index) {
  PairTriangle t;
  t.index = index;
  t.vertices = surface.triangles[index];
  t.normal = surface.normals[index];
  t.area = surface.areas[index];
  for (int a = 0; a < 3; ++a) t.corner[a] = surface.vertices[t.vertices.corner[a]];
  t.centre = 1.0 / 3 * (t.corner[0] + t.corner[1] + t.corner[2]);
  for (int a = 0; a < 3; ++a) {
    const Point opposite = t.corner[(a + 2) % 3] - t.corner[(a + 1) % 3];
    t.curl[a] = 1 / (2 * t.area) * opposite;
    t.edge += norm(opposite) / 3;
    t.reach = std::max(t.reach, norm(t.corner[a] - t.centre));
  }
  place_points(rules.far.rule, t.corner, t.points);
  return t;
}

PairScratch::PairScratch(const PairRules& rules) {
  std::int32_t most = 0;
  for (const WeightedProducts* table :
       {&rules.far.table, &rules.near.table, &rules.vertex.table, &rules.edge.table, &rules.same.table})
    most = std::max(most, table->vectors());
  squared.resize(static_cast<std::size_t>(most) + 2);
  sums.resize(static_cast<std::size_t>(2 * most_lags * sums_of_step / 8));
}

ASTERISM_CLONES PairDistances pair_distances(const PairRules& rules, const PairTriangle& x, const PairTriangle& y,
                                             PairScratch& scratch) {
  const Choice choice = choose(rules, x, y);
  return {distances(choice, rules, x, y, scratch.squared.data()->lane), choice.table().points};
}

std::int32_t whole_steps(double squared_distance, const Discretisation& d) {
  return static_cast<std::int32_t>(std::min(steps_of(squared_distance, steps_per_metre(d)), 1.0 * most_steps));
}

StepSet pair_steps(const PairRules& rules, const Discretisation& d, const PairTriangle& x, const PairTriangle& y,
                   PairScratch& scratch) {
  const PairDistances pair = pair_distances(rules, x, y, scratch);
  const double* const squared = scratch.squared.data()->lane;
  StepSet set{whole_steps(pair.squared.least, d)};
  for (std::int32_t p = 0; p < pair.points; ++p) {
    const std::int32_t q = whole_steps(squared[p], d) - set.first;
    set.bits[q / 64] |= std::uint64_t{1} << (q % 64);
  }
  return set;
}

}  // namespace asterism::tdbem
