// SPDX-License-Identifier: Apache-2.0
// The lattice Boltzmann kernels on a GPU give the bits of those on CPUs. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/lbm/kernels/boundary/force_sums.hpp"
#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/lbm/cases.hpp"

namespace asterism::lbm {
namespace {

const int steps = sanitized() ? 2 : 6;

template <class T>
class LbmKernelsCuda : public CudaTest {
 protected:
  /// Both do the same steps; after each, all places and what is observed are compared.
  void expect_steps(const Setting& s, const std::vector<Box>& pieces, int threads) {
    Domain<T> host(s);
    host.randomize(7, 0.05);
    const DeviceArray<T> f(stream_, host.f);
    const DeviceArray<std::uint8_t> solid(stream_, host.solid);
    const std::uint8_t* solid_cells = s.solid.empty() ? nullptr : solid.data();
    Links links = host.links();
    const auto count = static_cast<std::size_t>(links.begin[q]);
    const DeviceArray<std::int64_t> fluid(stream_, std::vector<std::int64_t>(links.fluid, links.fluid + count));
    const DeviceArray<std::int64_t> beyond(stream_, std::vector<std::int64_t>(links.solid, links.solid + count));
    const std::vector<double> shares =
        links.share == nullptr ? std::vector<double>(count, 1) : std::vector<double>(links.share, links.share + count);
    const DeviceArray<double> share(stream_, shares);
    links.fluid = fluid.data();
    links.solid = beyond.data();
    if (links.share != nullptr) links.share = share.data();
    cuda::Boxes boxes;
    for (const Box& b : pieces) boxes.box[boxes.count++] = b;
    cuda::Walls walls;
    for (const Wall& w : s.walls) walls.wall[walls.count++] = w;
    const DeviceArray<char> scratch(stream_, cuda::total_scratch_bytes(), 0);
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE(step);
      const Half half = host.half;
      host.update(host.brick.interior());
      cuda::update(half, host.brick, boxes, s.collision, solid_cells, {}, {}, f.data(), stream_, threads);
      expect_same(f.values(), host.f, "update");

      std::uint32_t wraps = 0;
      for (int axis = 0; axis < 3; ++axis) wraps |= s.has_wall(2 * axis) ? 0U : 1U << axis;
      std::vector<T> wrapped = host.f;
      cpu::wrap(half, host.brick, wraps, wrapped.data());
      const DeviceArray<T> wrapped_there(stream_, host.f);
      cuda::wrap(half, host.brick, wraps, wrapped_there.data(), stream_);
      expect_same(wrapped_there.values(), wrapped, "wraps");

      host.exchange();
      exchange(s, half, host.brick, f.data());
      const Origin origin = {3, 70, 11};
      ForceSums host_sums{};
      cpu::force(half, host.brick, origin, host.links(), host.f.data(), host_sums);
      const DeviceArray<ForceSums> sums(stream_, std::vector<ForceSums>(1));
      cuda::force(half, host.brick, origin, links, f.data(), sums.data(), stream_);
      const ForceSums device_sums = sums.values()[0];
      EXPECT_EQ(std::memcmp(&device_sums, &host_sums, sizeof(ForceSums)), 0);

      host.reflect();
      cuda::reflect(half, host.brick, walls, f.data(), stream_);
      cuda::reflect(half, host.brick, links, f.data(), stream_);
      expect_same(f.values(), host.f, "exchange and reflection");

      const Box box = host.brick.interior();
      const DeviceArray<Arithmetic<T>> out(stream_, as_size(4 * box.cells()), 0);
      cuda::observe(host.half, host.brick, box, s.collision, solid_cells, f.data(), out.data(), stream_);
      expect_same(out.values(), host.observed(box), "observe");

      const Totals expected = host.totals();
      const DeviceArray<Totals> totals(stream_, 2, 0);
      for (int k = 0; k < 2; ++k)
        cuda::total(host.half, host.brick, box, s.collision, solid_cells, f.data(), totals.data() + k, scratch.data(),
                    stream_);
      const std::vector<Totals> actual = totals.values();
      EXPECT_EQ(std::memcmp(&actual[0], &actual[1], sizeof(Totals)), 0);
      EXPECT_NEAR(actual[0].mass, expected.mass, 1e-11);
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(actual[0].momentum[a], expected.momentum[a], 1e-11);
      EXPECT_NEAR(actual[0].energy, expected.energy, 1e-11);
      EXPECT_EQ(actual[0].speed, expected.speed);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  void exchange(const Setting& s, Half half, const Brick& brick, T* f) {
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<Exchange> all = exchanges(s, half, axis);
      if (all.empty()) continue;
      const DeviceArray<T> low(stream_, as_size(all[0].from.elements()), 0);
      const DeviceArray<T> high(stream_, as_size(all[1].from.elements()), 0);
      T* data[] = {low.data(), high.data()};
      cuda::Transfers from, to;
      from.count = to.count = 2;
      for (int k = 0; k < 2; ++k) {
        from.transfer[k] = all[as_size(k)].from;
        to.transfer[k] = all[as_size(k)].to;
      }
      cuda::pack(brick, from, f, data, stream_);
      cuda::unpack(brick, to, data, f, stream_);
      check(cudaStreamSynchronize(stream_));
    }
  }
};
using Precisions = ::testing::Types<double, float, Float16>;
TYPED_TEST_SUITE(LbmKernelsCuda, Precisions);

TYPED_TEST(LbmKernelsCuda, EveryCollision) {
  const std::array<int, 3> n = {33, 6, 5};
  // racecheck looks at shared memory, which only measurements use: the same whatever the collision
  const std::size_t every = sanitized_by("racecheck") ? cases::collisions.size() : 1;
  for (std::size_t c = 0; c < cases::collisions.size(); c += every) {
    const auto& [name, collision] = cases::collisions[c];
    SCOPED_TRACE(name);
    this->expect_steps({n, collision}, {{0, 33, 0, 6, 0, 5}}, 128);
    this->expect_steps({n, collision, cases::walls}, {{0, 33, 0, 6, 0, 5}}, 128);
    this->expect_steps({n, collision, {}, cases::obstacles(n, 8)}, {{0, 33, 0, 6, 0, 5}}, 128);
  }
}

TYPED_TEST(LbmKernelsCuda, InterpolatedLinks) {
  const std::array<int, 3> n = {33, 6, 5};
  Setting s{n, cases::collisions[9].second, {}, cases::obstacles(n, 8)};
  s.distance = [](int x, int y, int z, int j) { return ((x + 3 * y + 5 * z + 7 * j) % 20 + 0.5) / 20; };
  this->expect_steps(s, {{0, 33, 0, 6, 0, 5}}, 128);
}

TYPED_TEST(LbmKernelsCuda, BoxesAndBlocks) {
  const std::array<int, 3> n = {70, 9, 8};
  const Setting s{n, cases::collisions[1].second, cases::walls, cases::obstacles(n, 2)};
  for (const int threads : {32, 64, 128, 256}) {
    SCOPED_TRACE(threads);
    this->expect_steps(
        s, {{0, 70, 0, 9, 0, 1}, {0, 70, 0, 9, 7, 8}, {0, 1, 0, 9, 1, 7}, {1, 70, 0, 1, 1, 7}, {1, 70, 1, 9, 1, 7}},
        threads);
  }
}

TYPED_TEST(LbmKernelsCuda, WallsInAnyOrder) {
  const std::array<int, 3> n = {17, 5, 4};
  for (std::size_t turn = 0; turn < 6; ++turn) {
    SCOPED_TRACE(turn);
    Setting s{n, cases::collisions[4].second};
    for (std::size_t k = 0; k < 6; ++k) s.walls.push_back(cases::walls[(turn + 5 * k) % 6]);
    this->expect_steps(s, {{0, 17, 0, 5, 0, 4}}, 128);
    std::vector<Wall> pairs;
    for (const Wall& w : cases::walls)
      if (static_cast<std::size_t>(w.face / 2) != turn / 2) pairs.push_back(w);
    s.walls = pairs;
    this->expect_steps(s, {{0, 17, 0, 5, 0, 4}}, 128);
  }
}

/// Velocity walls as part of the next half-step, walls at constant pressure across x before it or at the end of this
/// one: reflected after all, the state is the same at any time.
TYPED_TEST(LbmKernelsCuda, WallsAsPartOfTheUpdate) {
  using T = TypeParam;
  const std::array<int, 3> n = {37, 6, 5};
  for (const auto& [name, collision] : cases::collisions) {
    SCOPED_TRACE(name);
    const Setting s{n, collision, cases::velocity_walls_last(cases::walls)};
    Domain<T> host(s);
    host.randomize(11, 0.05);
    const DeviceArray<T> f(this->stream_, host.f), at_once(this->stream_, host.f);
    cuda::Walls every;
    for (const Wall& w : s.walls) every.wall[every.count++] = w;
    cuda::Boxes boxes;
    for (const Box& b : {Box{0, 37, 0, 6, 0, 1}, Box{0, 37, 0, 6, 1, 5}}) boxes.box[boxes.count++] = b;
    for (int step = 0; step < steps; ++step) {
      const Half half = host.half;
      cuda::Walls walls;
      if (step > 0)
        for (const Wall& w : s.walls) walls.wall[walls.count++] = w;
      for (const bool early : {false, true}) {
        const DeviceArray<T>& g = early ? at_once : f;
        cuda::reflect_before_update(other(half), host.brick, walls, early && step > 0, g.data(), this->stream_);
        cuda::update(half, host.brick, boxes, s.collision, nullptr, walls, early ? every : cuda::Walls{}, g.data(),
                     this->stream_);
      }
      host.step();
      for (const DeviceArray<T>* const g : {&f, &at_once}) {
        std::vector<T> reflected = g->values();
        cpu::reflect(half, host.brick, s.walls.data(), 6, host.brick.interior(), reflected.data());
        expect_same(reflected, host.f, g == &f ? "walls as part of the update" : "walls that return at once");
      }
    }
  }
}

TYPED_TEST(LbmKernelsCuda, NothingToDo) {
  const Brick brick = make_brick(4, 4, 4, sizeof(TypeParam));
  const DeviceArray<TypeParam> f(this->stream_,
                                 std::vector<TypeParam>(as_size(brick.elements()), population<TypeParam>(1)));
  cuda::update(Half::alpha, brick, {}, {}, nullptr, {}, {}, f.data(), this->stream_);
  cuda::reflect(Half::alpha, brick, cuda::Walls{}, f.data(), this->stream_);
  cuda::reflect(Half::alpha, brick, Links{}, f.data(), this->stream_);
  expect_same(f.values(), std::vector<TypeParam>(as_size(brick.elements()), population<TypeParam>(1)), "nothing");
}

}  // namespace
}  // namespace asterism::lbm
