// SPDX-License-Identifier: Apache-2.0
// asterism-compare on simulated machines: table, bounds, page and record.
#include <algorithm>
#include <map>

#include "tests/simulated/simulated_runs.hpp"

namespace {

namespace fs = std::filesystem;

class CompareOnSimulatedMachines : public asterism::tests::SimulatedRuns {
 protected:
  static std::string contents(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The exit status; what it prints is in folder_.
  int compare(const std::string& options, const std::string& program, const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() +
                                "' && ASTERISM_SIMULATED='" PROGRAMS "' STARPU_SILENT=1 timeout 300 '" +
                                (programs_ / "asterism-compare").string() + "' --work w " + options + " -- '" +
                                (programs_ / program).string() + "' " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }

  nlohmann::json record() const { return nlohmann::json::parse(contents(folder_ / "w" / "compare.json")); }

  const fs::path programs_ = ORDINARY_PROGRAMS;
};

TEST_F(CompareOnSimulatedMachines, SchedulersOfTheFastMultipoleMethod) {
  const std::string options =
      "--cpus 9 --gpus 3 --order 5 --epsilon 1e-5 --particles 500000 --height 5 --group-size 32 --quiet";
  ASSERT_EQ(compare("--schedulers hprio,eager,lws --simulate nehalem-m2070", "asterism-fmm", options), 0)
      << contents(folder_ / "err");
  const nlohmann::json first = record();
  EXPECT_EQ(first["simulated"]["platform"], "nehalem-m2070");
  EXPECT_EQ(first["best"], "hprio");
  EXPECT_EQ(first["runs"].size(), 3U);
  double least = 1e300;
  double most = 0;
  for (const nlohmann::json& one : first["schedulers"]) {
    EXPECT_GE(one["makespan_over_lp"].get<double>(), 1);
    EXPECT_GE(one["makespan_over_lp"].get<double>(), one["makespan_over_lp_fit"].get<double>());
    EXPECT_GT(one["makespan_over_critical_path"].get<double>(), 1);
    EXPECT_GE(one["makespan_over_windows"].get<double>(), 1 - 1e-9);
    EXPECT_LE(one["makespan_over_windows"].get<double>(),
              one["makespan_over_critical_path"].get<double>() * (1 + 1e-9));
    EXPECT_EQ(one["told_apart_from_best"], one["scheduler"] != "hprio");
    const double lp = one["makespan"].get<double>() / one["makespan_over_lp"].get<double>();
    least = std::min(least, lp);
    most = std::max(most, lp);
  }
  EXPECT_NEAR(least, most, 1e-4 * most);  // the same tasks on the same machine, whatever ran where
  const std::string page = contents(folder_ / "w" / "compare.html");
  EXPECT_NE(page.find("simulated machine nehalem-m2070: three NVIDIA M2070"), std::string::npos);
  const std::string table = contents(folder_ / "out");
  EXPECT_NE(table.find("simulated machine nehalem-m2070"), std::string::npos);
  EXPECT_EQ(table.find("confidence"), std::string::npos) << table;

  // again elsewhere, through the program's own option: to the last digit
  fs::rename(folder_ / "w", folder_ / "before");
  ASSERT_EQ(compare("--schedulers lws,hprio,eager", "asterism-fmm", options + " --simulate nehalem-m2070"), 0);
  std::map<std::string, double> makespans;
  for (const nlohmann::json& one : first["schedulers"]) makespans[one["scheduler"]] = one["makespan"].get<double>();
  const nlohmann::json again = record();
  for (const nlohmann::json& one : again["schedulers"])
    EXPECT_EQ(one["makespan"].get<double>(), makespans.at(one["scheduler"])) << one["scheduler"];
}

TEST_F(CompareOnSimulatedMachines, EveryScheduler) {
  // "calibrate" once stopped here for ever
  ASSERT_EQ(compare("--schedulers cyclic,calibrate,heteroprio,dmda,hprio --timeout 60 --window iterations "
                    "--simulate '" BOX "'",
                    "asterism-cg", "--stencil 7pts-24 --blocks 8 --iterations 5 --quiet"),
            0)
      << contents(folder_ / "out") << contents(folder_ / "err");
  for (const nlohmann::json& one : record()["schedulers"]) EXPECT_EQ(one["failures"], 0) << one["scheduler"];
}

}  // namespace
