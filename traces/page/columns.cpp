// SPDX-License-Identifier: Apache-2.0
#include "traces/page/columns.hpp"

#include <bit>
#include <cmath>

namespace asterism::traces::page {

void Columns::append_varint(std::int64_t value) {
  const auto sign = static_cast<std::uint64_t>(value >> 63);
  std::uint64_t rest = ((static_cast<std::uint64_t>(value) << 1) ^ sign) + 1;
  while (rest >= 0x80) {
    data_.push_back(static_cast<char>(rest | 0x80));
    rest >>= 7;
  }
  data_.push_back(static_cast<char>(rest));
}

void Columns::append_double(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) data_.push_back(static_cast<char>(bits >> shift));
}

void Columns::describe(const std::string& name, const char* type, std::size_t count, std::size_t first) {
  description_.push_back(
      {{"name", name}, {"type", type}, {"count", count}, {"at", first}, {"bytes", data_.size() - first}});
}

namespace {

using Value = Columns::Value;

Value index(std::uint32_t i) {
  return i == none ? Value() : Value(i);
}

class Writer {
 public:
  Writer(Columns& columns, const Recording& recording) : c_(columns), r_(recording) {}

  void tasks() {
    const auto& t = r_.tasks;
    const std::size_t n = t.size();
    c_.integers("task.id", Coding::delta, n, [&](std::size_t i) { return static_cast<std::int64_t>(t[i].id); });
    c_.integers("task.submitted", Coding::delta, n, [&](std::size_t i) { return nanoseconds(t[i].submitted); });
    c_.integers("task.start", Coding::delta, n,
                [&](std::size_t i) { return t[i].executed() ? nanoseconds(t[i].start) : Value(); });
    c_.integers("task.length", Coding::plain, n, [&](std::size_t i) {
      return t[i].executed() ? Value(*nanoseconds(t[i].end) - *nanoseconds(t[i].start)) : Value();
    });
    c_.integers("task.unit", Coding::delta, n, [&](std::size_t i) { return index(t[i].unit); });
    c_.integers("task.codelet", Coding::delta, n, [&](std::size_t i) { return index(t[i].codelet); });
    c_.integers("task.rank", Coding::delta, n, [&](std::size_t i) { return Value(t[i].rank); });
    c_.integers("task.footprint", Coding::delta, n, [&](std::size_t i) { return Value(t[i].footprint); });
    c_.integers("task.parameters", Coding::delta, n, [&](std::size_t i) { return index(t[i].parameters); });
    c_.integers("task.priority", Coding::delta, n, [&](std::size_t i) { return Value(t[i].priority); });
    c_.integers("task.iteration", Coding::delta, n, [&](std::size_t i) { return Value(t[i].iteration); });
    c_.doubles("task.flops", n, [&](std::size_t i) { return t[i].flops; });
  }

  void dependencies() {
    // A predecessor is usually submitted shortly before its successor: the distance is short.
    std::size_t task = 0;
    c_.integers("dependency.count", Coding::plain, r_.dependencies.size(),
                [&](std::size_t i) { return static_cast<std::int64_t>(r_.dependencies.count(i)); });
    c_.integers("dependency.back", Coding::plain, r_.dependencies.item.size(), [&](std::size_t i) {
      while (r_.dependencies.offset[task + 1] <= i) ++task;
      return static_cast<std::int64_t>(task) - r_.dependencies.item[i];
    });
    c_.integers("access.count", Coding::plain, r_.accesses.size(),
                [&](std::size_t i) { return static_cast<std::int64_t>(r_.accesses.count(i)); });
    c_.integers("access.handle", Coding::delta, r_.accesses.item.size(),
                [&](std::size_t i) { return index(r_.accesses.item[i].handle); });
    c_.bytes("access.mode", r_.accesses.item.size(), [&](std::size_t i) { return r_.accesses.item[i].mode; });
  }

  /// Spans of a unit touch, so that lengths suffice; only computing spans have a task.
  void spans() {
    std::vector<State> state;
    std::vector<std::int64_t> length;
    std::vector<std::uint32_t> task;
    for (const auto& spans : r_.timeline) {
      for (const Span s : spans) {
        state.push_back(s.state);
        // differences of rounded ends: rounding does not add up
        length.push_back(*nanoseconds(s.end) - *nanoseconds(s.start));
        if (s.state == State::computing) task.push_back(s.task);
      }
    }
    const auto& units = r_.timeline;
    c_.integers("span.count", Coding::plain, units.size(),
                [&](std::size_t u) { return static_cast<std::int64_t>(units[u].size()); });
    c_.integers("span.first", Coding::plain, units.size(),
                [&](std::size_t u) { return units[u].empty() ? Value() : nanoseconds(units[u].front().start); });
    c_.integers("span.length", Coding::plain, length.size(), [&](std::size_t i) { return length[i]; });
    c_.bytes("span.state", state.size(), [&](std::size_t i) { return state[i]; });
    c_.integers("span.task", Coding::delta, task.size(), [&](std::size_t i) { return index(task[i]); });
  }

  void transfers() {
    const auto& t = r_.transfers;
    const std::size_t n = t.size();
    c_.integers("transfer.start", Coding::delta, n, [&](std::size_t i) { return nanoseconds(t[i].start); });
    c_.integers("transfer.length", Coding::plain, n,
                [&](std::size_t i) { return *nanoseconds(t[i].end) - *nanoseconds(t[i].start); });
    c_.integers("transfer.bytes", Coding::plain, n,
                [&](std::size_t i) { return static_cast<std::int64_t>(t[i].bytes); });
    c_.integers("transfer.from", Coding::plain, n, [&](std::size_t i) { return Value(t[i].from); });
    c_.integers("transfer.to", Coding::plain, n, [&](std::size_t i) { return Value(t[i].to); });
  }

  void messages() {
    const auto& m = r_.messages;
    const std::size_t n = m.size();
    c_.integers("message.start", Coding::delta, n, [&](std::size_t i) { return nanoseconds(m[i].start); });
    c_.integers("message.length", Coding::plain, n,
                [&](std::size_t i) { return *nanoseconds(m[i].end) - *nanoseconds(m[i].start); });
    c_.integers("message.bytes", Coding::plain, n,
                [&](std::size_t i) { return static_cast<std::int64_t>(m[i].bytes); });
    c_.integers("message.from", Coding::plain, n, [&](std::size_t i) { return Value(m[i].from); });
    c_.integers("message.to", Coding::plain, n, [&](std::size_t i) { return Value(m[i].to); });
    c_.integers("message.tag", Coding::delta, n, [&](std::size_t i) { return Value(m[i].tag); });
    c_.integers("message.handle", Coding::delta, n, [&](std::size_t i) { return index(m[i].handle); });
  }

  void curve(const std::string& name, const Curve& curve) {
    const auto& p = curve.points();
    c_.integers(name + ".time", Coding::delta, p.size(), [&](std::size_t i) { return nanoseconds(p[i].time); });
    c_.doubles(name + ".value", p.size(), [&](std::size_t i) { return p[i].value; });
  }

  void names() {
    c_.strings("handle.name", r_.handles.size(),
               [&](std::size_t i) -> const std::string& { return r_.handles[i].name; });
    c_.integers("handle.bytes", Coding::plain, r_.handles.size(),
                [&](std::size_t i) { return static_cast<std::int64_t>(r_.handles[i].bytes); });
    c_.strings("text", r_.texts.size(), [&](std::size_t i) -> const std::string& { return r_.texts[i]; });
  }

 private:
  [[nodiscard]] Value nanoseconds(double time) const {
    return std::isfinite(time) ? Value(std::llround((time - r_.begin) * 1e9)) : Value();
  }

  Columns& c_;
  const Recording& r_;
};

}  // namespace

Columns columns_of(const Recording& recording, const std::vector<std::uint32_t>& path) {
  Columns columns;
  Writer writer(columns, recording);
  writer.tasks();
  writer.dependencies();
  writer.spans();
  writer.transfers();
  writer.messages();
  writer.curve("ready", recording.ready);
  writer.curve("submitted", recording.submitted);
  writer.names();
  columns.integers("critical.task", Coding::delta, path.size(), [&](std::size_t i) { return Value(path[i]); });
  return columns;
}

}  // namespace asterism::traces::page
