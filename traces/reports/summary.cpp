// SPDX-License-Identifier: Apache-2.0
// JSON and CSV: the same quantities as the table, in SI units.
#include <fmt/format.h>

#include <cmath>

#include "io/output_file.hpp"
#include "traces/reports/pairs_json.hpp"
#include "traces/reports/report.hpp"

namespace asterism::traces {

namespace {

using nlohmann::json;

json shares_json(const Recording& r, const Shares& s) {
  json record;
  for (std::size_t i = 0; i < state_count; ++i) record[state_names[i]] = s.state[i];
  json codelets = json::object();
  for (std::size_t c = 0; c < s.codelet.size(); ++c)
    if (s.codelet[c] > 0) codelets[r.codelets[c].name] = s.codelet[c];
  record["codelets"] = codelets;
  return record;
}

json ranks_json(const Recording& r, const Metrics& m) {
  json list = json::array();
  for (std::size_t rank = 0; rank < m.rank.size(); ++rank) {
    const RankUse& use = m.rank[rank];
    json of_rank = shares_json(r, use.shares);
    of_rank["rank"] = rank;
    of_rank["units"] = use.units;
    of_rank["tasks"] = use.tasks;
    of_rank["flops"] = use.flops;
    of_rank["messages_sent"] = use.messages_sent;
    of_rank["messages_received"] = use.messages_received;
    of_rank["bytes_sent"] = use.bytes_sent;
    of_rank["bytes_received"] = use.bytes_received;
    of_rank["idle_for_messages"] = use.idle_for_messages;
    of_rank["clock_shift"] = rank < r.clocks.shift.size() ? r.clocks.shift[rank] : 0.0;
    list.push_back(std::move(of_rank));
  }
  return list;
}

/// Columns: an entry per message, times from the recording's begin. Pairs of ranks beside them.
json messages_json(const Recording& r, const Metrics& m) {
  json columns = {{"from", json::array()},  {"to", json::array()},  {"start", json::array()},  {"end", json::array()},
                  {"bytes", json::array()}, {"tag", json::array()}, {"handle", json::array()}, {"kind", json::array()}};
  for (const Message& message : r.messages) {
    columns["from"].push_back(message.from);
    columns["to"].push_back(message.to);
    columns["start"].push_back(message.start - r.begin);
    columns["end"].push_back(message.end - r.begin);
    columns["bytes"].push_back(message.bytes);
    columns["tag"].push_back(message.tag);
    columns["handle"].push_back(message.handle == none ? "" : r.handles[message.handle].name);
    columns["kind"].push_back(message.kind == MessageKind::collective ? "collective" : "point to point");
  }
  return {{"number", r.messages.size()},
          {"bytes", m.bytes_sent},
          {"lost", r.lost_messages},
          {"pairs", pairs_json(m.pairs)},
          {"columns", std::move(columns)}};
}

json clocks_json(const Clocks& c) {
  return {{"alignment", alignment_names[static_cast<std::size_t>(c.alignment)]},
          {"error", std::isfinite(c.error) ? json(c.error) : json()},
          {"early_by_barriers", c.early},
          {"earliest_by_barriers", c.earliest},
          {"early", c.still_early}};
}

}  // namespace

json summary(const View& view) {
  const Recording& r = *view.recording;
  const Metrics& m = *view.metrics;
  json out;
  out["name"] = r.name;
  out["makespan"] = m.makespan;
  out["tasks"] = m.tasks;
  out["flops"] = m.flops;
  out["bytes_moved"] = m.bytes_moved;
  out["ranks"] = r.ranks;
  out["states_recorded"] = r.has_states;
  if (r.ranks > 1) {
    out["of_ranks"] = ranks_json(r, m);
    out["messages"] = messages_json(r, m);
    out["clocks"] = clocks_json(r.clocks);
  }
  out["units"] = json::array();
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    json unit = shares_json(r, m.unit[u]);
    unit["name"] = r.units[u].name;
    unit["kind"] = r.kinds[r.units[u].kind].name;
    unit["memory"] = r.nodes[r.units[u].node].name;
    out["units"].push_back(std::move(unit));
  }
  out["kinds"] = json::array();
  for (std::size_t k = 0; k < r.kinds.size(); ++k) {
    json kind = shares_json(r, m.kind[k]);
    kind["name"] = r.kinds[k].name;
    kind["units"] = r.units_of(static_cast<std::uint32_t>(k));
    out["kinds"].push_back(std::move(kind));
  }
  out["all"] = shares_json(r, m.all);
  out["links"] = json::array();
  for (const LinkUse& l : m.links)
    out["links"].push_back({{"from", r.nodes[l.from].name},
                            {"to", r.nodes[l.to].name},
                            {"transfers", l.transfers},
                            {"bytes", l.bytes},
                            {"busy", l.busy},
                            {"bandwidth", l.bandwidth},
                            {"overlap", l.overlap}});
  out["codelets"] = json::array();
  for (const CodeletUse& c : m.codelets) {
    json use = {{"codelet", r.codelets[c.codelet].name},
                {"kind", r.kinds[c.kind].name},
                {"count", c.count},
                {"total", c.total},
                {"mean", c.mean},
                {"median", c.median},
                {"quartile1", c.quartile1},
                {"quartile3", c.quartile3},
                {"minimum", c.minimum},
                {"maximum", c.maximum},
                {"deviation", c.deviation},
                {"of_fastest", c.of_fastest}};
    if (c.rate > 0) {
      use["rate"] = c.rate;
      use["best_rate"] = c.best_rate;
    }
    out["codelets"].push_back(std::move(use));
  }
  if (r.has_dependencies) {
    json path = json::array();
    for (const std::uint32_t t : m.critical_path.tasks) path.push_back(r.tasks[t].id);
    out["critical_path"] = {{"length", m.critical_path.length}, {"jobs", std::move(path)}};
  }
  if (!m.iterations.number.empty())
    out["iterations"] = {{"number", m.iterations.number},
                         {"seconds", m.iterations.seconds},
                         {"median", m.iterations.median},
                         {"quartile1", m.iterations.quartile1},
                         {"quartile3", m.iterations.quartile3}};
  if (view.energy) {
    json& energy = out["energy"] = {{"joules", view.energy->joules()}, {"unknown", view.energy->unknown}};
    energy["kinds"] = json::array();
    for (const KindEnergy& kind : view.energy->kinds)
      energy["kinds"].push_back({{"kind", r.kinds[kind.kind].name}, {"busy", kind.busy}, {"idle", kind.idle}});
  }
  out["bounds"] = json::array();
  for (const BoundLine& b : view.bounds)
    out["bounds"].push_back(
        {{"name", b.name}, {"seconds", b.seconds}, {"of_makespan", m.makespan > 0 ? b.seconds / m.makespan : 0}});
  return out;
}

void write_csv(const std::filesystem::path& path, const std::vector<View>& views) {
  OutputFile file(path);
  std::ostream& out = file.stream();
  const auto quoted = [](const std::string& s) {
    std::string q = "\"";
    for (const char c : s) {
      if (c == '"') q += '"';
      q += c;
    }
    return q + "\"";
  };
  out << "recording,table,subject,kind,quantity,value,unit\n";
  for (const View& view : views) {
    const Recording& r = *view.recording;
    const Metrics& m = *view.metrics;
    const auto line = [&](const char* table, const std::string& subject, const std::string& kind,
                          const std::string& quantity, double value, const char* unit) {
      out << quoted(r.name) << ',' << table << ',' << quoted(subject) << ',' << quoted(kind) << ',' << quoted(quantity)
          << ',' << fmt::format("{:.9g}", value) << ',' << unit << '\n';
    };
    line("run", "", "", "makespan", m.makespan, "s");
    line("run", "", "", "tasks", static_cast<double>(m.tasks), "1");
    line("run", "", "", "flops", m.flops, "flop");
    line("run", "", "", "bytes moved", static_cast<double>(m.bytes_moved), "B");
    if (view.energy) line("run", "", "", "energy", view.energy->joules(), "J");
    if (r.has_dependencies) line("run", "", "", "critical path", m.critical_path.length, "s");
    for (const BoundLine& b : view.bounds) line("bound", b.name, "", "lower bound", b.seconds, "s");
    const auto shares = [&](const char* table, const std::string& subject, const std::string& kind, const Shares& s) {
      for (std::size_t i = 0; i < state_count; ++i) line(table, subject, kind, state_names[i], s.state[i], "1");
      for (std::size_t c = 0; c < s.codelet.size(); ++c)
        if (s.codelet[c] > 0) line(table, subject, kind, "computing " + r.codelets[c].name, s.codelet[c], "1");
    };
    for (std::size_t u = 0; u < r.units.size(); ++u)
      shares("unit", r.units[u].name, r.kinds[r.units[u].kind].name, m.unit[u]);
    for (std::size_t k = 0; k < r.kinds.size(); ++k) shares("kind", r.kinds[k].name, r.kinds[k].name, m.kind[k]);
    for (const LinkUse& l : m.links) {
      const std::string name = r.nodes[l.from].name + " -> " + r.nodes[l.to].name;
      line("link", name, "", "transfers", static_cast<double>(l.transfers), "1");
      line("link", name, "", "volume", static_cast<double>(l.bytes), "B");
      line("link", name, "", "busy", l.busy, "s");
      line("link", name, "", "bandwidth", l.bandwidth, "B/s");
      line("link", name, "", "overlap", l.overlap, "1");
    }
    for (std::size_t rank = 0; rank < m.rank.size(); ++rank) {
      const RankUse& use = m.rank[rank];
      const std::string name = std::to_string(rank);
      shares("rank", name, "", use.shares);
      line("rank", name, "", "tasks", static_cast<double>(use.tasks), "1");
      line("rank", name, "", "messages sent", static_cast<double>(use.messages_sent), "1");
      line("rank", name, "", "messages received", static_cast<double>(use.messages_received), "1");
      line("rank", name, "", "volume sent", static_cast<double>(use.bytes_sent), "B");
      line("rank", name, "", "volume received", static_cast<double>(use.bytes_received), "B");
      line("rank", name, "", "idle for messages", use.idle_for_messages, "s");
    }
    for (const PairUse& p : m.pairs) {
      const std::string name = fmt::format("{} -> {}", p.from, p.to);
      line("messages", name, "", "number", static_cast<double>(p.messages), "1");
      line("messages", name, "", "volume", static_cast<double>(p.bytes), "B");
      line("messages", name, "", "shortest", p.shortest, "s");
      line("messages", name, "", "median", p.median, "s");
      line("messages", name, "", "busy", p.busy, "s");
      line("messages", name, "", "bandwidth", p.bandwidth, "B/s");
    }
    for (const CodeletUse& c : m.codelets) {
      const std::string& name = r.codelets[c.codelet].name;
      const std::string& kind = r.kinds[c.kind].name;
      line("codelet", name, kind, "count", static_cast<double>(c.count), "1");
      for (const auto& [what, value] : {std::pair{"total", c.total},
                                        {"mean", c.mean},
                                        {"median", c.median},
                                        {"quartile1", c.quartile1},
                                        {"quartile3", c.quartile3},
                                        {"minimum", c.minimum},
                                        {"maximum", c.maximum},
                                        {"deviation", c.deviation}})
        line("codelet", name, kind, what, value, "s");
      if (c.rate > 0) line("codelet", name, kind, "rate", c.rate, "flop/s");
      if (c.best_rate > 0) line("codelet", name, kind, "best rate", c.best_rate, "flop/s");
      line("codelet", name, kind, "of fastest", c.of_fastest, "1");
    }
    for (std::size_t i = 0; i < m.iterations.number.size(); ++i)
      line("iteration", std::to_string(m.iterations.number[i]), "", "time", m.iterations.seconds[i], "s");
  }
  file.commit();
}

}  // namespace asterism::traces
