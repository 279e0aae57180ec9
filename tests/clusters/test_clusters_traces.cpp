// SPDX-License-Identifier: Apache-2.0
// Recordings of real runs over ranks: messages against the solver's own record, one time axis, bounds over nodes below
// the makespan, the command-line programs.
#include "tests/clusters/run_ranks.hpp"

namespace asterism::tests {
namespace {

/// A solver over ranks, recorded, and what asterism-trace and asterism-bounds say about it.
class ClustersTraces : public RanksTest {
 protected:
  ClustersTraces() : RanksTest("asterism-trace", "ASTERISM_TRACE", ASTERISM_TRACE_PROGRAM) {}

  Ran solve(int ranks, const std::string& program, Arguments arguments) const {
    Arguments all{"-n", std::to_string(ranks), program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--cpus", "1", "--quiet", "--trace", "trace", "--json", "run.json"});
    return run(all);
  }
  /// asterism-bounds or asterism-trace, on one process.
  Ran look(const std::string& program, const Arguments& arguments) const {
    Arguments all{"-n", "1", program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.push_back("--quiet");
    return run(all);
  }

  /// Messages and bytes of each rank are those that the solver counted.
  static void expect_messages(const nlohmann::json& trace, const nlohmann::json& of_run, int ranks) {
    ASSERT_EQ(trace["ranks"], ranks);
    ASSERT_EQ(of_run["ranks"].size(), static_cast<std::size_t>(ranks));
    const nlohmann::json& messages = trace["messages"];
    const nlohmann::json& columns = messages["columns"];
    EXPECT_EQ(messages["lost"], 0);
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks), 0);
    std::uint64_t received = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      EXPECT_EQ(trace["of_ranks"][r]["messages_sent"], of_run["ranks"][r]["messages_sent"]) << rank;
      EXPECT_EQ(trace["of_ranks"][r]["bytes_sent"], of_run["ranks"][r]["bytes_sent"]) << rank;
      received += trace["of_ranks"][r]["bytes_received"].get<std::uint64_t>();
    }
    EXPECT_EQ(received, messages["bytes"]);
    const std::size_t number = messages["number"];
    ASSERT_GT(number, 0U);
    ASSERT_EQ(columns["from"].size(), number);
    for (std::size_t i = 0; i < number; ++i) {
      EXPECT_LE(columns["start"][i].get<double>(), columns["end"][i].get<double>()) << i;
      EXPECT_NE(columns["from"][i], columns["to"][i]);
      sent[columns["from"][i].get<std::size_t>()] += columns["bytes"][i].get<std::uint64_t>();
    }
    for (std::size_t r = 0; r < sent.size(); ++r) EXPECT_EQ(sent[r], of_run["ranks"][r]["bytes_sent"]);
    EXPECT_EQ(trace["clocks"]["early"], 0);
    EXPECT_NE(trace["clocks"]["alignment"], "contradictory");
  }

  static void expect_bounds(const nlohmann::json& b, const nlohmann::json& trace) {
    const auto seconds = [&](const char* name) { return b["bounds"][name]["seconds"].get<double>(); };
    const double makespan = b["makespan"];
    EXPECT_DOUBLE_EQ(makespan, trace["makespan"].get<double>());
    EXPECT_TRUE(b["inconsistencies"].empty()) << b["inconsistencies"].dump();
    for (const auto& [name, bound] : b["bounds"].items()) {
      EXPECT_GT(bound["seconds"].get<double>(), 0) << name;
      EXPECT_LE(bound["seconds"].get<double>(), makespan * (1 + 1e-9)) << name;
    }
    EXPECT_LE(seconds("lp"), seconds("lp_nodes") * (1 + 1e-9));
    EXPECT_LE(seconds("lp_nodes"), seconds("lp_nodes_fit") * (1 + 1e-9));
    EXPECT_LE(seconds("critical_path"), seconds("critical_path_messages") * (1 + 1e-9));
    EXPECT_GE(b["nodes"]["imbalance"].get<double>(), 1 - 1e-9);
    EXPECT_NEAR(b["nodes"]["imbalance"].get<double>(), seconds("lp_nodes") / seconds("lp"), 1e-12);
    double largest = 0;
    std::uint64_t tasks = 0;
    for (const nlohmann::json& node : b["nodes"]["ranks"]) {
      const auto rank = node["rank"].get<std::size_t>();
      largest = std::max(largest, node["lp"].get<double>());
      tasks += node["tasks"].get<std::uint64_t>();
      EXPECT_EQ(node["bytes_sent"], trace["of_ranks"][rank]["bytes_sent"].get<double>());
      EXPECT_EQ(node["units"]["CPU"], 1);
      // one unit per rank: its tasks one after the other, beside them what lies across the window's ends
      EXPECT_LE(node["lp"].get<double>(), trace["units"][rank]["computing"].get<double>() * makespan + 1e-6 * makespan);
    }
    EXPECT_DOUBLE_EQ(largest, seconds("lp_nodes"));
    EXPECT_EQ(tasks, trace["tasks"]);
  }

  void expect_all(int ranks, const std::string& program, const Arguments& arguments) const {
    SCOPED_TRACE(program + " on " + std::to_string(ranks) + " ranks");
    const Ran ran = solve(ranks, program, arguments);
    ASSERT_EQ(ran.status, 0) << ran.err;
    const nlohmann::json trace = record("trace/trace.json");
    expect_messages(trace, record("run.json"), ranks);
    const Ran bounded = look(ASTERISM_BOUNDS, {"trace", "--network", "trace", "--json", "bounds.json"});
    ASSERT_EQ(bounded.status, 0) << bounded.err;
    expect_bounds(record("bounds.json"), trace);
  }
};

TEST_F(ClustersTraces, Cg) {
  expect_all(2, ASTERISM_CG, {"--stencil", "7pts-12", "--blocks", "4", "--iterations", "4"});
  expect_all(3, ASTERISM_CG, {"--stencil", "7pts-12", "--blocks", "3", "--iterations", "4"});
}

TEST_F(ClustersTraces, Lbm) {
  expect_all(2, ASTERISM_LBM, {"--size", "12x12x12", "--steps", "8", "--subdomains", "1x2x1"});
  expect_all(3, ASTERISM_LBM, {"--size", "12x12x12", "--steps", "8", "--subdomains", "1x3x1"});
}

TEST_F(ClustersTraces, Fmm) {
  const Arguments small{"--particles", "1000", "--height", "3", "--group-size", "9", "--accuracy", "2"};
  expect_all(2, ASTERISM_FMM, small);
  expect_all(3, ASTERISM_FMM, small);
}

TEST_F(ClustersTraces, Fdtd) {
  expect_all(2, ASTERISM_FDTD, {"--size", "20", "--steps", "8"});
  expect_all(3, ASTERISM_FDTD, {"--size", "20", "--steps", "8"});
}

/// The folder, its FxT files alone, and what the converter makes of them tell of the same messages.
TEST_F(ClustersTraces, FilesOneByOneAreTheSame) {
  ASSERT_EQ(solve(3, ASTERISM_LBM, {"--size", "12x12x12", "--steps", "8", "--subdomains", "1x3x1"}).status, 0);
  const nlohmann::json whole = record("trace/trace.json");
  const Ran files =
      look(ASTERISM_TRACE_PROGRAM, {"trace/prof_file_rank_2", "trace/prof_file_rank_0", "trace/prof_file_rank_1",
                                    "--json", "files.json", "--perfetto", "p.json"});
  ASSERT_EQ(files.status, 0) << files.err;
  EXPECT_EQ(record("files.json")["messages"], whole["messages"]);
  EXPECT_EQ(record("files.json")["of_ranks"], whole["of_ranks"]);
  std::size_t arrows = 0;
  const nlohmann::json perfetto = record("p.json");
  for (const nlohmann::json& event : perfetto["traceEvents"])
    arrows += event.value("cat", "") == "message" && event["ph"] == "s" ? 1 : 0;
  EXPECT_EQ(arrows, whole["messages"]["number"].get<std::size_t>());

  // without StarPU's list of messages they are still drawn, but nothing is known to wait for them
  const double with_messages = whole["critical_path"]["length"];
  fs::remove(output("trace") / "comms.rec");
  const Ran links = look(ASTERISM_TRACE_PROGRAM, {"trace", "--json", "links.json"});
  ASSERT_EQ(links.status, 0) << links.err;
  const nlohmann::json drawn = record("links.json");
  EXPECT_EQ(drawn["messages"]["columns"]["bytes"], whole["messages"]["columns"]["bytes"]);
  EXPECT_EQ(drawn["messages"]["columns"]["start"], whole["messages"]["columns"]["start"]);
  EXPECT_LE(drawn["critical_path"]["length"].get<double>(), with_messages);
  for (const nlohmann::json& rank : drawn["of_ranks"]) EXPECT_EQ(rank["idle_for_messages"], 0);
}

}  // namespace
}  // namespace asterism::tests
