// SPDX-License-Identifier: Apache-2.0
// Units and trees that are chosen from kept rates, and operators that are kept on disk.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>

#include "base/error.hpp"
#include "runtime/environment.hpp"
#include "taskflows/fmm/operator_cache.hpp"
#include "taskflows/fmm/plan/plan.hpp"
#include "taskflows/fmm/scheduling.hpp"

namespace asterism::fmm {
namespace {

namespace fs = std::filesystem;

/// A cube of 10^6 particles, as estimate_workloads sees it: height, leaves, cells, near pairs, far pairs, particles.
const std::vector<Workload> cube_loads{{1, 1, 0, 5e11, 0, 0},          {2, 8, 0, 5e11, 0, 0},
                                       {3, 64, 64, 1e11, 3e3, 1e6},    {4, 512, 576, 2e10, 6e4, 1e6},
                                       {5, 4096, 4672, 3e9, 6e5, 1e6}, {6, 32768, 37440, 4e8, 5.6e6, 1e6}};
constexpr UnitRates cores{14, 2e-10, 4e-6, 1e-7, 1e-6, false};
constexpr UnitRates fast_gpu{1, 2e-12, 2e-8, 1e-9, 1e-8, true};
constexpr UnitRates slow_gpu{1, 1e-10, 2e-6, 5e-8, 5e-7, true};

Problem laplace(int digits) {
  return {interaction(Laplace{}), accuracy(digits)};
}

Plan plan_for(
    const TreeShape& wanted, const std::vector<Workload>& loads, const std::vector<UnitRates>& rates,
    double evaluations, bool open, const std::function<double()>& start = [] { return 0.1; }) {
  return make_plan([&](const std::vector<UnitRates>& kinds) { return best_uniform_tree(wanted, loads, kinds); }, rates,
                   evaluations, open, start);
}

/// Buckets in the order in which cores poll them (column 0), or GPUs (column 1).
std::vector<std::string> polled(const std::string& table, std::size_t column) {
  std::map<int, std::string> by_place;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    const std::string place = all[all.size() - 2 + column];
    if (place != "-") by_place[std::stoi(place)] = all.front();
  }
  std::vector<std::string> names;
  for (const auto& [place, name] : by_place) names.push_back(name);
  return names;
}

TEST(HprioTable, IsTable3OfThePaper) {
  using Names = std::vector<std::string>;
  const std::string with_gpus = hprio_table(7, GpuOrder::near_first, TableFor::all);
  EXPECT_EQ(polled(with_gpus, 0), (Names{"p2m", "m2m", "l2l", "m2l", "p2p-small", "l2p", "reduction", "p2p-large"}));
  const Names gpus = polled(with_gpus, 1);
  EXPECT_EQ(Names(gpus.begin(), gpus.begin() + 3), (Names{"p2p-large", "p2p-small", "m2l"}));
  // without GPUs the larger P2P come before M2L, whatever GPUs would do
  for (const auto& [name, order] : gpu_orders)
    EXPECT_EQ(polled(hprio_table(7, order, TableFor::cpus), 0),
              (Names{"p2m", "m2m", "l2l", "p2p-large", "m2l", "p2p-small", "l2p", "reduction"}))
        << name;
}

TEST(Plan, FewParticlesAreSummedOnOneCore) {
  const auto plan = plan_direct_sum({}, 3, 1, 2, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->shape.height, 1);
  EXPECT_EQ(plan->cpus, 1);
  EXPECT_EQ(plan->gpus, 0);
  EXPECT_FALSE(plan->reason.empty());
}

TEST(Plan, SomeMoreOnAllCores) {
  const auto plan = plan_direct_sum({}, 16090, 1, 2, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->shape.height, 2);
  EXPECT_EQ(plan->shape.group_size, 1);
  EXPECT_EQ(plan->cpus, std::nullopt);
  EXPECT_EQ(plan_direct_sum({}, 16090, 1000, 2, 0), std::nullopt);  // in every one of a thousand steps
  EXPECT_EQ(plan_direct_sum({}, 1e6, 1, 64, 0), std::nullopt);
}

TEST(Plan, MoreWhereOperatorsWouldTakeLonger) {
  EXPECT_EQ(plan_direct_sum({}, 100000, 1, 2, measuring_estimate(laplace(4), 2)), std::nullopt);
  const auto plan = plan_direct_sum({}, 100000, 1, 2, measuring_estimate(laplace(9), 2));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->shape.height, 2);
}

TEST(Plan, AHeightThatIsGivenStays) {
  TreeShape wanted;
  wanted.height = 4;
  EXPECT_EQ(plan_direct_sum(wanted, 3, 1, 2, 0), std::nullopt);
  const std::vector<Workload> loads(cube_loads.begin(), cube_loads.begin() + 4);
  EXPECT_EQ(plan_for(wanted, loads, {cores}, 1, true).shape.height, 4);
}

TEST(Plan, CoresBesideAFastGpuAreLeftOut) {
  UnitRates slow_cores = cores;
  slow_cores.near_pair *= 100;
  const Plan plan = plan_for({}, cube_loads, {slow_cores, fast_gpu}, 100, true);
  EXPECT_EQ(plan.cpus, 0);
  EXPECT_EQ(plan.pieces.count, 0);
  EXPECT_EQ(plan.gpus, std::nullopt);
  EXPECT_NE(plan.reason.find("1 GPU; 14 cores would bring at most"), std::string::npos) << plan.reason;
  // the tree and the groups are those that the GPU has alone
  const Plan alone = plan_for({}, cube_loads, {fast_gpu}, 100, true);
  EXPECT_EQ(plan.shape.height, alone.shape.height);
  EXPECT_EQ(plan.shape.group_size, alone.shape.group_size);
  EXPECT_TRUE(alone.reason.empty());
}

TEST(Plan, CoresThatPayALittleTakePiecesOfTheNearField) {
  const auto scaled = [](double factor) {
    std::vector<Workload> loads = cube_loads;
    for (Workload& load : loads)
      for (double Workload::*const amount :
           {&Workload::leaves, &Workload::cells, &Workload::near_pairs, &Workload::far_pairs, &Workload::particles})
        load.*amount *= factor;
    return loads;
  };
  const std::vector<Workload> loads = scaled(10);
  const Plan plan = plan_for({}, loads, {cores, fast_gpu}, 100, true);
  const Plan alone = plan_for({}, loads, {fast_gpu}, 100, true);
  EXPECT_EQ(plan.cpus, std::nullopt);
  EXPECT_EQ(plan.gpus, std::nullopt);
  EXPECT_EQ(plan.shape.height, alone.shape.height);
  EXPECT_EQ(plan.shape.group_size, alone.shape.group_size);
  EXPECT_GT(plan.pieces.count, 14);
  EXPECT_LT(plan.seconds, 0.99 * alone.seconds);
  EXPECT_NE(plan.reason.find("14 cores take"), std::string::npos) << plan.reason;
  // the cores end before the GPU does
  const Workload& load =
      *std::find_if(loads.begin(), loads.end(), [&](const Workload& l) { return l.height == plan.shape.height; });
  EXPECT_LT(plan.pieces.share * load.near_pairs * cores.near_pair / 14, plan.seconds);
  // where there is little to do they would save less than they cost
  EXPECT_EQ(plan_for({}, scaled(0.1), {cores, fast_gpu}, 10000, true).pieces.count, 0);
}

TEST(Plan, CoresBesideASlowGpuTakePart) {
  const Plan plan = plan_for({}, cube_loads, {cores, slow_gpu}, 100, true);
  EXPECT_EQ(plan.cpus, std::nullopt);
  EXPECT_EQ(plan.gpus, std::nullopt);
  EXPECT_TRUE(plan.reason.empty()) << plan.reason;
  // groups small enough for all
  EXPECT_LT(plan.shape.group_size, plan_for({}, cube_loads, {slow_gpu}, 100, true).shape.group_size);
}

TEST(Plan, UnitsThatAreGivenStay) {
  const Plan plan = plan_for({}, cube_loads, {cores, fast_gpu}, 100, false);
  EXPECT_EQ(plan.cpus, std::nullopt);
  EXPECT_EQ(plan.gpus, std::nullopt);
}

TEST(Plan, GpusAreNotStartedForAMoment) {
  const std::vector<Workload> loads{{1, 1, 0, 1e8, 0, 0}, {2, 8, 0, 1e8, 0, 0}};
  EXPECT_EQ(plan_for({}, loads, {cores, fast_gpu}, 1, true).gpus, 0);
  EXPECT_EQ(plan_for({}, loads, {cores, fast_gpu}, 10000, true).gpus, std::nullopt);
  EXPECT_EQ(plan_for({}, loads, {cores, fast_gpu}, INFINITY, true).gpus, std::nullopt);  // asked for
  // by as much as GPUs save
  const double saved =
      100 * (plan_for({}, loads, {cores}, 1, true).seconds - plan_for({}, loads, {fast_gpu}, 1, true).seconds);
  const Plan slow = plan_for({}, loads, {cores, fast_gpu}, 100, true, [&] { return 1.1 * saved; });
  EXPECT_EQ(slow.gpus, 0);
  EXPECT_NE(slow.reason.find("s to start"), std::string::npos) << slow.reason;
  EXPECT_EQ(plan_for({}, loads, {cores, fast_gpu}, 100, true, [&] { return 0.9 * saved; }).gpus, std::nullopt);
  const auto unasked = []() -> double { failed("the start was asked for"); };
  EXPECT_EQ(plan_for({}, loads, {cores, fast_gpu}, 10000, true, unasked).gpus, std::nullopt);
  SessionOptions options;
  EXPECT_FALSE(gpus_are_asked_for(options));
  options.gpus = 0;
  EXPECT_FALSE(gpus_are_asked_for(options));
  options.gpus = 1;
  EXPECT_TRUE(gpus_are_asked_for(options));
}

class Kept : public testing::Test {
 protected:
  Kept() { environment_.set("ASTERISM_CACHE", folder_.string()); }
  ~Kept() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::temp_directory_path() / ("fmm_plan_" + std::to_string(getpid()));
  Environment environment_;
};

TEST_F(Kept, RatesOfAllUnitsOrNone) {
  KnownRates known(folder_ / "rates.json", {"host", "processor", 2, {}, "", "", "1"});
  std::vector<UnitRates> rates{cores, fast_gpu};
  rates[1].particle = INFINITY;  // not run there
  EXPECT_EQ(kept_rates(known, laplace(5), {14, 1}), std::nullopt);
  keep_rates(known, laplace(5), rates);
  const auto kept = kept_rates(known, laplace(5), {7, 2});
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 2U);
  EXPECT_EQ((*kept)[0].units, 7);
  EXPECT_FALSE((*kept)[0].gpu);
  EXPECT_EQ((*kept)[0].far_pair, cores.far_pair);
  EXPECT_EQ((*kept)[1].units, 2);
  EXPECT_TRUE((*kept)[1].gpu);
  EXPECT_TRUE(std::isinf((*kept)[1].particle));
  EXPECT_EQ(kept_rates(known, laplace(6), {14, 1}), std::nullopt);
  EXPECT_EQ(kept_rates(known, {interaction(InverseSquare{}), accuracy(5)}, {14, 1}), std::nullopt);
}

TEST_F(Kept, OperatorsToTheBit) {
  const Problem problem = laplace(3);
  const Basis basis(problem.accuracy.basis);
  ASSERT_FALSE(operators_are_kept(problem));
  const auto computed = primitive_operators_of(problem, basis, 1);
  ASSERT_TRUE(operators_are_kept(problem));
  const auto read = primitive_operators_of(problem, basis, 1);
  ASSERT_EQ(read.size(), 16U);
  for (std::size_t d = 0; d < 16; ++d) {
    EXPECT_EQ(read[d].rank, computed[d].rank);
    EXPECT_EQ(read[d].u, computed[d].u);
    EXPECT_EQ(read[d].v, computed[d].v);
  }
  EXPECT_NE(operator_file(problem), operator_file(laplace(4)));
  EXPECT_NE(operator_file(problem), operator_file({interaction(InverseSquare{}), accuracy(3)}));
  EXPECT_TRUE(operator_file({interaction(Yukawa{1}), accuracy(3)}).empty());
}

TEST_F(Kept, OperatorsOfFartherImagesToTheBit) {
  const Problem problem = laplace(2);
  const Basis basis(problem.accuracy.basis);
  const auto computed = lattice_operators_of(problem, basis, 1);
  ASSERT_TRUE(fs::exists(lattice_file(problem, 1)));
  const auto read = lattice_operators_of(problem, basis, 1);
  ASSERT_EQ(read.size(), computed.size());
  EXPECT_GT(read[0].rank, 0);
  EXPECT_EQ(read[0].rank, computed[0].rank);
  EXPECT_EQ(read[0].u, computed[0].u);
  EXPECT_EQ(read[0].v, computed[0].v);
  EXPECT_EQ(read[1].rank, 0);
  EXPECT_NE(lattice_file(problem, 1), lattice_file(problem, 2));
}

TEST_F(Kept, DamagedOperatorsAreComputedAgain) {
  const Problem problem = laplace(3);
  const Basis basis(problem.accuracy.basis);
  const auto computed = primitive_operators_of(problem, basis, 1);
  const auto damage = [&](std::int64_t at, char bits) {
    std::fstream file(operator_file(problem), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int before = file.get();
    file.seekp(at);
    file.put(static_cast<char>(before ^ bits));
  };
  const auto size = static_cast<std::int64_t>(fs::file_size(operator_file(problem)));
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{130}, size / 2, size - 1}) {
    damage(at, 4);
    EXPECT_EQ(primitive_operators_of(problem, basis, 1)[7].u, computed[7].u) << at;
    EXPECT_EQ(static_cast<std::int64_t>(fs::file_size(operator_file(problem))), size);
  }
  fs::resize_file(operator_file(problem), static_cast<std::uintmax_t>(size) / 2);
  EXPECT_EQ(primitive_operators_of(problem, basis, 1)[7].u, computed[7].u);
}

/// What GPUs have to do when tasks are where `evened_out` puts them.
std::vector<double> loads(const std::vector<std::size_t>& unit_of, const std::vector<double>& seconds,
                          std::vector<double> others) {
  for (std::size_t i = 0; i < seconds.size(); ++i) others[unit_of[i]] += seconds[i];
  return others;
}

TEST(FmmHomes, NearFieldsMakeUpForUnequalShares) {
  // 16 groups on each of four GPUs; the third has the levels above, too
  std::vector<std::size_t> unit_of;
  for (std::size_t i = 0; i < 64; ++i) unit_of.push_back(i / 16);
  const std::vector<double> near(64, 0.3);
  const std::vector<double> far = {18, 18, 21, 18};
  const std::vector<std::size_t> evened = evened_out(unit_of, near, far);
  const std::vector<double> after = loads(evened, near, far);
  EXPECT_LT(*std::max_element(after.begin(), after.end()) - *std::min_element(after.begin(), after.end()), 0.3 + 1e-9);
  EXPECT_EQ(std::inner_product(evened.begin(), evened.end(), unit_of.begin(), 0, std::plus<>(), std::not_equal_to<>()),
            7);
}

TEST(FmmHomes, EqualSharesStay) {
  const std::vector<std::size_t> unit_of = {0, 0, 1, 1};
  EXPECT_EQ(evened_out(unit_of, {1, 2, 2, 1}, {4, 4}), unit_of);
  EXPECT_EQ(evened_out(unit_of, {1, 1, 1, 1}, {4, 4.5}), unit_of);  // none is small enough to bring them closer
  EXPECT_EQ(evened_out({0, 0, 0}, {1, 1, 1}, {0}), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(evened_out({}, {}, {1, 2}), std::vector<std::size_t>{});
  EXPECT_EQ(evened_out({0, 0, 0, 0}, {5, 1, 3, 1}, {0, 0}), (std::vector<std::size_t>{1, 0, 0, 0}));
}

}  // namespace
}  // namespace asterism::fmm
