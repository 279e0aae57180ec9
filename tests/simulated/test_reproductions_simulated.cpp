// SPDX-License-Identifier: Apache-2.0
// The papers' experiments on simulated machines, with smaller cases: figures come out, follow from the runs that the
// record names, and are what can be told by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/egg_mesh.hpp"
#include "tests/apps/reproduced_figures.hpp"
#include "tests/apps/run_program.hpp"
#include "tests/data_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

class Reproductions : public ProgramTest {
 protected:
  Reproductions() : ProgramTest("asterism-reproduce", "ASTERISM_NO_SUCH", ASTERISM_REPRODUCE, {"--json", "run.json"}) {
    setenv("STARPU_SILENT", "1", 1);
  }

  json record(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--quiet", "--json", output("run.json")});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.status == 0 ? json::parse(contents(output("run.json"))) : json();
  }
  /// Without what SimGrid says to programs that hold it.
  static std::vector<std::string> own_lines(const std::string& text) {
    std::vector<std::string> own;
    for (const std::string& line : lines_of(text))
      if (line.starts_with("asterism-reproduce: ")) own.push_back(line);
    return own;
  }
};

double ours(const json& record, const std::string& section, const std::string& name) {
  return figure(record, section, name)["ours"][0]["value"];
}

/// Every figure of the paper stands in the sentence that it is said to come from.
void expect_said(const json& record) {
  for (const json& section : record["comparison"]["sections"])
    for (const json& f : section["figures"]) {
      if (f["paper"].is_null()) continue;
      std::ostringstream number;
      number << f["paper"].get<double>();
      EXPECT_TRUE(contains(section["says"], number.str())) << number.str() << " is not in " << section["says"];
    }
}

/// Simulated seconds and command of a run.
json run_of(const json& record, const std::string& label) {
  for (const json& run : record["settings"]["runs"])
    if (run["label"] == label) return run;
  ADD_FAILURE() << label;
  return {};
}
double seconds_of(const json& record, const std::string& label) {
  return run_of(record, label)["seconds"];
}

TEST_F(Reproductions, ConjugateGradientTables) {
  const json r = record({"cg-table3", "--points", "64", "--iterations", "64"});
  ASSERT_EQ(r["settings"]["runs"].size(), 2U * 11);
  for (const std::string mode : {"GPU - CPU - GPU", "GPU - GPU"}) {
    const double one = ours(r, mode, "1 GPU");
    // 2 nnz + 9 N operations: 64^3 rows, 11 points but at the boundary; 64 iterations and the transfer of the matrix
    EXPECT_NEAR(64 * (2.0 * 2826496 + 9 * 262144) * 1e-9 / one / seconds_of(r, "1 GPU, " + mode), 1, 0.1);
    const std::string section = "Speed-up and efficiency of 3 GPUs, 1D packed, " + mode;
    const double s = ours(r, section, "S"), e = ours(r, section, "e");
    EXPECT_NEAR(s, ours(r, mode, "3 GPUs, 1D packed") / one, 1e-9 * s);
    EXPECT_NEAR(e, s / 3, 1e-12);
    EXPECT_NEAR(ours(r, section, "e_granularity") * ours(r, section, "e_pipeline"), e, 1e-12);
    EXPECT_LT(ours(r, section, "e_granularity"), 1);
    // the paper's own figures agree with its definitions 1 to 5, as far as they are rounded; speed-ups are over the
    // better of the two runs on one GPU
    const auto papers = [&](const std::string& in, const std::string& name) {
      return figure(r, in, name)["paper"].get<double>();
    };
    EXPECT_NEAR(papers(section, "S"), papers(mode, "3 GPUs, 1D packed") / papers(mode, "1 GPU"), 2e-3);
    EXPECT_NEAR(papers(section, "e"), papers(section, "S") / 3, 1.5e-3);
    EXPECT_NEAR(papers(section, "e_granularity") * papers(section, "e_pipeline"), papers(section, "e"), 2e-3);
    EXPECT_GT(ours(r, mode, "3 GPUs, 1D packed"), ours(r, mode, "3 GPUs, 1D full"));
    EXPECT_TRUE(contains(run_of(r, "3 GPUs, 2D packed, " + mode)["command"], "--decomposition 2d"));
  }
  // copies between GPUs go another way, and only those
  EXPECT_EQ(ours(r, "GPU - GPU", "1 GPU"), ours(r, "GPU - CPU - GPU", "1 GPU"));
  EXPECT_NE(ours(r, "GPU - GPU", "2 GPUs, 1D full"), ours(r, "GPU - CPU - GPU", "2 GPUs, 1D full"));
}

/// Kernels by themselves: a launch, or three in turn, and 24 bytes for an element of axpy; products as long as their
/// bytes and rows.
TEST_F(Reproductions, ConjugateGradientKernels) {
  const json axpy = record({"cg-figure3", "--points", "16", "100"});
  // StarPU's simulator adds some microseconds to each task
  const double launch = 3.7e-5 + 5e-6, element = 24 / 1.125e11, rows = 1e6;
  EXPECT_NEAR(ours(axpy, "axpy, three GPUs over one", "at the largest N"),
              (launch + rows * element) / (3 * launch + rows / 3 * element), 0.02);
  EXPECT_EQ(ours(axpy, "axpy, three GPUs over one", "faster from N ="), rows);
  const json product = record({"cg-figure4", "--element", "p1"});
  const std::string split = "SpMV, split into three block-rows";
  EXPECT_GT(ours(product, split, "three GPUs over one"), 2.6);
  EXPECT_LT(ours(product, split, "three GPUs over one"), 3);
  EXPECT_GT(ours(product, split, "one GPU, not split, Gflop/s"), ours(product, split, "one GPU, Gflop/s"));
  EXPECT_NEAR(ours(product, split, "e_SpMV") * 3, ours(product, split, "three GPUs over one, not split"), 1e-9);
}

TEST_F(Reproductions, ConjugateGradientRefinement) {
  const json r = record({"cg-figure7", "--points", "64", "--iterations", "64"});
  const auto ms = [&](const char* name) { return ours(r, "From one iteration to the next", name); };
  EXPECT_GT(ms("Figure 5, all synchronisations, ms"), ms("Figure 6, dot by reduction, ms"));
  EXPECT_GT(ms("Figure 6, dot by reduction, ms"), ms("Figure 7, p not taken apart and together, ms"));
  EXPECT_GT(ms("Figure 7, p not taken apart and together, ms"), ms("Figure 8, p packed, ms"));
}

/// Linear elements on a coarser mesh.
TEST_F(Reproductions, ConjugateGradientOnABracket) {
  const std::string mesh = data_file("meshes/bracket_coarse.msh.gz");
  const json r = record({"cg-table4", "--mesh", mesh, "--element", "p1", "--iterations", "64"});
  ASSERT_EQ(r["settings"]["runs"].size(), 2U * 11);
  for (const std::string mode : {"GPU - CPU - GPU", "GPU - GPU"}) {
    const std::string section = "Speed-up and efficiency of 3 GPUs, 1D packed, " + mode;
    EXPECT_NEAR(ours(r, section, "S"), ours(r, mode, "3 GPUs, 1D packed") / ours(r, mode, "1 GPU"), 1e-9);
    const auto papers = [&](const std::string& in, const std::string& name) {
      return figure(r, in, name)["paper"].get<double>();
    };
    EXPECT_NEAR(papers(section, "S"), papers(mode, "3 GPUs, 1D packed") / papers(mode, "1 GPU"), 2e-3);
    EXPECT_NEAR(papers(section, "e_granularity") * papers(section, "e_pipeline"), papers(section, "e"), 2e-3);
    EXPECT_TRUE(contains(run_of(r, "3 GPUs, 1D packed, " + mode)["command"], "--simulate nehalem-m2070-rows"));
  }
}

TEST_F(Reproductions, LatticeBoltzmannShares) {
  const json r = record({"lbm-table3", "--steps", "20", "--least-share", "94"});
  for (const std::string cluster : {"Hydra", "TSUBAME2.5", "Piz Daint"}) {
    const double gpu = ours(r, cluster, "GPU alone, GLUPS"), cpu = ours(r, cluster, "CPU alone, GLUPS");
    const double over_gpu = 1 + ours(r, cluster, "both over the GPU, %") / 100;
    EXPECT_NEAR(over_gpu * gpu, ours(r, cluster, "both over the CPU, times") * cpu, 1e-9 * gpu);
    const auto share = static_cast<int>(ours(r, cluster, "GPU share at the best, %"));
    EXPECT_GE(share, 94);
    double least = 1e9;
    for (int tried = 94; tried < 100; ++tried)
      least = std::min(least, seconds_of(r, cluster + ", GPU " + std::to_string(tried) + " %"));
    EXPECT_EQ(seconds_of(r, cluster + ", GPU " + std::to_string(share) + " %"), least);
    EXPECT_NEAR(seconds_of(r, cluster + ", GPU alone") / least, over_gpu, 0.02 * over_gpu);
  }
  EXPECT_NEAR(ours(r, "Piz Daint", "GPU alone, GLUPS"), 1.58, 0.05);  // section 5.1
  expect_said(r);
  // one CPU of the node, one of whose cores drives the GPU
  EXPECT_TRUE(contains(run_of(r, "Hydra, CPU alone")["command"], "--cpus 10 --gpus 0 --simulate hydra"));
  EXPECT_TRUE(contains(run_of(r, "Hydra, GPU 95 %")["command"], "--cpus 9 --gpus 1 --gpu-share 0.95"));
}

TEST_F(Reproductions, FiniteDifferencesLoadBalance) {
  const json r = record({"fdtd-figure4.4", "--least-share", "97"});
  for (const std::string size : {"N = 100", "N = 200", "N = 400"}) {
    const double alone = ours(r, size, "GPUs alone, GFlop/s");
    // 1.41e9 cells/s of 36 operations; 48 bytes of a cell pass a link of 3.4e9 bytes/s before and after 200 steps
    EXPECT_NEAR(alone, 36 / (1 / 1.41e9 + 48 / 3.4e9 / 200) * 1e-9, 2);
    const double best = ours(r, size, "with two cores at the best share, GFlop/s");
    EXPECT_NEAR(ours(r, size, "with two cores over GPUs alone, %"), 100 * (best / alone - 1), 1e-9);
    const auto share = static_cast<int>(ours(r, size, "GPUs' share at the best, %"));
    const auto with_share = [&](int tried) {
      return seconds_of(r, "system1-k20c, " + size + ", GPUs " + std::to_string(tried) + " %");
    };
    EXPECT_EQ(with_share(share), std::min({with_share(97), with_share(98), with_share(99)}));
  }
  // two GPUs end together where the one gets as much as it is faster: by the platform's rates 60 %
  const std::vector<std::string> around{"--least-share", "59", "--largest-share", "61"};
  const json gpus = record({"fdtd-figure4.7", around[0], around[1], around[2], around[3]});
  expect_said(gpus);
  EXPECT_NEAR(ours(gpus, "N = 400", "the K40c's share at the best, %"), 100 * 288 / (288 + 192.3), 3);
  const double k40c = ours(gpus, "N = 400", "K40c alone, GFlop/s");
  EXPECT_NEAR(ours(gpus, "N = 400", "GTX 760 alone, GFlop/s") / k40c, 192.3 / 288, 0.05);  // and the same bus
  EXPECT_NEAR(ours(gpus, "N = 400", "both over the K40c alone, %"),
              100 * (ours(gpus, "N = 400", "both at the best share, GFlop/s") / k40c - 1), 1e-9);
  const json bars = record({"fdtd-figure4.8", around[0], around[1], around[2], around[3]});
  expect_said(bars);
  for (const std::string size : {"N = 100", "N = 200", "N = 400"}) {
    const double one = ours(bars, size, "K20c, GFlop/s"), two = ours(bars, size, "two K20c, GFlop/s");
    EXPECT_NEAR(ours(bars, size, "two K20c over one, %"), 100 * (two / one - 1), 1e-9);
    EXPECT_NEAR(ours(bars, size, "K40c, GFlop/s") / one, 288.0 / 208, 0.08);
    EXPECT_NEAR(ours(bars, size, "four cores, GFlop/s"), 8.223, 0.1);
    for (const char* of : {"K40c", "GTX 760"})
      EXPECT_EQ(ours(bars, size, std::string(of) + ", GFlop/s"), ours(gpus, size, std::string(of) + " alone, GFlop/s"));
    if (size != "N = 100") {  // whose fields take longer to two GPUs in turn than the second one saves
      EXPECT_GT(ours(bars, size, "K40c and GTX 760 at the best share, GFlop/s"), ours(bars, size, "K40c, GFlop/s"));
    }
    EXPECT_EQ(ours(r, size, "GPUs alone, GFlop/s"), one);
  }
}

TEST_F(Reproductions, FiniteDifferencesOnCores) {
  const json r = record({"fdtd-table2.5"});
  expect_said(r);
  EXPECT_TRUE(contains(run_of(r, "skomedal-gtx480, N = 150, 3 cores")["command"], "--size 150"));
  const auto speedup = [&](const std::string& platform, int cores) {
    const auto run = [&](int of) { return platform + ", N = 150, " + std::to_string(of) + " cores"; };
    return seconds_of(r, run(1)) / seconds_of(r, run(cores));
  };
  EXPECT_NEAR(ours(r, "Speed-up over one core", "3 cores"), speedup("skomedal-gtx480", 3), 1e-9);
  EXPECT_NEAR(ours(r, "Half of the clock rate", "4 cores over one, times"), speedup("skomedal-half-clock", 4), 1e-9);
  // until they have as much together as the memory gives
  EXPECT_NEAR(speedup("skomedal-gtx480", 2), 2, 0.02);
  EXPECT_NEAR(speedup("skomedal-gtx480", 4), 8223.0 / 3417, 0.06);
}

TEST_F(Reproductions, FiniteDifferencesExchangesAndFarms) {
  const json exchange = record({"fdtd-figure4.3"});
  expect_said(exchange);
  for (const std::string size : {"N = 100", "N = 200", "N = 400"})
    EXPECT_NEAR(ours(exchange, size, "reduction, %"),
                100 * (1 - ours(exchange, size, "with exchanges, GFlop/s") /
                               ours(exchange, size, "without exchanges, GFlop/s")),
                1e-9);
  EXPECT_GT(ours(exchange, "N = 100", "reduction, %"), ours(exchange, "N = 400", "reduction, %"));
  const json farms = record({"fdtd-table2.6", "--domains", "100"});
  expect_said(farms);
  EXPECT_NEAR(ours(farms, "N = 150", "4x0, CPU, MFlop/s"), 8223, 2000);  // the last domains are not on all cores
  EXPECT_TRUE(contains(run_of(farms, "skomedal-gtx480, 100 domains, N = 150, 3 cores, 1 GPUs")["command"],
                       "asterism-fdtd farm --size 150"));
  expect_said(record({"fdtd-figure4.9", "--least-share", "97"}));
  expect_said(record({"fdtd-figure4.10"}));
}

TEST_F(Reproductions, FastMultipoleFigures) {
  const json r = record({"fmm-figure10", "--particles", "40000"});
  EXPECT_EQ(ours(r, "Execution time", "(a) M2070"), seconds_of(r, "(a) M2070"));
  EXPECT_LT(seconds_of(r, "(b) M2090"), seconds_of(r, "(a) M2070"));
  EXPECT_NEAR(figure(r, "Execution time", "(b) M2090")["ours"][0]["difference"],
              (seconds_of(r, "(b) M2090") - 10.9) / 10.9, 1e-12);
  const std::string command = run_of(r, "(b) M2090")["command"];
  for (const char* part :
       {"ASTERISM_HPRIO_RULES=-backlog asterism-fmm", "--distribution cube", "--order 5", "--epsilon 1e-5",
        "--height 7", "--group-size 2000", "--reduction last", "--gpus 3 --cpus 9 --simulate nehalem-m2090"})
    EXPECT_TRUE(contains(command, part)) << part << ": " << command;
  expect_said(r);
  for (const char* other : {"fmm-figure11", "fmm-figure12"}) expect_said(record({other, "--particles", "3000"}));
  const json copies_late = record({"fmm-figure9", "--particles", "3000"});
  expect_said(copies_late);
  EXPECT_TRUE(contains(run_of(copies_late, "P2P-Reduction before L2P")["command"], "RULES=-backlog,-prefetch "));
  const json ellipsoid = record({"fmm-figure13", "--particles", "3000"});
  for (int gpus = 0; gpus <= 3; ++gpus) {
    const std::string of = run_of(ellipsoid, std::to_string(gpus) + " GPUs")["command"];
    EXPECT_TRUE(contains(of, "--gpus " + std::to_string(gpus) + " --cpus " + std::to_string(12 - gpus))) << of;
  }
}

TEST_F(Reproductions, SharesOfTheBound) {
  const json r = record({"fmm-figure16", "--particles", "100000", "--heights", "4", "5", "--accuracies", "3", "5"});
  ASSERT_EQ(r["settings"]["runs"].size(), 8U);
  const auto share = [&](int height, int accuracy) {
    const std::string of = "h = " + std::to_string(height) + ", Acc = " + std::to_string(accuracy);
    const double percent = run_of(r, of + ", 3 GPUs")["share_of_bound"];
    EXPECT_GT(percent, 0) << of;
    EXPECT_LE(percent, 100) << of;
    // LP~ has kernels at least as fast
    const double at_best = run_of(r, of + ", 3 GPUs")["share_of_best_rates"];
    EXPECT_GT(at_best, 0) << of;
    EXPECT_LT(at_best, percent) << of;
    EXPECT_LE(ours(r, "Share of the LP~ bound", "smallest"), at_best);
    EXPECT_GE(ours(r, "Share of the LP~ bound", "largest"), at_best);
    // with all units not longer than with the cores alone, which the bound is no better than
    EXPECT_LT(seconds_of(r, of + ", 3 GPUs"), seconds_of(r, of + ", 0 GPUs"));
    return percent;
  };
  const std::vector<double> a{share(4, 3), share(4, 5)}, b{share(5, 3), share(5, 5)};
  const auto expect = [&](const std::string& which, double least, double most) {
    EXPECT_EQ(ours(r, "Share of the LP bound", which + "smallest"), least);
    EXPECT_EQ(ours(r, "Share of the LP bound", which + "largest"), most);
  };
  expect("(a) ", std::min(a[0], a[1]), std::max(a[0], a[1]));
  expect("(b) ", std::min(b[0], b[1]), std::max(b[0], b[1]));
  expect("", std::min({a[0], a[1], b[0], b[1]}), std::max({a[0], a[1], b[0], b[1]}));
  EXPECT_TRUE(figure(r, "Share of the LP bound", "(c) smallest")["ours"][0]["value"].is_null());
}

TEST_F(Reproductions, TheBestHeightCompletes) {
  const json r = record({"fmm-figure18", "--particles", "20000"});
  expect_said(r);
  for (const std::string gpus : {"0 GPUs", "3 GPUs"}) {
    const auto of = [&](const std::string& which, int height) {
      return seconds_of(r, which + ", h = " + std::to_string(height) + ", Acc = 4, " + gpus);
    };
    EXPECT_EQ(ours(r, "(a) Cube, best height", "Acc = 4, " + gpus),
              std::min({of("cube", 6), of("cube", 7), of("cube", 8)}));
    EXPECT_EQ(ours(r, "(b) Ellipsoid, best height", "Acc = 4, " + gpus),
              std::min({of("tilted-ellipsoid", 10), of("tilted-ellipsoid", 11), of("tilted-ellipsoid", 12)}));
    EXPECT_EQ(ours(r, "Cube, Acc = 4", "h = 7, " + gpus), of("cube", 7));
    EXPECT_EQ(ours(r, "Cube, Acc = 4", "h = 8, " + gpus), of("cube", 8));
  }
  EXPECT_TRUE(figure(r, "(a) Cube, best height", "Acc = 5, 3 GPUs")["ours"][0]["value"].is_null());
}

TEST_F(Reproductions, BalanceOfBoundaryElements) {
  const json r = record({"tdbem-figure15", "--mesh", file(egg_mesh(), "egg.off"), "--unknowns", "4000"});
  for (const char* option : {"--unknowns 2000", "--sharing intervals", "--balance paper", "--precision single"})
    EXPECT_TRUE(contains(run_of(r, "(c) 4 nodes, 3 GPUs")["command"], option)) << option;
  for (const auto& [section, workers] :
       {std::pair{"(a) 2 nodes, 1 GPU", 2}, {"(b) 8 nodes, 2 GPUs", 3}, {"(c) 4 nodes, 3 GPUs", 4}}) {
    EXPECT_NEAR(ours(r, section, "interval of the cores at first, %"), 100.0 / workers, 100.0 / workers / 2);
    EXPECT_LT(ours(r, section, "interval of the cores at the end, %"),
              ours(r, section, "interval of the cores at first, %"));
    EXPECT_NEAR(ours(r, section, "time of the cores at the end, % of the sum"), 100.0 / workers, 8);
  }
}

TEST_F(Reproductions, AreRecordedOnDemand) {
  const json r = record({"fmm-figure11", "--particles", "20000", "--trace", folder_ / "traces"});
  for (const char* run : {"n-g-2000", "n-g-1000"})
    for (const char* file : {"trace.html", "trace.json", "tasks.rec"})
      EXPECT_TRUE(fs::exists(folder_ / "traces" / run / file)) << run << " " << file;
}

TEST_F(Reproductions, EveryPapersFileIsReadAndPlausible) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(PAPERS)) files += entry.path().extension() == ".toml" ? 1 : 0;
  const Ran ran = run({"--list"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  int listed = 0;
  for (const std::string& line : lines_of(ran.out)) listed += line.starts_with(" ") ? 0 : 1;
  EXPECT_EQ(listed, files);
}

TEST_F(Reproductions, SayWhatIsWrong) {
  const auto expect_line = [&](const Arguments& arguments, int status, const std::string& says) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, status);
    const std::vector<std::string> lines = own_lines(ran.err);
    ASSERT_EQ(lines.size(), 1U) << ran.err;
    EXPECT_TRUE(contains(lines.front(), says)) << lines.front();
  };
  expect_line({"cg-table3", "--papers", "nowhere"}, 2, "cg-table3.toml");
  expect_line({"cg-table3", "--points", "2"}, 2, "--points");
  expect_line({"tdbem-figure15", "--mesh", "nowhere.off", "--quiet"}, 1, "nowhere.off");
  setenv("ASTERISM_SIMULATED", "/nowhere", 1);
  expect_line({"cg-table3", "--points", "8"}, 2, "there is no asterism-cg for simulated machines");
  unsetenv("ASTERISM_SIMULATED");
  fs::remove_all(folder_ / "papers");
  fs::copy(PAPERS, folder_ / "papers");
  const std::string text = contents(folder_ / "papers" / "fmm-figure9.toml");
  std::ofstream(folder_ / "papers" / "fmm-figure9.toml") << text.substr(0, text.find("[\"P2P"));
  expect_line({"fmm-figure9", "--papers", folder_ / "papers"}, 2, "fmm-figure9.toml");
}

}  // namespace
