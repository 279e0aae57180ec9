// SPDX-License-Identifier: Apache-2.0
// The summation stage of time-domain boundary elements on a CPU: bench_tdbem [ROWS [SLICES [REPETITIONS]]] prints JSON.
// Slices of a sphere as the paper's Table 3 has them (6400 rows, 420 slices), in single and double precision: the
// multi-vectors/vector product for groups of 1 to 16, the ways it replaces (section 3), Full-Blocking; then dense
// blocks of 16 to 128 columns (Tables 2 and 3). Candidates take turns with a pass that only reads the tiles' values;
// times are medians on one thread, `of_read` is the median of ratios of neighbours in time, which other users of the
// machine disturb less. Flops are those of non-zero values. Exit status 1 if a variant's sums are others.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/tdbem/kernels/costs.hpp"
#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "codelets/tdbem/kernels/product/k_order.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/product/variants.hpp"
#include "tests/benchmarks/tdbem_sphere.hpp"

namespace asterism::tdbem {
namespace {

using Json = nlohmann::ordered_json;

ASTERISM_CLONES double read(const double* x, std::int64_t elements) {
  constexpr int streams = 8;
  constexpr std::int64_t step = streams * width<double>;
  Vector<double> sum[streams] = {};
  for (std::int64_t n = 0; n + step <= elements; n += step)
    for (int s = 0; s < streams; ++s) {
      __builtin_prefetch(x + n + s * width<double> + 768);
      sum[s] += *reinterpret_cast<const Lanes<double>::Unaligned*>(x + n + s * width<double>);
    }
  for (int s = 1; s < streams; ++s) sum[0] += sum[s];
  double total = 0;
  for (int l = 0; l < width<double>; ++l) total += sum[0][l];
  return total;
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}
template <class F>
double seconds(F work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A tile whose values begin at a page.
template <class T>
struct Case {
  TileArrays<T> arrays;
  std::unique_ptr<T, void (*)(T*)> values;
  Tile<T> tile;
  SliceCounts counts;

  explicit Case(TileArrays<T> of)
      : arrays(std::move(of)),
        values(static_cast<T*>(::operator new (arrays.values.size() * sizeof(T), std::align_val_t{4096})),
               [](T* p) { ::operator delete (p, std::align_val_t{4096}); }),
        tile(arrays.tile()),
        counts(count(tile)) {
    std::copy(arrays.values.begin(), arrays.values.end(), values.get());
    arrays.values = {};
    tile.values = values.get();
  }
};
template <class T>
Case<T> of_sphere(std::int32_t rows, std::int32_t slices) {
  const PointsOnSphere sphere(rows);
  return Case<T>(make_tile<T>(
      0, rows, 0, slices, [&](std::int32_t i, std::int32_t j) { return sphere.extent(i, j); }, some_value));
}
/// Every row-vector as long as the block is wide.
template <class T>
Case<T> of_width(std::int32_t rows, std::int32_t slices, std::int32_t columns) {
  const PointsOnSphere sphere(rows);
  return Case<T>(make_tile<T>(
      0, rows, 0, slices,
      [&](std::int32_t i, std::int32_t j) {
        return Extent{sphere.extent(i, j).first, columns};
      },
      some_value));
}

struct Candidate {
  std::string name;
  Json options;
  double flops;
  double bytes;
  std::function<void()> run;
  std::vector<double> times{}, ratios{};
};

template <class T>
class Bench {
 public:
  Bench(std::int32_t repetitions, Json& runs) : repetitions_(repetitions), runs_(runs) {}

  void all_variants(std::int32_t rows, std::int32_t slices) {
    const Case<T> c = of_sphere<T>(rows, slices);
    const Tile<T>* tile = &c.tile;
    const KOrder<T> k_order = k_order_of(tile, 1);
    const std::vector<T> past(static_cast<std::size_t>(k_order.lags) * slices, T(0.5));
    constexpr BlockShape block{64, 32};
    const FullBlocks<T> blocks = full_blocks(c.tile, block);
    for (const std::int32_t group : {1, 2, 4, 8, 16}) {
      set_windows(c, slices, group);
      std::vector<Candidate> candidates;
      const double flops = product_flops(c.counts, group), bytes = product_bytes(c.counts, sizeof(T));
      const auto add = [&](const char* name, double read_bytes, auto run) {
        candidates.push_back({name, Json::object(), flops, read_bytes, run});
      };
      add("multi-vectors/vector", bytes, [=, this] { cpu::product(tile, 1, windows_, sums_); });
      add("multi-vectors/vector, panels by rows", bytes,
          [=, this] { cpu::product(tile, 1, windows_, sums_, cpu::Panels::by_rows); });
      add("scalar products", group * bytes, [=, this] { cpu::scalar_products(tile, 1, windows_, sums_); });
      cpu::SeparateWindows<T> separate{nullptr, 0, slices, windows_.shape};
      std::vector<T> separate_values(static_cast<std::size_t>(cpu::separate_elements(separate)));
      cpu::separate(windows_, separate, separate_values.data());
      separate.values = separate_values.data();
      add("matrix/vector", bytes, [=, this] { cpu::matrix_vector_products(tile, 1, separate, sums_); });
      add("full blocking 64x32", static_cast<double>(blocks.values.size() * sizeof(T)),
          [&, this] { cpu::full_blocks_product(view(blocks), windows_, sums_); });
      if (group == 1)
        add("front", k_order_bytes(k_order.values.size(), k_order.row_start.size(), sizeof(T)),
            [&, this] { cpu::k_order_product(k_order, past.data(), sums_.values); });
      check_sums(candidates);
      measure(c, group, candidates);
    }
  }

  void dense_blocks(std::int32_t rows, std::int32_t slices) {
    for (const std::int32_t columns : {16, 32, 64, 128}) {
      const Case<T> c = of_width<T>(rows, slices, columns);
      set_windows(c, slices, 8);
      const Tile<T>* tile = &c.tile;
      const double flops = product_flops(c.counts, 8);
      std::vector<Candidate> candidates = {
          {"contiguous blocks", {{"columns", columns}}, flops, product_bytes(c.counts, sizeof(T)), [=, this] {
             cpu::product(tile, 1, windows_, sums_);
           }}};
      std::vector<FullBlocks<T>> blocks;
      for (const std::int32_t height : {32, 64, 128}) {
        // rows below each other, all of which begin at the block's first lag
        FullBlocks<T> of{{height, columns}, 0, rows, {}, {}, {}};
        for (std::int32_t j = 0; j < slices; ++j)
          for (std::int32_t row = 0; row < rows; row += height) {
            of.slice.push_back(j);
            of.place.push_back({row, 1 + row % 64});
          }
        of.values.assign(of.slice.size() * static_cast<std::size_t>(height * columns), T(0.25));
        blocks.push_back(std::move(of));
      }
      for (const FullBlocks<T>& of : blocks)
        candidates.push_back({"full blocks",
                              {{"columns", columns}, {"rows", of.shape.rows}},
                              2.0 * 8 * static_cast<double>(of.values.size()),
                              static_cast<double>(of.values.size() * sizeof(T)),
                              [&of, this] { cpu::full_blocks_product(view(of), windows_, sums_); }});
      measure(c, 8, candidates);
    }
  }
  [[nodiscard]] bool right() const { return right_ && !std::isnan(read_sum_); }

 private:
  void set_windows(const Case<T>& c, std::int32_t slices, std::int32_t group) {
    const std::int32_t reach = c.arrays.last_lag() + 128;
    windows_.shape = {reach, group, (reach + group + 15) / 16 * 16};
    window_values_.assign(static_cast<std::size_t>(slices * windows_.shape.stride), T(0));
    for (std::int32_t j = 0; j < slices; ++j)
      for (std::int32_t m = 0; m < reach; ++m)
        window_values_[static_cast<std::size_t>(j * windows_.shape.stride + m)] = T(0.5);
    windows_.values = window_values_.data();
    sum_values_.assign(static_cast<std::size_t>(c.tile.rows) * group, T(0));
    sums_.values = sum_values_.data();
  }
  /// All candidates give the sums of the first one.
  void check_sums(const std::vector<Candidate>& candidates) {
    std::vector<T> expected;
    for (const Candidate& c : candidates) {
      std::fill(sum_values_.begin(), sum_values_.end(), T(0));
      c.run();
      if (expected.empty()) expected = sum_values_;
      double error = 0, size = 0;
      for (std::size_t e = 0; e < expected.size(); ++e) {
        error = std::max(error, std::abs(static_cast<double>(expected[e] - sum_values_[e])));
        size = std::max(size, std::abs(static_cast<double>(expected[e])));
      }
      if (!(error <= 1e3 * std::numeric_limits<T>::epsilon() * size)) {
        right_ = false;
        std::fprintf(stderr, "bench_tdbem: %s: wrong by %g of %g\n", c.name.c_str(), error, size);
      }
    }
  }
  void measure(const Case<T>& c, std::int32_t group, std::vector<Candidate>& candidates) {
    const std::int64_t doubles = static_cast<std::int64_t>(c.counts.stored) * static_cast<std::int64_t>(sizeof(T)) / 8;
    std::vector<double> reads;
    for (std::int32_t r = -1; r < repetitions_; ++r)  // the first warms up
      for (Candidate& candidate : candidates) {
        const double reading =
            seconds([&] { read_sum_ += read(reinterpret_cast<const double*>(c.tile.values), doubles); });
        const double s = seconds(candidate.run);
        if (r < 0) continue;
        reads.push_back(reading);
        candidate.times.push_back(s);
        candidate.ratios.push_back(candidate.bytes / s / (8.0 * static_cast<double>(doubles) / reading));
      }
    for (const Candidate& candidate : candidates) {
      const double s = median(candidate.times);
      Json run = {{"variant", candidate.name},
                  {"type", sizeof(T) == 8 ? "double" : "float"},
                  {"rows", c.tile.rows},
                  {"slices", c.tile.slices},
                  {"group", group}};
      run.update(candidate.options);
      run.update({{"seconds", s},
                  {"gflops", candidate.flops / s * 1e-9},
                  {"gb_per_s", candidate.bytes / s * 1e-9},
                  {"read_gb_per_s", 8e-9 * static_cast<double>(doubles) / median(reads)},
                  {"of_read", median(candidate.ratios)},
                  {"values", c.counts.values},
                  {"padding", static_cast<double>(c.counts.stored) / static_cast<double>(c.counts.values) - 1}});
      runs_.push_back(run);
    }
  }

  std::int32_t repetitions_;
  Json& runs_;
  bool right_ = true;
  double read_sum_ = 0;  ///< so that compilers leave the reading in
  std::vector<T> window_values_, sum_values_;
  Windows<T> windows_;
  Sums<T> sums_;
};

template <class T>
bool run(std::int32_t rows, std::int32_t slices, std::int32_t repetitions, Json& runs) {
  Bench<T> bench(repetitions, runs);
  bench.all_variants(rows, slices);
  bench.dense_blocks(rows, std::max(1, slices / 8));
  return bench.right();
}

/// Table 4: blocks of Full-Blocking for all pairs of the points of a sphere.
void count_all_blocks(std::int32_t unknowns, Json& out) {
  const PointsOnSphere sphere(unknowns);
  for (const std::int32_t rows : {32, 64, 128})
    for (const std::int32_t columns : {16, 32, 64, 128}) {
      const BlockShape shape{rows, columns};
      BlockCounts counts;
      constexpr std::int32_t every = 16;  // slices
      for (std::int32_t j = 0; j < unknowns; j += every)
        count_blocks(
            unknowns, shape, [&](std::int32_t i) { return sphere.extent(i, j); }, counts);
      out["blocks"].push_back({{"unknowns", unknowns},
                               {"slices", (unknowns + every - 1) / every},
                               {"rows", rows},
                               {"columns", columns},
                               {"blocks", counts.blocks},
                               {"share", counts.share(shape)}});
    }
}

}  // namespace
}  // namespace asterism::tdbem

int main(int argc, char** argv) {
  using namespace asterism::tdbem;
  const int rows = argc > 1 ? std::max(1, std::atoi(argv[1])) : 6400;
  const int slices = argc > 2 ? std::max(1, std::atoi(argv[2])) : 420;
  const int repetitions = argc > 3 ? std::max(1, std::atoi(argv[3])) : 9;
  Json out = {
      {"program", "bench_tdbem"}, {"repetitions", repetitions}, {"runs", Json::array()}, {"blocks", Json::array()}};
  const bool right = run<double>(rows, std::min(rows, slices), repetitions, out["runs"]) &
                     run<float>(rows, std::min(rows, slices), repetitions, out["runs"]);
  count_all_blocks(rows, out);
  out["same_sums"] = right;
  std::printf("%s\n", out.dump(1).c_str());
  return right ? 0 : 1;
}
