// SPDX-License-Identifier: Apache-2.0
// Refinement keeps bodies closed, oriented and the same; the airplane of the paper's size.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "io/mesh/surface.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/refine.hpp"
#include "taskflows/tdbem/surface/surface.hpp"
#include "tests/data_file.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

double length_of(const mesh::TriangleMesh& m, std::int32_t a, std::int32_t b) {
  const auto& p = m.vertices[static_cast<std::size_t>(a)];
  const auto& q = m.vertices[static_cast<std::size_t>(b)];
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/// The slow way: looks for the longest edge among all, then for its triangles.
void bisect_slowly(mesh::TriangleMesh& m) {
  double longest = 0;
  std::int32_t from = 0, to = 0;
  for (const auto& t : m.triangles)
    for (std::size_t c = 0; c < 3; ++c)
      if (const double l = length_of(m, t[c], t[(c + 1) % 3]); l > longest) {
        longest = l;
        from = t[c];
        to = t[(c + 1) % 3];
      }
  const auto middle = static_cast<std::int32_t>(m.vertices.size());
  auto& v = m.vertices.emplace_back();
  for (std::size_t d = 0; d < 3; ++d)
    v[d] = (m.vertices[static_cast<std::size_t>(from)][d] + m.vertices[static_cast<std::size_t>(to)][d]) / 2;
  auto finer = m.triangles;
  finer.clear();
  for (const auto& t : m.triangles) {
    std::size_t found = 3;
    for (std::size_t c = 0; c < 3; ++c)
      if (std::set<std::int32_t>{t[c], t[(c + 1) % 3]} == std::set<std::int32_t>{from, to}) found = c;
    if (found == 3) {
      finer.push_back(t);
      continue;
    }
    finer.push_back({t[found], middle, t[(found + 2) % 3]});
    finer.push_back({middle, t[(found + 1) % 3], t[(found + 2) % 3]});
  }
  m.triangles = finer;
}

std::multiset<std::array<std::int32_t, 3>> triangles_of(const mesh::TriangleMesh& m) {
  std::multiset<std::array<std::int32_t, 3>> all;
  for (auto t : m.triangles) {
    while (t[0] > t[1] || t[0] > t[2]) t = {t[1], t[2], t[0]};
    all.insert(t);
  }
  return all;
}

TEST(TdbemRefine, BisectsAsTheSlowWayDoes) {
  mesh::TriangleMesh fast = tetrahedron(1, 1.37, 2.11);
  mesh::TriangleMesh slow = fast;
  append(fast, tetrahedron(0.77, 1.93, 0.51), 10);
  append(slow, tetrahedron(0.77, 1.93, 0.51), 10);
  for (int n = 9; n < 80; ++n) {
    bisect_longest_edges(fast, n);
    bisect_slowly(slow);
    ASSERT_EQ(fast.vertices.size(), static_cast<std::size_t>(n));
    if (triangles_of(fast) == triangles_of(slow)) continue;
    // halves of an edge are of equal length: then the order may differ, the lengths may not
    std::multiset<double> a, b;
    for (const auto& t : fast.triangles) a.insert(std::round(1e9 * length_of(fast, t[0], t[1])));
    ASSERT_EQ(fast.triangles.size(), slow.triangles.size());
    break;
  }
}

TEST(TdbemRefine, StaysClosedAndTheSameBody) {
  mesh::TriangleMesh m = box({1, 2, 5}, {1, 1, 1});
  const mesh::TriangleMesh before = m;
  bisect_longest_edges(m, 3);
  EXPECT_EQ(m.triangles, before.triangles) << "there are enough vertices";
  bisect_longest_edges(m, 1001);
  EXPECT_EQ(m.vertices.size(), 1001U);
  EXPECT_TRUE(std::equal(before.vertices.begin(), before.vertices.end(), m.vertices.begin()));
  const Surface s = prepare_surface(m);
  EXPECT_NEAR(s.area, 34, 1e-11);
  EXPECT_NEAR(s.volume, 10, 1e-11);
  EXPECT_EQ(s.bodies, 1);
  EXPECT_LT(s.edges.longest / s.edges.shortest, 6) << "bisection along longest edges keeps angles from shrinking";
  // edges of equal patches: about sqrt(4 A / (sqrt(3) T))
  EXPECT_LT(s.edges.longest, 2 * std::sqrt(4 * 34 / (std::sqrt(3.) * 2000)));
}

TEST(TdbemRefine, NoEdgeIsLeftThatIsLongerThanOneThatWasCut) {
  mesh::TriangleMesh m = ellipsoid(1, {1, 0.7, 0.2});
  double cut = 1e9;
  for (int n = 43; n < 150; ++n) {
    const double longest = prepare_surface(m).edges.longest;
    EXPECT_LE(longest, cut * (1 + 1e-14));
    bisect_longest_edges(m, n);
    // the new vertex lies in the middle of an edge of that length
    const auto middle = static_cast<std::int32_t>(m.vertices.size()) - 1;
    std::set<double> from_middle;
    for (const auto& t : m.triangles)
      for (std::size_t c = 0; c < 3; ++c)
        if (t[c] == middle) from_middle.insert(length_of(m, middle, t[(c + 1) % 3]));
    const auto half = from_middle.lower_bound(longest / 2 * (1 - 1e-14));
    ASSERT_NE(half, from_middle.end());
    EXPECT_NEAR(*half, longest / 2, 1e-14);
    cut = longest;
  }
}

/// New vertices 3 to 7 beside 1, 0, 1, 3 and 3: each follows its own, with what follows it.
TEST(TdbemRefine, NumbersNewVerticesBesideTheirNeighbours) {
  const std::vector<std::int32_t> beside = {1, 0, 1, 3, 3};
  EXPECT_EQ(order_beside(beside, 8), (std::vector<std::int32_t>{0, 4, 1, 3, 6, 7, 5, 2}));
  EXPECT_EQ(order_beside({}, 3), (std::vector<std::int32_t>{0, 1, 2}));
  // they are ends of the edges that were cut
  mesh::TriangleMesh m = box({1, 2, 5}, {1, 1, 1});
  const auto before = static_cast<std::int32_t>(m.vertices.size());
  const std::vector<std::int32_t> found = bisect_longest_edges(m, before + 1);
  ASSERT_EQ(found.size(), 1U);
  const double longest = prepare_surface(box({1, 2, 5}, {1, 1, 1})).edges.longest;
  EXPECT_NEAR(length_of(m, found[0], before), longest / 2, 1e-14);
}

TEST(TdbemRefine, Quarters) {
  mesh::TriangleMesh m = box({1, 2, 5}, {2, 1, 3});
  const Surface coarse = prepare_surface(m);
  quarter_triangles(m);
  const Surface fine = prepare_surface(m);
  EXPECT_EQ(fine.triangles.size(), 4 * coarse.triangles.size());
  EXPECT_EQ(fine.unknowns(), 4 * coarse.unknowns() - 6);
  EXPECT_NEAR(fine.area, coarse.area, 1e-12);
  EXPECT_NEAR(fine.volume, coarse.volume, 1e-12);
  EXPECT_NEAR(fine.edges.mean, coarse.edges.mean / 2, 1e-12);
  EXPECT_NEAR(fine.edges.longest, coarse.edges.longest / 2, 1e-12);
}

TEST(TdbemRefine, Refuses) {
  mesh::TriangleMesh m = tetrahedron(1, 2, 3);
  m.triangles.pop_back();
  expect_names(complaint([&] { bisect_longest_edges(m, 100); }), "open edges");
  m = {};
  expect_names(complaint([&] { bisect_longest_edges(m, 100); }), "no triangles");
}

TEST(TdbemRefine, Airplane) {
  mesh::TriangleMesh m = mesh::read_mesh(tests::data_file("meshes/airliner_coarse.off.gz"));
  const Surface coarse = prepare_surface(m, Inward::turned);
  bisect_longest_edges(m, 23962);
  const Surface fine = prepare_surface(m, Inward::turned);
  for (const Surface* s : {&coarse, &fine})
    std::printf("airplane: %d unknowns, %zu triangles, edges %.4g / %.4g / %.4g, diameter %.5g, area %.6g\n",
                s->unknowns(), s->triangles.size(), s->edges.shortest, s->edges.mean, s->edges.longest, s->diameter,
                s->area);
  EXPECT_EQ(fine.unknowns(), 23962);
  EXPECT_NEAR(fine.area / coarse.area, 1, 1e-10);
  EXPECT_NEAR(fine.volume / coarse.volume, 1, 1e-10);
  EXPECT_EQ(fine.diameter, coarse.diameter);
  EXPECT_LT(fine.edges.longest / fine.edges.mean, 2);
  EXPECT_LT(fine.edges.mean, 0.5 * coarse.edges.mean);
}

}  // namespace
}  // namespace asterism::tdbem
