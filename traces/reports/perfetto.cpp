// Chrome's trace event format, which ui.perfetto.dev and chrome://tracing read: one process per rank, a thread per
// unit, one per link, counters for ready and submitted tasks, flow arrows for dependencies between tasks of different
// units and for messages between ranks.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "io/output_file.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {

void write_perfetto(const std::filesystem::path& path, const View& view) {
  using nlohmann::json;
  const Recording& r = *view.recording;
  OutputFile file(path);
  std::ostream& out = file.stream();
  out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  bool first = true;
  const auto emit = [&](const json& event) {
    out << (first ? "\n" : ",\n") << event.dump(-1, ' ', false, json::error_handler_t::replace);
    first = false;
  };
  const auto microseconds = [&](double t) { return std::round((t - r.begin) * 1e9) / 1e3; };

  for (std::uint32_t rank = 0; rank < r.ranks; ++rank)
    emit({{"ph", "M"},
          {"name", "process_name"},
          {"pid", rank},
          {"args", {{"name", r.ranks > 1 ? fmt::format("rank {}", rank) : r.name}}}});
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    emit({{"ph", "M"},
          {"name", "thread_name"},
          {"pid", r.units[u].rank},
          {"tid", u},
          {"args", {{"name", r.units[u].name}}}});
    emit({{"ph", "M"},
          {"name", "thread_sort_index"},
          {"pid", r.units[u].rank},
          {"tid", u},
          {"args", {{"sort_index", u}}}});
    for (const Span s : r.timeline[u]) {
      json event = {{"ph", "X"},
                    {"pid", r.units[u].rank},
                    {"tid", u},
                    {"ts", microseconds(s.start)},
                    {"dur", std::max(0.0, microseconds(s.end) - microseconds(s.start))}};
      if (s.state == State::idle) continue;
      if (s.task == none) {
        event["name"] = state_names[static_cast<std::size_t>(s.state)];
        event["cat"] = "state";
      } else {
        const Task& t = r.tasks[s.task];
        event["name"] = r.codelet_name(t);
        event["cat"] = "task";
        json args = {{"job", t.id}, {"priority", t.priority}, {"footprint", fmt::format("{:08x}", t.footprint)}};
        if (t.iteration >= 0) args["iteration"] = t.iteration;
        if (t.flops > 0) args["flops"] = t.flops;
        if (std::isfinite(t.submitted)) args["submitted_us"] = microseconds(t.submitted);
        if (t.parameters != none) args["parameters"] = r.texts[t.parameters];
        event["args"] = std::move(args);
      }
      emit(event);
    }
  }
  for (const LinkUse& l : view.metrics->links) {
    const std::size_t tid = 100000 + l.from * 1000 + l.to;
    emit({{"ph", "M"},
          {"name", "thread_name"},
          {"pid", r.nodes[l.from].rank},
          {"tid", tid},
          {"args", {{"name", r.nodes[l.from].name + " -> " + r.nodes[l.to].name}}}});
  }
  // Transfers overlap on a link: asynchronous events may.
  std::uint64_t id = 0;
  for (const Transfer& t : r.transfers) {
    const std::size_t tid = 100000 + t.from * 1000 + t.to;
    const std::string name = t.handle != none ? r.handles[t.handle].name : "transfer";
    const json common = {
        {"cat", "transfer"}, {"pid", r.nodes[t.from].rank}, {"tid", tid}, {"id", ++id}, {"name", name}};
    json begin = common;
    begin["ph"] = "b";
    begin["ts"] = microseconds(t.start);
    begin["args"] = {{"bytes", t.bytes}, {"from", r.nodes[t.from].name}, {"to", r.nodes[t.to].name}};
    json end = common;
    end["ph"] = "e";
    end["ts"] = microseconds(t.end);
    emit(begin);
    emit(end);
  }
  // Messages on a track of their sender, with an arrow to one of the receiver.
  constexpr std::size_t sending = 90000;
  constexpr std::size_t receiving = 90001;
  for (std::uint32_t rank = 0; rank < r.ranks && !r.messages.empty(); ++rank)
    for (const auto& [tid, name] : {std::pair{sending, "messages sent"}, {receiving, "messages received"}})
      emit({{"ph", "M"}, {"name", "thread_name"}, {"pid", rank}, {"tid", tid}, {"args", {{"name", name}}}});
  std::uint64_t message_id = 0;
  for (const Message& m : r.messages) {
    ++message_id;
    const json args = {{"bytes", m.bytes}, {"from", m.from},         {"to", m.to},
                       {"tag", m.tag},     {"priority", m.priority}, {"seconds", m.end - m.start}};
    const std::string name = m.handle != none ? r.handles[m.handle].name : "message";
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
  for (const auto& [name, curve] : {std::pair{"ready tasks", &r.ready}, {"submitted tasks", &r.submitted}})
    for (const Curve::Point& p : curve->points())
      if (p.time >= r.begin && p.time <= r.end)
        emit({{"ph", "C"}, {"name", name}, {"pid", 0}, {"ts", microseconds(p.time)}, {"args", {{"tasks", p.value}}}});
  std::uint64_t flow = 0;
  for (std::size_t t = 0; t < r.tasks.size(); ++t) {
    const Task& task = r.tasks[t];
    if (!task.executed()) continue;
    for (const std::uint32_t p : r.predecessors(t)) {
      const Task& before = r.tasks[p];
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
  out << "\n]}\n";
  file.commit();
}

}  // namespace asterism::traces
