// SPDX-License-Identifier: Apache-2.0
// E and H of a domain for files: the entries where they belong, means at centres of cells, the same for every division.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "taskflows/fdtd/fields/snapshot.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::fdtd {
namespace {

constexpr std::array<int, 3> n = {7, 5, 6};

using Faces = std::array<Face, 6>;
constexpr Face electric = Face::electric, magnetic = Face::magnetic, neighbour = Face::neighbour;
const std::vector<Faces> all_faces = {
    {electric, electric, electric, electric, electric, electric},
    {neighbour, neighbour, neighbour, neighbour, neighbour, neighbour},
    {magnetic, magnetic, magnetic, magnetic, magnetic, magnetic},
    {magnetic, electric, electric, magnetic, neighbour, neighbour},
};

/// The entry of a domain, different everywhere: periodic, and zero on electric conductors.
double entry(Field field, int c, std::array<int, 3> at, const Faces& face) {
  for (int a = 0; a < 3; ++a) {
    const auto d = static_cast<std::size_t>(a);
    if (face[2 * d] == neighbour) at[d] %= n[d];
    if (!on_planes(field, c, a)) continue;
    if (at[d] == 0 && face[2 * d] == electric) return 0;
    if (at[d] == n[d] && face[2 * d + 1] == electric) return 0;
  }
  return std::sin(1.0 + c + 3.7 * at[0] + 17.1 * at[1] + 91.3 * at[2] + (field == Field::electric ? 0 : 0.5));
}

Grid grid_of(const std::array<int, 3>& cells, const Faces& face, int element) {
  const Face f[6] = {face[0], face[1], face[2], face[3], face[4], face[5]};
  return make_grid(cells[0], cells[1], cells[2], f, element);
}

struct Cut {
  std::array<std::int32_t, 3> origin, cells;
};

/// A sub-domain: its own entries, and NaN wherever else.
template <class T>
void put(Snapshot<T>& snapshot, Field field, const Cut& cut, const Faces& face) {
  Faces own = face;
  for (std::size_t a = 0; a < 3; ++a) {
    if (cut.origin[a] > 0) own[2 * a] = neighbour;
    if (cut.origin[a] + cut.cells[a] < n[a]) own[2 * a + 1] = neighbour;
  }
  const Grid grid = grid_of(cut.cells, own, sizeof(T));
  std::vector<T> values(static_cast<std::size_t>(grid.elements()), std::numeric_limits<T>::quiet_NaN());
  for (int c = 0; c < 3; ++c) {
    const Box b = grid.entries(field, c, grid.cells());
    for (int i = b.x0; i < b.x1; ++i)
      for (int j = b.y0; j < b.y1; ++j)
        for (int k = b.z0; k < b.z1; ++k)
          values[static_cast<std::size_t>(grid.at(c, i, j, k))] =
              static_cast<T>(entry(field, c, {cut.origin[0] + i, cut.origin[1] + j, cut.origin[2] + k}, face));
  }
  snapshot.put(grid, cut.origin, values.data());
}

std::vector<Cut> divisions(const std::array<std::vector<int>, 3>& planes) {
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i + 1 < planes[0].size(); ++i)
    for (std::size_t j = 0; j + 1 < planes[1].size(); ++j)
      for (std::size_t k = 0; k + 1 < planes[2].size(); ++k)
        cuts.push_back(
            {{planes[0][i], planes[1][j], planes[2][k]},
             {planes[0][i + 1] - planes[0][i], planes[1][j + 1] - planes[1][j], planes[2][k + 1] - planes[2][k]}});
  return cuts;
}

template <class T>
class FdtdSnapshot : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FdtdSnapshot, Precisions);

TYPED_TEST(FdtdSnapshot, HoldsEntriesAndMeansWhateverTheDivision) {
  using T = TypeParam;
  std::mt19937 random(1);
  for (const Faces& face : all_faces)
    for (const Field field : {Field::electric, Field::magnetic})
      for (std::vector<Cut> cuts : {divisions({{{0, 7}, {0, 5}, {0, 6}}}), divisions({{{0, 1, 4, 7}, {0, 5}, {0, 6}}}),
                                    divisions({{{0, 3, 7}, {0, 2, 4, 5}, {0, 1, 6}}})}) {
        std::shuffle(cuts.begin(), cuts.end(), random);
        Snapshot<T> raw(field, grid_of(n, face, sizeof(T)));
        Snapshot<T> mean(field, grid_of(n, face, sizeof(T)));
        for (const Cut& cut : cuts) {
          put(raw, field, cut, face);
          put(mean, field, cut, face);
        }
        const output::Fields<T> entries = raw.entries();
        const output::Fields<T> centres = mean.at_centres();
        ASSERT_EQ(entries.size(), 3U);
        ASSERT_EQ(centres.size(), 1U);
        ASSERT_EQ(centres[0].components.size(), 3U);
        EXPECT_EQ(centres[0].name, field == Field::electric ? "E" : "H");
        EXPECT_EQ(entries[1].name, field == Field::electric ? "Ey" : "Hy");
        for (int c = 0; c < 3; ++c) {
          std::size_t at = 0;
          for (int k = 0; k < n[2]; ++k)
            for (int j = 0; j < n[1]; ++j)
              for (int i = 0; i < n[0]; ++i, ++at) {
                ASSERT_EQ(entries[static_cast<std::size_t>(c)].components[0][at],
                          static_cast<T>(entry(field, c, {i, j, k}, face)));
                double sum = 0;
                int count = 0;
                for (int di = 0; di <= (on_planes(field, c, 0) ? 1 : 0); ++di)
                  for (int dj = 0; dj <= (on_planes(field, c, 1) ? 1 : 0); ++dj)
                    for (int dk = 0; dk <= (on_planes(field, c, 2) ? 1 : 0); ++dk, ++count)
                      sum += entry(field, c, {i + di, j + dj, k + dk}, face);
                ASSERT_EQ(count, field == Field::electric ? 4 : 2);
                ASSERT_NEAR(centres[0].components[static_cast<std::size_t>(c)][at], sum / count,
                            4 * std::numeric_limits<T>::epsilon());
              }
        }
      }
}

TYPED_TEST(FdtdSnapshot, IsWhole) {
  using T = TypeParam;
  const Faces& face = all_faces[3];
  const std::vector<Cut> cuts = divisions({{{0, 3, 7}, {0, 5}, {0, 6}}});
  Snapshot<T> one(Field::electric, grid_of(n, face, sizeof(T)));
  put(one, Field::electric, cuts[1], face);
  expect_error(Error::Kind::failed, [&] { one.at_centres(); }, {"Ex", "entries; expected"});
  expect_error(Error::Kind::failed, [&] { put(one, Field::electric, cuts[1], face); }, {"overlaps"});
  put(one, Field::electric, cuts[0], face);
  one.at_centres();
  expect_error(Error::Kind::failed, [&] { one.entries(); }, {"read twice"});
}

}  // namespace
}  // namespace asterism::fdtd
