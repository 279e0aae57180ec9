// SPDX-License-Identifier: Apache-2.0
// Contiguous intervals of slices for workers of different speeds: the greedy heuristic of Bramas, Coulaud, Sylvand,
// Parallel Computing 49 (2015), section 6.2, which needs nothing but the time each worker took for its interval, and
// exact optima for known costs, which section 7.2 compares it with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace asterism::tdbem {

/// Number of elements of each worker; worker w has those that follow the ones of w - 1. Some may have none.
using Sizes = std::vector<std::int64_t>;

/// Equal numbers for each, the first ones one more where it does not divide.
Sizes equal_sizes(std::int64_t elements, std::int32_t workers);

/// What a heuristic takes for the time that all workers would need if they were balanced. A worker that took t_i for
/// s_i elements is taken to need c_i = t_i / s_i for each, whichever they are.
enum class Target {
  mean,         ///< the paper's: the mean of t_i. What slow workers drop is shared in proportion among fast ones,
                ///< and as the mean is not what balanced workers take, it needs several iterations.
  fixed_point,  ///< sum s_i / sum (1 / c_i): balanced at once if all elements cost the same
};
/// One iteration: worker i drops (t_i - t) / c_i elements if it was slower than the target t and acquires its share of
/// what was dropped, by weights (t - t_i) / c_i, if it was faster. Numbers are rounded down, and what is left goes to
/// those that lost most by it (the first ones if it is the same), so that no element is lost. A worker without elements
/// counts as fast as workers are on average, one that took no time as the fastest other one; if nobody took any time
/// the sizes stay. Throws Error (bad input) for as many times as there are not sizes, negative or non-finite ones.
Sizes rebalanced(const Sizes& sizes, const std::vector<double>& times, Target target);

/// The heuristic over a run: sizes to work with, better ones as long as `iterations` measurements have not come, then
/// those that were fastest for good. Target::fixed_point, which soon comes back to the same sizes, then tries to move
/// single elements from the slowest worker to the fastest, until that is no better: where elements are few, rounding is
/// what is left to gain.
class Balance {
 public:
  Balance(std::int64_t elements, std::int32_t workers, std::int32_t iterations, Target target);
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  /// Whether the sizes may still change.
  [[nodiscard]] bool searches() const { return left_ > 0; }
  /// The longest time of a worker with the best sizes so far.
  [[nodiscard]] double best_time() const { return best_time_; }
  /// Times that workers took with sizes(). Errors as rebalanced.
  void measured(const std::vector<double>& times);

 private:
  Target target_;
  std::int32_t left_;
  Sizes sizes_;
  Sizes best_;
  double best_time_;
  std::vector<double> times_of_best_;
  std::vector<Sizes> tried_;
};

/// What elements cost and how fast workers are: worker w takes factors[w] * (sum of its elements' costs).
struct Workload {
  std::vector<double> costs;    ///< at least 0
  std::vector<double> factors;  ///< more than 0
};
std::vector<double> times(const Workload& load, const Sizes& sizes);
/// The longest of them.
double makespan(const Workload& load, const Sizes& sizes);

/// The shortest makespan for workers in their order, by bisection on it: for a given one each worker takes as many
/// elements as it can. O(W log n) per step. Throws Error (bad input) for no workers, factors that are not more than 0
/// and costs below 0.
Sizes optimum_by_bisection(const Workload& load);
/// The shortest makespan by dynamic programming, as the paper has it: the best last interval for each number of
/// elements and workers, found by its two monotone parts. O(W n log n), memory W n. Errors as above.
Sizes optimum_by_programming(const Workload& load);

/// Shapes of the paper's Table 1, of `count` positive numbers. Section 7.2 does not define them, so they are defined
/// here, with x = (position + 1/2) / count.
enum class Family {
  up,       ///< 1 + 9 x
  up_down,  ///< from 1 to 10 in the first half and back in the second
  up_up,    ///< from 1 to 10 in the first half and again in the second
  random,   ///< between 1 and 10, the same in every run
  stable,   ///< 1
};
inline constexpr Family families[] = {Family::up_down, Family::up_up, Family::up, Family::random, Family::stable};
std::string name(Family family);
std::vector<double> numbers_of(Family family, std::int64_t count);

/// How much longer than the optimum the heuristic's best makespan is, e.g. 0.001 for 0.1 %.
double excess(const Workload& load, std::int32_t iterations, Target target);
/// A place in Table 1.
struct Excess {
  Family heterogeneity;  ///< of workers
  Family distribution;   ///< of costs
  double mean;           ///< Target::mean
  double fixed_point;
};
/// Table 1: 10,000 elements, 6 workers, 40 iterations. The titles of its four columns are lost; all five are computed.
std::vector<Excess> balance_table(std::int64_t elements = 10000, std::int32_t workers = 6,
                                  std::int32_t iterations = 40);

}  // namespace asterism::tdbem
