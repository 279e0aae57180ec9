// The HTML report, without a browser: its structure, and its columns read back by a decoder that shares no code with
// the writer. The pages left in ASTERISM_PAGE_FOLDER are what page_in_browser.mjs opens.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "bounds/bounds.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/dag.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {
namespace {

using nlohmann::json;
using testing::Builder;
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t from = text.find(first);
  if (from == std::string::npos) return {};
  const std::size_t begin = from + first.size();
  return text.substr(begin, text.find(last, begin) - begin);
}

std::string decode_base64(const std::string& text) {
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    unsigned digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<unsigned>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<unsigned>(c - 'a' + 26);
    else if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0' + 52);
    else if (c == '+')
      digit = 62;
    else if (c == '/')
      digit = 63;
    else
      break;
    bits = bits << 6 | digit;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have & 255);
    }
  }
  return out;
}

/// What a page says about one of its recordings.
class Page {
 public:
  explicit Page(const std::string& text, int view = 0)
      : header_(json::parse(between(text, R"(<script type="application/json" id="header">)", "</script>"))),
        view_(header_["views"][static_cast<std::size_t>(view)]) {
    std::size_t size = 0;
    for (const json& c : view_["columns"]) {
      columns_[c["name"]] = c;
      size = c["at"].get<std::size_t>() + c["bytes"].get<std::size_t>();
    }
    const std::string packed = decode_base64(between(
        text, "<script type=\"application/octet-stream\" id=\"view-" + std::to_string(view) + "\">", "</script>"));
    data_.resize(size);
    const auto inflater = std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)>(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    EXPECT_EQ(LIBDEFLATE_SUCCESS, libdeflate_zlib_decompress(inflater.get(), packed.data(), packed.size(), data_.data(),
                                                             data_.size(), nullptr));
  }

  const json& header() const { return header_; }
  const json& view() const { return view_; }

  /// NaN: missing
  std::vector<double> integers(const std::string& name) const {
    const json& c = columns_.at(name);
    std::vector<double> out;
    std::size_t at = c["at"];
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < c["count"]; ++i) {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(data_[at++]);
        value |= static_cast<std::uint64_t>(byte & 127) << shift;
        if (byte < 128) break;
      }
      if (value == 0) {
        out.push_back(std::nan(""));
        continue;
      }
      value -= 1;
      std::int64_t number = static_cast<std::int64_t>(value / 2);
      if (value % 2 == 1) number = -number - 1;
      if (c["type"] == "delta") number += previous;
      previous = number;
      out.push_back(static_cast<double>(number));
    }
    EXPECT_EQ(at, c["at"].get<std::size_t>() + c["bytes"].get<std::size_t>()) << name;
    return out;
  }

  std::string bytes(const std::string& name) const {
    const json& c = columns_.at(name);
    return data_.substr(c["at"], c["bytes"]);
  }

 private:
  json header_;
  json view_;
  std::map<std::string, json> columns_;
  std::string data_;
};

/// Two kinds, a barrier that nobody executed, iterations, data with names, bounds: everything the page shows.
Recording small(const std::string& name, double slowness) {
  Builder b(name);
  b.units("CPU", 2).units("CUDA", 1);
  const std::uint32_t x = b.handle("x[0]", 1 << 20), y = b.handle("y[0]", 1 << 18);
  const double s = slowness;
  const auto t0 = b.task("potrf", 0, 0, 2 * s, {}, 0xabcdef, 4e9, 0, {{x, Mode::read_write}});
  const auto t1 = b.task("trsm", 1, 1 * s, 4 * s, {}, 1, 3e9, 0, {{y, Mode::write}});
  const auto barrier = b.task("", none, 0, 0, {t0, t1});
  const auto t2 = b.task("gemm", 2, 4.5 * s, 6 * s, {barrier}, 2, 6e10, 1, {{x, Mode::read}, {y, Mode::read_write}});
  const auto t3 = b.task("gemm", 2, 6 * s, 7.5 * s, {t0, t2}, 2, 6e10, 1, {{y, Mode::read_write}});
  b.task("trsm", 0, 7.5 * s, 10 * s, {t3}, 1, 3e9, 2);
  b.state(0, State::scheduling, 2 * s, 3 * s).state(1, State::runtime, 4 * s, 5 * s);
  b.transfer(0, 1, 4 * s, 4.5 * s, 1 << 20, x).transfer(1, 0, 7.5 * s, 7.6 * s, 1 << 18, y);
  Recording r = b.finish();
  r.markers.push_back({5 * s, "half"});
  for (int i = 0; i <= 10; ++i) {
    r.ready.add(i * s, i % 3);
    r.submitted.add(i * s, 10 - i);
  }
  r.texts.push_back("block 3");
  r.tasks[t2].parameters = 0;
  r.tasks[t2].priority = 7;
  return r;
}

/// As many tasks as asked for, with gaps, over a simulated iteration each thousand.
Recording large(std::size_t tasks, int cpus, int gpus) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> real(0, 1);
  Builder b("random");
  b.units("CPU", cpus).units("CUDA", gpus);
  std::vector<std::uint32_t> handles;
  for (int i = 0; i < 1000; ++i) handles.push_back(b.handle("block " + std::to_string(i), 1 << 16));
  const auto units = static_cast<std::size_t>(cpus + gpus);
  std::vector<double> free(units, 0.0), ends;
  const char* names[] = {"P2P", "M2L", "M2M", "L2L", "P2M", "L2P"};
  for (std::size_t i = 0; i < tasks; ++i) {
    std::size_t unit = random() % units;
    for (int k = 0; k < 8; ++k) {
      const std::size_t other = random() % units;
      if (free[other] < free[unit]) unit = other;
    }
    std::vector<std::uint32_t> after;
    for (std::size_t k = 0; k < random() % 3 && i > 200; ++k)
      after.push_back(static_cast<std::uint32_t>(i - 1 - random() % 200));
    double start = free[unit] + (random() % 4 == 0 ? real(random) * 4e-4 : 0);
    for (const std::uint32_t p : after) start = std::max(start, ends[p]);
    const double end = start + 1e-4 + real(random) * 2e-3;
    free[unit] = end;
    ends.push_back(end);
    b.task(names[random() % 6], static_cast<std::uint32_t>(unit), start, end, after,
           static_cast<std::uint32_t>(random() % 50), 1e6 * real(random), static_cast<std::int32_t>(i / 1000),
           {{handles[random() % 1000], Mode::read}, {handles[random() % 1000], Mode::read_write}});
    if (i % 8 == 0 && gpus > 0) {
      const auto gpu = static_cast<std::uint32_t>(1 + random() % static_cast<std::uint64_t>(gpus));
      const bool in = random() % 2 == 0;
      b.transfer(in ? 0 : gpu, in ? gpu : 0, start, start + 3e-4 * real(random), 1 << 16);
    }
  }
  Recording r = b.finish();
  for (double t = 0; t < r.end; t += r.end / 20000) {
    r.ready.add(t, std::floor(200 * real(random)));
    r.submitted.add(t, std::floor(static_cast<double>(tasks) * (1 - t / r.end)));
  }
  return r;
}

class PageTest : public ::testing::Test {
 protected:
  fs::path folder() const {
    fs::path path = ASTERISM_PAGE_FOLDER;
    fs::create_directories(path);
    return path;
  }
  std::string write(const std::string& name, const std::vector<View>& views, const std::string& title) const {
    write_html(folder() / name, views, title);
    return read_file(folder() / name);
  }
};

void expect_times(const std::vector<double>& nanoseconds, const std::vector<double>& seconds) {
  ASSERT_EQ(nanoseconds.size(), seconds.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (std::isnan(seconds[i]) != std::isnan(nanoseconds[i])) ++wrong;
    if (!std::isnan(seconds[i]) && std::abs(nanoseconds[i] - seconds[i] * 1e9) > 0.51) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

void expect_equal(const Page& page, const Recording& r) {
  const double missing = std::nan("");
  std::vector<double> start, submitted, unit, id;
  for (const Task& t : r.tasks) {
    start.push_back(t.executed() ? t.start - r.begin : missing);
    submitted.push_back(t.submitted - r.begin);
    unit.push_back(t.executed() ? t.unit : missing);
    id.push_back(static_cast<double>(t.id));
  }
  expect_times(page.integers("task.start"), start);
  expect_times(page.integers("task.submitted"), submitted);
  EXPECT_EQ(page.integers("task.id"), id);
  const std::vector<double> units = page.integers("task.unit");
  for (std::size_t i = 0; i < unit.size(); ++i)
    ASSERT_TRUE(units[i] == unit[i] || (std::isnan(units[i]) && std::isnan(unit[i])));
  const std::vector<double> length = page.integers("task.length"), starts = page.integers("task.start");
  std::vector<double> end(length.size()), expected_end;
  for (std::size_t i = 0; i < length.size(); ++i) end[i] = starts[i] + length[i];
  for (const Task& t : r.tasks) expected_end.push_back(t.executed() ? t.end - r.begin : missing);
  expect_times(end, expected_end);

  const std::vector<double> counts = page.integers("dependency.count"), back = page.integers("dependency.back");
  std::size_t k = 0;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    ASSERT_EQ(counts[i], static_cast<double>(r.predecessors(i).size()));
    for (const std::uint32_t p : r.predecessors(i)) ASSERT_EQ(static_cast<double>(i) - back[k++], p);
  }
  EXPECT_EQ(k, back.size());

  const std::vector<double> span_count = page.integers("span.count"), first = page.integers("span.first"),
                            span_length = page.integers("span.length"), span_task = page.integers("span.task");
  const std::string state = page.bytes("span.state");
  std::size_t s = 0, computing = 0;
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    ASSERT_EQ(span_count[u], static_cast<double>(r.timeline[u].size()));
    double at = first[u];
    for (const Span span : r.timeline[u]) {
      ASSERT_NEAR(at, (span.start - r.begin) * 1e9, 0.51);
      at += span_length[s];
      ASSERT_NEAR(at, (span.end - r.begin) * 1e9, 0.51);
      ASSERT_EQ(static_cast<State>(state[s++]), span.state);
      if (span.state == State::computing) {
        ASSERT_EQ(span_task[computing++], span.task);
      }
    }
  }
  std::vector<double> transfer_start, bytes;
  for (const Transfer& t : r.transfers) {
    transfer_start.push_back(t.start - r.begin);
    bytes.push_back(static_cast<double>(t.bytes));
  }
  expect_times(page.integers("transfer.start"), transfer_start);
  EXPECT_EQ(page.integers("transfer.bytes"), bytes);
}

/// What page_in_browser.mjs compares with what it sees; `task` is the one it hovers and clicks.
json expected(const std::vector<View>& views, std::size_t task, double median_frame_ms) {
  json out = {{"views", json::array()}, {"median_frame_ms", median_frame_ms}};
  for (const View& v : views) {
    json units = json::array(), bounds = json::array();
    for (std::size_t u = 0; u < v.recording->units.size(); ++u)
      units.push_back({{"name", v.recording->units[u].name}, {"shares", v.metrics->unit[u].state}});
    for (const BoundLine& b : v.bounds) bounds.push_back({{"name", b.name}, {"seconds", b.seconds}});
    out["views"].push_back({{"name", v.recording->name},
                            {"makespan", v.metrics->makespan},
                            {"tasks", v.metrics->tasks},
                            {"units", units},
                            {"bounds", bounds},
                            {"critical_path", v.metrics->critical_path.length}});
  }
  const Recording& r = *views[0].recording;
  const Task& t = r.tasks[task];
  json predecessors = json::array(), successors = json::array();
  double latest = -1;
  json released_by;
  const auto add = [&](const auto& self, std::size_t of) -> void {
    for (const std::uint32_t p : r.predecessors(of)) {
      if (!r.tasks[p].executed()) {
        self(self, p);
        continue;
      }
      predecessors.push_back(r.tasks[p].id);
      if (r.tasks[p].end > latest) {
        latest = r.tasks[p].end;
        released_by = r.tasks[p].id;
      }
    }
  };
  add(add, task);
  // through nodes that nobody executed, as above
  std::vector<bool> follows(r.tasks.size(), false);
  for (const std::uint32_t i : topological_order(r))
    for (const std::uint32_t p : r.predecessors(i))
      if (!follows[i] && (p == task || (follows[p] && !r.tasks[p].executed()))) follows[i] = true;
  for (std::size_t i = 0; i < r.tasks.size(); ++i)
    if (follows[i] && r.tasks[i].executed()) successors.push_back(r.tasks[i].id);
  json data = json::array();
  for (const Access& a : r.data(task)) data.push_back(r.handles[a.handle].name);
  out["task"] = {{"index", task},
                 {"job", t.id},
                 {"codelet", r.codelet_name(t)},
                 {"unit", r.units[t.unit].name},
                 {"start", t.start - r.begin},
                 {"end", t.end - r.begin},
                 {"data", data},
                 {"predecessors", predecessors},
                 {"successors", successors},
                 {"released_by", released_by}};
  return out;
}

void save(const fs::path& path, const json& value) {
  std::ofstream(path) << value.dump(1, ' ', true, json::error_handler_t::replace);
}

TEST_F(PageTest, TwoRecordingsOnOneTimeAxis) {
  const Recording slow = small("dmdas", 1.0), fast = small("lws", 0.8);
  const Metrics a = measure(slow), b = measure(fast);
  const std::vector<View> views = {
      {&slow,
       &a,
       {{"LP", 6.25, "No schedule of these tasks on these units is shorter."},
        {"critical path", a.critical_path.length, "The longest chain of dependent tasks."}}},
      {&fast, &b, {{"LP", 5.0, "No schedule of these tasks on these units is shorter."}}}};
  const std::string text = write("small.html", views, "Cholesky, two schedulers");
  save(folder() / "small.json", expected(views, 3, 100));
  EXPECT_NE(text.find("<title>Cholesky, two schedulers</title>"), std::string::npos);
  EXPECT_EQ(text.find("http:"), std::string::npos);
  EXPECT_EQ(text.find("https:"), std::string::npos);
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find("{{"), std::string::npos);
  expect_equal(Page(text, 0), slow);
  expect_equal(Page(text, 1), fast);
  const Page page(text, 0);
  EXPECT_EQ(page.header()["views"].size(), 2u);
  EXPECT_DOUBLE_EQ(page.view()["metrics"]["makespan"].get<double>(), 10.0);
  EXPECT_EQ(page.view()["bounds"][0]["name"], "LP");
  EXPECT_EQ(page.bytes("handle.name.text"), "x[0]y[0]");
  EXPECT_EQ(page.bytes("access.mode"), std::string("\2\1\0\2\2", 5));
  EXPECT_EQ(page.integers("task.priority")[3], 7);
}

TEST_F(PageTest, HostileNamesStayText) {
  const std::string hostile = "</script><script>alert(1)</script>{{script}}<!-- \"'& \xff";
  Builder b(hostile);
  b.units(hostile, 1);
  b.handle(hostile);
  b.task(hostile, 0, 0, 1, {}, 1, 0, -1, {{0, Mode::read}});
  b.task("<img src=x onerror=alert(2)>", 0, 1, 2, {0});
  Recording r = b.finish();
  r.texts.push_back(hostile);
  r.tasks[0].parameters = 0;
  const Metrics m = measure(r);
  const std::vector<View> views = {{&r, &m, {{hostile, 1, hostile}}}};
  const std::string text = write("hostile.html", views, hostile);
  save(folder() / "hostile.json", expected(views, 0, 100));
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  EXPECT_EQ(text.find("<img"), std::string::npos);
  // data, header and module: three elements, each closed once
  std::size_t closed = 0;
  for (std::size_t at = 0; (at = text.find("</script", at)) != std::string::npos; ++at) ++closed;
  EXPECT_EQ(closed, 3u);
  const Page page(text);
  EXPECT_EQ(page.bytes("handle.name.text"), hostile);
  EXPECT_EQ(page.view()["codelets"][1]["name"], "<img src=x onerror=alert(2)>");
}

TEST_F(PageTest, TwoHundredThousandTasks) {
  const Recording r = large(200000, 60, 4);
  const Metrics m = measure(r);
  const std::vector<View> views = {{&r, &m, {{"LP", 0.8 * m.makespan, "A lower bound."}}}};
  const std::string text = write("large.html", views, "200,000 tasks");
  save(folder() / "large.json", expected(views, 150000, 100));
  EXPECT_LT(text.size(), 8u << 20);
  EXPECT_GT(text.size(), 1u << 20);
  expect_equal(Page(text), r);
  RecordProperty("bytes", static_cast<int>(text.size()));
}

TEST_F(PageTest, OnlyTasksWereRecorded) {
  Builder b("bare");
  b.units("CPU", 1);
  const auto t = b.task("axpy", 0, 0, 1);
  b.task("axpy", 0, 2, 3);
  Recording r = b.finish();
  r.has_states = r.has_dependencies = false;
  const Metrics m = measure(r);
  const std::vector<View> views = {{&r, &m, {}}};
  const std::string text = write("bare.html", views, "bare");
  save(folder() / "bare.json", expected(views, t, 100));
  expect_equal(Page(text), r);
  EXPECT_EQ(Page(text).view()["has_states"], false);
}

TEST_F(PageTest, NanosecondsAfterAThousandSeconds) {
  Builder b;
  b.units("CPU", 1);
  b.task("long", 0, 0, 1000);
  b.task("short", 0, 1000.000000123, 1000.000000987);
  const Recording r = b.finish();
  const Metrics m = measure(r);
  const Page page(write("long.html", {{&r, &m, {}}}, "long"));
  EXPECT_EQ(page.integers("task.start")[1], 1000000000123.0);
  EXPECT_EQ(page.integers("task.length")[1], 864.0);
}

TEST_F(PageTest, NothingIsLeftOfAFileThatCannotBeWritten) {
  const Recording r = small("x", 1);
  const Metrics m = measure(r);
  try {
    write_html(folder() / "no" / "such" / "folder" / "page.html", {{&r, &m, {}}}, "x");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_NE(std::string(error.what()).find("page.html"), std::string::npos);
  }
  fs::create_directories(folder() / "taken.html" / "inside");
  EXPECT_THROW(write_html(folder() / "taken.html", {{&r, &m, {}}}, "x"), Error);
  for (const auto& entry : fs::directory_iterator(folder()))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

/// CPUs and four H200 GPUs under dmdas, as recorded: what the page shows is compared with metrics and bounds by the
/// browser test.
TEST_F(PageTest, OfARealRecording) {
  ReadOptions options;
  options.window = Window::parse("iterations");
  const Recording r = read({ASTERISM_SOURCE_DIR "/experiments/records/recordings/cg-11pts-128-h200x4-dmdas"}, options);
  const Metrics m = measure(r);
  bounds::Durations durations;
  durations.add(r, bounds::Source::recording);
  const bounds::Bounds b = bounds::compute(r, durations);
  ASSERT_TRUE(b.critical_path.has_value());
  const std::vector<View> views{{&r,
                                 &m,
                                 {{"LP", b.area.solution.seconds, "area bound"},
                                  {"LP where tasks fit", b.fitting, "LP with whole tasks that fit"},
                                  {"critical path", b.critical_path->length, "longest chain"}}}};
  write_html(folder() / "real.html", views, "CG on four H200");
  std::size_t task = r.tasks.size() / 2;
  while (!r.tasks[task].executed() || r.predecessors(task).size() < 2) ++task;
  save(folder() / "real.json", expected(views, task, 100));
  EXPECT_LT(fs::file_size(folder() / "real.html"), 1000000U);
}

/// Two ranks of two CPUs each: a on rank 0 sends to c on rank 1, c sends to d on rank 0, b sends to nobody who waits.
Recording two_ranks() {
  Builder b("two ranks");
  b.units("CPU", 2, 0).units("CPU", 2, 1);
  const std::uint32_t x = b.handle("halo", 4096), y = b.handle("sum", 8);
  const auto a = b.task("advance", 0, 0, 2, {}, 1, 1e9);
  b.task("advance", 1, 0, 3, {}, 1, 1e9);
  const auto m0 = b.message(1, 2, 3.5, 4096, a, x, 17);
  const auto c = b.task("advance", 2, 4, 7, {m0}, 1, 1e9);
  const auto m1 = b.message(0, 7, 7.5, 8, c, y, 23);
  b.task("reduce", 1, 8, 10, {m1, a}, 2);
  Recording r = b.finish();
  r.clocks.error = 1e-3;
  return r;
}

/// What the browser sees of messages: one of them is hovered, all are hidden and shown.
json expected_messages(const Recording& r, const Metrics& m, std::size_t message) {
  const Message& chosen = r.messages[message];
  json pairs = json::array();
  for (const PairUse& p : m.pairs)
    pairs.push_back({{"pair", fmt::format("{} {}", p.from, p.to)}, {"messages", p.messages}});
  json idle = json::array();
  for (const RankUse& use : m.rank) idle.push_back(use.idle_for_messages);
  return {{"number", r.messages.size()},
          {"index", message},
          {"from", chosen.from},
          {"to", chosen.to},
          {"bytes", chosen.bytes},
          {"start", chosen.start - r.begin},
          {"end", chosen.end - r.begin},
          {"tag", chosen.tag},
          {"handle", chosen.handle == none ? "" : r.handles[chosen.handle].name},
          {"pairs", pairs},
          {"idle", idle}};
}

void expect_messages(const Page& page, const Recording& r) {
  std::vector<double> start, end, bytes, from, to;
  for (const Message& m : r.messages) {
    start.push_back(m.start - r.begin);
    end.push_back(m.end - r.begin);
    bytes.push_back(static_cast<double>(m.bytes));
    from.push_back(m.from);
    to.push_back(m.to);
  }
  expect_times(page.integers("message.start"), start);
  std::vector<double> arrived = page.integers("message.start");
  const std::vector<double> length = page.integers("message.length");
  ASSERT_EQ(length.size(), arrived.size());
  for (std::size_t i = 0; i < arrived.size(); ++i) arrived[i] += length[i];
  expect_times(arrived, end);
  EXPECT_EQ(page.integers("message.bytes"), bytes);
  EXPECT_EQ(page.integers("message.from"), from);
  EXPECT_EQ(page.integers("message.to"), to);
}

TEST_F(PageTest, MessagesBetweenRanks) {
  const Recording r = two_ranks();
  const Metrics m = measure(r);
  const std::vector<View> views{{&r, &m, {}}};
  const std::string text = write("ranks.html", views, "two ranks");
  json e = expected(views, 4, 100);
  e["messages"] = expected_messages(r, m, 0);
  save(folder() / "ranks.json", e);
  expect_equal(Page(text), r);
  expect_messages(Page(text), r);
  EXPECT_EQ(Page(text).integers("message.tag"), (std::vector<double>{17, 23}));
  EXPECT_EQ(Page(text).view()["metrics"]["rank"].size(), 2U);
}

TEST_F(PageTest, HundredThousandMessages) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> real(0, 1);
  Builder b("eight ranks");
  for (std::uint32_t rank = 0; rank < 8; ++rank) b.units("CPU", 4, rank);
  const std::uint32_t halo = b.handle("halo", 1 << 14);
  std::vector<double> free(32, 0.0);
  for (int step = 0; step < 6250; ++step)
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      const std::uint32_t unit = 4 * rank + static_cast<std::uint32_t>(step % 4);
      const double end = free[unit] + 1e-4 + 1e-4 * real(random);
      const auto t = b.task("advance", unit, free[unit], end);
      free[unit] = end;
      for (const std::uint32_t to : {(rank + 1) % 8, (rank + 7) % 8})
        b.message(to, end, end + 1e-5 + 1e-3 * real(random) * real(random), 1 << 14, t, halo, 5);
    }
  const Recording r = b.finish();
  ASSERT_EQ(r.messages.size(), 100000U);
  const Metrics m = measure(r);
  const std::vector<View> views{{&r, &m, {}}};
  const std::string text = write("messages.html", views, "100,000 messages");
  json e = expected(views, 0, 100);
  e["messages"] = expected_messages(r, m, 50000);
  save(folder() / "messages.json", e);
  expect_messages(Page(text), r);
  EXPECT_LT(text.size(), 6U << 20);
}

}  // namespace
}  // namespace asterism::traces
