// SPDX-License-Identifier: Apache-2.0
// Rate of P2P on one core, Laplace kernel, for leaves of several sizes and every instruction set of this machine: the
// candidates take turns, medians. `bench_p2p [REPETITIONS]` prints JSON. Pairs per second are given ordered (i <- j,
// as other codes count) and unordered; GFlop/s with flops_mutual. Times are the thread's processor time, as the machine
// may be shared.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "codelets/fmm/kernels/costs.hpp"
#include "codelets/fmm/kernels/near/p2p.hpp"
#include "tests/benchmarks/p2p_grid.hpp"

namespace {

using asterism::fmm::Isa;

struct Candidate {
  std::size_t grid;
  int per_leaf;
  Isa isa;
  std::vector<double> seconds;
};

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace asterism::fmm;
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  std::vector<P2PGrid> grids;
  std::vector<Candidate> candidates;
  for (const int per_leaf : {30, 60, 115, 250}) {
    const int side = per_leaf > 200 ? 5 : 8;
    grids.emplace_back(side, side, side - 1, per_leaf);
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
      if (supported(isa)) candidates.push_back({grids.size() - 1, per_leaf, isa, {}});
  }
  for (int r = 0; r <= repetitions; ++r)  // the first warms up
    for (Candidate& c : candidates) {
      const P2PGrid& grid = grids[c.grid];
      const std::size_t n = grid.x.size();
      std::vector<double> out(4 * n);
      const double start = thread_seconds();
      p2p(Laplace{}, grid.set(), grid.particles(), {&out[0], &out[n], &out[2 * n], &out[3 * n]}, c.isa);
      const double passed = thread_seconds() - start;
      if (r > 0) c.seconds.push_back(passed);
    }
  fmt::print("{{\"program\": \"bench_p2p\", \"kernel\": \"laplace\", \"repetitions\": {}, \"runs\": [", repetitions);
  const char* separator = "";
  for (Candidate& c : candidates) {
    std::sort(c.seconds.begin(), c.seconds.end());
    const double seconds = c.seconds[c.seconds.size() / 2];
    const auto pairs = static_cast<double>(p2p_pairs(grids[c.grid].set()));
    fmt::print("{}\n  {{\"per_leaf\": {}, \"isa\": \"{}\", \"seconds\": {:.5g}, \"best_seconds\": {:.5g}, ", separator,
               c.per_leaf, name(c.isa), seconds, c.seconds.front());
    fmt::print("\"ordered_pairs_per_s\": {:.4g}, \"unordered_pairs_per_s\": {:.4g}, \"gflops\": {:.4g}}}",
               2 * pairs / seconds, pairs / seconds, pairs * flops_mutual<Laplace> / seconds * 1e-9);
    separator = ",";
  }
  fmt::print("\n]}}\n");
  return 0;
}
