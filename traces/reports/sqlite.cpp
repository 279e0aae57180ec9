// SPDX-License-Identifier: Apache-2.0
// A recording as a SQLite database, for questions in SQL.
#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cmath>
#include <memory>
#include <variant>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

/// Times are seconds after the recording's begin; ids are numbers of rows, from 0, and NULL where nothing is known.
constexpr const char* schema = R"(
CREATE TABLE recording (name TEXT, makespan REAL, ranks INTEGER, has_states INTEGER, has_dependencies INTEGER);
CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE memories (id INTEGER PRIMARY KEY, name TEXT, rank INTEGER);
CREATE TABLE units (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER REFERENCES kinds, rank INTEGER,
  memory INTEGER REFERENCES memories);
CREATE TABLE codelets (id INTEGER PRIMARY KEY, name TEXT, model TEXT);
CREATE TABLE data (id INTEGER PRIMARY KEY, name TEXT, bytes INTEGER);
CREATE TABLE tasks (id INTEGER PRIMARY KEY, job INTEGER, rank INTEGER, codelet INTEGER REFERENCES codelets,
  unit INTEGER REFERENCES units, submitted REAL, start REAL, end REAL, flops REAL, priority INTEGER,
  iteration INTEGER, footprint INTEGER, parameters TEXT);
CREATE TABLE dependencies (task INTEGER REFERENCES tasks, after INTEGER REFERENCES tasks);
CREATE TABLE accesses (task INTEGER REFERENCES tasks, data INTEGER REFERENCES data, mode TEXT);
CREATE TABLE transfers (id INTEGER PRIMARY KEY, source INTEGER REFERENCES memories,
  destination INTEGER REFERENCES memories, start REAL, end REAL, bytes INTEGER, data INTEGER REFERENCES data,
  type TEXT);
CREATE TABLE states (unit INTEGER REFERENCES units, state TEXT, start REAL, end REAL, task INTEGER REFERENCES tasks);
CREATE TABLE messages (id INTEGER PRIMARY KEY, source INTEGER, destination INTEGER, start REAL, end REAL,
  bytes INTEGER, data INTEGER REFERENCES data, tag INTEGER);
CREATE TABLE markers (time REAL, text TEXT, rank INTEGER);
)";

struct Null {};
using Value = std::variant<Null, std::int64_t, double, std::string_view>;

class Database {
 public:
  explicit Database(const std::filesystem::path& path) : path_(path) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    handle_.reset(opened);
    check(status);
    // the file has a temporary name and no readers: no journal beside it
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  }
  void execute(const char* sql) { check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr)); }
  void check(int status) const {
    if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
    failed("{}: SQLite: {}", path_.string(), handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(status));
  }
  [[nodiscard]] sqlite3* get() const noexcept { return handle_.get(); }

 private:
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_{nullptr, sqlite3_close};
};

class Insert {
 public:
  Insert(Database& database, const char* table, std::size_t columns) : database_(database) {
    std::string sql = fmt::format("INSERT INTO {} VALUES (?", table);
    for (std::size_t i = 1; i < columns; ++i) sql += ", ?";
    sqlite3_stmt* made = nullptr;
    database_.check(sqlite3_prepare_v2(database_.get(), (sql + ")").c_str(), -1, &made, nullptr));
    statement_.reset(made);
  }
  void operator()(std::initializer_list<Value> row) {
    int column = 0;
    for (const Value& value : row) database_.check(bind(++column, value));
    database_.check(sqlite3_step(statement_.get()));
    database_.check(sqlite3_reset(statement_.get()));
  }

 private:
  int bind(int column, const Value& value) {
    sqlite3_stmt* s = statement_.get();
    if (const auto* i = std::get_if<std::int64_t>(&value)) return sqlite3_bind_int64(s, column, *i);
    if (const auto* d = std::get_if<double>(&value)) return sqlite3_bind_double(s, column, *d);
    if (const auto* t = std::get_if<std::string_view>(&value))
      return sqlite3_bind_text(s, column, t->data(), static_cast<int>(t->size()), SQLITE_TRANSIENT);
    return sqlite3_bind_null(s, column);
  }
  Database& database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_{nullptr, sqlite3_finalize};
};

template <class Integer>
Value number(Integer i) {
  return static_cast<std::int64_t>(i);
}
Value index(std::uint32_t i) {
  return i == none ? Value(Null{}) : number(i);
}
Value time(double t, const Recording& r) {
  return std::isfinite(t) ? Value(t - r.begin) : Value(Null{});
}
Value text(std::uint32_t i, const Recording& r) {
  return i == none ? Value(Null{}) : Value(std::string_view(r.texts[i]));
}

void insert_names(Database& db, const Recording& r) {
  Insert(db, "recording", 5)({std::string_view(r.name), r.makespan(), number(r.ranks), number(r.has_states ? 1 : 0),
                              number(r.has_dependencies ? 1 : 0)});
  Insert kinds(db, "kinds", 2);
  for (std::size_t i = 0; i < r.kinds.size(); ++i) kinds({number(i), std::string_view(r.kinds[i].name)});
  Insert memories(db, "memories", 3);
  for (std::size_t i = 0; i < r.nodes.size(); ++i)
    memories({number(i), std::string_view(r.nodes[i].name), number(r.nodes[i].rank)});
  Insert units(db, "units", 5);
  for (std::size_t i = 0; i < r.units.size(); ++i)
    units({number(i), std::string_view(r.units[i].name), number(r.units[i].kind), number(r.units[i].rank),
           number(r.units[i].node)});
  Insert codelets(db, "codelets", 3);
  for (std::size_t i = 0; i < r.codelets.size(); ++i)
    codelets({number(i), std::string_view(r.codelets[i].name), std::string_view(r.codelets[i].model)});
  Insert data(db, "data", 3);
  for (std::size_t i = 0; i < r.handles.size(); ++i)
    data({number(i), std::string_view(r.handles[i].name), number(r.handles[i].bytes)});
  Insert markers(db, "markers", 3);
  for (const Marker& m : r.markers) markers({time(m.time, r), std::string_view(m.text), number(m.rank)});
}

void insert_tasks(Database& db, const Recording& r) {
  constexpr std::array<const char*, 4> modes = {"R", "W", "RW", "other"};
  Insert tasks(db, "tasks", 13);
  Insert dependencies(db, "dependencies", 2);
  Insert accesses(db, "accesses", 3);
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const Task& t = r.tasks[i];
    const bool ran = t.executed();
    tasks({number(i), number(t.id), number(t.rank), index(t.codelet), index(t.unit), time(t.submitted, r),
           ran ? time(t.start, r) : Value(Null{}), ran ? time(t.end, r) : Value(Null{}), t.flops, number(t.priority),
           t.iteration < 0 ? Value(Null{}) : number(t.iteration), number(t.footprint), text(t.parameters, r)});
    for (const std::uint32_t before : r.predecessors(i)) dependencies({number(i), number(before)});
    for (const Access& a : r.data(i))
      accesses({number(i), index(a.handle), std::string_view(modes[static_cast<std::size_t>(a.mode)])});
  }
}

void insert_events(Database& db, const Recording& r) {
  Insert transfers(db, "transfers", 8);
  for (std::size_t i = 0; i < r.transfers.size(); ++i) {
    const Transfer& t = r.transfers[i];
    transfers({number(i), number(t.from), number(t.to), time(t.start, r), time(t.end, r), number(t.bytes),
               index(t.handle), text(t.type, r)});
  }
  Insert states(db, "states", 5);
  for (std::size_t u = 0; u < r.units.size(); ++u)
    for (const Span s : r.timeline[u])
      states({number(u), std::string_view(state_names[static_cast<std::size_t>(s.state)]), time(s.start, r),
              time(s.end, r), index(s.task)});
  Insert messages(db, "messages", 8);
  for (std::size_t i = 0; i < r.messages.size(); ++i) {
    const Message& m = r.messages[i];
    messages({number(i), number(m.from), number(m.to), time(m.start, r), time(m.end, r), number(m.bytes),
              index(m.handle), m.tag < 0 ? Value(Null{}) : number(m.tag)});
  }
}

}  // namespace

void write_sqlite(const std::filesystem::path& path, const Recording& recording) {
  PendingFile pending(path);
  {
    Database db(pending.temporary());
    db.execute(schema);
    db.execute("BEGIN");
    insert_names(db, recording);
    insert_tasks(db, recording);
    insert_events(db, recording);
    // after the rows: an index that grows with them costs more
    db.execute(
        "CREATE INDEX tasks_of_unit ON tasks (unit, start); CREATE INDEX states_of_unit ON states (unit, start);"
        "CREATE INDEX dependencies_of_task ON dependencies (task); CREATE INDEX accesses_of_data ON accesses (data);"
        "COMMIT");
  }
  pending.commit();
}

}  // namespace asterism::traces
