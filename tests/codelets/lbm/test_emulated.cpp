// SPDX-License-Identifier: Apache-2.0
// The device code of the lattice Boltzmann kernels run on the host: what a machine without GPU can check of it.
#include "base/as_size.hpp"
#include "tests/codelets/cuda_on_host.hpp"
// populations of a cell that a thread does not have
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
//
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "codelets/lbm/kernels/boundary/links.cuh"
#include "codelets/lbm/kernels/boundary/walls.cuh"
#include "codelets/lbm/kernels/boundary/wraps.cuh"
#include "codelets/lbm/kernels/copy.hpp"
#include "codelets/lbm/kernels/observers/observe.cuh"
#include "codelets/lbm/kernels/transfers.cuh"
#include "codelets/lbm/kernels/update.cuh"
#include "tests/codelets/lbm/cases.hpp"

namespace asterism::lbm {
namespace {

template <class T>
class LbmEmulated : public ::testing::Test {
 protected:
  LbmEmulated() : domain_(setting({13, 6, 5})) {
    domain_.randomize(1, 0.05);
    domain_.step();
    domain_.step();
  }
  static Setting setting(const std::array<int, 3>& n, const Collision& collision = cases::collisions[5].second) {
    return {n, collision, cases::walls, cases::obstacles(n, 3)};
  }
  template <Relaxation relaxation, bool forced>
  static void update(const Domain<T>& d, Half half, const cuda::ThreadPairs& pairs, std::vector<T>& f,
                     const std::vector<Wall>& returning = {}, const std::vector<Wall>& at_once = {}) {
    const auto some =
        returns_at_once<Arithmetic<T>>(at_once.data(), static_cast<std::int32_t>(at_once.size()), d.brick);
    const bool plain = cuda::has_plain_kernels<T> && some.walls == 0 && d.setting.collision.sponge.cells == 0;
    run(pairs.pairs, 64, [&] {
      const auto kernel = plain ? cuda::update_kernel<T, relaxation, forced, cuda::Scope::plain>
                                : cuda::update_kernel<T, relaxation, forced, cuda::Scope::all>;
      kernel(
          parameters<Arithmetic<T>, scale_of<T>>(d.setting.collision),
          friction<Arithmetic<T>, scale_of<T>>(d.setting.collision.sponge), population_bytes<T>(other(half), d.brick),
          population_bytes<T>(half, d.brick), half == Half::alpha,
          returns<Arithmetic<T>, scale_of<T>>(returning.data(), static_cast<std::int32_t>(returning.size()), d.brick),
          some, d.brick, pairs, d.solid.data(), f.data());
    });
  }
  template <class Kernel>
  static void run(const ThreadCells& cells, unsigned threads, Kernel kernel) {
    cuda_on_host::launch((cells.cells() + threads - 1) / threads, threads, kernel);
  }
  static void reflect_all_but_those_at_once(const Domain<T>& d, Half last, const std::vector<Wall>& walls,
                                            std::vector<T>& f) {
    cuda::Reflectors<T> all{};
    for (const Wall& wall : walls) all.wall[all.count++] = reflector<Arithmetic<T>>(wall);
    const ThreadCells cells = thread_cells(all.count, [&](int w) {
      const Wall& wall = walls[as_size(w)];
      return wall.kind == Wall::Kind::velocity || may_return_at_once(wall) ? Box{} : d.brick.layer(wall.face);
    });
    run(cells, 32, [&] {
      cuda::walls_kernel<T>(all, population_offsets(last, d.brick), population_offsets(other(last), d.brick), d.brick,
                            cells, f.data());
    });
  }
  template <class Number>
  static bool same(const std::vector<Number>& a, const std::vector<Number>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0;
  }
  Domain<T> domain_;
};
using Precisions = ::testing::Types<double, float, Float16>;
TYPED_TEST_SUITE(LbmEmulated, Precisions);

TYPED_TEST(LbmEmulated, Update) {
  using T = TypeParam;
  const std::vector<Box> shell = {{0, 1, 0, 6, 0, 5},  {12, 13, 0, 6, 0, 5}, {1, 12, 0, 1, 0, 5},
                                  {1, 12, 5, 6, 0, 5}, {1, 12, 1, 5, 0, 1},  {1, 12, 1, 5, 4, 5}};
  const auto cells = cuda::thread_pairs(6, [&](int k) { return shell[as_size(k)]; });
  for (const auto& [name, collision] : cases::collisions) {
    const Relaxation how = relaxation(collision);
    const bool force = forced(collision);
    if (how == Relaxation::turbulent_bgk || how == Relaxation::turbulent_trt || force == (how != Relaxation::constant))
      continue;
    Domain<T> d(this->setting({13, 6, 5}, collision));
    d.randomize(1, 0.05);
    for (int step = 0; step < 4; ++step) {
      const Half half = d.half;
      std::vector<T> f = d.f;
      if (how == Relaxation::constant) this->template update<Relaxation::constant, true>(d, half, cells, f);
      if (how == Relaxation::central) this->template update<Relaxation::central, false>(d, half, cells, f);
      if (how == Relaxation::turbulent_central)
        this->template update<Relaxation::turbulent_central, false>(d, half, cells, f);
      if (how == Relaxation::central_third) this->template update<Relaxation::central_third, false>(d, half, cells, f);
      if (how == Relaxation::turbulent_central_third)
        this->template update<Relaxation::turbulent_central_third, false>(d, half, cells, f);
      for (const Box& b : shell) d.update(b);
      EXPECT_TRUE(this->same(f, d.f)) << name << ", step " << step;
      d.finish();
    }
  }
}

/// All walls at once, threads in another order than the list of walls.
TYPED_TEST(LbmEmulated, Walls) {
  using T = TypeParam;
  Domain<T>& d = this->domain_;
  for (const Half half : {Half::alpha, Half::beta})
    for (std::size_t turn = 0; turn < 6; ++turn) {
      std::vector<Wall> walls;
      cuda::Reflectors<T> all{};
      for (std::size_t k = 0; k < 6; ++k) {
        walls.push_back(cases::walls[(turn + 5 * k) % 6]);
        all.wall[all.count++] = reflector<Arithmetic<T>>(walls.back());
      }
      const ThreadCells cells = thread_cells(6, [&](int w) { return d.brick.layer(walls[as_size(w)].face); });
      std::vector<T> f = d.f, expected = d.f;
      this->run(cells, 32, [&] {
        cuda::walls_kernel<T>(all, population_offsets(half, d.brick), population_offsets(other(half), d.brick), d.brick,
                              cells, f.data());
      });
      cpu::reflect(half, d.brick, walls.data(), 6, d.brick.interior(), expected.data());
      EXPECT_TRUE(this->same(f, expected));
      EXPECT_FALSE(this->same(f, d.f));
    }
}

/// Velocity walls as part of the next half-step, walls at constant pressure across x before it or at the end of this
/// one: reflected after all, the state is the same at any time.
TYPED_TEST(LbmEmulated, WallsAsPartOfTheUpdate) {
  using T = TypeParam;
  for (std::size_t turn = 0; turn < 12; ++turn) {
    Setting s = this->setting({9, 5, 4});
    for (std::size_t k = 0; k < 6; ++k) s.walls[k] = cases::walls[(turn + 5 * k) % 6];
    if (turn >= 6)  // the other way round along x
      for (Wall& wall : s.walls)
        if (wall.face < 2) wall.face = 1 - wall.face;
    s.walls = cases::velocity_walls_last(s.walls);
    const auto passed = static_cast<std::int32_t>(
        std::count_if(s.walls.begin(), s.walls.end(), [](const Wall& w) { return w.kind != Wall::Kind::velocity; }));
    Domain<T> d(s);
    d.randomize(2, 0.05);
    const Box all = d.brick.interior();
    const auto cells = cuda::thread_pairs(1, [&](int) { return all; });
    std::vector<T> f = d.f, at_once = d.f;
    for (int step = 0; step < 6; ++step) {
      const Half half = d.half;
      const std::vector<Wall> returning = step == 0 ? std::vector<Wall>{} : s.walls;
      if (step > 0) {
        cpu::reflect(other(half), d.brick, s.walls.data(), passed, all, f.data());
        this->reflect_all_but_those_at_once(d, other(half), s.walls, at_once);
      }
      this->template update<Relaxation::constant, true>(d, half, cells, f, returning);
      this->template update<Relaxation::constant, true>(d, half, cells, at_once, returning, s.walls);
      cpu::reflect(half, d.brick, d.links(), f.data());
      cpu::reflect(half, d.brick, d.links(), at_once.data());
      d.step();
      for (const std::vector<T>* const g : {&f, &at_once}) {
        std::vector<T> reflected = *g;
        cpu::reflect(half, d.brick, s.walls.data(), 6, all, reflected.data());
        EXPECT_TRUE(this->same(reflected, d.f)) << "turn " << turn << ", step " << step << (g == &f ? "" : ", at once");
        EXPECT_FALSE(this->same(*g, d.f));
      }
    }
  }
}

TYPED_TEST(LbmEmulated, Links) {
  using T = TypeParam;
  Domain<T>& d = this->domain_;
  const Links links = d.links();
  const auto count = static_cast<unsigned>(links.begin[q]);
  for (const Half half : {Half::alpha, Half::beta}) {
    d.update(d.brick.interior());
    const std::int64_t* left = half == Half::alpha ? links.fluid : links.solid;
    const std::int64_t* next = half == Half::alpha ? links.solid : links.fluid;
    const Origin origin = {5, 0, 9};
    ForceSums sums{}, expected_sums{};
    const auto blocks = static_cast<unsigned>(cuda::blocks_of_force(links));
    EXPECT_GT(blocks, 1U);
    cuda_on_host::launch(blocks, cuda::force_threads,
                         [&] { cuda::force_kernel<T>(half, d.brick, origin, links, d.f.data(), &sums); });
    cpu::force(half, d.brick, origin, links, d.f.data(), expected_sums);
    EXPECT_EQ(std::memcmp(&sums, &expected_sums, sizeof(ForceSums)), 0);
    EXPECT_NE(sums.number(0), 0);
    std::vector<T> f = d.f, expected = d.f;
    cuda_on_host::launch((count + 63) / 64, 64,
                         [&] { cuda::links_kernel<T>(left, next, links.begin[0], links.begin[q], f.data()); });
    cpu::reflect(half, d.brick, links, expected.data());
    EXPECT_TRUE(this->same(f, expected));
    EXPECT_FALSE(this->same(f, d.f));
    d.finish();
  }
}

TYPED_TEST(LbmEmulated, InterpolatedLinks) {
  using T = TypeParam;
  Setting s = this->setting({13, 6, 5}, cases::collisions[8].second);
  s.distance = [](int x, int y, int z, int j) { return ((x + 3 * y + 5 * z + 7 * j) % 20 + 0.5) / 20; };
  Domain<T> d(s);
  d.randomize(4, 0.05);
  const Links links = d.links();
  const auto count = static_cast<unsigned>(links.begin[q]);
  for (int step = 0; step < 4; ++step) {
    const Half half = d.half;
    d.update(d.brick.interior());
    d.exchange();
    ForceSums sums{}, expected_sums{};
    cuda_on_host::launch(static_cast<unsigned>(cuda::blocks_of_force(links)), cuda::force_threads, [&] {
      cuda::force_kernel<T>(half, d.brick, {5, 0, 9}, links, d.f.data(), &sums);
    });
    cpu::force(half, d.brick, {5, 0, 9}, links, d.f.data(), expected_sums);
    EXPECT_EQ(std::memcmp(&sums, &expected_sums, sizeof(ForceSums)), 0);
    std::vector<T> f = d.f, expected = d.f;
    cuda_on_host::launch((count + 63) / 64, 64,
                         [&] { cuda::interpolated_links_kernel<T>(half, d.brick, links, f.data()); });
    cpu::reflect(half, d.brick, links, expected.data());
    EXPECT_TRUE(this->same(f, expected));
    // the force is that of the populations that are there afterwards
    double momentum = 0;
    for (int j = 1; j < q; ++j)
      for (int l = links.begin[j]; l < links.begin[j + 1]; ++l)
        momentum += velocity(j).x * (static_cast<double>(value_of(f[as_size(links.fluid[l])])) +
                                     static_cast<double>(value_of(f[as_size(links.solid[l])])));
    EXPECT_NEAR(sums.number(0), momentum, 1e-12);
    EXPECT_GT(std::abs(momentum), 1e-4);
    d.reflect();
  }
}

TYPED_TEST(LbmEmulated, Wraps) {
  using T = TypeParam;
  for (std::uint32_t wraps = 1; wraps < 8; ++wraps) {
    Setting s{{13, 6, 5}, cases::collisions[0].second};
    for (const Wall& wall : cases::walls)
      if ((wraps >> axis_of(wall.face) & 1U) == 0) s.walls.push_back(wall);
    Domain<T> d(s);
    d.randomize(2, 0.05);
    const ThreadCells cells = thread_cells(faces, [&](int face) { return wrapped_layer(d.brick, wraps, face); });
    for (int step = 0; step < 3; ++step) {
      d.update(d.brick.interior());
      std::vector<T> f = d.f, expected = d.f;
      this->run(cells, 32, [&] { cuda::wrap_kernel<T>(d.half, d.brick, wraps, cells, f.data()); });
      cpu::wrap(d.half, d.brick, wraps, expected.data());
      EXPECT_TRUE(this->same(f, expected));
      EXPECT_FALSE(this->same(f, d.f));
      d.finish();
    }
  }
}

TYPED_TEST(LbmEmulated, Transfers) {
  using T = TypeParam;
  Domain<T>& d = this->domain_;
  const Transfer transfers[] = {{{-1, 0, 0, 6, 0, 5}, {1, 7, 9, 11, 13}}, {{2, 5, 3, 4, -1, 6}, {4, 8, 9, 16, 18}}};
  std::vector<T> arrays[2], expected[2];
  T* data[2];
  T* expected_data[2];
  cuda::Arrays<T> to{};
  cuda::Arrays<const T> from{};
  for (std::size_t t = 0; t < 2; ++t) {
    arrays[t].resize(as_size(transfers[t].elements()));
    expected[t].resize(arrays[t].size());
    data[t] = arrays[t].data();
    expected_data[t] = expected[t].data();
    to.array[t].cells = from.array[t].cells = static_cast<std::uint32_t>(transfers[t].box.cells());
    to.array[t].data = data[t];
    from.array[t].data = data[t];
    std::copy_n(transfers[t].slots, crossing, to.array[t].slots);
    std::copy_n(transfers[t].slots, crossing, from.array[t].slots);
  }
  const ThreadCells cells = thread_cells(2, [&](int t) { return transfers[t].box; });
  this->run(cells, 32, [&] { cuda::pack_kernel<T>(to, d.brick, cells, d.f.data()); });
  cpu::pack(d.brick, transfers, 2, d.f.data(), expected_data);
  for (std::size_t t = 0; t < 2; ++t) EXPECT_TRUE(this->same(arrays[t], expected[t]));
  std::vector<T> f(d.f.size(), population<T>(1)), expected_f = f;
  this->run(cells, 32, [&] { cuda::unpack_kernel<T>(from, d.brick, cells, f.data()); });
  cpu::unpack(d.brick, transfers, 2, data, expected_f.data());
  EXPECT_TRUE(this->same(f, expected_f));
}

TYPED_TEST(LbmEmulated, StoreAndLoad) {
  using T = TypeParam;
  const Domain<T>& d = this->domain_;
  for (const Box& box : {d.brick.interior(), Box{1, 13, 0, 5, 2, 4}, Box{3, 4, 2, 3, 1, 2}}) {
    const ThreadCells cells = thread_cells(1, [&](int) { return box; });
    std::vector<T> array(as_size(q * box.cells())), expected = array;
    this->run(cells, 32, [&] { cuda::store_kernel<T>(d.brick, cells, d.f.data(), array.data()); });
    cpu::store(d.brick, box, d.f.data(), expected.data());
    EXPECT_TRUE(this->same(array, expected));
    std::vector<T> f(d.f.size(), population<T>(1)), expected_f = f;
    this->run(cells, 32, [&] { cuda::load_kernel<T>(d.brick, cells, array.data(), f.data()); });
    cpu::load(d.brick, box, array.data(), expected_f.data());
    EXPECT_TRUE(this->same(f, expected_f));
  }
}

TYPED_TEST(LbmEmulated, ObserveAndTotal) {
  using T = TypeParam;
  Domain<T> d(this->setting({13, 9, 8}));
  d.randomize(1, 0.05);
  const Box box{1, 13, 0, 8, 1, 7};
  const ThreadCells cells = thread_cells(1, [&](int) { return box; });
  const auto p = parameters<Arithmetic<T>>(d.setting.collision);
  for (const bool settled : {true, false}) {
    ASSERT_EQ(d.settled(), settled);
    const PopulationOffsets where = population_offsets(settled ? Half::alpha : Half::beta, d.brick);
    std::vector<Arithmetic<T>> out(as_size(4 * box.cells()));
    this->run(cells, 64,
              [&] { cuda::observe_kernel<T>(p, where, d.brick, cells, d.solid.data(), d.f.data(), out.data()); });
    EXPECT_TRUE(this->same(out, d.observed(box)));

    constexpr int blocks = 3;  // fewer threads than cells
    const Box all = d.brick.interior();
    const ThreadCells all_cells = thread_cells(1, [&](int) { return all; });
    std::vector<Totals> parts(blocks);
    Totals sum{};
    cuda_on_host::launch(blocks, cuda::observe_threads, [&] {
      cuda::total_kernel<T, blocks>(p, where, d.brick, all_cells, d.solid.data(), d.f.data(), parts.data());
    });
    cuda_on_host::launch(1, cuda::observe_threads, [&] { cuda::finish_totals_kernel<blocks>(parts.data(), &sum); });
    const Totals expected = cpu::total(d.half, d.brick, all, d.setting.collision, d.solid.data(), d.f.data());
    EXPECT_NEAR(sum.mass, expected.mass, 1e-13);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(sum.momentum[a], expected.momentum[a], 1e-13);
    EXPECT_NEAR(sum.energy, expected.energy, 1e-13);
    EXPECT_EQ(sum.speed, expected.speed);
    d.step();
  }
}

}  // namespace
}  // namespace asterism::lbm
