// SPDX-License-Identifier: Apache-2.0
// What the lattice Boltzmann kernels do cell by cell: the same bits however cells are grouped, and nothing elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/lbm/kernels/boundary/force_sums.hpp"
#include "codelets/lbm/kernels/boundary/sponge.hpp"
#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/costs.hpp"
#include "codelets/lbm/kernels/lanes.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"
#include "tests/codelets/lbm/cases.hpp"

namespace asterism::lbm {
namespace {

using cases::collisions;

/// The variant of `c`, in what the test was compiled for.
template <class T, class V>
void collide_as(const Collision& c, V (&f)[q]) {
  const Parameters<T> p = parameters<T>(c);
  const bool force = c.force[0] != 0;
  const auto as = [&]<Relaxation how>() {
    if (relaxation(c) == how) force ? collide<T, how, true>(p, f) : collide<T, how, false>(p, f);
  };
  as.template operator()<Relaxation::constant>();
  as.template operator()<Relaxation::turbulent_bgk>();
  as.template operator()<Relaxation::turbulent_trt>();
  as.template operator()<Relaxation::central>();
  as.template operator()<Relaxation::turbulent_central>();
  as.template operator()<Relaxation::central_third>();
  as.template operator()<Relaxation::turbulent_central_third>();
}

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1e-3, 1e-3);
  std::vector<T> v(n);
  for (T& x : v) x = population<T>(value(generator));
  return v;
}

template <class T>
class LbmCells : public ::testing::Test {
 protected:
  static constexpr std::size_t guard = 64;

  /// update() on an array between guards against one scalar cell after the other, following the definition of the
  /// halves in kernels.hpp.
  static void expect_scalar(const Brick& b, const Box& box, const Collision& c,
                            const std::vector<std::uint8_t>& solid) {
    for (const Half half : {Half::alpha, Half::beta}) {
      std::vector<T> actual = random_values<T>(as_size(b.elements()) + 2 * guard, 3);
      std::vector<T> expected = actual;
      T* e = &expected[guard];
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y)
          for (int x = box.x0; x < box.x1; ++x) {
            if (!solid.empty() && solid[as_size(b.cell(x, y, z))] != 0) continue;
            Arithmetic<T> f[q];
            for (int i = 0; i < q; ++i) {
              const Velocity v = velocity(i);
              f[i] =
                  value_of(half == Half::alpha ? e[b.at(i, x, y, z)] : e[b.at(opposite(i), x - v.x, y - v.y, z - v.z)]);
            }
            collide_as<Arithmetic<T>>(c, f);
            const auto sponge = friction<Arithmetic<T>>(c.sponge);
            if (x >= sponge.begin) {
              const auto halves = static_cast<Arithmetic<T>>(2 * (x - sponge.begin) + 1);
              rub(sponge, strength_at(sponge, halves), share_of_mean(sponge.profile, 0, y, z, {}), f);
            }
            for (int i = 0; i < q; ++i) {
              const Velocity v = velocity(i);
              (half == Half::alpha ? e[b.at(opposite(i), x, y, z)] : e[b.at(i, x + v.x, y + v.y, z + v.z)]) =
                  stored<T>(f[i]);
            }
          }
      cpu::update(half, b, box, c, solid.empty() ? nullptr : solid.data(), &actual[guard]);
      EXPECT_TRUE(same_bits(actual, expected)) << (half == Half::alpha ? "alpha" : "beta");
    }
  }
};
using Precisions = ::testing::Types<double, float, Float16>;
TYPED_TEST_SUITE(LbmCells, Precisions);

TYPED_TEST(LbmCells, VectorsGiveTheBitsOfScalars) {
  using T = Arithmetic<TypeParam>;
  for (const auto& [name, c] : collisions) {
    SCOPED_TRACE(name);
    const std::vector<T> values = random_values<T>(q * width<T>, 17);
    Vector<T> f[q];
    std::memcpy(f, values.data(), sizeof(f));
    collide_as<T>(c, f);
    for (int l = 0; l < width<T>; ++l) {
      T cell[q];
      for (int i = 0; i < q; ++i) cell[i] = values[as_size(i * width<T> + l)];
      collide_as<T>(c, cell);
      for (int i = 0; i < q; ++i) EXPECT_EQ(f[i][l], cell[i]) << "population " << i << " lane " << l;
    }
  }
}

TYPED_TEST(LbmCells, UpdateDoesItsCellsAndNothingElse) {
  const Brick b = make_brick(37, 3, 4, sizeof(TypeParam));
  std::vector<std::uint8_t> solid(as_size(b.slot), 0);
  std::mt19937 generator(5);
  for (auto& s : solid) s = generator() % 3 == 0 ? static_cast<std::uint8_t>(1U << generator() % 8) : 0;
  for (int x = -1; x <= b.nx; ++x) solid[as_size(b.cell(x, 1, 2))] = x < 21 || x == 30 ? 0 : 1;
  for (const auto& [name, c] : collisions) {
    SCOPED_TRACE(name);
    this->expect_scalar(b, b.interior(), c, {});
    this->expect_scalar(b, b.interior(), c, solid);
  }
  for (int begin = 0; begin < b.nx; ++begin)
    for (int end = begin; end <= b.nx; end += 1 + end % 3) {
      SCOPED_TRACE(testing::Message() << begin << ", " << end);
      this->expect_scalar(b, {begin, end, 1, 2, 1, 3}, collisions[1].second, {});
      this->expect_scalar(b, {begin, end, 1, 3, 2, 3}, collisions[1].second, solid);
    }
}

TYPED_TEST(LbmCells, PiecesEqualTheWhole) {
  const std::array<int, 3> n = {21, 7, 6};
  const std::vector<Box> pieces = {{0, 1, 0, 7, 0, 6},  {20, 21, 0, 7, 0, 6}, {1, 20, 0, 1, 0, 6}, {1, 20, 6, 7, 0, 6},
                                   {1, 20, 1, 6, 0, 1}, {1, 20, 1, 6, 5, 6},  {1, 20, 1, 6, 1, 5}};
  std::int64_t cells = 0;
  for (const Box& p : pieces) cells += p.cells();
  ASSERT_EQ(cells, 21 * 7 * 6);
  std::mt19937 generator(9);
  for (std::size_t k = 0; k < collisions.size(); ++k) {
    SCOPED_TRACE(collisions[k].first);
    const Setting s{n, collisions[k].second, cases::walls, cases::obstacles(n, static_cast<unsigned>(k))};
    Domain<TypeParam> whole(s), divided(s);
    whole.randomize(1, 0.05);
    divided.randomize(1, 0.05);
    for (int step = 0; step < 6; ++step) {
      whole.step();
      std::vector<Box> order = pieces;
      std::shuffle(order.begin(), order.end(), generator);
      for (const Box& p : order) divided.update(p);
      divided.finish();
      ASSERT_TRUE(same_bits(whole.f, divided.f)) << "step " << step;
    }
  }
}

/// The first of opposite faces has no wall in some settings: everything that is written anywhere runs.
TYPED_TEST(LbmCells, PaddingStaysAsItWas) {
  const auto pad = population<TypeParam>(1.2345);
  const std::array<int, 3> n = {19, 4, 5};
  for (const std::size_t periodic : {0U, 1U, 2U, 3U}) {
    Setting s{n, collisions[5].second, {}, cases::obstacles(n, 21)};
    for (const Wall& w : cases::walls)
      if (static_cast<std::size_t>(w.face / 2) != periodic) s.walls.push_back(w);
    Domain<TypeParam> d(s);
    const Brick& b = d.brick;
    std::vector<bool> cell(d.f.size(), false);
    for (int i = 0; i < q; ++i)
      for (int z = -1; z <= b.nz; ++z)
        for (int y = -1; y <= b.ny; ++y)
          for (int x = -1; x <= b.nx; ++x) cell[as_size(b.at(i, x, y, z))] = true;
    for (std::size_t k = 0; k < cell.size(); ++k)
      if (!cell[k]) d.f[k] = pad;
    d.randomize(2, 0.05);
    for (int step = 0; step < 4; ++step) d.step();
    for (std::size_t k = 0; k < cell.size(); ++k) ASSERT_TRUE(cell[k] || d.f[k] == pad) << k;
    EXPECT_TRUE(std::isfinite(d.totals().speed));
  }
}

TYPED_TEST(LbmCells, TransfersAreSlotBySlotWithXFastest) {
  using T = TypeParam;
  const Brick b = make_brick(6, 5, 4, sizeof(T));
  std::vector<T> f(as_size(b.elements()));
  for (std::size_t k = 0; k < f.size(); ++k) f[k] = population<T>(static_cast<double>(k % 2039) / 2048);
  const Transfer transfers[] = {{{-1, 4, 2, 5, 3, 4}, {7, 2, 18, 0, 5}}, {{5, 6, -1, 6, 0, 2}, {1, 3, 4, 6, 9}}};
  std::vector<T> arrays[2];
  T* data[2];
  std::vector<T> expected[2];
  for (std::size_t t = 0; t < 2; ++t) {
    arrays[t].resize(as_size(transfers[t].elements()) + 1, population<T>(-1));
    data[t] = arrays[t].data();
    const Box& box = transfers[t].box;
    for (const int slot : transfers[t].slots)
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y)
          for (int x = box.x0; x < box.x1; ++x) expected[t].push_back(f[as_size(b.at(slot, x, y, z))]);
    expected[t].push_back(population<T>(-1));
  }
  cpu::pack(b, transfers, 2, f.data(), data);
  EXPECT_EQ(arrays[0], expected[0]);
  EXPECT_EQ(arrays[1], expected[1]);
  std::vector<T> back(f.size(), population<T>(-1.5));
  cpu::unpack(b, transfers, 2, data, back.data());
  std::size_t set = 0;
  for (std::size_t k = 0; k < f.size(); ++k) {
    if (back[k] == population<T>(-1.5)) continue;
    ASSERT_EQ(back[k], f[k]);
    ++set;
  }
  EXPECT_EQ(set, arrays[0].size() + arrays[1].size() - 2);
}

TYPED_TEST(LbmCells, ObservesPartsOfABrick) {
  using T = TypeParam;
  const std::array<int, 3> n = {23, 5, 4};
  Domain<T> d({n, collisions[1].second, {}, cases::obstacles(n, 4)});
  d.randomize(3, 0.05);
  for (int step = 0; step < 3; ++step) {
    const auto whole = d.observed(d.brick.interior());
    const Box box{2, 22, 1, 4, 1, 3};
    const auto part = d.observed(box);
    std::size_t k = 0;
    for (int c = 0; c < 4; ++c)
      for (int z = box.z0; z < box.z1; ++z)
        for (int y = box.y0; y < box.y1; ++y)
          for (int x = box.x0; x < box.x1; ++x, ++k) {
            ASSERT_EQ(part[k], whole[as_size(((c * n[2] + z) * n[1] + y) * n[0] + x)]);
            ASSERT_TRUE(d.solid[as_size(d.brick.cell(x, y, z))] == 0 || part[k] == (c == 0 ? 1 : 0));
          }
    d.step();
  }
}

TYPED_TEST(LbmCells, TotalsAreSumsOfWhatIsObserved) {
  const std::array<int, 3> n = {23, 5, 4};
  Domain<TypeParam> d({n, collisions[1].second, {}, cases::obstacles(n, 4)});
  d.randomize(3, 0.05);
  for (int step = 0; step < 2; ++step) {
    const auto o = d.observed(d.brick.interior());
    const std::size_t cells = o.size() / 4;
    double mass = 0, energy = 0, speed = 0, momentum[3] = {0, 0, 0};
    for (std::size_t k = 0; k < cells; ++k) {
      const auto rho = static_cast<double>(o[k]);
      double square = 0;
      mass += rho - 1;
      for (std::size_t a = 0; a < 3; ++a) {
        const auto u = static_cast<double>(o[(a + 1) * cells + k]);
        momentum[a] += rho * u;
        square += u * u;
      }
      energy += rho * square / 2;
      speed = std::max(speed, std::sqrt(square));
    }
    const Totals t = d.totals();
    const double tolerance = sizeof(TypeParam) == 8 ? 1e-13 : 1e-4;
    EXPECT_NEAR(t.mass, mass, tolerance);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(t.momentum[a], momentum[a], tolerance);
    EXPECT_NEAR(t.energy, energy, tolerance * energy);
    EXPECT_NEAR(t.speed, speed, tolerance * speed);
    d.step();
  }
}

TYPED_TEST(LbmCells, SpeedShowsWhatIsNotANumber) {
  Domain<TypeParam> d({{9, 3, 2}, collisions[0].second});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const int x : {0, 5, 8}) {
      d.rest();
      EXPECT_EQ(d.totals().speed, 0);
      d.f[as_size(d.brick.at(3, x, 1, 1))] = population<TypeParam>(bad);
      EXPECT_FALSE(std::isfinite(d.totals().speed));
    }
}

TYPED_TEST(LbmCells, EquilibriumIsObserved) {
  using T = TypeParam;
  const Brick b = make_brick(5, 4, 3, sizeof(T));
  const Box box{1, 4, 0, 3, 1, 3};
  const std::size_t cells = as_size(box.cells());
  using Number = Arithmetic<T>;
  std::vector<Number> fields = random_values<Number>(4 * cells, 8);
  for (std::size_t k = 0; k < cells; ++k) fields[k] += 1;
  const T untouched = population<T>(1.75);
  std::vector<T> f(as_size(b.elements()), untouched);
  cpu::equilibrium<T>(b, box, fields.data(), f.data());
  std::vector<Number> out(4 * cells);
  cpu::observe<T>(Half::alpha, b, box, {}, nullptr, f.data(), out.data());
  // half precision: a population of 10^-3 / 3 and less in steps of 2^-11 of itself
  const double tolerance = sizeof(T) == 2 ? 2e-6 : 4 * static_cast<double>(std::numeric_limits<Number>::epsilon());
  for (std::size_t k = 0; k < out.size(); ++k)
    EXPECT_NEAR(static_cast<double>(out[k]), static_cast<double>(fields[k]), tolerance);
  EXPECT_EQ(std::count(f.begin(), f.end(), untouched), static_cast<std::ptrdiff_t>(f.size() - q * cells));
  // at rest nothing is left to store, and a collision changes nothing
  const Number none[3] = {0, 0, 0};
  Number rest[q];
  set_equilibrium<Number>(Number{1}, none, rest);
  for (const Number v : rest) EXPECT_EQ(v, 0);
}

TYPED_TEST(LbmCells, ForceAndMomentAreTheMomentumThatLinksCarry) {
  const std::array<int, 3> n = {9, 6, 5};
  Domain<TypeParam> d({n, collisions[1].second, {}, cases::obstacles(n, 6)});
  d.randomize(5, 0.05);
  for (const Half half : {Half::alpha, Half::beta}) {
    d.update(d.brick.interior());
    const Links links = d.links();
    double expected[6] = {};
    // the fluid cell of each link, found by a search; the wall is half a link beyond it
    std::map<std::int64_t, std::array<double, 3>> cell;
    for (int z = 0; z < n[2]; ++z)
      for (int y = 0; y < n[1]; ++y)
        for (int x = 0; x < n[0]; ++x)
          for (int j = 1; j < q; ++j) cell[d.brick.at(j, x, y, z)] = {x + 7.0, y - 2.0, z + 11.0};
    for (int j = 1; j < q; ++j)
      for (int l = links.begin[j]; l < links.begin[j + 1]; ++l) {
        const auto v =
            static_cast<double>(value_of(d.f[as_size(half == Half::alpha ? links.fluid[l] : links.solid[l])]));
        const double c[3] = {1. * velocity(j).x, 1. * velocity(j).y, 1. * velocity(j).z};
        const std::array<double, 3>& at = cell.at(links.fluid[l]);
        for (std::size_t a = 0; a < 3; ++a) {
          const std::size_t b = (a + 1) % 3;
          const std::size_t e = (a + 2) % 3;
          expected[a] += 2 * c[a] * v;
          expected[3 + a] += 2 * v * ((at[b] + c[b] / 2) * c[e] - (at[e] + c[e] / 2) * c[b]);
        }
      }
    ForceSums sums{};
    cpu::force(half, d.brick, {7, -2, 11}, links, d.f.data(), sums);
    for (int a = 0; a < 6; ++a) EXPECT_NEAR(sums.number(a), expected[a], a < 3 ? 1e-13 : 1e-11);
    EXPECT_GT(std::abs(expected[5]), 1e-3);
    d.finish();
  }
}

TEST(LbmThreadCells, GivesEachCellOnce) {
  const std::vector<Box> boxes = {{0, 1, 0, 5, 0, 4}, {2, 2, 0, 5, 0, 4}, {3, 9, -1, 4, 1, 2},
                                  {7, 8, 1, 2, 3, 4}, {0, 0, 0, 0, 0, 0}, {1, 12, 2, 4, 5, 8}};
  for (std::size_t count = 0; count <= boxes.size(); ++count) {
    const ThreadCells s = thread_cells(static_cast<std::int32_t>(count), [&](int k) { return boxes[as_size(k)]; });
    std::uint32_t thread = 0;
    for (std::size_t k = 0; k < count; ++k) {
      std::uint32_t number = 0;
      const Box& b = boxes[k];
      for (int z = b.z0; z < b.z1; ++z)
        for (int y = b.y0; y < b.y1; ++y)
          for (int x = b.x0; x < b.x1; ++x, ++thread, ++number) {
            const ThreadCells::Cell c = s.cell(thread);
            ASSERT_EQ(c.box, static_cast<int>(k));
            ASSERT_EQ(c.number, number);
            ASSERT_EQ((std::array<int, 3>{c.x, c.y, c.z}), (std::array<int, 3>{x, y, z}));
          }
    }
    EXPECT_EQ(s.cells(), thread);
  }
}

TEST(LbmThreadCells, DivisorsDivide) {
  for (const std::uint32_t divisor : {1U, 2U, 3U, 7U, 64U, 641U, 65537U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    const std::uint64_t step = divisor * (0x10000000ULL / divisor + 1);
    for (std::uint64_t multiple = 0; multiple < (std::uint64_t{1} << 32); multiple += step)
      for (const std::uint64_t beside : {-1ULL, 0ULL, 1ULL}) {
        const auto dividend = static_cast<std::uint32_t>(multiple + beside);
        ASSERT_EQ(Divisor(divisor).quotient(dividend), dividend / divisor) << dividend << " / " << divisor;
      }
  }
}

/// A double that counts what is done with it.
struct Counted {
  double v = 0;
  static inline double operations = 0;

  static Counted made(double v) {
    ++operations;
    return {v};
  }
  friend Counted operator+(Counted a, Counted b) { return made(a.v + b.v); }
  friend Counted operator-(Counted a, Counted b) { return made(a.v - b.v); }
  friend Counted operator*(Counted a, Counted b) { return made(a.v * b.v); }
  friend Counted operator/(Counted a, Counted b) { return made(a.v / b.v); }
  friend Counted root(Counted a) { return made(std::sqrt(a.v)); }
  Counted() = default;
  Counted(double x) : v(x) {}
};

/// Those of tasks are the unit of platforms (experiments/machines) and of recorded graphs.
TEST(LbmFlops, AreWhatIsDone) {
  EXPECT_EQ(task_flops(Collision{}), 208);
  for (const auto& [name, c] : collisions) {
    Counted f[q];
    Counted::operations = 0;
    collide_as<double>(c, f);
    EXPECT_EQ(update_flops(c), Counted::operations) << name;
  }
}

}  // namespace
}  // namespace asterism::lbm
