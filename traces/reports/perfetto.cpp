// SPDX-License-Identifier: Apache-2.0
// Chrome's trace event format, which ui.perfetto.dev and chrome://tracing read: one process per rank, a thread per
// unit, one per link, counters for ready and submitted tasks, flow arrows for dependencies between tasks of different
// units and for messages between ranks.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "io/output_file.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {

namespace {

using nlohmann::json;

/// Writes the events one after the other, by kind.
class PerfettoWriter {
 public:
  PerfettoWriter(std::ostream& out, const View& view) : out_(out), view_(view), r_(*view.recording) {}

  void write() {
    out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    write_units();
    write_transfers();
    write_messages();
    write_curves();
    write_dependencies();
    out_ << "\n]}\n";
  }

 private:
  void emit(const json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, json::error_handler_t::replace);
    first_ = false;
  }
  [[nodiscard]] double microseconds(double t) const { return std::round((t - r_.begin) * 1e9) / 1e3; }

  void write_units() {
    for (std::uint32_t rank = 0; rank < r_.ranks; ++rank)
      emit({{"ph", "M"},
            {"name", "process_name"},
            {"pid", rank},
            {"args", {{"name", r_.ranks > 1 ? fmt::format("rank {}", rank) : r_.name}}}});
    for (std::size_t u = 0; u < r_.units.size(); ++u) {
      emit({{"ph", "M"},
            {"name", "thread_name"},
            {"pid", r_.units[u].rank},
            {"tid", u},
            {"args", {{"name", r_.units[u].name}}}});
      emit({{"ph", "M"},
            {"name", "thread_sort_index"},
            {"pid", r_.units[u].rank},
            {"tid", u},
            {"args", {{"sort_index", u}}}});
      for (const Span s : r_.timeline[u]) {
        json event = {{"ph", "X"},
                      {"pid", r_.units[u].rank},
                      {"tid", u},
                      {"ts", microseconds(s.start)},
                      {"dur", std::max(0.0, microseconds(s.end) - microseconds(s.start))}};
        if (s.state == State::idle) continue;
        if (s.task == none) {
          event["name"] = state_names[static_cast<std::size_t>(s.state)];
          event["cat"] = "state";
        } else {
          const Task& t = r_.tasks[s.task];
          event["name"] = r_.codelet_name(t);
          event["cat"] = "task";
          json args = {{"job", t.id}, {"priority", t.priority}, {"footprint", fmt::format("{:08x}", t.footprint)}};
          if (t.iteration >= 0) args["iteration"] = t.iteration;
          if (t.flops > 0) args["flops"] = t.flops;
          if (std::isfinite(t.submitted)) args["submitted_us"] = microseconds(t.submitted);
          if (t.parameters != none) args["parameters"] = r_.texts[t.parameters];
          event["args"] = std::move(args);
        }
        emit(event);
      }
    }
  }
  void write_transfers() {
    for (const LinkUse& l : view_.metrics->links) {
      const std::size_t tid = 100000 + l.from * 1000 + l.to;
      emit({{"ph", "M"},
            {"name", "thread_name"},
            {"pid", r_.nodes[l.from].rank},
            {"tid", tid},
            {"args", {{"name", r_.nodes[l.from].name + " -> " + r_.nodes[l.to].name}}}});
    }
    // Transfers overlap on a link: asynchronous events may.
    std::uint64_t id = 0;
    for (const Transfer& t : r_.transfers) {
      const std::size_t tid = 100000 + t.from * 1000 + t.to;
      const std::string name = t.handle != none ? r_.handles[t.handle].name : "transfer";
      const json common = {
          {"cat", "transfer"}, {"pid", r_.nodes[t.from].rank}, {"tid", tid}, {"id", ++id}, {"name", name}};
      json begin = common;
      begin["ph"] = "b";
      begin["ts"] = microseconds(t.start);
      begin["args"] = {{"bytes", t.bytes}, {"from", r_.nodes[t.from].name}, {"to", r_.nodes[t.to].name}};
      json end = common;
      end["ph"] = "e";
      end["ts"] = microseconds(t.end);
      emit(begin);
      emit(end);
    }
  }
  void write_messages() {
    // Messages on a track of their sender, with an arrow to one of the receiver.
    constexpr std::size_t sending = 90000;
    constexpr std::size_t receiving = 90001;
    for (std::uint32_t rank = 0; rank < r_.ranks && !r_.messages.empty(); ++rank)
      for (const auto& [tid, name] : {std::pair{sending, "messages sent"}, {receiving, "messages received"}})
        emit({{"ph", "M"}, {"name", "thread_name"}, {"pid", rank}, {"tid", tid}, {"args", {{"name", name}}}});
    std::uint64_t message_id = 0;
    for (const Message& m : r_.messages) {
      ++message_id;
      const json args = {{"bytes", m.bytes}, {"from", m.from},         {"to", m.to},
                         {"tag", m.tag},     {"priority", m.priority}, {"seconds", m.end - m.start}};
      const std::string name = m.handle != none ? r_.handles[m.handle].name : "message";
      const json begin = {{"name", name},
                          {"cat", "message"},
                          {"id", fmt::format("message {}", message_id)},
                          {"pid", m.from},
                          {"tid", sending}};
      json event = begin;
      event["ph"] = "b";
      event["ts"] = microseconds(m.start);
      event["args"] = args;
      emit(event);
      event = begin;
      event["ph"] = "e";
      event["ts"] = microseconds(m.end);
      emit(event);
      // arrows join slices, which the asynchronous events above are not
      for (const auto& [rank, tid, time] : {std::tuple{m.from, sending, m.start}, {m.to, receiving, m.end}})
        emit({{"ph", "X"},
              {"name", name},
              {"cat", "message"},
              {"pid", rank},
              {"tid", tid},
              {"ts", microseconds(time)},
              {"dur", 0.001},
              {"args", args}});
      const json flow = {{"name", "message"}, {"cat", "message"}, {"id", fmt::format("message {}", message_id)}};
      json arrow = flow;
      arrow.update({{"ph", "s"}, {"pid", m.from}, {"tid", sending}, {"ts", microseconds(m.start)}});
      emit(arrow);
      arrow = flow;
      arrow.update({{"ph", "f"}, {"bp", "e"}, {"pid", m.to}, {"tid", receiving}, {"ts", microseconds(m.end)}});
      emit(arrow);
    }
  }
  void write_curves() {
    for (const auto& [name, curve] : {std::pair{"ready tasks", &r_.ready}, {"submitted tasks", &r_.submitted}})
      for (const Curve::Point& p : curve->points())
        if (p.time >= r_.begin && p.time <= r_.end)
          emit({{"ph", "C"}, {"name", name}, {"pid", 0}, {"ts", microseconds(p.time)}, {"args", {{"tasks", p.value}}}});
  }
  void write_dependencies() {
    std::uint64_t flow = 0;
    for (std::size_t t = 0; t < r_.tasks.size(); ++t) {
      const Task& task = r_.tasks[t];
      if (!task.executed()) continue;
      for (const std::uint32_t p : r_.predecessors(t)) {
        const Task& before = r_.tasks[p];
        if (!before.executed() || before.unit == task.unit) continue;
        ++flow;
        emit({{"ph", "s"},
              {"name", "dependency"},
              {"cat", "dependency"},
              {"id", flow},
              {"pid", before.rank},
              {"tid", before.unit},
              {"ts", microseconds(before.end) - 0.001}});
        emit({{"ph", "f"},
              {"bp", "e"},
              {"name", "dependency"},
              {"cat", "dependency"},
              {"id", flow},
              {"pid", task.rank},
              {"tid", task.unit},
              {"ts", microseconds(task.start)}});
      }
    }
  }

  std::ostream& out_;
  const View& view_;
  const Recording& r_;
  bool first_ = true;
};

}  // namespace

void write_perfetto(const std::filesystem::path& path, const View& view) {
  OutputFile file(path);
  PerfettoWriter(file.stream(), view).write();
  file.commit();
}

}  // namespace asterism::traces
