// SPDX-License-Identifier: Apache-2.0
// The program asterism-cg from outside: good runs and what they write, bad input in one line and status 2, failed
// runs in one line and status 1. Nothing of the project is linked: files are written and read by the test itself.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

class AsterismCg : public ProgramTest {
 protected:
  AsterismCg()
      : ProgramTest("asterism-cg", "ASTERISM_CG", ASTERISM_CG, {"--json", "run.json", "--solution", "x.mtx"}) {}
};

/// n x n, symmetric: diagonal 2 + i / n, neighbours -1 (positive definite).
std::string tridiagonal(int n) {
  std::ostringstream text;
  text << "%%MatrixMarket matrix coordinate real symmetric\n% made by the test\n"
       << n << ' ' << n << ' ' << 2 * n - 1 << '\n';
  text.precision(17);
  for (int i = 1; i <= n; ++i) {
    text << i << ' ' << i << ' ' << 2 + static_cast<double>(i) / n << '\n';
    if (i < n) text << i + 1 << ' ' << i << " -1\n";
  }
  return text.str();
}

/// ||b - A x|| / ||b|| of that matrix.
double tridiagonal_residual(const std::vector<double>& x, const std::vector<double>& b) {
  const std::size_t n = x.size();
  double residual = 0;
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = 2 + static_cast<double>(i + 1) / static_cast<double>(n);
    const double r = b[i] - diagonal * x[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0);
    residual += r * r;
    norm += b[i] * b[i];
  }
  return std::sqrt(residual / norm);
}

/// A vector in a Matrix Market array file.
std::vector<double> read_array(const fs::path& path) {
  std::istringstream text(contents(path));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "%%MatrixMarket matrix array real general");
  while (text.peek() == '%') std::getline(text, line);
  std::size_t rows = 0;
  std::size_t columns = 0;
  text >> rows >> columns;
  EXPECT_EQ(columns, 1U);
  std::vector<double> values(rows);
  for (double& value : values) text >> value;
  EXPECT_TRUE(text) << path << " is too short";
  return values;
}

std::string header(const std::string& rest) {
  return "%%MatrixMarket matrix coordinate real " + rest;
}

// ---- good runs

TEST_F(AsterismCg, HelpTeaches) {
  const Ran ran = run({"--help-all"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.err.empty()) << ran.err;
  for (const char* word : {"--matrix", "--stencil", "--mesh", "--flow", "naive", "refined", "fused", "pipelined",
                           "--blocks", "--preconditioner", "--tolerance", "--scheduler", "--json", "--solution",
                           "--verify", "asterism-cg --stencil", "conjugate gradient"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
  const Ran version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_FALSE(version.out.empty());
  EXPECT_EQ(outputs(), 0U);
}

TEST_F(AsterismCg, StencilWithRecord) {
  const Ran ran = run({"--stencil", "11pts-9x8x7", "--preconditioner", "jacobi", "--rhs", "known", "--verify",
                       "--blocks", "3", "--json", output("run.json")});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(ran.err.empty()) << ran.err;
  EXPECT_TRUE(contains(ran.out, "GB/s")) << ran.out;
  const json record = json::parse(contents(output("run.json")));
  EXPECT_EQ(record["right"], true);
  EXPECT_EQ(record["outcome"], "converged");
  EXPECT_EQ(record["matrix"]["rows"], 504);
  EXPECT_EQ(record["options"]["blocks"], 3);
  EXPECT_EQ(record["options"]["preconditioner_block"], 1);
  EXPECT_EQ(record["starpu"]["scheduler"], "cyclic");
  EXPECT_EQ(record["starpu"]["cpu_workers"], 2);
  long rows = 0;
  for (const json& block : record["block_rows"]) rows += block.get<long>();
  EXPECT_EQ(record["block_rows"].size(), 3U);
  EXPECT_EQ(rows, 504);
  const long iterations = record["iterations"];
  EXPECT_GT(iterations, 5);
  EXPECT_LT(iterations, 100);
  const std::vector<double> history = record["history"];
  ASSERT_EQ(history.size(), static_cast<std::size_t>(iterations) + 1);
  EXPECT_NEAR(history.front(), 1, 1e-12);
  EXPECT_LE(history.back(), 1e-8);
  for (std::size_t k = 0; k < history.size(); ++k) {
    EXPECT_GT(history[k], 0);
    if (k + 1 < history.size()) {
      EXPECT_GT(history[k], 1e-8) << "should have stopped at " << k;
    }
    if (k >= 5) {
      EXPECT_LT(history[k], history[k - 5]) << k;
    }
  }
  EXPECT_LE(record["residual"]["extended"].get<double>(), 1.1e-8);
  EXPECT_LE(record["cholesky"]["difference"].get<double>(), record["cholesky"]["allowed"].get<double>());
  EXPECT_LT(record["error_to_known"].get<double>(), 1e-6);
  EXPECT_GT(record["ms_per_iteration"].get<double>(), 0);
  EXPECT_EQ(outputs(), 1U) << "a temporary file was left";
}

TEST_F(AsterismCg, MatrixFileAndSolution) {
  const fs::path matrix = file(tridiagonal(200));
  std::vector<double> b;
  std::ostringstream text;
  text.precision(17);
  for (int i = 0; i < 200; ++i) {
    b.push_back(std::sin(0.7 * i) + 0.2);
    text << b.back() << '\n';
  }
  for (const char* flow : {"naive", "refined", "fused", "pipelined"}) {
    SCOPED_TRACE(flow);
    const Ran ran =
        run({"--matrix", matrix, "--rhs", file(text.str(), "b.txt"), "--flow", flow, "--tolerance", "1e-12", "--blocks",
             "3", "--decomposition", "2d", "--transfer", "packed", "--solution", output("x.mtx"), "--verify"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(ran.err.empty()) << ran.err;
    const std::vector<double> x = read_array(output("x.mtx"));
    ASSERT_EQ(x.size(), 200U);
    EXPECT_LE(tridiagonal_residual(x, b), 1.2e-12);
    EXPECT_GT(tridiagonal_residual(x, std::vector<double>(200, 1.0)), 0.1);  // of this right-hand side
  }
}

TEST_F(AsterismCg, ConfigurationFile) {
  const fs::path config = file(
      "stencil = \"7pts-6x5x4\"\npreconditioner = \"jacobi\"\nblocks = 2\nflow = \"refined\"\n"
      "tolerance = 1e-6\njson = \"" +
          output("run.json").string() + "\"\n",
      "run.toml");
  const Ran ran = run({"--config", config});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json record = json::parse(contents(output("run.json")));
  EXPECT_EQ(record["matrix"]["rows"], 120);
  EXPECT_EQ(record["options"]["flow"], "refined");
  EXPECT_EQ(record["options"]["blocks"], 2);
  EXPECT_EQ(record["options"]["tolerance"], 1e-6);
  // the command line wins
  const Ran other = run({"--config", config, "--flow", "naive"});
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(json::parse(contents(output("run.json")))["options"]["flow"], "naive");
}

TEST_F(AsterismCg, FixedNumberOfIterationsWithEveryFlow) {
  for (const char* flow : {"naive", "refined", "fused", "pipelined"}) {
    SCOPED_TRACE(flow);
    const Ran ran =
        run({"--stencil", "11pts-9x8x7", "--flow", flow, "--iterations", "10", "--json", output("run.json")});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json record = json::parse(contents(output("run.json")));
    EXPECT_EQ(record["iterations"], 10);
    EXPECT_EQ(record["history"].size(), 11U);
    const double recurrence = record["residual"]["recurrence"];
    EXPECT_NEAR(recurrence, record["residual"]["extended"].get<double>(), 1e-6 * recurrence);
    EXPECT_GT(record["ms_per_iteration"].get<double>(), 0);
  }
}

TEST_F(AsterismCg, LastStateIsResumedPastAndBeforeConvergence) {
  const auto solve = [&](Arguments more) {
    more.insert(more.end(), {"--stencil", "11pts-9x8x7", "--cpus", "1", "--solution", output("x.mtx")});
    const Ran ran = run(more);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return std::pair(ran.out, contents(output("x.mtx")));
  };
  const auto whole = solve({"--checkpoint", output("s.h5")});
  EXPECT_TRUE(contains(whole.first, "none written")) << whole.first;
  EXPECT_TRUE(contains(solve({"--iterations", "9", "--checkpoint", output("s.h5")}).first, "of iteration 9"));
  EXPECT_EQ(solve({"--restart", output("s.h5"), "--task", "graph"}).second, whole.second);
  solve({"--iterations", "700"});
}

TEST_F(AsterismCg, SchedulersAndBlockJacobi) {
  for (const char* scheduler : {"lws", "eager", "cyclic"}) {
    const Ran ran = run({"--stencil", "11pts-9x8x7", "--scheduler", scheduler, "--preconditioner", "block-jacobi",
                         "--preconditioner-block", "7", "--json", output("run.json")});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json record = json::parse(contents(output("run.json")));
    EXPECT_EQ(record["starpu"]["scheduler"], scheduler);
    EXPECT_EQ(record["options"]["preconditioner_block"], 7);
  }
}

TEST_F(AsterismCg, Efficiency) {
  const Ran ran = run({"--stencil", "11pts-12", "--efficiency", "--json", output("run.json")});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json e = json::parse(contents(output("run.json")))["efficiency"];
  EXPECT_NEAR(e["e"].get<double>(), e["e_granularity"].get<double>() * e["e_pipeline"].get<double>(), 1e-9);
  EXPECT_EQ(e["units"], 2);
}

TEST_F(AsterismCg, AnswersOfZeroIterations) {
  const fs::path zero = file("0\n0\n0\n0\n", "zero.txt");
  const Ran ran = run({"--stencil", "5pts-2", "--rhs", zero, "--solution", output("x.mtx")});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(read_array(output("x.mtx")), std::vector<double>(4, 0.0));
}

/// By default no more block-rows than rows.
TEST_F(AsterismCg, AMatrixOfOneRow) {
  const Ran ran = run({"--stencil", "7pts-1", "--rhs", "known", "--verify"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "1 block-row(s)")) << ran.out;
}

TEST_F(AsterismCg, SaysWhyASmallSystemHasOneCore) {
  units_open_ = true;
  const Ran small = run({"--stencil", "7pts-11"});
  const Ran large = run({"--stencil", "7pts-64", "--iterations", "2"});
  units_open_ = false;
  EXPECT_TRUE(contains(small.out, "1 core: an iteration moves")) << small.out;
  EXPECT_FALSE(contains(large.out, "choice")) << large.out;
}

// ---- bad options

TEST_F(AsterismCg, BadOptions) {
  const Arguments small{"--stencil", "11pts-6"};
  const auto with = [&](const Arguments& more) {
    Arguments all = small;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_bad_input({}, {"--matrix"});
  expect_bad_input(with({"--matrix", file(tridiagonal(5))}), {"--matrix", "--stencil"});
  expect_bad_input(with({"--mesh", "a.msh"}), {"--mesh", "--stencil"});
  expect_bad_input(with({"--numbering", "mesh"}), {"--numbering", "--mesh"});
  for (const Arguments& more : {Arguments{"--nonsense"}, {"--nonsense", "3"}})
    expect_bad_input(with(more), {"--nonsense"});
  expect_bad_input(with({"stray"}), {"stray"});
  expect_bad_input(with({"--flow", "fast"}), {"--flow", "fast"});
  expect_bad_input(with({"--decomposition", "3d"}), {"--decomposition", "3d"});
  expect_bad_input(with({"--preconditioner", "ilu"}), {"--preconditioner", "ilu"});
  expect_bad_input(with({"--blocks", "0"}), {"--blocks 0"});
  expect_bad_input(with({"--blocks", "217"}), {"--blocks 217", "216"});
  for (const char* blocks : {"-2", "two"}) expect_bad_input(with({"--blocks", blocks}), {"--blocks", blocks});
  for (const char* t : {"-1", "nan"}) expect_bad_input(with({"--tolerance", t}), {"--tolerance", t});
  expect_bad_input(with({"--max-iterations", "-1"}), {"--max-iterations -1"});
  expect_bad_input(with({"--iterations", "0"}), {"--iterations 0"});
  expect_bad_input(with({"--check-every", "0"}), {"--check-every 0"});
  expect_bad_input(with({"--scheduler", "nonsense"}), {"--scheduler nonsense", "cyclic", "lws"});
  expect_bad_input(with({"--cpus", "-1"}), {"--cpus"});
  expect_bad_input(with({"--units", "tpu"}), {"--units", "tpu"});
  for (const char* rows : {"0", "33"})
    expect_bad_input(with({"--preconditioner", "block-jacobi", "--preconditioner-block", rows}),
                     {"--preconditioner-block", rows});
  expect_bad_input(with({"--preconditioner", "amg", "--preconditioner-block", "5"}), {"216 rows", "5"});
  expect_bad_input(with({"--vendor", "--format", "csr"}), {"--vendor", "fused"});
  expect_bad_input(with({"--vendor", "--flow", "refined"}), {"--vendor", "csr"});
  expect_bad_input(with({"--dot", "serial"}), {"--dot serial", "fused"});
  expect_bad_input(with({"--dot", "reduction", "--flow", "pipelined"}), {"--dot reduction", "pipelined"});
  expect_bad_input(with({"--x-update", "early"}), {"--x-update early", "fused"});
  expect_bad_input({"--stencil", "13pts-6"}, {"--stencil 13pts-6"});
  expect_bad_input({"--stencil", "11pts-0"}, {"--stencil 11pts-0"});
  expect_bad_input({"--stencil", "11pts-5000"}, {"--stencil", "2^31"});
  expect_bad_input(with({"--config", (folder_ / "missing.toml").string()}), {"missing.toml"});
}

TEST_F(AsterismCg, ResultsThatCannotBeWritten) {
  expect_bad_input({"--stencil", "11pts-6", "--json", "/nowhere/at/all/run.json"}, {"--json", "/nowhere/at/all"},
                   false);
  expect_bad_input({"--stencil", "11pts-6", "--solution", "/nowhere/at/all/x.mtx"}, {"--solution", "/nowhere/at/all"},
                   false);
  expect_bad_input({"--stencil", "11pts-6", "--json", folder_}, {"--json", "is a folder"}, false);
  if (geteuid() != 0) {  // root may write anywhere
    fs::create_directory(folder_ / "locked");
    fs::permissions(folder_ / "locked", fs::perms::owner_read | fs::perms::owner_exec);
    expect_bad_input({"--stencil", "11pts-6", "--json", folder_ / "locked" / "run.json"},
                     {"--json", "cannot be written"}, false);
  }
}

// ---- bad files

TEST_F(AsterismCg, BadMatrices) {
  const auto bad = [&](const std::string& text, std::vector<std::string> words) {
    const fs::path path = file(text, "bad.mtx");
    words.push_back("bad.mtx");
    expect_bad_input({"--matrix", path}, words);
  };
  expect_bad_input({"--matrix", folder_ / "missing.mtx"}, {"missing.mtx"});
  expect_bad_input({"--matrix", folder_}, {folder_.string(), "directory"});
  bad("", {"empty"});
  bad("hello\n", {});
  bad("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n", {});
  bad("%%MatrixMarket matrix array real general\n1 1\n1\n", {});
  bad(header("general\n2 3 2\n1 1 1\n2 2 1\n"), {});
  bad(header("symmetric\n2 2 3\n1 1 1\n2 2 1\n3 1 1\n"), {"line 5"});
  bad(header("symmetric\n2 2 2\n0 1 1\n2 2 1\n"), {"line 3"});
  bad(header("symmetric\n2 2 2\n1 1 nan\n2 2 1\n"), {});
  bad(header("symmetric\n2 2 2\n1 1 inf\n2 2 1\n"), {});
  bad(header("symmetric\n2 2 2\n1 1 1e999\n2 2 1\n"), {});
  bad(header("symmetric\n2 2 3\n1 1 1\n2 2 1\n"), {"2", "3"});
  bad(header("symmetric\n2 2 2\n1 1 1\n2 2\n"), {"line 4"});
  bad(header("symmetric\n2 2 2\n1 1 1\n2 2 x\n"), {"line 4"});
  bad(header("symmetric\n99999999999999999999 99999999999999999999 2\n1 1 1\n2 2 1\n"), {"line 2"});
  bad(header("symmetric\n3000000000 3000000000 2\n1 1 1\n2 2 1\n"), {"line 2"});
  bad(header("symmetric\n2 2 4000000000000\n1 1 1\n2 2 1\n"), {});
  bad(header("general\n2 2 3\n1 1 4\n1 2 1\n2 2 4\n"), {"not symmetric", "(1,2)"});
  bad(header("general\n2 2 4\n1 1 4\n1 2 1\n2 1 1.5\n2 2 4\n"), {"not symmetric"});
  bad(header("symmetric\n2 2 2\n1 1 0\n2 2 1\n"), {"row 1", "positive"});
  bad(header("symmetric\n2 2 2\n1 1 1\n2 2 -3\n"), {"row 2", "-3"});
  bad(header("symmetric\n2 2 2\n1 1 1\n2 1 1\n"), {"row 2", "missing"});
  bad(header("symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1.5\n"), {"not positive definite"});
}

TEST_F(AsterismCg, IndefiniteWithPositiveDiagonal) {
  // eigenvalues 1 - 2 cos: the first iterations may well go on
  std::ostringstream text;
  text << header("symmetric\n50 50 99\n");
  for (int i = 1; i <= 50; ++i) {
    text << i << ' ' << i << " 1\n";
    if (i < 50) text << i + 1 << ' ' << i << " -1\n";
  }
  const fs::path path = file(text.str(), "indefinite.mtx");
  for (const char* flow : {"naive", "fused", "pipelined"})
    expect_bad_input({"--matrix", path, "--flow", flow}, {"indefinite.mtx", "not positive definite"});
}

TEST_F(AsterismCg, BadRightHandSides) {
  const fs::path matrix = file(tridiagonal(3));
  const auto bad = [&](const std::string& text, std::vector<std::string> words) {
    const fs::path path = file(text, "b.txt");
    words.push_back("b.txt");
    expect_bad_input({"--matrix", matrix, "--rhs", path}, words);
  };
  expect_bad_input({"--matrix", matrix, "--rhs", folder_ / "missing.txt"}, {"missing.txt"});
  bad("1\n2\n", {"2", "3"});
  bad("1\n2\n3\n4\n", {"3"});
  bad("1\nnan\n3\n", {});
  bad("1\n2\nthree\n", {"line 3"});
  bad("", {"empty"});
  bad("%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n", {"4", "3"});
  bad("%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n", {});
}

// ---- runs that end without an answer

TEST_F(AsterismCg, NotConverged) {
  const Ran ran = run({"--stencil", "11pts-9x8x7", "--max-iterations", "3", "--json", output("run.json"), "--solution",
                       output("x.mtx")});
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"not converged", "3 iterations", "--max-iterations"});
  for (const char* word : {"GB/s", "Gflop", "ms per", "bound"}) EXPECT_FALSE(contains(ran.out, word)) << ran.out;
  EXPECT_FALSE(fs::exists(output("x.mtx")));
  const json record = json::parse(contents(output("run.json")));
  EXPECT_EQ(record["right"], false);
  EXPECT_EQ(record["outcome"], "max_iterations");
  EXPECT_EQ(record["iterations"], 3);
  for (const char* key : {"ms_per_iteration", "gflops", "gbytes_per_second", "seconds"})
    EXPECT_FALSE(record.contains(key)) << key;
}

TEST_F(AsterismCg, ToleranceOutOfReach) {
  for (const char* flow : {"naive", "refined", "fused", "pipelined"}) {
    SCOPED_TRACE(flow);
    const Ran ran = run({"--stencil", "11pts-9x8x7", "--tolerance", "1e-30", "--flow", flow});
    EXPECT_EQ(ran.status, 1);
    expect_one_line(ran.err, {"stagnated", "--tolerance"});
    EXPECT_FALSE(contains(ran.out, "GB/s")) << ran.out;
  }
  // 2 x = 1 has an exact answer
  const fs::path diagonal = file(header("symmetric\n2 2 2\n1 1 2\n2 2 2\n"), "diagonal.mtx");
  const Ran exact = run({"--matrix", diagonal, "--tolerance", "1e-30", "--blocks", "1"});
  EXPECT_EQ(exact.status, 0) << exact.err;
}

}  // namespace
