// SPDX-License-Identifier: Apache-2.0
// The boundary element kernels on a GPU against what they stand for. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "codelets/tdbem/kernels/march/radiation_cuda.hpp"
#include "codelets/tdbem/kernels/march/windows_cuda.hpp"
#include "codelets/tdbem/kernels/product/full_blocking_cuda.hpp"
#include "codelets/tdbem/kernels/product/k_order_cuda.hpp"
#include "codelets/tdbem/kernels/product/product_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/tdbem/near.hpp"
#include "tests/codelets/tdbem/products.hpp"

namespace asterism::tdbem {
namespace {

std::vector<std::int32_t> groups() {
  return sanitized() ? std::vector<std::int32_t>{1, 5, max_group} : all_groups();
}

template <class T>
class TdbemCuda : public CudaTest {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemCuda, Precisions);

/// A tile in device memory.
template <class T>
struct DeviceTile {
  DeviceTile(cudaStream_t stream, const TileArrays<T>& of)
      : start(stream, of.start), first(stream, of.first), length(stream, of.length), values(stream, of.values) {
    tile = of.tile();
    tile.start = start.data();
    tile.first = first.data();
    tile.length = length.data();
    tile.values = values.data();
  }
  DeviceArray<std::uint32_t> start;
  DeviceArray<std::uint16_t> first;
  DeviceArray<std::uint8_t> length;
  DeviceArray<T> values;
  Tile<T> tile;
};

TYPED_TEST(TdbemCuda, ProductsAreSumsOverLags) {
  using T = TypeParam;
  for (const ProductCase& c : product_cases())
    for (const std::int32_t group : groups())
      for (const std::int32_t parts : {1, 3}) {
        const Products<T> p(c.matrix, group, c.row_cuts, c.slice_cuts, c.waves, c.more_reach);
        const std::size_t rows = c.row_cuts.size() - 1;  // tiles of a column come one after the other
        const DeviceArray<T> s(this->stream_, p.start);
        Sums<T> sums = p.sums;
        sums.values = s.data();
        const DeviceArray<T> window_values(this->stream_, p.window_values, 0, Guard::nan);
        const std::size_t columns = p.arrays.size() / rows;
        const std::size_t at_once = parts == 1 ? 1 : std::min<std::size_t>(columns, most_blocks_at_once);
        for (std::size_t column = 0; column < p.arrays.size(); column += at_once * rows) {
          const std::size_t blocks = std::min(at_once, (p.arrays.size() - column) / rows);
          std::vector<std::unique_ptr<DeviceTile<T>>> owners;
          std::vector<Tile<T>> tiles;
          std::int32_t panels = 0;
          for (std::size_t t = column; t < column + blocks * rows; ++t) {
            owners.push_back(std::make_unique<DeviceTile<T>>(this->stream_, p.arrays[t]));
            tiles.push_back(owners.back()->tile);
            panels = std::max(panels, tiles.back().panels());
          }
          const ProductShape shape{static_cast<std::int32_t>(blocks * rows), panels, parts};
          const DeviceArray<Tile<T>> device_tiles(this->stream_, tiles);
          const DeviceArray<T> scratch(this->stream_, static_cast<std::size_t>(product_scratch(shape, group, c.waves)),
                                       0, Guard::nan);
          cuda::product(device_tiles.data(), shape, p.windows_of(column, blocks, window_values.data()), sums,
                        scratch.data(), this->stream_);
          check(cudaStreamSynchronize(this->stream_));
          static_cast<void>(scratch.values());  // nothing outside is written
        }
        p.expect(s.values(), std::string(c.name) + ", group " + std::to_string(group));
      }
}

TYPED_TEST(TdbemCuda, FullBlocksAreSumsOverLags) {
  using T = TypeParam;
  expect_block_products<T>(groups(), [&](const Products<T>& p, const BlockShape& shape) {
    const DeviceArray<T> s(this->stream_, p.start);
    const DeviceArray<T> window_values(this->stream_, p.window_values, 0, Guard::nan);
    Windows<T> windows = p.windows;
    windows.values = window_values.data();
    Sums<T> sums = p.sums;
    sums.values = s.data();
    for (const TileArrays<T>& a : p.arrays) {
      const FullBlocks<T> of = full_blocks(a.tile(), shape);
      const DeviceArray<std::int32_t> slice(this->stream_, of.slice);
      const DeviceArray<BlockPlace> place(this->stream_, of.place);
      const DeviceArray<T> values(this->stream_, of.values, 0, Guard::nan);
      FullBlocksView<T> blocks = view(of);
      blocks.slice = slice.data();
      blocks.place = place.data();
      blocks.values = values.data();
      cuda::full_blocks_product(blocks, windows, sums, this->stream_);
      check(cudaStreamSynchronize(this->stream_));
    }
    return s.values();
  });
}

TYPED_TEST(TdbemCuda, ByFrontAreTheSame) {
  using T = TypeParam;
  for (const ProductCase& c : product_cases()) {
    if (c.waves > 1) continue;
    const Products<T> p(c.matrix, 1, c.row_cuts, c.slice_cuts, 1, c.more_reach);
    const std::vector<Tile<T>> tiles = p.tiles();
    const KOrder<T> k_order = k_order_of(tiles.data(), static_cast<std::int32_t>(tiles.size()));
    std::vector<T> past_values;
    for (std::int32_t k = 1; k <= k_order.lags; ++k)
      for (std::int32_t j = 0; j < p.slices; ++j)
        past_values.push_back(static_cast<T>(p.past(0, p.slice_begin + j, k)));
    const DeviceArray<std::int32_t> row_start(this->stream_, k_order.row_start), column(this->stream_, k_order.column);
    const DeviceArray<T> values(this->stream_, k_order.values), past(this->stream_, past_values),
        s(this->stream_, p.start);
    const cuda::KOrderProduct<T> product(k_order, {row_start.data(), column.data(), values.data()}, past.data(),
                                         s.data(), this->stream_);
    const DeviceArray<char> scratch(this->stream_, product.scratch_bytes(), 0);
    product.run(scratch.data());
    p.expect(s.values(), std::string("k-order, ") + c.name);
  }
}

TYPED_TEST(TdbemCuda, RadiationAddsToLaterSums) {
  using T = TypeParam;
  for_each_radiation<T>([&](const Radiation<T>& r, std::int32_t g0, std::int32_t begin, std::int32_t end) {
    const DeviceArray<T> s(this->stream_, r.start), found(this->stream_, r.found, 0, Guard::nan),
        values(this->stream_, r.near.values, 0, Guard::nan);
    const DeviceArray<std::int64_t> places(this->stream_, r.near.begin);
    const DeviceArray<std::int32_t> reached(this->stream_, r.near.reached), column(this->stream_, r.near.column);
    NearRowsView<T> near = r.near.view();
    near.begin = places.data();
    near.reached = reached.data();
    near.column = column.data();
    near.values = values.data();
    Sums<T> sums = r.sums;
    sums.values = s.data();
    cuda::radiate(near, g0, Found<T>{found.data(), r.unknown_begin}, sums, begin, end, this->stream_);
    r.expect(s.values(), g0, begin, end);
  });
}

TYPED_TEST(TdbemCuda, WindowsMoveOn) {
  using T = TypeParam;
  for_each_moving<T>([&](const Moving<T>& m) {
    const DeviceArray<T> values(this->stream_, m.values), others(this->stream_, m.values),
        done_values(this->stream_, m.done_values, 0, Guard::nan);
    MovedBlocks<T> windows;
    windows.count = 2;
    windows.of[0] = windows.of[1] = m.windows();
    windows.of[0].values = values.data();
    windows.of[1].values = others.data();
    Done<T> done = m.done();
    done.values = done_values.data();
    cuda::move_on(windows, done, this->stream_);
    EXPECT_EQ(values.values(), m.windows_at(m.shape.group)) << m.shape.reach << ' ' << m.shape.group;
    EXPECT_EQ(others.values(), m.windows_at(m.shape.group)) << m.shape.reach << ' ' << m.shape.group;
  });
}

}  // namespace
}  // namespace asterism::tdbem
