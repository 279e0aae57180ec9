// SPDX-License-Identifier: Apache-2.0
// asterism-cg over one to four processes: bit-identical results, what a rank reads, what is refused, how it fails.
#include <cstdlib>
#include <thread>

#include "tests/clusters/run_ranks.hpp"
#include "tests/clusters/same_hdf5.hpp"

namespace asterism::tests {
namespace {

class ClustersCg : public RanksTest {
 protected:
  ClustersCg() : RanksTest("asterism-cg", "ASTERISM_CG", ASTERISM_CG) {}

  /// The solution as the file has it, 17 digits each.
  std::string solve(int ranks, Arguments arguments) const {
    arguments.insert(arguments.end(), {"--quiet", "--solution", "x.mtx", "--json", "run.json"});
    const Ran ran = run_ranks(ranks, arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return contents(output("x.mtx"));
  }

  /// The same solution, iterations and history whatever the number of ranks.
  void expect_same_bits(const Arguments& arguments, const std::vector<int>& numbers = {2, 3, 4}) const {
    const std::string one = solve(1, arguments);
    const nlohmann::json history = record("run.json")["history"];
    ASSERT_GT(history.size(), 2U);
    EXPECT_FALSE(record("run.json").contains("ranks"));
    for (const int ranks : numbers) {
      SCOPED_TRACE(ranks);
      fs::remove(output("x.mtx"));
      EXPECT_TRUE(solve(ranks, arguments) == one);
      const nlohmann::json json = record("run.json");
      EXPECT_EQ(json["history"], history);
      EXPECT_EQ(json["ranks"].size(), static_cast<std::size_t>(ranks));
      for (const auto& rank : json["ranks"]) EXPECT_GT(rank["bytes_sent"], 0);
    }
  }

  /// Couplings over any distance; an entry 0 that is stored in one triangle only: the exchange is not symmetric.
  fs::path irregular() const {
    constexpr int n = 83;
    std::vector<std::string> entries;
    for (int i = 1; i <= n; ++i)
      entries.push_back(std::to_string(i) + " " + std::to_string(i) + " " + "9." + std::to_string(i));
    for (int i = 1; i <= n; ++i) {
      const int j = i * i % n + 1;
      if (j >= i || j % 5 == 0) continue;
      const std::string value = " -0." + std::to_string(100 + i);
      entries.push_back(std::to_string(i) + " " + std::to_string(j) + value);
      entries.push_back(std::to_string(j) + " " + std::to_string(i) + value);
    }
    entries.push_back("2 80 0");
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " " + std::to_string(n) +
                       " " + std::to_string(entries.size()) + "\n";
    for (const std::string& entry : entries) text += entry + "\n";
    return file(text);
  }
};

TEST_F(ClustersCg, StencilsGiveTheSameBits) {
  expect_same_bits({"--stencil", "11pts-9x7x8", "--blocks", "5", "--iterations", "6"});
}

TEST_F(ClustersCg, MatricesFromFilesGiveTheSameBits) {
  expect_same_bits(
      {"--matrix", irregular(), "--blocks", "4", "--preconditioner", "jacobi", "--rhs", "known", "--iterations", "6"});
}

TEST_F(ClustersCg, MultigridGivesTheSameBits) {
  for (const char* preconditioner : {"ssor", "amg"})
    expect_same_bits(
        {"--stencil", "7pts-19x17x18", "--blocks", "4", "--preconditioner", preconditioner, "--iterations", "5"});
}

TEST_F(ClustersCg, ModelsGiveTheSameBitsAndStresses) {
  const std::string folder = ASTERISM_SOURCE_DIR;
  std::string text = contents(folder + "/examples/cg/bracket.toml");
  text.replace(text.find("../../data"), 10, folder + "/data");
  text.replace(text.find("\"p2\""), 4, "\"p1\"");
  const Arguments arguments{"--model",      file(text), "--preconditioner", "block-jacobi", "--blocks", "3",
                            "--iterations", "40",       "--output",         "part.vtu"};
  expect_same_bits(arguments, {2});
  const std::string two = contents(output("part.vtu"));
  nlohmann::json record_of_two = record("run.json");
  (void)solve(1, arguments);
  EXPECT_TRUE(contents(output("part.vtu")) == two);
  EXPECT_EQ(record("run.json")["structure"]["strain_energy_J"], record_of_two["structure"]["strain_energy_J"]);
}

TEST_F(ClustersCg, PipelinedFlowGivesTheSameBits) {
  expect_same_bits({"--stencil", "7pts-5x6x7", "--blocks", "6", "--flow", "pipelined", "--iterations", "5",
                    "--preconditioner", "block-jacobi", "--preconditioner-block", "3"});
}

/// Every way of the paper to keep p and to send what of it is needed, added up in the order of the block-rows.
TEST_F(ClustersCg, EveryExchangeGivesTheSameBits) {
  const Arguments problem{"--stencil", "11pts-7x6x8", "--blocks", "5", "--iterations", "5"};
  for (const Arguments& way : {Arguments{"--transfer", "full"},
                               {"--decomposition", "2d"},
                               {"--decomposition", "2d", "--transfer", "full", "--column-order", "local-first"},
                               {"--flow", "pipelined", "--transfer", "full"},
                               {"--flow", "refined", "--dot", "gather"},
                               {"--flow", "refined", "--dot", "gather", "--transfer", "full", "--decomposition", "2d"},
                               {"--flow", "refined", "--dot", "gather", "--vector", "plan"},
                               {"--flow", "naive", "--dot", "gather", "--transfer", "full"},
                               {"--flow", "naive", "--dot", "gather", "--transfer", "packed"}}) {
    Arguments all = problem;
    all.insert(all.end(), way.begin(), way.end());
    SCOPED_TRACE(testing::PrintToString(way));
    expect_same_bits(all, {3});
  }
}

/// The paper's own dot products: a rank adds its block-rows up before the ranks are added.
TEST_F(ClustersCg, ThePapersFlowsConverge) {
  for (const char* const flow : {"naive", "refined"}) {
    SCOPED_TRACE(flow);
    solve(2, {"--matrix", irregular(), "--blocks", "6", "--flow", flow, "--preconditioner", "jacobi", "--rhs", "known",
              "--verify"});
    EXPECT_LT(record("run.json")["residual"]["true"].get<double>(), 1e-8);
  }
}

TEST_F(ClustersCg, AllUnitsOfARankHaveTheirShares) {
  solve(2, {"--stencil", "7pts-12", "--units", "all"});
  EXPECT_EQ(record("run.json")["options"]["blocks"], 2);
}

/// Stopped after 20 of 30 iterations by one rank, taken up by another number of them.
TEST_F(ClustersCg, GoesOnToTheSameBits) {
  for (const Arguments& method :
       {Arguments{"--flow", "fused"}, Arguments{"--flow", "fused", "--preconditioner", "jacobi"},
        Arguments{"--flow", "pipelined"}, Arguments{"--flow", "pipelined", "--preconditioner", "block-jacobi"}}) {
    Arguments problem{"--stencil", "7pts-6x9x8", "--blocks", "4", "--tolerance", "1e-15"};
    problem.insert(problem.end(), method.begin(), method.end());
    const auto with = [&](const Arguments& more) {
      Arguments all = problem;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    const std::string whole = solve(1, with({"--iterations", "30"}));
    const nlohmann::json history = record("run.json")["history"];
    ASSERT_GE(history.size(), 25U);
    for (const auto& [before, after] : {std::pair{1, 3}, {3, 1}, {2, 4}}) {
      SCOPED_TRACE(method.back() + ", " + std::to_string(before) + " ranks, then " + std::to_string(after));
      solve(before, with({"--iterations", "23", "--checkpoint", "state.h5", "--checkpoint-every", "7"}));
      EXPECT_TRUE(solve(after, with({"--iterations", "30", "--restart", "state.h5"})) == whole);
      EXPECT_EQ(record("run.json")["history"], history);
      EXPECT_EQ(record("run.json")["iterations"], 30);
    }
  }
}

TEST_F(ClustersCg, CheckpointsOfAllRanksAreThoseOfOne) {
  const auto state = [&](int ranks) {
    solve(ranks, {"--stencil", "7pts-9x8x11", "--blocks", "5", "--flow", "pipelined", "--preconditioner",
                  "block-jacobi", "--iterations", "9", "--checkpoint", "state.h5", "--checkpoint-every", "4"});
    return contents(output("state.h5"));
  };
  const std::string one = state(1);
  for (const int ranks : {2, 3, 4}) EXPECT_TRUE(same_but_for_times(state(ranks), one, 13)) << ranks;
}

TEST_F(ClustersCg, GoesOnAfterARankWasKilled) {
  const Arguments problem{"--stencil", "7pts-24", "--blocks", "6", "--quiet"};
  const auto with = [&](const Arguments& more) {
    Arguments all = problem;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  kill_the_last(3, with({"--iterations", "1000000", "--checkpoint", "state.h5", "--checkpoint-every", "5"}),
                "state.h5");
  EXPECT_EQ(run_ranks(2, with({"--restart", "state.h5", "--verify", "--json", "run.json"})).status, 0);
  EXPECT_EQ(record("run.json")["outcome"], "converged");
}

TEST_F(ClustersCg, RefusesCheckpointsOfAnotherSolve) {
  const Arguments problem{"--stencil", "5pts-8", "--blocks", "2", "--iterations", "6"};
  const auto changed = [&](const Arguments& more) {
    Arguments all = problem;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  solve(1, changed({"--checkpoint", "state.h5", "--checkpoint-every", "4"}));
  const fs::path kept = folder_ / "kept.h5";
  fs::rename(output("state.h5"), kept);
  for (const char* file : {"x.mtx", "run.json"}) fs::remove(output(file));
  const auto refused = [&](Arguments other, const std::string& says) {
    other.insert(other.end(), {"--restart", kept, "--quiet"});
    expect_refused(2, other, {says});
  };
  refused({"--stencil", "5pts-9", "--blocks", "2"}, "non-zeros");
  refused({"--stencil", "5pts-8", "--blocks", "3"}, "block-rows");
  refused(changed({"--preconditioner", "jacobi"}), "method");
  refused(changed({"--flow", "pipelined"}), "method");
  refused(changed({"--rhs", "known"}), "right-hand side");
  expect_refused(1, changed({"--flow", "naive", "--checkpoint", "state.h5", "--quiet"}), {"--flow naive"});
}

TEST_F(ClustersCg, VerifiesAgainstCholesky) {
  const Ran ran = run_ranks(3, {"--matrix", irregular(), "--blocks", "3", "--verify", "--quiet", "--json", "run.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json json = record("run.json");
  EXPECT_LT(json["cholesky"]["difference"], json["cholesky"]["allowed"]);
  EXPECT_LE(json["residual"]["extended"], 1.1e-8);
  EXPECT_NEAR(json["residual"]["extended"].get<double>() / json["residual"]["true"].get<double>(), 1, 1e-3);
  EXPECT_EQ(lines_of(ran.out).size(), lines_of(run_ranks(1, {"--matrix", irregular(), "--preconditioner", "none",
                                                             "--verify", "--quiet", "--json", "run.json"})
                                                   .out)
                                              .size() +
                                          1U);  // rank 0 prints, and a row about ranks
}

TEST_F(ClustersCg, WhatARankLooksAtDoesNotGrowWithTheRanks) {
  int walked[2] = {};
  int tasks[2] = {};
  for (const int ranks : {3, 4}) {  // as many rounds to gather sums, and a rank between two others
    const std::string size = "7pts-4x4x" + std::to_string(6 * ranks);
    const std::string blocks = std::to_string(2 * ranks);
    solve(ranks, {"--stencil", size, "--blocks", blocks, "--iterations", "6"});
    walked[ranks - 3] = most_walked("run.json");
    const nlohmann::json json = record("run.json");
    for (const auto& rank : json["ranks"]) tasks[ranks - 3] += rank["tasks"].get<int>();
  }
  EXPECT_EQ(walked[0], walked[1]);
  EXPECT_LT(walked[1], tasks[1] / 2);
}

TEST_F(ClustersCg, RefusesWhatItCannotDo) {
  const Arguments small{"--stencil", "5pts-8", "--quiet", "--json", "run.json"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), small.begin(), small.end());
    return more;
  };
  expect_refused(2, with({"--efficiency"}), {"--efficiency"});
  expect_refused(3, with({"--blocks", "2"}), {"--blocks 2", "3 processes"});
  expect_refused(2, with({"--task", "graph", "--gpus", "0"}), {"--task graph", "no GPU on rank 0"});
  expect_refused(2, with({"--task", "iterations", "--gpus", "0", "--dot", "serial"}), {"--dot serial"});
  expect_refused(2, with({"--task", "graph", "--flow", "pipelined"}), {"--flow pipelined"});
  expect_refused(2, {"--matrix", "none.mtx"}, {"none.mtx"});
  expect_refused(2, with({"--nonsense"}), {"--nonsense"});
}

/// Two ranks on a GPU take turns, in each of which one waits for the other: few iterations.
TEST_F(ClustersCg, WholeIterationsOnGpusGiveTheSameBits) {
  if (!fs::exists("/dev/nvidia0")) GTEST_SKIP() << "no GPU";
  for (const Arguments& method : {Arguments{}, {"--preconditioner", "jacobi"}}) {
    Arguments problem{"--stencil", "7pts-9x8x11", "--blocks", "2", "--gpus", "1", "--iterations", "12"};
    problem.insert(problem.end(), method.begin(), method.end());
    const std::string one = solve(1, problem);
    problem.insert(problem.end(), {"--task", "graph", "--check-every", "5"});
    EXPECT_TRUE(solve(2, problem) == one);
    EXPECT_EQ(record("run.json")["options"]["task"], "graph");
  }
}

TEST_F(ClustersCg, HelpsOnce) {
  const Ran ran = run_ranks(2, {"--help"});
  EXPECT_EQ(ran.status, 0);
  ASSERT_TRUE(contains(ran.out, "Solves A x = b"));
  EXPECT_EQ(ran.out.find("Solves A x = b"), ran.out.rfind("Solves A x = b"));
}

TEST_F(ClustersCg, AnErrorOfOneRankIsOneOfAll) {
  // the diagonal block of the last two rows is indefinite, which the rank that has it finds out
  const fs::path matrix =
      file("%%MatrixMarket matrix coordinate real symmetric\n6 6 7\n1 1 4\n2 2 4\n3 3 4\n4 4 4\n5 5 1\n6 6 1\n6 5 2\n");
  expect_refused(3,
                 {"--matrix", matrix, "--blocks", "3", "--preconditioner", "block-jacobi", "--preconditioner-block",
                  "2", "--quiet", "--json", "run.json"},
                 {"rows 5 to 6"});
}

TEST_F(ClustersCg, AllFailTogetherWhenTheMatrixIsIndefinite) {
  const fs::path matrix =
      file("%%MatrixMarket matrix coordinate real symmetric\n4 4 5\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n4 1 -3\n");
  expect_refused(2, {"--matrix", matrix, "--blocks", "2", "--quiet"}, {"not positive definite"});
  expect_refused(2, {"--matrix", matrix, "--quiet"}, {"not positive definite"});  // each by itself
}

/// A worker and StarPU-MPI's thread on one core each.
TEST_F(ClustersCg, RanksThatAreBoundRestWhenIdle) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  unsetenv("STARPU_IDLE_SLEEP");
  setenv("OMPI_MCA_hwloc_base_binding_policy", "core", 1);
  const Ran ran =
      run_ranks(2, {"--stencil", "5pts-12", "--blocks", "2", "--iterations", "3", "--quiet", "--json", "run.json"});
  unsetenv("OMPI_MCA_hwloc_base_binding_policy");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(record("run.json")["starpu"]["environment"].value("STARPU_IDLE_SLEEP", ""), "30");
}

/// Where messages would take longer than all of the work: every rank does it, one prints and writes.
TEST_F(ClustersCg, EachRankSolvesASmallSystem) {
  const Arguments problem{"--matrix", irregular(), "--preconditioner", "jacobi", "--rhs", "known", "--verify"};
  const std::string one = solve(1, problem);
  const std::size_t lines = lines_of(run_ranks(1, problem).out).size();
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(ranks);
    fs::remove(output("x.mtx"));
    EXPECT_TRUE(solve(ranks, problem) == one);
    const nlohmann::json json = record("run.json");
    EXPECT_TRUE(contains(json["units"]["choice"].get<std::string>(), "each of " + std::to_string(ranks) + " ranks"));
    EXPECT_FALSE(json.contains("ranks"));
    EXPECT_EQ(json["starpu"]["cpu_workers"], 1);
    EXPECT_EQ(lines_of(run_ranks(ranks, problem).out).size(), lines + 1U);  // the line that says so
  }
  for (const Arguments& divided :
       {Arguments{"--stencil", "7pts-44"}, {"--stencil", "7pts-9", "--transfer", "packed"}}) {
    Arguments all = divided;
    all.insert(all.end(), {"--iterations", "3"});
    solve(2, all);
    EXPECT_EQ(record("run.json")["ranks"].size(), 2U) << divided.back();
  }
}

TEST_F(ClustersCg, RecordsEveryRank) {
  const Ran ran =
      run_ranks(2, {"--stencil", "5pts-12", "--blocks", "2", "--iterations", "3", "--quiet", "--trace", "trace"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* name : {"prof_file_rank_0", "prof_file_rank_1", "trace.html", "tasks.rec"})
    EXPECT_TRUE(fs::exists(output("trace") / name)) << name;
  const std::string tasks = contents(output("trace") / "tasks.rec");
  EXPECT_TRUE(contains(tasks, "MPIRank: 0") && contains(tasks, "MPIRank: 1"));
}

}  // namespace
}  // namespace asterism::tests
