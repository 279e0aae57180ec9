// SPDX-License-Identifier: Apache-2.0
// Updates of the finite-difference time-domain method on CPUs: bench_fdtd [EDGE [REPETITIONS]] prints JSON. EDGE^3
// cells (192) in a box of electric conductors, the whole on one thread or half of it on each of two. Beside it in turn
// what the memory gives: the bytes of a step read and written as a half-step does, three arrays scaled by three others
// (two read, one written), and one array scaled in place. Medians of wall-clock times, as threads share the memory;
// `of_streams` is the median of the ratios of neighbours in time, which other users of the machine disturb less, of the
// bytes that the pass needs at least (flops.hpp); `steps` does several in a wavefront. Exit status 1 if one pass and
// two leave different bits.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/isa.hpp"
#include "codelets/fdtd/kernels/costs.hpp"
#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd {
namespace {

using Json = nlohmann::ordered_json;

/// A field, or an index for each of its entries.
template <class T>
class Array {
 public:
  Array(const Grid& g, T value)
      : size_(static_cast<std::size_t>(g.elements())),
        data_(static_cast<T*>(::operator new (size_ * sizeof(T), std::align_val_t{4096}))) {
    std::fill_n(data_, size_, value);
  }
  ~Array() { ::operator delete (data_, std::align_val_t{4096}); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  std::size_t size_;
  T* data_;
};

/// Six streams, three of them updated: 9 x cells elements.
template <class T>
ASTERISM_INLINE void stream_six(const Grid& g, const T* from, T* to) {
  for (int i = 0; i < g.n[0]; ++i)
    for (int j = 0; j < g.n[1]; ++j)
      for (int c = 0; c < 3; ++c) {
        T* const u = to + g.at(c, i, j, 0);
        const T* const v = from + g.at(c, i, j, 0);
#pragma GCC ivdep
        for (int k = 0; k < g.n[2]; ++k) u[k] += T(0.5) * v[k];
      }
}
template <class T>
ASTERISM_INLINE void scale_one(std::int64_t elements, T* u) {
  for (std::int64_t k = 0; k < elements; ++k) u[k] = T(0.5) * u[k];
}
template <class T>
void streams(const Grid& g, const T* from, T* to);
template <>
ASTERISM_CLONES void streams(const Grid& g, const double* from, double* to) {
  stream_six(g, from, to);
}
template <>
ASTERISM_CLONES void streams(const Grid& g, const float* from, float* to) {
  stream_six(g, from, to);
}
template <class T>
void scale(std::int64_t elements, T* u);
template <>
ASTERISM_CLONES void scale(std::int64_t elements, double* u) {
  scale_one(elements, u);
}
template <>
ASTERISM_CLONES void scale(std::int64_t elements, float* u) {
  scale_one(elements, u);
}

/// Each thread's sub-domain, first touched by it.
template <class T>
struct Part {
  Grid grid;
  Array<T> e, h;
  Array<std::uint16_t> index;
  Coefficients<T> table[2] = {{1, 1}, {T(0.9), T(0.5)}};

  Part(int nx, int ny, int nz)
      : grid(make_grid(nx, ny, nz, conductors, sizeof(T))), e(grid, 0), h(grid, 0), index(grid, 0) {
    for (int i = 1; i < nx; ++i)
      for (int j = 1; j < ny; ++j)
        for (int k = 1; k < nz; ++k) {
          e.data()[grid.at(2, i, j, k)] = static_cast<T>((i * 7 + j * 3 + k) % 11);
          for (int c = 0; c < 3; ++c)
            index.data()[grid.at(c, i, j, k)] = static_cast<std::uint16_t>(k > nz / 2 ? 1 : 0);
        }
  }
  static constexpr Face conductors[6] = {Face::electric, Face::electric, Face::electric,
                                         Face::electric, Face::electric, Face::electric};
  static constexpr Factors some{{0.4, 0.3, 0.35}};

  void update_h() { cpu::update(Field::magnetic, grid, grid.cells(), some, {}, e.data(), h.data()); }
  void update_e() { cpu::update(Field::electric, grid, grid.cells(), some, {}, h.data(), e.data()); }
  void update_e_materials() {
    cpu::update(Field::electric, grid, grid.cells(), some, {index.data(), table}, h.data(), e.data());
  }
  void update_steps() {
    cpu::update_steps<T>(grid, cpu::steps_at_once, {0, grid.n[0]}, some, some, {}, {}, nullptr, 0, h.data(), e.data());
  }
  void update_both() { cpu::update_both<T>(grid, grid.cells(), fusible(grid), some, some, {}, {}, h.data(), e.data()); }
};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

template <class T>
bool one_pass_is_two() {
  Part<T> a(21, 50, 37), b(21, 50, 37);
  for (int n = 0; n < 3; ++n) {
    a.update_h();
    a.update_e();
    b.update_both();
  }
  return std::memcmp(a.e.data(), b.e.data(), a.e.bytes()) == 0 && std::memcmp(a.h.data(), b.h.data(), a.h.bytes()) == 0;
}

template <class T>
Json measure(int edge, int threads, int repetitions) {
  struct Pass {
    const char* name;
    double bytes;  ///< of a cell
  };
  const std::vector<Pass> passes = {{"streams", update_bytes(false, sizeof(T))},
                                    {"h", update_bytes(false, sizeof(T))},
                                    {"e", update_bytes(false, sizeof(T))},
                                    {"e_materials", update_bytes(true, sizeof(T))},
                                    {"both", update_both_bytes(false, false, sizeof(T))},
                                    {"steps", update_both_bytes(false, false, sizeof(T))},
                                    {"scale_1_stream", 6.0 * sizeof(T)}};
  std::vector<std::vector<double>> seconds(passes.size());
  std::barrier sync(threads);
  const auto work = [&](int thread) {
    Part<T> part(edge / threads, edge, edge);
    const std::int64_t cells = part.grid.cells().cells();
    for (int r = -1; r < repetitions; ++r)  // the first warms up
      for (std::size_t k = 0; k < passes.size(); ++k) {
        sync.arrive_and_wait();
        const auto start = std::chrono::steady_clock::now();
        if (k == 0) streams(part.grid, part.h.data(), part.e.data());
        if (k == 1) part.update_h();
        if (k == 2) part.update_e();
        if (k == 3) part.update_e_materials();
        if (k == 4) part.update_both();
        if (k == 5) part.update_steps();
        if (k == 6) scale(3 * cells, part.e.data());
        sync.arrive_and_wait();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        if (thread == 0 && r >= 0) seconds[k].push_back(passed.count());
      }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& t : others) t.join();

  const double cells = static_cast<double>(edge) * edge * (edge / threads * threads);
  Json run = {{"type", sizeof(T) == 8 ? "double" : "float"}, {"edge", edge}, {"threads", threads}};
  for (std::size_t k = 0; k < passes.size(); ++k) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < seconds[k].size(); ++r)
      ratios.push_back(passes[k].bytes / seconds[k][r] / (passes[0].bytes / seconds[0][r]));
    const double s = median(seconds[k]);
    run[passes[k].name] = {{"seconds", s},
                           {"mcells_per_s", cells / s * 1e-6},
                           {"gb_per_s", passes[k].bytes * cells / s * 1e-9},
                           {"of_streams", median(ratios)}};
  }
  const double two = run["h"]["seconds"].get<double>() + run["e"]["seconds"].get<double>();
  run["mcells_per_s_in_two_passes"] = cells / two * 1e-6;
  run["steps"]["at_once"] = cpu::steps_at_once;
  run["steps"]["mcells_per_s"] = run["steps"]["mcells_per_s"].get<double>() * cpu::steps_at_once;
  return run;
}

}  // namespace
}  // namespace asterism::fdtd

int main(int argc, char** argv) {
  using namespace asterism::fdtd;
  const int edge = argc > 1 ? std::max(8, std::atoi(argv[1])) : 192;
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 9;
  const bool right = one_pass_is_two<double>() && one_pass_is_two<float>();
  Json out = {{"program", "bench_fdtd"}, {"repetitions", repetitions}, {"runs", Json::array()}};
  for (const int threads : {1, 2}) {
    out["runs"].push_back(measure<double>(edge, threads, repetitions));
    out["runs"].push_back(measure<float>(edge, threads, repetitions));
  }
  out["same_bits_in_one_pass"] = right;
  std::printf("%s\n", out.dump(2).c_str());
  return right ? 0 : 1;
}
