// SPDX-License-Identifier: Apache-2.0
// Readers against files that are wrong, and against one that is large.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/traces/recorded_files.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"

namespace asterism::traces {
namespace {

using namespace testing;

TEST_F(Files, WrongFilesAreNamedInOneLine) {
  const std::string tasks = tasks_rec;
  const std::string paje = std::string(definitions) + events;
  EXPECT_NE(refusal({folder / "none"}).find("there is no such file"), std::string::npos);
  EXPECT_NE(refusal({folder}).find("neither tasks.rec, paje.trace nor prof_file"), std::string::npos);
  // cut in the middle of a line, at a line's end, at a record's end
  EXPECT_NE(refusal({write("tasks.rec", tasks.substr(0, 300))}).find("tasks.rec:"), std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", tasks.substr(0, tasks.find("Footprint")))}).find("it was cut"),
            std::string::npos);
  // a task of a codelet that tasks.rec knows starts after its last one (StarPU's own tasks are never in it)
  std::string again = paje;
  for (std::size_t at = 0; (at = again.find("consume")) != std::string::npos;) again.replace(at, 7, "produce");
  write("paje.trace", again);
  write("tasks.rec", tasks.substr(0, tasks.find("JobId: 2")));
  EXPECT_NE(refusal({folder}).find("tasks.rec was cut"), std::string::npos);
  write("tasks.rec", tasks);
  write("paje.trace", paje.substr(0, paje.find("24\t2.5")));
  EXPECT_NE(refusal({folder}).find("worker threads never end"), std::string::npos);
  write("paje.trace", paje.substr(0, paje.rfind("8\t5.2")));
  EXPECT_NE(refusal({folder}).find("1 of 2 worker threads never end"), std::string::npos);
  ReadOptions partial;
  partial.partial = true;
  EXPECT_EQ(read({folder}, partial).tasks.size(), 3U);
  write("paje.trace", paje.substr(0, paje.size() - 5));
  EXPECT_NE(refusal({folder}).find("it was cut"), std::string::npos);
  fs::remove(folder / "paje.trace");
  // foreign and broken content
  EXPECT_NE(refusal({write("tasks.rec", "<html>\n<body>\n")}).find("tasks.rec:1: '<html>' found where"),
            std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", "Name: x\nTag: 1\n\n")}).find("without JobId"), std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", "")}).find("no task in it"), std::string::npos);
  std::string broken = tasks;
  broken.replace(broken.find("StartTime: 1.0"), 13, "StartTime: 1,0");
  EXPECT_NE(refusal({write("tasks.rec", broken)}).find("tasks.rec:12: '1,0"), std::string::npos) << refusal({folder});
  broken = tasks;
  broken.replace(broken.find("EndTime: 2.5"), 12, "EndTime: 0.5");
  EXPECT_NE(refusal({write("tasks.rec", broken)}).find("before it starts"), std::string::npos);
  EXPECT_NE(refusal({write("tasks.rec", tasks + tasks)}).find("is there twice"), std::string::npos);
  fs::remove(folder / "tasks.rec");
  EXPECT_NE(refusal({write("paje.trace", "hello\n")}).find("paje.trace:1: 'hello' found where"), std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", "")}).find("not a paje.trace"), std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", definitions)}).find("no worker in it"), std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", std::string(definitions) + "99\t1.0\tx\n")}).find("event 99 was not declared"),
            std::string::npos);
  EXPECT_NE(refusal({write("paje.trace", std::string(definitions) + "10\tx\tw0\tWS\t\"B\"\n")}).find("a time in ms"),
            std::string::npos);
  // FxT files that are none
  std::string noise(100000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * 2654435761U >> 13);
  EXPECT_NE(refusal({write("prof_file_0", noise)}).find("prof_file_0"), std::string::npos);
  EXPECT_NE(refusal({write("prof_file_0", "short")}).find("too short"), std::string::npos);
  EXPECT_NE(refusal({write("photo.png", noise)}).find("photo.png"), std::string::npos);
  // one with which StarPU's converter never ends
  fs::copy_file(ASTERISM_SOURCE_DIR "/tests/traces/endless.fxt", folder / "prof_file_endless");
  EXPECT_NE(refusal({folder / "prof_file_endless"}).find("did not end"), std::string::npos);
}

/// A large paje.trace, a recorded piece repeated in time, is read without its text in memory, only what its tasks need.
TEST_F(Files, TextIsNotHeldInMemory) {
  const char* const asked = std::getenv("ASTERISM_TEST_GIGABYTES");
  const double gigabytes = asked ? std::atof(asked) : 0.3;
  const fs::path path = folder / "paje.trace";
  std::size_t pieces = 0;
  {
    std::ofstream out(path, std::ios::binary);
    const std::string text = std::string(definitions) + events;
    const std::size_t head = text.find("10\t0.900000");
    out << text.substr(0, head);
    // A piece: 40 changes of state and one task on each of two workers, 6 ms long.
    std::uintmax_t written = 0;
    std::string piece;
    char line[256];
    for (; static_cast<double>(written) < gigabytes * 1e9; ++pieces) {
      piece.clear();
      const double t = 6.0 * static_cast<double>(pieces);
      const auto add = [&](int n) { piece.append(line, static_cast<std::size_t>(n)); };
      for (int k = 0; k < 20; ++k) {
        add(std::snprintf(line, sizeof line, "10\t%.9f\tw1\tWS\t\"%s\"\n", t + 0.01 * k,
                          k % 3 == 0   ? "B"
                          : k % 3 == 1 ? "Sc"
                                       : "Sl"));
        add(std::snprintf(line, sizeof line, "10\t%.9f\tt77\tS\t%s\n", t + 0.01 * k,
                          k % 3 == 0   ? "B"
                          : k % 3 == 1 ? "Sc"
                                       : "P"));
        add(std::snprintf(line, sizeof line, "13\t%.9f\tsched\tnready\t%d.0\n", t + 0.01 * k, k));
      }
      for (int w = 0; w < 2; ++w) {
        add(std::snprintf(line, sizeof line, "10\t%.9f\tw%d\tWS\t\"work\"\n", t + 1, w));
        add(std::snprintf(line, sizeof line,
                          "20\t%.9f\tw%d\tWS\t\"work\"\t4064\t\"V4_V8\"\tabcd1234\t0000000000000000\t%zu\t%zu\t2\t0."
                          "003000\t0\t0\t0\t5\t\"-1\"\n",
                          t + 1, w, 2 * pieces + static_cast<std::size_t>(w) + 1,
                          2 * pieces + static_cast<std::size_t>(w) + 1));
        add(std::snprintf(line, sizeof line, "10\t%.9f\tw%d\tWS\t\"I\"\n", t + 5, w));
      }
      add(std::snprintf(line, sizeof line, "24\t%.9f\tF\tp\t4000\tmm0\tcom_%zu\t10\t\"data[0]\"\t0\t0\n", t + 1,
                        pieces));
      add(std::snprintf(line, sizeof line, "19\t%.9f\tF\tp\t4000\tmm1\tcom_%zu\n", t + 2, pieces));
      out << piece;
      written += piece.size();
    }
    for (const char* thread : {"t77", "t78"})
      out << "8\t" << 6.0 * static_cast<double>(pieces) << '\t' << thread << "\tT\n";
  }
  const auto resident = [](const char* key) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
      if (line.starts_with(key)) return std::atof(line.c_str() + std::string(key).size()) / 1e6;  // GB from kB
    return 0.0;
  };
  const double before = resident("VmHWM:");
  const Recording r = read({path});
  const Metrics m = measure(r);
  EXPECT_EQ(m.tasks, 2 * pieces);
  EXPECT_EQ(r.transfers.size(), pieces);
  EXPECT_NEAR(m.unit[0][State::computing], 4.0 * static_cast<double>(pieces) / (m.makespan * 1e3), 1e-6);
  const double used = resident("VmHWM:") - before;
  RecordProperty("gigabytes", std::to_string(used));
  std::printf("%zu tasks, %.2f GB of text, %.0f MB of memory\n", 2 * pieces, gigabytes, used * 1e3);
  EXPECT_LT(used, 0.9 * gigabytes) << "GB";
}

}  // namespace
}  // namespace asterism::traces
