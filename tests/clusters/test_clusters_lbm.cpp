// SPDX-License-Identifier: Apache-2.0
// asterism-lbm over one to four processes: bit-identical results, the work of a rank, bad input, a rank that is killed.
#include <map>

#include "io/hdf5/file.hpp"
#include "taskflows/lbm/checkpoint.hpp"
#include "tests/clusters/run_ranks.hpp"
#include "tests/clusters/same_hdf5.hpp"

namespace asterism::tests {
namespace {

class ClustersLbm : public RanksTest {
 protected:
  ClustersLbm() : RanksTest("asterism-lbm", "ASTERISM_LBM", ASTERISM_LBM) {}

  template <class T = double>
  std::vector<T> state(const std::string& name) const {
    const lbm::Checkpoint c = lbm::read_checkpoint(output(name));
    const lbm::Box all{0, c.nx, 0, c.ny, 0, c.nz};
    std::vector<T> slots(19 * static_cast<std::size_t>(all.cells()));
    lbm::read_populations(output(name), all, slots.data());
    return slots;
  }

  void expect_same_state(const Arguments& problem, const std::map<int, std::string>& subdomains) const {
    const auto to = [&](const char* name, const Arguments& more) {
      Arguments all = problem;
      all.insert(all.end(), {"--quiet", "--checkpoint", name, "--json", "run.json", "--profiles", "lines.csv"});
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    ASSERT_EQ(run_ranks(1, to("one.h5", {})).status, 0);
    const std::vector<double> one = state("one.h5");
    const nlohmann::json totals = record("run.json")["totals"];
    const std::string lines = contents(output("lines.csv"));
    for (const auto& [ranks, cut] : subdomains) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + cut);
      fs::remove(output("lines.csv"));
      const Ran ran = run_ranks(ranks, to("several.h5", {"--subdomains", cut}));
      EXPECT_EQ(ran.status, 0) << ran.err;
      EXPECT_TRUE(state("several.h5") == one);
      EXPECT_TRUE(contents(output("lines.csv")) == lines);
      const nlohmann::json json = record("run.json");
      EXPECT_NEAR(json["totals"]["energy"].get<double>() / totals["energy"].get<double>(), 1, 1e-12);
      EXPECT_EQ(json["totals"]["speed"], totals["speed"]);
      EXPECT_EQ(json["ranks"].size(), static_cast<std::size_t>(ranks));
    }
  }
};

TEST_F(ClustersLbm, CavitiesHaveTheSameBits) {
  expect_same_state({"--case", "cavity", "--size", "13x10x11", "--steps", "9"},
                    {{2, "1x1x2"}, {3, "1x3x1"}, {4, "2x1x2"}});
}

TEST_F(ClustersLbm, StreamsPastBodiesHaveTheSameBits) {
  expect_same_state({"--case", "stream", "--size", "16x12x12", "--length", "5", "--steps", "8"},
                    {{2, "2x1x1"}, {3, "1x2x2"}, {4, "1x2x2"}});
}

TEST_F(ClustersLbm, SubdomainsAreChosen) {
  const Ran ran = run_ranks(3, {"--case", "taylor-green", "--size", "12x10x4", "--steps", "4", "--quiet", "--json",
                                "run.json", "--cores", "1"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(record("run.json")["pieces"]["subdomains"], nlohmann::json({1, 3, 1}));
}

TEST_F(ClustersLbm, VerifiesAndWritesFieldsAndForces) {
  const Arguments problem{"--case",  "stream",  "--size",   "16x12x12",   "--length",       "5",         "--steps",
                          "6",       "--quiet", "--output", "fields.pvd", "--forces",       "force.csv", "--png",
                          "cut.png", "--slice", "x=8",      "--quantity", "vorticity-y",    "--probe",   "9,10,11",
                          "--probe", "1,0,3",   "--probes", "probes.csv", "--forces-every", "2"};
  Arguments verified = problem;
  verified.push_back("--verify");
  EXPECT_EQ(run_ranks(3, verified).status, 0);
  const std::string fields = contents(output("fields_0000000006.vti"));
  const std::string force = contents(output("force.csv"));
  const std::string probes = contents(output("probes.csv"));
  EXPECT_EQ(lines_of(probes).size(), 7U);
  const std::string picture = contents(output("cut.png"));
  ASSERT_FALSE(fields.empty() || picture.empty());
  EXPECT_EQ(run_ranks(1, problem).status, 0);
  EXPECT_TRUE(contents(output("fields_0000000006.vti")) == fields);
  EXPECT_TRUE(contents(output("cut.png")) == picture);
  EXPECT_EQ(contents(output("force.csv")), force);
  EXPECT_EQ(contents(output("probes.csv")), probes);
}

/// Sub-domains that do not fit the chunks of files, 128 x 64 x 16 cells.
TEST_F(ClustersLbm, FilesOfAllRanksAreThoseOfOne) {
  const auto flow = [](const char* precision, const char* steps, const Arguments& more) {
    Arguments all{"--case", "taylor-green", "--size",      "131x66x19",    "--steps",  steps,         "--every",
                  "3",      "--quiet",      "--output",    "flow.h5",      "--png",    "cut.png",     "--slice",
                  "x=30",   "--quantity",   "vorticity-z", "--checkpoint", "state.h5", "--precision", precision};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run_ranks(1, flow("single", "6", {})).status, 0);
  std::map<std::string, std::string> one;
  const std::map<std::string, std::size_t> files{
      {"flow.h5", 14}, {"state.h5", 1}, {"flow.xdmf", 0}, {"cut_0000003.png", 0}, {"cut_0000006.png", 0}};
  for (const auto& [name, datasets] : files) one[name] = contents(output(name));
  for (const auto& [ranks, cut] : std::map<int, std::string>{{2, "1x2x1"}, {3, "1x1x3"}, {4, "2x1x2"}}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const Ran ran = run_ranks(ranks, flow("single", "6", {"--subdomains", cut}));
    EXPECT_EQ(ran.status, 0) << ran.err;
    for (const auto& [name, datasets] : files)
      EXPECT_TRUE(same_but_for_times(contents(output(name)), one[name], datasets)) << name;
    EXPECT_EQ(outputs(), files.size());
  }
  // begun by four ranks, resumed by three
  ASSERT_EQ(run_ranks(3, flow("single", "9", {"--restart", "state.h5"})).status, 0);
  const std::string continued = contents(output("flow.h5"));
  ASSERT_EQ(run_ranks(1, flow("single", "9", {})).status, 0);
  EXPECT_TRUE(same_but_for_times(contents(output("flow.h5")), continued, 21));
}

TEST_F(ClustersLbm, AFullDiskOfOneRankIsSaidOnceAndLeavesTheOldState) {
  const auto to = [&](const char* steps) {
    return Arguments{"--size", "80", "--quiet", "--checkpoint", "state.h5", "--steps", steps};
  };
  ASSERT_EQ(run_ranks(3, to("1")).status, 0);
  expect_full_disk(3, 70000000, to("2"), "state.h5");  // of 78 MB; MPI's own files have room
  EXPECT_EQ(lbm::read_checkpoint(output("state.h5")).step, 1);
  EXPECT_EQ(outputs(), 1U);
}

/// Whichever rank is killed, whatever it does then: the series holds whole times and is continued.
TEST_F(ClustersLbm, ASeriesIsWholeWhenARankIsKilled) {
  const auto flow = [](const char* steps, const Arguments& more) {
    Arguments all{"--size", "24x20x18", "--every", "1", "--quiet", "--output", "flow.h5", "--steps", steps};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto steps_of = [&] {
    std::vector<std::string> steps;
    for (const std::string& group : Hdf5Input(output("flow.h5")).members()) steps.push_back(group);
    return steps;
  };
  const auto velocity = [&](const std::string& group) {
    std::vector<double> values(3 * 24 * 20 * 18);
    Hdf5Input(output("flow.h5")).read_rows(group + "/velocity", 0, values);
    return values;
  };
  ASSERT_EQ(run_ranks(2, flow("4", {"--checkpoint", "state.h5"})).status, 0);
  const std::vector<double> fourth = velocity("step_0000000004");
  std::size_t known = 4;
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    bool killed = false;
    const auto begun = fs::file_size(output("flow.h5"));
    const Ran ran = run_ranks(3, flow("1000000", {"--restart", "state.h5"}), [&] {
      std::error_code error;
      if (killed || fs::file_size(output("flow.h5"), error) < begun + 200000) return false;
      const std::optional<pid_t> process = process_of(round % 3);
      killed = process && kill(*process, SIGKILL) == 0;
      return false;
    });
    ASSERT_TRUE(killed) << ran.err;
    EXPECT_NE(ran.status, 0);
    if (fs::exists(output("flow.h5.journal"))) Hdf5Transaction::recover(output("flow.h5"));
    const std::vector<std::string> steps = steps_of();
    EXPECT_GT(steps.size(), 4U);
    for (const std::string& group : steps) {
      const std::vector<double> values = velocity(group);
      EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double v) { return v != 0; })) << group;
    }
    EXPECT_TRUE(velocity("step_0000000004") == fourth);
    known = std::max(known, steps.size());
  }
  EXPECT_GT(known, 5U);
  ASSERT_EQ(run_ranks(2, flow("6", {"--restart", "state.h5"})).status, 0);
  const std::vector<double> last = velocity("step_0000000006");
  EXPECT_EQ(steps_of().size(), 6U);
  ASSERT_EQ(run_ranks(1, flow("6", {})).status, 0);
  EXPECT_TRUE(velocity("step_0000000006") == last);
}

TEST_F(ClustersLbm, WorkOfARankDoesNotGrowWithTheRanks) {
  int walked[2] = {};
  int tasks[2] = {};
  for (const int ranks : {3, 4}) {
    const std::string size = "8x6x" + std::to_string(5 * ranks);
    const std::string cut = "1x1x" + std::to_string(ranks);
    const Ran ran = run_ranks(ranks, {"--case", "cavity", "--size", size, "--subdomains", cut, "--cores", "2",
                                      "--steps", "10", "--quiet", "--json", "run.json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    walked[ranks - 3] = most_walked("run.json");
    const nlohmann::json json = record("run.json");
    for (const auto& rank : json["ranks"]) tasks[ranks - 3] += rank["tasks"].get<int>();
  }
  EXPECT_EQ(walked[0], walked[1]);
  EXPECT_LT(walked[0], 2 * tasks[0]);
}

TEST_F(ClustersLbm, RefusesWhatItCannotDo) {
  expect_refused(3, {"--size", "8", "--steps", "2", "--quiet", "--subdomains", "2x1x1"},
                 {"2 sub-domains", "3 processes"});
  expect_refused(2, {"--size", "8", "--steps", "2", "--quiet", "--calibrate"}, {"--calibrate"});
  expect_refused(2, {"--size", "8", "--steps", "2", "--quiet", "--restart", "none.h5"}, {"none.h5"});
}

TEST_F(ClustersLbm, ResumesAfterARankWasKilledWithAnotherNumberOfRanks) {
  const Arguments problem{"--case", "cavity", "--size", "12x10x11", "--quiet"};
  const auto with = [&](const Arguments& more) {
    Arguments all = problem;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  kill_the_last(3, with({"--steps", "1000000", "--checkpoint", "state.h5", "--checkpoint-every", "6"}), "state.h5");
  const long reached = lbm::read_checkpoint(output("state.h5")).step;
  EXPECT_EQ(reached % 6, 0);
  const std::string end = std::to_string(reached + 5);
  EXPECT_EQ(run_ranks(2, with({"--steps", end, "--restart", "state.h5", "--checkpoint", "resumed.h5"})).status, 0);
  EXPECT_EQ(run_ranks(1, with({"--steps", end, "--checkpoint", "whole.h5"})).status, 0);
  EXPECT_TRUE(state("resumed.h5") == state("whole.h5"));
}

}  // namespace
}  // namespace asterism::tests
