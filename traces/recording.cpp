// SPDX-License-Identifier: Apache-2.0
#include "traces/recording.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace asterism::traces {

void Curve::add(double time, double value) {
  if (!points_.empty() && time - points_.back().time < resolution_) {
    points_.back().value = std::max(points_.back().value, value);
    return;
  }
  points_.push_back({time, value});
  if (points_.size() < 2 * limit) return;
  resolution_ = std::max(2 * resolution_, (points_.back().time - points_.front().time) / static_cast<double>(limit));
  std::vector<Point> merged;
  merged.reserve(limit);
  for (const Point& p : points_) {
    if (!merged.empty() && p.time - merged.back().time < resolution_)
      merged.back().value = std::max(merged.back().value, p.value);
    else
      merged.push_back(p);
  }
  points_ = std::move(merged);
}

const std::string& Recording::codelet_name(const Task& task) const {
  static const std::string unnamed = "(no codelet)";
  return task.codelet == none ? unnamed : codelets[task.codelet].name;
}

const std::string& Recording::kind_name(const Task& task) const {
  static const std::string nobody = "(no unit)";
  return task.unit == none ? nobody : kinds[units[task.unit].kind].name;
}

std::size_t Recording::units_of(std::uint32_t kind) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(units.begin(), units.end(), [&](const Unit& u) { return u.kind == kind; }));
}

Window Window::parse(const std::string& text) {
  if (text == "auto") return {};
  if (text == "all") return {Part::everything};
  if (text == "iterations") return {Part::iterations};
  Window window{Part::interval};
  const char* const last = text.data() + text.size();
  const auto first = std::from_chars(text.data(), last, window.begin);
  if (first.ec == std::errc() && first.ptr != last && *first.ptr == ':') {
    const auto second = std::from_chars(first.ptr + 1, last, window.end);
    if (second.ec == std::errc() && second.ptr == last && window.begin >= 0 && window.end > window.begin) return window;
  }
  bad_input("window '{}': expected auto, all, iterations, or BEGIN:END in seconds with 0 <= BEGIN < END", text);
}

namespace {

/// The interval a window stands for; nothing when the whole recording is meant.
std::optional<std::pair<double, double>> interval(const Recording& r, const Window& window) {
  switch (window.part) {
    case Window::Part::everything:
      return std::nullopt;
    case Window::Part::interval:
      return std::pair{r.begin + window.begin, r.begin + window.end};
    case Window::Part::iterations: {
      double begin = INFINITY;
      double end = -INFINITY;
      for (const Task& t : r.tasks) {
        if (!t.executed() || t.iteration < 0) continue;
        begin = std::min(begin, t.start);
        end = std::max(end, t.end);
      }
      if (end < begin) bad_input("{}: window iterations: no task has an iteration number", r.name);
      return std::pair{begin, end};
    }
    case Window::Part::automatic:
      break;
  }
  // of each rank the last of them: what comes before prepares it
  constexpr std::string_view opening = "begin ";
  std::optional<std::pair<double, double>> found;
  for (std::uint32_t rank = 0; rank < r.ranks; ++rank) {
    const auto of_rank = [&]() -> std::optional<std::pair<double, double>> {
      for (std::size_t i = r.markers.size(); i-- > 0;) {
        if (r.markers[i].rank != rank || !r.markers[i].text.starts_with(opening)) continue;
        const std::string closing = "end " + r.markers[i].text.substr(opening.size());
        for (std::size_t j = i + 1; j < r.markers.size(); ++j)
          if (r.markers[j].rank == rank && r.markers[j].text == closing)
            return std::pair{r.markers[i].time, r.markers[j].time};
      }
      return std::nullopt;
    }();
    if (!of_rank) continue;
    if (!found) found = of_rank;
    found = std::pair{std::min(found->first, of_rank->first), std::max(found->second, of_rank->second)};
  }
  return found;
}

void cut(Curve& curve, double begin, double end) {
  std::vector<Curve::Point> kept;
  double before = 0;
  for (const Curve::Point& p : curve.points()) {
    if (p.time < begin) {
      before = p.value;
      continue;
    }
    if (kept.empty() && p.time > begin) kept.push_back({begin, before});
    if (p.time > end) break;
    kept.push_back(p);
  }
  if (kept.empty() && !curve.points().empty()) kept.push_back({begin, before});
  curve.points() = std::move(kept);
}

}  // namespace

Recording restrict_to(Recording r, const Window& window) {
  const auto asked = interval(r, window);
  if (!asked) return r;
  const auto begin = asked->first;
  const auto end = asked->second;
  const auto inside = [&](const Task& t) { return t.start >= begin && t.end <= end; };

  // Tasks kept, and their new numbers.
  std::vector<std::uint32_t> number(r.tasks.size(), none);
  std::vector<Task> tasks;
  Lists<std::uint32_t> dependencies;
  Lists<Access> accesses;
  std::size_t executed = 0;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    if (r.tasks[i].executed() && !inside(r.tasks[i])) continue;
    number[i] = static_cast<std::uint32_t>(tasks.size());
    executed += r.tasks[i].executed();
    tasks.push_back(r.tasks[i]);
  }
  if (executed == 0)
    bad_input("{}: no task between {:.6f} s and {:.6f} s after the first task's start", r.name, begin - r.begin,
              end - r.begin);
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    if (number[i] == none) continue;
    for (const std::uint32_t d : r.predecessors(i))
      if (number[d] != none) dependencies.item.push_back(number[d]);
    dependencies.close();
    const auto data = r.data(i);
    accesses.item.insert(accesses.item.end(), data.begin(), data.end());
    accesses.close();
  }
  r.tasks = std::move(tasks);
  r.dependencies = std::move(dependencies);
  r.accesses = std::move(accesses);

  for (auto& spans : r.timeline) {
    Timeline kept;
    for (Span s : spans) {
      s.start = std::max(s.start, begin);
      s.end = std::min(s.end, end);
      if (s.task != none) s.task = number[s.task];  // a task across the window's edge still occupies its unit
      kept.append(s);
    }
    spans = std::move(kept);
  }
  std::erase_if(r.transfers, [&](const Transfer& t) { return t.end <= begin || t.start >= end; });
  for (Transfer& t : r.transfers) {
    // the volume in proportion, so that bandwidths stay true
    const double whole = t.end - t.start;
    const double start = std::max(t.start, begin);
    const double stop = std::min(t.end, end);
    if (whole > 0) t.bytes = static_cast<std::uint64_t>(static_cast<double>(t.bytes) * (stop - start) / whole + 0.5);
    t.start = start;
    t.end = stop;
  }
  std::erase_if(r.messages, [&](const Message& m) { return m.start < begin || m.end > end; });
  for (Message& m : r.messages)
    for (std::uint32_t* const node : {&m.sent_after, &m.releases})
      if (*node != none) *node = number[*node];
  cut(r.ready, begin, end);
  cut(r.submitted, begin, end);
  r.begin = begin;
  r.end = end;
  return r;
}

}  // namespace asterism::traces
