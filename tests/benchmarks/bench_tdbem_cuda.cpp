// SPDX-License-Identifier: Apache-2.0
// The summation stage of time-domain boundary elements on the first GPU: bench_tdbem_cuda [OUT.json]
// Slices of a sphere as the paper's Table 3 has them (6400 rows, 420 slices), once and as 20 tiles below each other
// (2 GB in single precision, 4 GB in double): the multi-vectors/vector product for groups of 1 to 16 and for several
// parts, with several waves, sums in k-order (cuSPARSE) and Full-Blocking; then dense blocks of 16 to 128 columns
// (Tables 2 and 3). Medians of launches in turn, between events; `of_read` is the share of the bandwidth of a pass that
// only reads. Flops are those of non-zero values. First, sums are compared with the CPU's; exit status 1 if they
// differ. OUT.json is rewritten after every case.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/costs.hpp"
#include "codelets/tdbem/kernels/product/full_blocking_cuda.hpp"
#include "codelets/tdbem/kernels/product/k_order_cuda.hpp"
#include "codelets/tdbem/kernels/product/product_cuda.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "tests/benchmarks/bench_record.hpp"
#include "tests/benchmarks/device_clock.hpp"
#include "tests/benchmarks/tdbem_sphere.hpp"

namespace asterism::tdbem {
namespace {

using bench::Clock;
using bench::median;
using bench::Memory;
using bench::write;
using Json = nlohmann::ordered_json;

constexpr int repetitions = 15;
constexpr std::int32_t rows = 6400;
constexpr std::int32_t slices = 420;

template <class T>
std::unique_ptr<Memory> upload(const std::vector<T>& values) {
  auto memory = std::make_unique<Memory>(std::max<std::size_t>(1, values.size()) * sizeof(T));
  ASTERISM_CHECK_CUDA(
      cudaMemcpy(memory->template as<T>(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

/// The same tile several times below itself, with memory of its own each time.
template <class T>
class DeviceTiles {
 public:
  DeviceTiles(const TileArrays<T>& of, std::int32_t copies) {
    std::vector<Tile<T>> tiles;
    for (std::int32_t c = 0; c < copies; ++c) {
      Tile<T> tile = of.tile();
      tile.row_begin += c * of.rows;
      tile.start = keep<std::uint32_t>(upload(of.start));
      tile.first = keep<std::uint16_t>(upload(of.first));
      tile.length = nullptr;  // products do without
      tile.values = keep<T>(upload(of.values));
      tiles.push_back(tile);
      counts_ += count(of.tile());
    }
    shape_ = product_shape(copies, of.tile().panels(), of.slices);
    tiles_ = keep<Tile<T>>(upload(tiles));
  }
  [[nodiscard]] const Tile<T>* tiles() const { return tiles_; }
  [[nodiscard]] const ProductShape& shape() const { return shape_; }
  [[nodiscard]] const SliceCounts& counts() const { return counts_; }

 private:
  template <class U>
  const U* keep(std::unique_ptr<Memory> memory) {
    memory_.push_back(std::move(memory));
    return memory_.back()->template as<U>();
  }
  std::vector<std::unique_ptr<Memory>> memory_;
  ProductShape shape_;
  SliceCounts counts_;
  const Tile<T>* tiles_ = nullptr;
};

/// Windows of constant past values on the host and the device.
template <class T>
struct Past {
  Past(std::int32_t reach, std::int32_t group, std::int32_t waves) {
    host.shape = {reach, group, (reach + group + 15) / 16 * 16};
    host.waves = waves;
    host.wave_stride = slices * host.shape.stride;
    values.assign(static_cast<std::size_t>(waves * host.wave_stride), T(0));
    for (std::int32_t w = 0; w < waves; ++w)
      for (std::int32_t j = 0; j < slices; ++j)
        for (std::int32_t m = 0; m < reach; ++m)
          values[static_cast<std::size_t>(w * host.wave_stride + j * host.shape.stride + m)] =
              static_cast<T>((m * 5 + j + w) % 7 - 3) / 4;
    host.values = values.data();
    memory = upload(values);
    device = host;
    device.values = memory->template as<T>();
  }
  [[nodiscard]] WindowsOfBlocks<T> for_tiles(std::int32_t tiles) const { return {tiles, {device}}; }

  std::vector<T> values;
  std::unique_ptr<Memory> memory;
  Windows<T> host, device;
};

struct Candidate {
  Json record;
  double flops;
  double bytes;
  std::function<void()> launch;
  std::vector<double> times{};
};

template <class T>
class Bench {
 public:
  Bench(const Clock& clock, Json& runs) : clock_(clock), runs_(runs) {}

  /// One tile against the CPU.
  bool right(const TileArrays<T>& arrays) {
    const DeviceTiles<T> tiles(arrays, 1);
    bool all = true;
    for (const std::int32_t group : {1, 5, 8, 16}) {
      const Past<T> past(arrays.last_lag(), group, 2);
      std::vector<T> expected(static_cast<std::size_t>(2 * arrays.rows * group)), found(expected.size());
      const std::int64_t wave_stride = static_cast<std::int64_t>(arrays.rows) * group;
      const Tile<T> tile = arrays.tile();
      cpu::product(&tile, 1, past.host, Sums<T>{expected.data(), 0, wave_stride});
      const Memory s(expected.size() * sizeof(T)), scratch(scratch_bytes(tiles.shape(), group, 2));
      cuda::product(tiles.tiles(), tiles.shape(), past.for_tiles(tiles.shape().tiles),
                    Sums<T>{s.as<T>(), 0, wave_stride}, scratch.as<T>(), clock_.stream);
      ASTERISM_CHECK_CUDA(cudaStreamSynchronize(clock_.stream));
      ASTERISM_CHECK_CUDA(cudaMemcpy(found.data(), s.as<T>(), found.size() * sizeof(T), cudaMemcpyDeviceToHost));
      double error = 0, size = 0;
      for (std::size_t e = 0; e < found.size(); ++e) {
        error = std::max(error, std::abs(static_cast<double>(found[e] - expected[e])));
        size = std::max(size, std::abs(static_cast<double>(expected[e])));
      }
      all = all && error <= 100 * std::numeric_limits<T>::epsilon() * size;
    }
    return all;
  }

  void products(const TileArrays<T>& arrays, std::int32_t copies) {
    const DeviceTiles<T> tiles(arrays, copies);
    for (const std::int32_t group : {1, 2, 4, 8, 16})
      for (const std::int32_t waves : {1, 4}) {
        if (waves > 1 && group != 8) continue;
        const Past<T> past(arrays.last_lag(), group, waves);
        const std::int64_t wave_stride = static_cast<std::int64_t>(arrays.rows) * copies * group;
        const Memory s(static_cast<std::size_t>(waves * wave_stride) * sizeof(T));
        std::vector<ProductShape> shapes = {tiles.shape()};
        if (group == 8)
          for (const std::int32_t parts : {1, 2, 4, 8, 16, 32})
            if (parts != shapes[0].parts) shapes.push_back({shapes[0].tiles, shapes[0].panels, parts});
        std::size_t bytes = 1;
        for (const ProductShape& shape : shapes) bytes = std::max(bytes, scratch_bytes(shape, group, waves));
        const Memory scratch(bytes);
        std::vector<Candidate> candidates;
        for (const ProductShape& shape : shapes)
          candidates.push_back({{{"variant", "multi-vectors/vector"},
                                 {"group", group},
                                 {"waves", waves},
                                 {"parts", shape.parts},
                                 {"parts_by_default", shape.parts == shapes[0].parts}},
                                product_flops(tiles.counts(), group, waves),
                                product_bytes(tiles.counts(), sizeof(T)),
                                [&, shape] {
                                  cuda::product(tiles.tiles(), shape, past.for_tiles(shape.tiles),
                                                Sums<T>{s.as<T>(), 0, wave_stride}, scratch.as<T>(), clock_.stream);
                                }});
        measure(candidates, arrays.rows * copies, tiles.counts());
      }
  }

  void fronts_and_blocks(const TileArrays<T>& arrays) {
    const Tile<T> tile = arrays.tile();
    const SliceCounts counts = count(tile);
    const KOrder<T> k_order = k_order_of(&tile, 1);
    const auto row_start = upload(k_order.row_start), column = upload(k_order.column), values = upload(k_order.values);
    const Memory past(static_cast<std::size_t>(k_order.lags) * slices * sizeof(T));
    const Memory s(static_cast<std::size_t>(arrays.rows) * max_group * sizeof(T));
    const cuda::KOrderProduct<T> product(
        k_order,
        {row_start->template as<std::int32_t>(), column->template as<std::int32_t>(), values->template as<T>()},
        past.as<T>(), s.as<T>(), clock_.stream);
    const Memory scratch(product.scratch_bytes() + 1);
    std::vector<Candidate> candidates = {{{{"variant", "front"}, {"group", 1}},
                                          product_flops(counts, 1),
                                          k_order_bytes(k_order.values.size(), k_order.row_start.size(), sizeof(T)),
                                          [&] { product.run(scratch.as<void>()); }}};
    measure(candidates, arrays.rows, counts);
    for (const std::int32_t height : {32, 64, 128})
      for (const std::int32_t width : {16, 32, 64}) {
        measure_blocks(full_blocks(tile, {height, width}), product_flops(counts, 8), counts);
      }
  }

  /// Tables 2 and 3.
  void dense_blocks(std::int32_t columns) {
    const PointsOnSphere sphere(rows);
    constexpr std::int32_t copies = 8;
    const TileArrays<T> arrays = make_tile<T>(
        0, rows, 0, slices / copies,
        [&](std::int32_t i, std::int32_t j) {
          return Extent{sphere.extent(i, j).first, columns};
        },
        [](std::int64_t, std::int64_t, std::int64_t) { return 0.25; });
    products_of_width(arrays, copies, columns);
    for (const std::int32_t height : {32, 64, 128}) {
      FullBlocks<T> blocks{{height, columns}, 0, rows, {}, {}, {}};
      for (std::int32_t j = 0; j < slices; ++j)
        for (std::int32_t row = 0; row < rows; row += height) {
          blocks.slice.push_back(j);
          blocks.place.push_back({row, 1 + row % 64});
        }
      measure_blocks(blocks, 2.0 * 8 * rows * slices * columns, {});
    }
  }

 private:
  static std::size_t scratch_bytes(const ProductShape& shape, std::int32_t group, std::int32_t waves) {
    return static_cast<std::size_t>(product_scratch(shape, group, waves)) * sizeof(T);
  }
  void products_of_width(const TileArrays<T>& arrays, std::int32_t copies, std::int32_t columns) {
    const DeviceTiles<T> tiles(arrays, copies);
    const Past<T> past(arrays.last_lag(), 8, 1);
    const Memory s(static_cast<std::size_t>(arrays.rows) * copies * 8 * sizeof(T)),
        scratch(scratch_bytes(tiles.shape(), 8, 1));
    std::vector<Candidate> candidates = {{{{"variant", "contiguous blocks"}, {"group", 8}, {"columns", columns}},
                                          product_flops(tiles.counts(), 8),
                                          product_bytes(tiles.counts(), sizeof(T)),
                                          [&] {
                                            cuda::product(tiles.tiles(), tiles.shape(),
                                                          past.for_tiles(tiles.shape().tiles), Sums<T>{s.as<T>(), 0, 0},
                                                          scratch.as<T>(), clock_.stream);
                                          }}};
    measure(candidates, arrays.rows * copies, tiles.counts());
  }
  /// Values are zeros, as only their number counts.
  void measure_blocks(const FullBlocks<T>& blocks, double flops, const SliceCounts& counts) {
    const Past<T> past(256, 8, 1);
    const auto slice = upload(blocks.slice);
    const auto place = upload(blocks.place);
    const std::size_t elements =
        blocks.slice.size() * static_cast<std::size_t>(blocks.shape.rows * blocks.shape.columns);
    const Memory values(elements * sizeof(T)), s(static_cast<std::size_t>(blocks.rows) * 8 * sizeof(T));
    FullBlocksView<T> of = view(blocks);
    of.slice = slice->template as<std::int32_t>();
    of.place = place->template as<BlockPlace>();
    of.values = values.as<T>();
    std::vector<Candidate> candidates = {
        {{{"variant", "full blocks"},
          {"group", 8},
          {"block_rows", blocks.shape.rows},
          {"columns", blocks.shape.columns},
          {"blocks", blocks.slice.size()}},
         flops,
         static_cast<double>(elements * sizeof(T)),
         [&] {
           cuda::full_blocks_product(of, past.device, Sums<T>{s.as<T>(), 0, 0}, clock_.stream);
         }}};
    measure(candidates, blocks.rows, counts);
  }
  void measure(std::vector<Candidate>& candidates, std::int32_t of_rows, const SliceCounts& counts) {
    for (int r = -2; r < repetitions; ++r)  // the first ones warm up
      for (Candidate& c : candidates) {
        const double s = clock_.seconds(c.launch);
        if (r >= 0) c.times.push_back(s);
      }
    const double read = measure_gpu_bandwidth(clock_.stream).gpu_read;
    for (Candidate& c : candidates) {
      const double s = median(c.times);
      c.record.update({{"type", sizeof(T) == 8 ? "double" : "float"},
                       {"total_rows", of_rows},
                       {"values", counts.values},
                       {"seconds", s},
                       {"gflops", c.flops / s * 1e-9},
                       {"gb_per_s", c.bytes / s * 1e-9},
                       {"read_gb_per_s", read * 1e-9},
                       {"of_read", c.bytes / s / read}});
      std::printf("%-22s %-6s %7d rows group %2d %8.0f Gflop/s %6.0f GB/s %5.3f of read  %s\n",
                  c.record["variant"].template get<std::string>().c_str(), sizeof(T) == 8 ? "double" : "float", of_rows,
                  c.record["group"].template get<int>(), c.flops / s * 1e-9, c.bytes / s * 1e-9, c.bytes / s / read,
                  c.record.dump().substr(0, 100).c_str());
      runs_.push_back(c.record);
    }
    std::fflush(stdout);
  }
  Clock clock_;
  Json& runs_;
};

template <class T>
bool run(const Clock& clock, const char* path, Json& out) {
  const PointsOnSphere sphere(rows);
  const TileArrays<T> arrays = make_tile<T>(
      0, rows, 0, slices, [&](std::int32_t i, std::int32_t j) { return sphere.extent(i, j); }, some_value);
  Bench<T> of(clock, out["runs"]);
  const bool right = of.right(arrays);
  std::printf("%s\n", right ? "sums are those of the CPU" : "WRONG: other sums than those of the CPU");
  for (const std::int32_t copies : {1, 20}) {
    of.products(arrays, copies);
    write(path, out);
  }
  of.fronts_and_blocks(arrays);
  write(path, out);
  for (const std::int32_t columns : {16, 32, 64, 128}) {
    of.dense_blocks(columns);
    write(path, out);
  }
  return right;
}

int bench_all(const char* path) {
  Clock clock;
  cudaDeviceProp device{};
  ASTERISM_CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  Json out = {{"program", "bench_tdbem_cuda"},
              {"device", device.name},
              {"repetitions", repetitions},
              {"slices", slices},
              {"runs", Json::array()}};
  const bool in_double = run<double>(clock, path, out);
  const bool in_single = run<float>(clock, path, out);
  out["same_sums_as_cpu"] = in_double && in_single;
  write(path, out);
  return in_double && in_single ? 0 : 1;
}

}  // namespace
}  // namespace asterism::tdbem

int main(int argc, char** argv) {
  return asterism::bench::run("bench_tdbem_cuda", argc, argv, asterism::tdbem::bench_all);
}
