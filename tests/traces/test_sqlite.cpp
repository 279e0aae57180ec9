// SPDX-License-Identifier: Apache-2.0
// A recording as a database: questions in SQL have the answers that the metrics give.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.hpp"
#include "tests/traces/recorded_files.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/readers/read.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

namespace fs = std::filesystem;
using testing::Builder;
using Rows = std::vector<std::vector<std::string>>;

class Sqlite : public testing::Files {
 protected:
  void write(const Recording& r) {
    write_sqlite(folder / "r.db", r);
    sqlite3* opened = nullptr;
    ASSERT_EQ(sqlite3_open_v2((folder / "r.db").c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    database.reset(opened);
    EXPECT_EQ(ask("PRAGMA integrity_check"), (Rows{{"ok"}}));
    EXPECT_EQ(ask("PRAGMA foreign_key_check"), Rows{});
  }
  Rows ask(const std::string& sql) const {
    Rows rows;
    char* error = nullptr;
    const auto row = [](void* into, int columns, char** values, char**) {
      std::vector<std::string> cells;
      for (int i = 0; i < columns; ++i) cells.emplace_back(values[i] != nullptr ? values[i] : "NULL");
      static_cast<Rows*>(into)->push_back(cells);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database.get(), sql.c_str(), row, &rows, &error), SQLITE_OK) << error;
    return rows;
  }
  double number(const std::string& sql) const {
    const Rows rows = ask(sql);
    return rows.size() == 1 && rows[0].size() == 1 && rows[0][0] != "NULL" ? std::stod(rows[0][0]) : std::nan("");
  }

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database{nullptr, sqlite3_close};
};

TEST_F(Sqlite, TablesOfASmallRecording) {
  Builder b("it's \"small\"");
  b.units("CPU", 1).units("CUDA", 1);
  const std::uint32_t x = b.handle("x; DROP TABLE tasks", 1000);
  const auto first = b.task("a", 0, 10, 14, {}, 7, 8e9, 0, {{x, Mode::write}});
  const auto barrier = b.node(0, {first});
  b.task("b", 1, 16, 20, {barrier}, 8, 0, -1, {{x, Mode::read}});
  b.state(0, State::scheduling, 14, 15).transfer(0, 1, 14.5, 16, 1000, x);
  Recording r = b.finish();
  r.tasks[first].submitted = 9;
  r.markers.push_back({12, "half", 0});
  write(r);
  EXPECT_EQ(ask("SELECT * FROM recording"), (Rows{{"it's \"small\"", "10.0", "1", "1", "1"}}));
  EXPECT_EQ(ask("SELECT id, job, codelet, unit, submitted, start, end, flops, iteration, footprint FROM tasks"),
            (Rows{{"0", "1", "0", "0", "-1.0", "0.0", "4.0", "8000000000.0", "0", "7"},
                  {"1", "2", "1", "NULL", "-10.0", "NULL", "NULL", "0.0", "NULL", "1"},
                  {"2", "3", "2", "1", "-10.0", "6.0", "10.0", "0.0", "NULL", "8"}}));
  EXPECT_EQ(ask("SELECT * FROM dependencies"), (Rows{{"1", "0"}, {"2", "1"}}));
  EXPECT_EQ(ask("SELECT task, d.name, mode FROM accesses JOIN data d ON d.id = data"),
            (Rows{{"0", "x; DROP TABLE tasks", "W"}, {"2", "x; DROP TABLE tasks", "R"}}));
  EXPECT_EQ(ask("SELECT s.name, d.name, start, end, bytes, data, type FROM transfers JOIN memories s ON s.id = source "
                "JOIN memories d ON d.id = destination"),
            (Rows{{"RAM", "CUDA 0", "4.5", "6.0", "1000", "0", "NULL"}}));
  EXPECT_EQ(
      ask("SELECT state, start, end, task FROM states WHERE unit = 0"),
      (Rows{{"computing", "0.0", "4.0", "0"}, {"scheduling", "4.0", "5.0", "NULL"}, {"idle", "5.0", "10.0", "NULL"}}));
  EXPECT_EQ(ask("SELECT * FROM markers"), (Rows{{"2.0", "half", "0"}}));
}

TEST_F(Sqlite, MessagesOfSeveralRanks) {
  Builder b;
  b.units("CPU", 1).units("CPU", 1, 1);
  const auto sent = b.task("a", 0, 0, 1);
  const auto received = b.message(1, 1, 2, 64, sent, none, 5);
  b.task("a", 1, 2, 3, {received});
  write(b.finish());
  EXPECT_EQ(ask("SELECT source, destination, start, end, bytes, data, tag FROM messages"),
            (Rows{{"0", "1", "1.0", "2.0", "64", "NULL", "5"}}));
}

TEST_F(Sqlite, AgreesWithTheMetrics) {
  ReadOptions options;
  options.window.part = Window::Part::iterations;
  const Recording r = read({ASTERISM_SOURCE_DIR "/experiments/records/recordings/cg-11pts-128-h200x4-dmdas"}, options);
  const Metrics m = measure(r);
  write(r);
  EXPECT_NEAR(number("SELECT makespan FROM recording"), m.makespan, 1e-12);
  EXPECT_EQ(number("SELECT count(*) FROM tasks WHERE unit IS NOT NULL"), static_cast<double>(m.tasks));
  EXPECT_NEAR(number("SELECT sum(flops) FROM tasks WHERE unit IS NOT NULL"), m.flops, 1e-9 * m.flops);
  EXPECT_EQ(number("SELECT sum(bytes) FROM transfers"), static_cast<double>(m.bytes_moved));
  for (std::size_t u = 0; u < r.units.size(); ++u)
    for (std::size_t s = 0; s < state_count; ++s)
      EXPECT_NEAR(number("SELECT coalesce(sum(end - start), 0) FROM states WHERE unit = " + std::to_string(u) +
                         " AND state = '" + state_names[s] + "'") /
                      m.makespan,
                  m.unit[u].state[s], 1e-9);
  for (const CodeletUse& c : m.codelets) {
    const std::string of = " FROM tasks JOIN units ON units.id = unit WHERE codelet = " + std::to_string(c.codelet) +
                           " AND kind = " + std::to_string(c.kind);
    EXPECT_EQ(number("SELECT count(*)" + of), static_cast<double>(c.count));
    EXPECT_NEAR(number("SELECT sum(end - start)" + of), c.total, 1e-9);
    EXPECT_NEAR(number("SELECT max(end - start)" + of), c.maximum, 1e-12);
  }
  for (const LinkUse& l : m.links)
    EXPECT_EQ(number("SELECT count(*) FROM transfers WHERE source = " + std::to_string(l.from) +
                     " AND destination = " + std::to_string(l.to)),
              static_cast<double>(l.transfers));
  EXPECT_EQ(number("SELECT count(*) FROM dependencies"), static_cast<double>(r.dependencies.item.size()));
  EXPECT_EQ(number("SELECT count(*) FROM accesses"), static_cast<double>(r.accesses.item.size()));
}

TEST_F(Sqlite, AppearsWholeOrNotAtAll) {
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 1);
  const Recording r = b.finish();
  std::ofstream(folder / "r.db") << "what was here before";
  write(r);  // replaced, not appended to
  EXPECT_EQ(number("SELECT count(*) FROM tasks"), 1);
  EXPECT_THROW(write_sqlite(folder / "none" / "r.db", r), Error);
  EXPECT_THROW(write_sqlite(folder, r), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);  // nothing temporary is left
}

}  // namespace
}  // namespace asterism::traces
