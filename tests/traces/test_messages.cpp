// SPDX-License-Identifier: Apache-2.0
// Messages between ranks, read from what StarPU's converter writes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

namespace fs = std::filesystem;

class Messages : public ::testing::Test {
 protected:
  Messages() {
    std::string name = (fs::temp_directory_path() / "asterism-messages-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~Messages() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  /// Two ranks with a task each; the second waits for what the first one's message brings.
  void write_all() const {
    write("tasks.rec", tasks());
    write("data.rec",
          "Handle: a0\nMPIRank: 0\nName: halo\nSize: 512\n\nHandle: a0\nMPIRank: 1\nName: ghost\nSize: 512\n\n");
    write("comms.rec", comms());
    write("paje.trace", paje());
  }
  static std::string task(int rank, int job, const std::string& after, double start, double end) {
    return "Name: work\nModel: work\nJobId: " + std::to_string(rank) + "_" + std::to_string(job) +
           "\nSubmitOrder: 1\n" + (after.empty() ? "" : "DependsOn: " + after + "\n") +
           "Tag: 0\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.5\n" + "StartTime: " + std::to_string(start) +
           "\nEndTime: " + std::to_string(end) + "\nFootprint: 1\nMPIRank: " + std::to_string(rank) + "\n\n";
  }
  static std::string node(int rank, int job, const std::string& after) {
    return "JobId: " + std::to_string(rank) + "_" + std::to_string(job) + "\n" +
           (after.empty() ? "" : "DependsOn: " + after + "\n") + "Tag: 0\nMPIRank: " + std::to_string(rank) + "\n\n";
  }
  static std::string tasks() {
    return task(0, 1, "", 1, 3) + node(0, 2, "0_1") + node(1, 1, "") + task(1, 2, "1_1", 7, 9);
  }
  static std::string comms(const std::string& arrival = "6.000000000") {
    return "Src: 0\nDst: 1\nTag: 42\nSendTime: 4.000000000\nRecvTime: " + arrival +
           "\nSendHandle: a0\nRecvHandle: a0\nSendJobId: 0_2\nRecvJobId: 1_1\nSize: 512\nPriority: 3\nType: "
           "PointToPoint\n"
           "SendNumaNodes: -1\nRecvNumaNodes: -1\n\n";
  }
  static std::string paje(const std::string& link_end = "6.0") {
    std::string text =
        "%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container "
        "string\n% Name string\n%EndEventDef\n%EventDef PajeDestroyContainer 8\n% Time date\n% Name "
        "string\n% Type string\n%EndEventDef\n%EventDef PajeNewEvent 9\n% Time date\n% Type string\n%"
        "Container string\n% Value string\n%EndEventDef\n%EventDef PajeSetState 10\n% Time date\n% Container "
        "string\n% Type string\n% Value string\n%EndEventDef\n%EventDef PajeSetVariable 13\n% Time date\n%"
        "Container string\n% Type string\n% Value double\n%EndEventDef\n%EventDef PajeStartLink 23\n% Time "
        "date\n% Type string\n% Container string\n% Value string\n% StartContainer string\n% Key "
        "string\n% MPITAG string\n% MPIType string\n% Priority string\n% Handle string\n% HName "
        "string\n%EndEventDef\n%EventDef PajeEndLink 19\n% Time date\n% Type string\n% Container string\n%"
        "Value string\n% EndContainer string\n% Key string\n%EndEventDef\n";
    for (const std::string rank : {"0", "1"}) {
      const std::string p = rank + "_";
      text += "7 0.0 " + p + "p P MPIroot x\n7 0.0 " + p + "sched Sc " + p + "p s\n7 0.1 " + p + "mn0 Mn " + p +
              "p M\n7 0.1 " + p + "mpict MPICt " + p + "p " + p + "mpict\n7 0.2 " + p + "t5 T " + p + "mn0 T0\n7 0.2 " +
              p + "w0 W " + p + "t5 " + p + "CPU0\n";
    }
    // rank after rank, as the converter writes
    text +=
        "9 0.5 prog_event 0_p \"begin x\"\n13 1.0 0_sched nready 2\n10 1.0 0_w0 WS \"work\"\n10 3.0 0_w0 WS \"I\"\n10 "
        "3.25 0_w0 WS \"Sc\"\n10 3.5 0_w0 WS \"I\"\n10 3.75 "
        "0_mpict CtS SdS\n10 4.0 0_mpict CtS P\n13 5.0 0_sched nready 0\n9 8.0 prog_event 0_p \"end x\"\n8 10 0_t5 T\n"
        "9 0.7 prog_event 1_p \"begin x\"\n13 0.9 1_sched nready 1\n10 5.5 1_mpict CtS RvC\n10 6.5 1_mpict CtS P\n13 "
        "7.0 "
        "1_sched nready 0\n10 7.0 1_w0 WS \"work\"\n10 9.0 1_w0 WS \"I\"\n9 9.5 prog_event 1_p \"end x\"\n8 10 1_t5 "
        "T\n";
    return text + "23 4.0 MPIL MPIroot 512 0_mpict mpicom_0 42 PointToPoint 3 a0 \"halo\"\n19 " + link_end +
           " MPIL MPIroot 512 1_mpict mpicom_0\n";
  }
  std::string refusal() const {
    try {
      read({folder});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), 2);
      return error.what();
    }
    return "read without an error";
  }
  Recording all() const {
    ReadOptions options;
    options.window = Window::parse("all");
    return read({folder}, options);
  }

  fs::path folder;
};

TEST_F(Messages, FromCommsRecAreDependencies) {
  write_all();
  const Recording r = all();
  ASSERT_EQ(r.messages.size(), 1U);
  const Message& m = r.messages[0];
  EXPECT_EQ(m.from, 0U);
  EXPECT_EQ(m.to, 1U);
  EXPECT_EQ(m.bytes, 512U);
  EXPECT_EQ(m.tag, 42);
  EXPECT_EQ(m.priority, 3);
  EXPECT_EQ(m.kind, MessageKind::point_to_point);
  EXPECT_EQ(r.handles[m.handle].name, "halo");
  EXPECT_EQ(r.handles[m.received].name, "ghost");
  EXPECT_EQ(r.handles.size(), 2U);
  EXPECT_NEAR(m.start, 3.75e-3, 1e-12);  // before MPI_Isend, and when it was found complete
  EXPECT_NEAR(m.end, 5.5e-3, 1e-12);
  ASSERT_NE(m.sent_after, none);
  ASSERT_NE(m.releases, none);
  EXPECT_EQ(r.tasks[m.sent_after].id, 2U);
  EXPECT_EQ(r.tasks[m.sent_after].rank, 0U);
  EXPECT_EQ(r.tasks[m.releases].rank, 1U);
  const auto before = r.predecessors(m.releases);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0], m.sent_after);
  EXPECT_NEAR(measure(r).critical_path.length, 4e-3, 1e-12);
  EXPECT_EQ(r.lost_messages, 0U);
  EXPECT_TRUE(r.transfers.empty());
}

TEST_F(Messages, WithoutCommsRecAreDrawnButNoDependencies) {
  write_all();
  fs::remove(folder / "comms.rec");
  const Recording r = all();
  ASSERT_EQ(r.messages.size(), 1U);
  EXPECT_EQ(r.messages[0].tag, 42);
  EXPECT_EQ(r.messages[0].bytes, 512U);
  EXPECT_EQ(r.handles[r.messages[0].handle].name, "halo");
  EXPECT_NEAR(r.messages[0].start, 3.75e-3, 1e-12);
  EXPECT_EQ(r.messages[0].releases, none);
  EXPECT_NEAR(measure(r).critical_path.length, 2e-3, 1e-12);
}

TEST_F(Messages, CurvesAreSumsOverRanks) {
  write_all();
  const std::vector<Curve::Point> points = all().ready.points();
  std::vector<double> times, values;
  for (const Curve::Point& p : points) {
    times.push_back(std::round(p.time * 1e5) / 1e2);
    values.push_back(p.value);
  }
  EXPECT_EQ(times, (std::vector<double>{0.9, 1, 5, 7}));
  EXPECT_EQ(values, (std::vector<double>{1, 3, 1, 0}));
}

TEST_F(Messages, TheWindowSpansAllRanks) {
  write_all();
  const Recording r = read({folder});
  EXPECT_NEAR(r.begin, 1e-3, 1e-12);  // markers are within the recording, which the first task begins
  EXPECT_NEAR(r.end, 9e-3, 1e-12);
  EXPECT_EQ(measure(r).tasks, 2U);
}

TEST_F(Messages, ThatArriveTooEarlyMoveAClock) {
  write_all();
  write("comms.rec", comms("2.000000000"));
  std::string early = paje("2.0");
  early.replace(early.find("10 5.5 1_mpict"), 14, "10 1.5 1_mpict");
  early.replace(early.find("10 6.5 1_mpict"), 14, "10 2.5 1_mpict");
  write("paje.trace", early);
  const Recording r = all();
  EXPECT_EQ(r.clocks.alignment, Clocks::Alignment::messages);
  EXPECT_EQ(r.clocks.early, 1U);
  EXPECT_NEAR(r.clocks.earliest, 2.25e-3, 1e-12);
  EXPECT_NEAR(r.messages[0].start, r.messages[0].end, 1e-12);
  EXPECT_NEAR(r.clocks.shift[0], -2.25e-3, 1e-12);
  for (const Task& t : r.tasks)
    if (t.executed()) {
      EXPECT_NEAR(t.start, t.rank == 0 ? -1.25e-3 : 7e-3, 1e-12);
      EXPECT_NEAR(t.end - t.start, 2e-3, 1e-12);
    }
  EXPECT_EQ(r.predecessors(r.messages[0].releases).size(), 1U);
  // all else of rank 0 moves with it
  std::vector<double> curve;
  for (const Curve::Point& p : r.ready.points()) curve.push_back(std::round(p.time * 1e5) / 1e2);
  EXPECT_EQ(curve, (std::vector<double>{-1.25, 0.9, 2.75, 7}));
  std::vector<double> ends;
  for (const Marker& m : r.markers)
    if (m.text == "end x") ends.push_back(std::round(m.time * 1e5) / 1e2);
  EXPECT_EQ(ends, (std::vector<double>{5.75, 9}));  // rank 1's after its last task
  std::vector<double> scheduling;
  for (const Span s : r.timeline[0])
    if (s.state == State::scheduling) scheduling = {s.start * 1e3, s.end * 1e3};
  ASSERT_EQ(scheduling.size(), 2U);
  EXPECT_NEAR(scheduling[0], 1, 1e-9);
  EXPECT_NEAR(scheduling[1], 1.25, 1e-9);
  for (const Task& t : r.tasks)
    if (t.executed()) {
      EXPECT_NEAR(t.submitted, t.rank == 0 ? -1.75e-3 : 0.5e-3, 1e-12);
    }
}

TEST_F(Messages, ContradictoryOnesAreNoDependencies) {
  write_all();
  const std::string back =
      "Src: 1\nDst: 0\nTag: 43\nSendTime: 4.000000000\nRecvTime: 4.250000000\nSendJobId: 1_1\nRecvJobId: 0_2\n"
      "Size: 8\n\n";
  write("comms.rec", comms("2.000000000") + back);
  std::string early = paje("2.0") + "23 4.0 MPIL MPIroot 8 1_mpict mpicom_1 43 PointToPoint 0 a0 \"x\"\n" +
                      "19 4.25 MPIL MPIroot 8 0_mpict mpicom_1\n";
  write("paje.trace", early);
  const Recording r = all();
  EXPECT_EQ(r.clocks.alignment, Clocks::Alignment::contradictory);
  EXPECT_EQ(r.clocks.still_early, 1U);
  EXPECT_NEAR(r.clocks.error, 1.75e-3, 1e-12);
  ASSERT_EQ(r.messages.size(), 2U);
  EXPECT_EQ(r.messages[0].tag, 42);
  EXPECT_EQ(r.messages[0].start, r.messages[0].end);
  EXPECT_EQ(r.messages[0].releases, none);
  EXPECT_NE(r.messages[1].releases, none);
  for (const Task& t : r.tasks)
    if (t.executed()) {
      EXPECT_NEAR(t.start, t.rank == 0 ? 1e-3 : 7e-3, 1e-12);  // no clock is moved
    }
}

TEST_F(Messages, ClocksRecTellsTheRates) {
  write_all();
  write("comms.rec", comms("2.000000000"));
  std::string early = paje("2.0");
  early.replace(early.find("10 5.5 1_mpict"), 14, "10 1.5 1_mpict");
  early.replace(early.find("10 6.5 1_mpict"), 14, "10 2.5 1_mpict");
  for (const std::string rank : {"0", "1"})
    for (const std::string time : {"0.5", "9.6"})
      early += "9 " + time + " prog_event " + rank + "_p \"end of MPI_Barrier, rank " + rank + "\"\n";
  write("paje.trace", early);
  write("clocks.rec", "Rank: 0\nBetweenBarriers: 9.1\n\nRank: 1\nBetweenBarriers: 91\n\n");
  const Recording r = all();
  EXPECT_EQ(r.clocks.alignment, Clocks::Alignment::equal_rates);
  for (const Task& t : r.tasks)
    if (t.executed() && t.rank == 1) {
      EXPECT_NEAR(t.end - t.start, 20e-3, 1e-9);
    }
}

TEST_F(Messages, LostOnesAreCounted) {
  write_all();
  std::string twice = paje();
  twice += "10 7.0 0_mpict CtS SdS\n10 7.1 0_mpict CtS P\n";
  write("paje.trace", twice);
  EXPECT_EQ(all().lost_messages, 1U);
}

TEST_F(Messages, CutFilesAreNamed) {
  write_all();
  write("comms.rec", comms() + comms());
  EXPECT_NE(refusal().find("2 messages, but 1 in"), std::string::npos) << refusal();
  write("comms.rec", comms().substr(0, 60));
  EXPECT_NE(refusal().find("comms.rec"), std::string::npos) << refusal();
  write("comms.rec", "Src: 0\nTag: 1\n\n");
  EXPECT_NE(refusal().find("without Src, Dst, SendTime or RecvTime"), std::string::npos) << refusal();
  std::string nobody = comms();
  nobody.replace(nobody.find("Dst: 1"), 6, "Dst: 9");
  write("comms.rec", nobody);
  EXPECT_NE(refusal().find("from rank 0 to rank 9 of 2 ranks"), std::string::npos) << refusal();
}

TEST_F(Messages, DependenciesAcrossRanksSurviveTasksRec) {
  write_all();
  const Recording r = all();
  write_tasks_rec(folder / "again.rec", r);
  const Recording again = read({folder / "again.rec"});
  ASSERT_EQ(again.tasks.size(), r.tasks.size());
  EXPECT_NEAR(measure(again).critical_path.length, 4e-3, 1e-12);
}

TEST_F(Messages, InPerfettoAndJson) {
  write_all();
  const Recording r = all();
  const Metrics m = measure(r);
  const View view{&r, &m, {}};
  write_perfetto(folder / "perfetto.json", view);
  const nlohmann::json events = nlohmann::json::parse(std::ifstream(folder / "perfetto.json"))["traceEvents"];
  int begun = 0;
  int arrows = 0;
  for (const nlohmann::json& e : events) {
    if (e.value("cat", "") != "message") continue;
    if (e["ph"] == "b") {
      ++begun;
      EXPECT_EQ(e["name"], "halo");
      EXPECT_EQ(e["pid"], 0);
      EXPECT_NEAR(e["ts"].get<double>(), 2750, 1e-6);  // the recording begins at 1 ms
      EXPECT_EQ(e["args"]["bytes"], 512);
      EXPECT_EQ(e["args"]["to"], 1);
    }
    if (e["ph"] == "s" || e["ph"] == "f") {
      ++arrows;
      EXPECT_EQ(e["pid"], e["ph"] == "s" ? 0 : 1);
    }
  }
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(arrows, 2);
  const nlohmann::json json = summary(view);
  EXPECT_EQ(json["messages"]["number"], 1);
  EXPECT_EQ(json["messages"]["bytes"], 512);
  EXPECT_EQ(json["messages"]["columns"]["handle"][0], "halo");
  EXPECT_EQ(json["messages"]["columns"]["tag"][0], 42);
  EXPECT_NEAR(json["messages"]["columns"]["end"][0].get<double>(), 4.5e-3, 1e-12);
  EXPECT_EQ(json["messages"]["pairs"][0]["from"], 0);
  EXPECT_EQ(json["of_ranks"][0]["bytes_sent"], 512);
  EXPECT_EQ(json["of_ranks"][1]["messages_received"], 1);
  EXPECT_EQ(json["clocks"]["alignment"], "barriers");
  write_csv(folder / "all.csv", {view});
  std::ifstream in(folder / "all.csv");
  const std::string csv((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_NE(csv.find("messages,\"0 -> 1\",\"\",\"volume\",512,B"), std::string::npos) << csv;
  EXPECT_NE(csv.find("rank,\"1\",\"\",\"messages received\",1,1"), std::string::npos);
  EXPECT_NE(table(view).find("0 -> 1"), std::string::npos);
}

}  // namespace
}  // namespace asterism::traces
