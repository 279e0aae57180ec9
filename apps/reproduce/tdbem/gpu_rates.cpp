// SPDX-License-Identifier: Apache-2.0
// Tables 2 and 3 of the TD-BEM paper on its GPU, an M2070: a model of the kernels that sections 5.1, 5.2 and 7.3.2
// describe. Kernels wait for memory: each global access of a warp takes as long, and a rate is in proportion to the
// warps that wait at a time and to the part of all accesses that loads values of blocks.
#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"

namespace asterism::apps::reproduce {
namespace {
namespace m2070 {

/// A multiprocessor of Fermi. Section 7.3.2; thread-blocks: CUDA C Programming Guide, compute capability 2.0.
constexpr int registers = 32768;
constexpr int most_threads = 1536;
constexpr int most_thread_blocks = 8;
constexpr int warp = 32;

/// The kernels, section 7.3.2.
constexpr int registers_of_a_thread = 62;
constexpr int largest_lag = 756;  // Kmax
constexpr int group = 8;          // n_g
constexpr int threads_of_contiguous = 512;

constexpr int widths[] = {16, 32, 64, 128};  // b_c
constexpr int heights[] = {32, 64, 128};     // b_r
constexpr int largest = 128;

/// Warps of thread-blocks of so many threads on a multiprocessor.
int resident_warps(int threads) {
  const int registers_allow = registers / registers_of_a_thread / threads;
  return std::min({registers_allow, most_threads / threads, most_thread_blocks}) * threads / warp;
}

/// Accesses of a thread that copies its share of `values` to shared memory.
int copies(int values, int threads) {
  return (values + threads - 1) / threads;
}

/// What a rate is in proportion to. A thread has a row of `columns` values, and reads and writes the sums that its
/// results are added to; `others`: its accesses beside these.
double relative_rate(int threads, int columns, double others) {
  return resident_warps(threads) * columns / (columns + 2 * group + others);
}

/// Section 5.1: a thread for each of b_r rows; of each block a pair of integers, and past values for all its columns.
double full_blocking(int rows, int columns) {
  constexpr int place = 2;
  return relative_rate(rows, columns, place + copies(columns + group - 1, rows));
}

/// Section 5.2: an integer for each row; past values once for all rows of a slice.
double contiguous_blocking(int columns, int rows_of_a_slice) {
  const double past = copies(largest_lag + group - 1, threads_of_contiguous);
  return relative_rate(threads_of_contiguous, columns, 1 + past / copies(rows_of_a_slice, threads_of_contiguous));
}

}  // namespace m2070

class GpuRates final : public Experiment {
 public:
  GpuRates()
      : Experiment("tdbem-gpu-rates",
                   "TD-BEM paper, Tables 2 and 3: how rates of an M2070 depend on the blocks' shape") {}

  void add_options(CLI::App& app) override {
    app.add_option("--rows", rows_, "Rows of a slice")->check(CLI::Range(128, 1 << 20))->capture_default_str();
  }

  [[nodiscard]] Outcome run(const Paper& /*paper*/) const override {
    using namespace m2070;
    Outcome outcome;
    outcome.settings = {{"rows", rows_}};
    for (const char* precision : {"single", "double"}) {
      const auto full =
          figures_of(outcome.figures, fmt::format("Full-Blocking, rate by that of {0} x {0}: {1}", largest, precision));
      for (const int rows : heights)
        for (const int columns : widths)
          if (rows != largest || columns != largest)
            full(fmt::format("{} x {}", rows, columns), full_blocking(rows, columns) / full_blocking(largest, largest));
      const auto contiguous =
          figures_of(outcome.figures, fmt::format("Contiguous-Blocking, rate by that of {}: {}", largest, precision));
      for (const int columns : widths)
        if (columns != largest)
          contiguous(std::to_string(columns),
                     contiguous_blocking(columns, rows_) / contiguous_blocking(largest, rows_));
    }
    return outcome;
  }

 private:
  int rows_ = 6400;
};

}  // namespace

std::unique_ptr<Experiment> tdbem_gpu_rates() {
  return std::make_unique<GpuRates>();
}

}  // namespace asterism::apps::reproduce
