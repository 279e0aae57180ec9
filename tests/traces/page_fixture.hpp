// SPDX-License-Identifier: Apache-2.0
// What tests of the HTML report compare a page with, and the folder where pages stay for page_in_browser.mjs.
#pragma once

#include <gtest/gtest.h>

#include "tests/traces/page_reader.hpp"
#include "traces/dag.hpp"
#include "traces/metrics.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {

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

inline void expect_times(const std::vector<double>& nanoseconds, const std::vector<double>& seconds) {
  ASSERT_EQ(nanoseconds.size(), seconds.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (std::isnan(seconds[i]) != std::isnan(nanoseconds[i])) ++wrong;
    if (!std::isnan(seconds[i]) && std::abs(nanoseconds[i] - seconds[i] * 1e9) > 0.51) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

inline void expect_equal(const Page& page, const Recording& r) {
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
inline json expected(const std::vector<View>& views, std::size_t task, double median_frame_ms) {
  json out = {{"views", json::array()}, {"median_frame_ms", median_frame_ms}};
  for (const View& v : views) {
    json units = json::array(), bounds = json::array(), findings = json::array();
    for (std::size_t u = 0; u < v.recording->units.size(); ++u)
      units.push_back({{"name", v.recording->units[u].name}, {"shares", v.metrics->unit[u].state}});
    for (const BoundLine& b : v.bounds) bounds.push_back({{"name", b.name}, {"seconds", b.seconds}});
    for (const Finding& f : v.findings)
      findings.push_back({{"what", f.what},
                          {"try", f.advice},
                          {"begin", f.begin - v.recording->begin},
                          {"end", f.end - v.recording->begin},
                          {"task", f.tasks.empty() ? json() : json(f.tasks[0])}});
    out["views"].push_back({{"name", v.recording->name},
                            {"makespan", v.metrics->makespan},
                            {"tasks", v.metrics->tasks},
                            {"units", units},
                            {"bounds", bounds},
                            {"findings", findings},
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

inline void save(const fs::path& path, const json& value) {
  std::ofstream(path) << value.dump(1, ' ', true, json::error_handler_t::replace);
}

}  // namespace asterism::traces
