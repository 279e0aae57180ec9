// SPDX-License-Identifier: Apache-2.0
// Update of the lattice Boltzmann method on CPUs: bench_lbm [EDGE [REPETITIONS]] prints JSON. EDGE^3 cells (192), the
// whole domain on one thread or half of it, a brick of its own, on each of two. Beside it in turn what the memory
// gives: the same bytes scaled in place, in nineteen streams and in one. Medians of wall-clock times, as threads share
// the memory; `of_19_streams` is the median of the ratios of neighbours in time, which other users of the machine
// disturb less. Exit status 1 if the fluid is not where it was: at equilibrium every half-step leaves it so.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/isa.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int streams = q;

/// Each thread's brick, first touched by it.
template <class T>
class Part {
 public:
  Part(int nx, int ny, int nz)
      : brick_(make_brick(nx, ny, nz, sizeof(T))),
        f_(static_cast<T*>(
            ::operator new (static_cast<std::size_t>(brick_.elements()) * sizeof(T), std::align_val_t{4096}))) {
    fill();
  }
  ~Part() { ::operator delete (f_, std::align_val_t{4096}); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void fill() { std::fill_n(f_, brick_.elements(), T{}); }
  void update(Half half, const Collision& collision) {
    cpu::update(half, brick_, brick_.interior(), collision, nullptr, f_);
  }
  void scale(int count);
  [[nodiscard]] bool at_rest() const {
    return std::all_of(f_, f_ + brick_.elements(), [](T v) { return value_of(v) == 0; });
  }

 private:
  Brick brick_;
  T* f_;
};

template <class T>
ASTERISM_INLINE T scaled(T v) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(v >> 1U);
  else
    return T(0.5) * v;
}

/// Bytes of `cells` updates, read and written, in `count` streams that advance together row by row.
template <class T>
ASTERISM_INLINE void scale_streams(const Brick& b, int count, T* f) {
  const std::int64_t per_stream = b.interior().cells() * streams / count;
  const std::int64_t distance = count == 1 ? 0 : b.slot;
  const std::int64_t run = b.nx;
  for (std::int64_t at = 0; at < per_stream; at += run)
    for (int s = 0; s < count; ++s) {
      T* p = f + s * distance + at;
      const std::int64_t n = std::min(run, per_stream - at);
      for (std::int64_t k = 0; k < n; ++k) p[k] = scaled(p[k]);
    }
}
template <>
ASTERISM_CLONES void Part<double>::scale(int count) {
  scale_streams(brick_, count, f_);
}
template <>
ASTERISM_CLONES void Part<float>::scale(int count) {
  scale_streams(brick_, count, f_);
}

/// Integers of the same size: the bytes are what counts.
template <>
ASTERISM_CLONES void Part<Float16>::scale(int count) {
  scale_streams(brick_, count, reinterpret_cast<std::uint16_t*>(f_));
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

template <class T>
Json measure(int edge, int threads, int repetitions, const Collision& collision, bool& right) {
  const std::vector<std::string> names = {"scale_19_streams", "alpha", "beta", "scale_1_stream"};
  std::vector<std::vector<double>> seconds(names.size());
  std::barrier sync(threads);
  std::vector<char> rest(static_cast<std::size_t>(threads));
  const auto work = [&](int thread) {
    Part<T> part(edge, edge, edge / threads);
    for (int r = -1; r < repetitions; ++r)  // the first warms up
      for (std::size_t k = 0; k < names.size(); ++k) {
        sync.arrive_and_wait();
        const auto start = std::chrono::steady_clock::now();
        if (k == 0) part.scale(streams);
        if (k == 1) part.update(Half::alpha, collision);
        if (k == 2) part.update(Half::beta, collision);
        if (k == 3) part.scale(1);
        sync.arrive_and_wait();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        if (thread == 0 && r >= 0) seconds[k].push_back(passed.count());
      }
    rest[static_cast<std::size_t>(thread)] = part.at_rest() ? 1 : 0;
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& t : others) t.join();
  for (const char r : rest) right = right && r != 0;

  const double cells = static_cast<double>(edge) * edge * (edge / threads * threads);
  const double bytes = cells * 2 * q * sizeof(T);
  Json run = {{"type", sizeof(T) == 8   ? "double"
                       : sizeof(T) == 4 ? "float"
                                        : "half"},
              {"edge", edge},
              {"threads", threads}};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double s = median(seconds[k]);
    Json& j = run[names[k]];
    j = {{"seconds", s}, {"gb_per_s", bytes / s * 1e-9}};
    if (k != 1 && k != 2) continue;
    std::vector<double> ratios;
    for (std::size_t r = 0; r < seconds[k].size(); ++r) ratios.push_back(seconds[0][r] / seconds[k][r]);
    j["mlups"] = cells / s * 1e-6;
    j["of_19_streams"] = median(ratios);
  }
  return run;
}

}  // namespace
}  // namespace asterism::lbm

int main(int argc, char** argv) {
  using namespace asterism::lbm;
  const int edge = argc > 1 ? std::max(8, std::atoi(argv[1])) : 192;
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 9;
  bool right = true;
  Json out = {{"program", "bench_lbm"}, {"collision", "bgk"}, {"repetitions", repetitions}, {"runs", Json::array()}};
  for (const int threads : {1, 2}) {
    out["runs"].push_back(measure<double>(edge, threads, repetitions, {}, right));
    out["runs"].push_back(measure<float>(edge, threads, repetitions, {}, right));
    out["runs"].push_back(measure<asterism::Float16>(edge, threads, repetitions, {}, right));
  }
  std::printf("%s\n", out.dump(2).c_str());
  return right ? 0 : 1;
}
