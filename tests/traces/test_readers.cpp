// SPDX-License-Identifier: Apache-2.0
// Readers against small files whose content is known.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "tests/traces/recorded_files.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

using namespace testing;

TEST_F(Files, TasksRecAlone) {
  const Recording r = read({write("tasks.rec", tasks_rec)});
  ASSERT_EQ(r.tasks.size(), 3U);
  const Task& produce = r.tasks[0];
  EXPECT_EQ(produce.id, 1U);
  EXPECT_EQ(r.codelet_name(produce), "produce");
  EXPECT_EQ(r.codelets[produce.codelet].model, "produce_model");
  EXPECT_EQ(produce.priority, 2);
  EXPECT_DOUBLE_EQ(produce.submitted, 0.5e-3);
  EXPECT_DOUBLE_EQ(produce.start, 1e-3);
  EXPECT_DOUBLE_EQ(produce.end, 2.5e-3);
  EXPECT_EQ(produce.footprint, 0xabcd1234U);
  EXPECT_DOUBLE_EQ(produce.flops, 3e6);
  EXPECT_EQ(produce.iteration, 0);
  EXPECT_EQ(r.texts[produce.parameters], "V4 V8");
  ASSERT_EQ(r.data(0).size(), 2U);
  EXPECT_EQ(r.data(0)[0].mode, Mode::write);
  EXPECT_EQ(r.data(0)[1].mode, Mode::read);
  EXPECT_EQ(r.handles[r.data(0)[0].handle].bytes, 4000U);
  EXPECT_FALSE(r.tasks[1].executed());
  ASSERT_EQ(r.predecessors(1).size(), 1U);
  EXPECT_EQ(r.predecessors(1)[0], 0U);
  EXPECT_EQ(r.predecessors(2).size(), 2U);  // the repeated one counts once
  EXPECT_EQ(r.data(2)[0].mode, Mode::read_write);
  EXPECT_EQ(r.data(2)[0].handle, r.data(0)[0].handle);
  EXPECT_EQ(r.kind_name(r.tasks[2]), "GPU");
  EXPECT_EQ(r.units[r.tasks[0].unit].name, "CPU 1");
  EXPECT_DOUBLE_EQ(r.makespan(), 4e-3);
  EXPECT_FALSE(r.has_states);
}

TEST_F(Files, TasksAndStates) {
  write("tasks.rec", tasks_rec);
  write("paje.trace", std::string(definitions) + events);
  write("data.rec",
        "Handle: 10\nHomeNode: 0\nName: data[0]\nSize: 4000\n\nHandle: 20\nHomeNode: 0\nName: other\nSize: 64\n\n");
  const Recording r = read({folder});
  ASSERT_EQ(r.units.size(), 2U);
  EXPECT_EQ(r.units[0].name, "CPU 0");
  EXPECT_EQ(r.units[1].name, "CUDA 0");
  EXPECT_EQ(r.nodes[0].name, "RAM");
  EXPECT_EQ(r.nodes[1].name, "CUDA 0");
  EXPECT_EQ(r.handles[r.data(0)[1].handle].name, "other");
  ASSERT_EQ(r.transfers.size(), 1U);
  EXPECT_EQ(r.transfers[0].bytes, 4000U);
  EXPECT_EQ(r.handles[r.transfers[0].handle].name, "data[0]");
  EXPECT_EQ(r.texts[r.transfers[0].type], "fetch");
  const Metrics m = measure(r);
  EXPECT_DOUBLE_EQ(m.makespan, 4e-3);  // the markers lie outside the tasks
  // CPU: produce 1.5 of 4 ms, B from 2.6 to 3 with 0.2 in the scheduler, else idle
  EXPECT_NEAR(m.unit[0][State::computing], 1.5 / 4, 1e-9);
  EXPECT_NEAR(m.unit[0][State::runtime], 0.2 / 4, 1e-9);
  EXPECT_NEAR(m.unit[0][State::scheduling], 0.2 / 4, 1e-9);
  EXPECT_NEAR(m.unit[0][State::idle], 2.1 / 4, 1e-9);
  // GPU: from 2.5 to 4 its data travel
  EXPECT_NEAR(m.unit[1][State::waiting], 1.5 / 4, 1e-9);
  EXPECT_NEAR(m.unit[1][State::computing], 1.0 / 4, 1e-9);
  EXPECT_NEAR(m.unit[1][State::idle], 1.5 / 4, 1e-9);
  EXPECT_NEAR(m.critical_path.length, 2.5e-3, 1e-12);
  ASSERT_EQ(r.markers.size(), 2U);
  ASSERT_EQ(r.ready.points().size(), 2U);
  EXPECT_DOUBLE_EQ(r.ready.points()[0].value, 2);
}

/// A program marks the models of its GPUs where they differ.
TEST_F(Files, GpusThatDifferAreKindsOfTheirOwn) {
  std::string text = std::string(definitions) + events;
  const std::string worker = "7\t0.2\tw0\tW\tt77\tCUDA0_0\n";
  const std::size_t at = text.find(worker);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + worker.size(),
              "7\t0.2\tw2\tW\tt77\tCUDA1_0\n9\t0.300000\tprog_event\tp\t\"unit CUDA 0: NVIDIA quick one\"\n"
              "9\t0.300000\tprog_event\tp\t\"unit CUDA 1: lame\"\n");
  const Recording r = read({write("paje.trace", text)});
  ASSERT_EQ(r.kinds.size(), 3U);
  EXPECT_EQ(r.kinds[0].name, "CPU");
  EXPECT_EQ(r.kinds[1].name, "CUDA (quick one)");
  EXPECT_EQ(r.kinds[1].devices, std::vector<int>{0});
  EXPECT_EQ(r.kinds[2].name, "CUDA (lame)");
  EXPECT_EQ(r.kinds[2].devices, std::vector<int>{1});
  EXPECT_EQ(r.markers.size(), 2U);
  for (const Unit& u : r.units)
    EXPECT_EQ(r.kinds[u.kind].name, u.name == "CUDA 0"   ? "CUDA (quick one)"
                                    : u.name == "CUDA 1" ? "CUDA (lame)"
                                                         : "CPU");
}

TEST_F(Files, StatesAlone) {
  const Recording r = read({write("paje.trace", std::string(definitions) + events)});
  ASSERT_EQ(r.tasks.size(), 2U);
  EXPECT_EQ(r.codelet_name(r.tasks[0]), "produce");
  EXPECT_DOUBLE_EQ(r.tasks[0].end, 2.5e-3);
  EXPECT_DOUBLE_EQ(r.tasks[0].flops, 3e6);
  EXPECT_EQ(r.tasks[1].footprint, 7U);
  EXPECT_EQ(r.tasks[1].priority, -1);
  EXPECT_FALSE(r.has_dependencies);
  const Metrics m = measure(r);
  EXPECT_NEAR(m.unit[0][State::scheduling], 0.2 / 4, 1e-9);
  EXPECT_NEAR(m.unit[1][State::waiting], 0.2 / 4, 1e-9);  // without handles only what StarPU calls fetching
}

TEST_F(Files, CompressedIsTheSame) {
  const std::string text = std::string(definitions) + events;
  for (const auto& [name, content] :
       {std::pair<std::string, std::string>{"paje.trace.gz", text}, {"tasks.rec.gz", tasks_rec}}) {
    gzFile f = gzopen((folder / name).c_str(), "wb");
    gzwrite(f, content.data(), static_cast<unsigned>(content.size()));
    gzclose(f);
  }
  const Recording r = read({folder});
  EXPECT_EQ(r.tasks.size(), 3U);
  EXPECT_TRUE(r.has_states);
  // and a compressed file that was cut
  fs::resize_file(folder / "tasks.rec.gz", fs::file_size(folder / "tasks.rec.gz") / 2);
  EXPECT_NE(refusal({folder}).find("tasks.rec.gz: damaged or cut"), std::string::npos);
}

TEST_F(Files, SeveralRanks) {
  std::string text = definitions;
  for (const std::string rank : {"0", "1"}) {
    const std::string p = rank + "_";
    text += "7\t0.0\t" + p + "p\tP\tMPIroot\tprogram " + rank + "\n7\t0.1\t" + p + "mn0\tMn\t" + p + "p\t" + p +
            "MEMNODE0\n7\t0.1\t" + p + "mm0\tMm\t" + p + "mn0\tMEMMANAGER0\n" + "7\t0.1\t" + p + "mpict\tMPICt\t" + p +
            "p\tmpi\n7\t0.2\t" + p + "t5\tT\t" + p + "mn0\t" + p + "T0\n7\t0.2\t" + p + "w0\tW\t" + p + "t5\t" + p +
            "CPU0\n" + "10\t1.0\t" + p + "w0\tWS\t\"work\"\n20\t1.0\t" + p +
            "w0\tWS\t\"work\"\t8\t\"V1\"\t00000001\t0\t" + p + "4\t" + p +
            "1\t0\t0.0\t0\t0\t-1\t-1\t\"-1\"\n10\t2.0\t" + p + "w0\tWS\t\"I\"\n";
  }
  text +=
      "24\t2.0\tMPIL\tMPIroot\t512\t0_mpict\tmpicom_0\t10\t\"x\"\t0\t0\n19\t2.5\tMPIL\tMPIroot\t512\t1_mpict\tmpicom_"
      "0\n10\t2.5\t0_w0\tWS\t\"I\"\n8\t3.0\t0_t5\tT\n8\t3.0\t1_t5\tT\n";
  const Recording r = read({write("paje.trace", text)});
  EXPECT_EQ(r.ranks, 2U);
  ASSERT_EQ(r.units.size(), 2U);
  EXPECT_EQ(r.units[1].name, "1: CPU 0");
  EXPECT_TRUE(r.transfers.empty());
  ASSERT_EQ(r.messages.size(), 1U);
  EXPECT_EQ(r.messages[0].from, 0U);
  EXPECT_EQ(r.messages[0].to, 1U);
  EXPECT_EQ(r.messages[0].bytes, 512U);
  EXPECT_NEAR(r.messages[0].end - r.messages[0].start, 0.5e-3, 1e-12);
  ASSERT_EQ(r.tasks.size(), 2U);
  EXPECT_EQ(r.tasks[0].id, r.tasks[1].id);
  EXPECT_NE(r.tasks[0].unit, r.tasks[1].unit);
}

TEST_F(Files, WrittenTasksRecReadsTheSame) {
  write("tasks.rec", tasks_rec);
  write("paje.trace", std::string(definitions) + events);
  const Recording r = read({folder});
  write_tasks_rec(folder / "again.rec", r);
  const Recording again = read({folder / "again.rec"});
  ASSERT_EQ(again.tasks.size(), r.tasks.size());
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const Task& a = r.tasks[i];
    const Task& b = again.tasks[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(r.codelet_name(a), again.codelet_name(b));
    EXPECT_EQ(a.footprint, b.footprint);
    EXPECT_EQ(a.flops, b.flops);
    EXPECT_EQ(a.priority, b.priority);
    EXPECT_EQ(a.iteration, b.iteration);
    EXPECT_EQ(a.executed(), b.executed());
    if (a.executed()) {
      EXPECT_NEAR(a.start, b.start, 1e-12);
    }
    ASSERT_EQ(r.predecessors(i).size(), again.predecessors(i).size());
    for (std::size_t d = 0; d < r.predecessors(i).size(); ++d)
      EXPECT_EQ(r.predecessors(i)[d], again.predecessors(i)[d]);
    EXPECT_EQ(r.data(i).size(), again.data(i).size());
  }
}

}  // namespace
}  // namespace asterism::traces
