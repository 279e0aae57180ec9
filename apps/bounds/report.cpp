// SPDX-License-Identifier: Apache-2.0
#include "apps/bounds/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "io/output_file.hpp"

namespace asterism::apps::bounds {
namespace {

using namespace asterism::bounds;
using nlohmann::json;

struct Row {
  const char* name;
  const char* key;
  double seconds;
};

std::vector<Row> rows(const Bounds& b) {
  std::vector<Row> list{{"LP", "lp", b.area.solution.seconds},
                        {"LP where tasks fit", "lp_fit", b.fitting},
                        {"LP~", "lp_best_rates", b.best_rates.solution.seconds}};
  if (b.links) list.push_back({"LP with links", "lp_links", b.links->solution.seconds});
  if (b.critical_path) list.push_back({"critical path", "critical_path", b.critical_path->length});
  if (b.windows) list.push_back({"windows", "windows", b.windows->seconds});
  if (b.nodes) {
    list.push_back({"LP per node", "lp_nodes", b.nodes->area});
    list.push_back({"LP/node, tasks fit", "lp_nodes_fit", b.nodes->fitting});
    list.push_back({"LP~ per node", "lp_nodes_best_rates", b.nodes->best_rates});
    if (b.nodes->network) {
      list.push_back({"network", "network", b.nodes->network_seconds});
      if (b.critical_path)
        list.push_back({"path with messages", "critical_path_messages", b.nodes->path_with_messages});
    }
  }
  list.push_back({"largest of them", "best", b.best});
  if (b.milp) list.push_back({"MILP", "milp", *b.milp});
  return list;
}

/// LP's assignment, per codelet.
struct Assignment {
  std::string codelet;
  double tasks = 0;
  double work = 0;               ///< seconds of unit time in LP's solution, for sorting
  std::vector<double> share;     ///< per kind: of the codelet's tasks, LP
  std::vector<double> recorded;  ///< per kind: the same in the recorded run
};

std::vector<Assignment> assignments(const Report& report) {
  const Bounds& b = *report.bounds;
  std::map<std::string, Assignment> by_name;
  for (std::size_t c = 0; c < b.classes.size(); ++c) {
    Assignment& a = by_name[b.classes[c].codelet];
    a.codelet = b.classes[c].codelet;
    a.share.resize(b.kinds.size());
    a.recorded.resize(b.kinds.size());
    a.tasks += static_cast<double>(b.classes[c].tasks);
    for (std::size_t k = 0; k < b.kinds.size(); ++k) {
      const double tasks = b.area.solution.tasks[c][k];
      a.share[k] += tasks;
      if (tasks > 0) a.work += tasks * b.area.problem.classes[c].seconds[k];
      for (std::size_t j = 0; j < report.recording->kinds.size(); ++j)
        if (report.recording->kinds[j].name == b.kinds[k].name)
          a.recorded[k] += static_cast<double>(b.classes[c].ran[j]);
    }
  }
  std::vector<Assignment> list;
  for (auto& [name, a] : by_name) {
    for (double& s : a.share) s /= a.tasks;
    for (double& s : a.recorded) s /= a.tasks;
    list.push_back(std::move(a));
  }
  std::stable_sort(list.begin(), list.end(), [](const Assignment& x, const Assignment& y) { return x.work > y.work; });
  return list;
}

/// What each bound over nodes takes for granted, and each node's own.
void write_nodes(std::back_insert_iterator<std::string> out, const Bounds& b) {
  const NodeBounds& n = *b.nodes;
  fmt::format_to(out, "\n  {:<6} {:<24} {:>9} {:>14} {:>12} {:>14} {:>14} {:>14}\n", "rank", "units", "tasks", "LP",
                 "of largest", "LP~", "bytes sent", "received");
  for (std::size_t rank = 0; rank < n.rank.size(); ++rank) {
    const NodeBound& node = n.rank[rank];
    std::vector<std::string> units;
    for (const UnitKind& kind : node.kinds) units.push_back(fmt::format("{} {}", kind.units, kind.name));
    fmt::format_to(out, "  {:<6} {:<24} {:>9} {:>14.6g} {:>10.1f} % {:>14.6g} {:>14} {:>14}\n", rank,
                   fmt::format("{}", fmt::join(units, ", ")), node.tasks, node.area,
                   n.area > 0 ? 100 * node.area / n.area : 0, node.best_rates, node.volume.sent, node.volume.received);
  }
  fmt::format_to(out, "\n  imbalance of the distribution {:.4f} = LP per node / LP\n", n.imbalance);
  const auto assumed = [&](const char* bound, const std::string& text) {
    fmt::format_to(out, "  {:<25}  {}\n", bound, text);
  };
  assumed("LP, LP~", "every task on any unit of any node, as fast as on its own, cut at will");
  assumed("LP per node, LP~ per node", "every task on a unit of the rank that ran it (owner computes)");
  if (b.critical_path)
    assumed("critical path",
            fmt::format("after tasks whose data they read, on other ranks too ({} messages); messages take no time",
                        n.messages_in_graph));
  if (!n.network) return;
  assumed("network", fmt::format("a rank sends, or receives, at most {:.6g} bytes/s", n.network->of_rank));
  if (b.critical_path)
    assumed("path with messages", fmt::format("a message takes at least {:.6g} s + bytes / {:.6g} ({} on this path)",
                                              n.network->latency, n.network->bandwidth, n.messages_on_path));
}

json nodes_json(const NodeBounds& n) {
  json record{{"imbalance", n.imbalance}, {"messages_in_graph", n.messages_in_graph}, {"ranks", json::array()}};
  if (n.network) {
    const auto finite = [](double x) { return std::isfinite(x) ? json(x) : json(); };
    record["network"] = {{"latency", n.network->latency},
                         {"bandwidth", finite(n.network->bandwidth)},
                         {"of_rank", finite(n.network->of_rank)}};
    record["messages_on_path"] = n.messages_on_path;
  }
  for (std::size_t rank = 0; rank < n.rank.size(); ++rank) {
    const NodeBound& node = n.rank[rank];
    json entry{{"rank", rank},
               {"tasks", node.tasks},
               {"lp", node.area},
               {"lp_fit", node.fitting},
               {"lp_best_rates", node.best_rates},
               {"bytes_sent", node.volume.sent},
               {"bytes_received", node.volume.received},
               {"units", json::object()}};
    for (const UnitKind& kind : node.kinds) entry["units"][kind.name] = kind.units;
    record["ranks"].push_back(std::move(entry));
  }
  return record;
}

struct MissingOf {
  std::set<std::uint32_t> footprints;
  std::uint64_t tasks = 0;
};

std::string bottleneck(const Bounds& b, const AreaSolution& s) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < b.kinds.size(); ++k) {
    if (s.share[k] > 1e-9) parts.push_back(fmt::format("{} {:.1f} %", b.kinds[k].name, 100 * s.share[k]));
    if (s.link_share[k] > 1e-9)
      parts.push_back(fmt::format("links to {} {:.1f} %", b.kinds[k].name, 100 * s.link_share[k]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string table(const Report& report) {
  const Bounds& b = *report.bounds;
  std::string text;
  std::back_insert_iterator<std::string> out(text);
  std::uint64_t tasks = 0;
  for (const RecordedClass& c : b.classes) tasks += c.tasks;
  std::vector<std::string> units;
  for (const UnitKind& kind : b.kinds) units.push_back(fmt::format("{} {}", kind.units, kind.name));
  fmt::format_to(out, "{}: {} tasks of {} classes on {}; makespan {:.6g} s{}\n\n", report.recording->name, tasks,
                 b.classes.size(), fmt::join(units, ", "), b.makespan, b.comparable ? "" : " on the recorded machine");
  fmt::format_to(out, "  {:<18} {:>14} {:>16}\n", "bound", "seconds", b.comparable ? "of makespan" : "");
  for (const Row& row : rows(b))
    fmt::format_to(out, "  {:<18} {:>14.6g} {:>16}\n", row.name, row.seconds,
                   b.comparable ? fmt::format("{:.2f} %", 100 * row.seconds / b.makespan) : "");
  fmt::format_to(out, "\n  LP is limited by {}\n", bottleneck(b, b.area.solution));
  if (b.links) fmt::format_to(out, "  LP with links is limited by {}\n", bottleneck(b, b.links->solution));

  if (b.windows)
    fmt::format_to(out, "  windows: {} tasks run {:.6g} s or more after the begin and {:.6g} s before the end\n",
                   b.windows->tasks, b.windows->after, b.windows->before);

  if (b.nodes) write_nodes(out, b);

  fmt::format_to(out, "\n  {:<24} {:>9}", "LP puts (run put)", "tasks");
  for (const UnitKind& kind : b.kinds) fmt::format_to(out, " {:>20}", "on " + kind.name);
  fmt::format_to(out, "\n");
  for (const Assignment& a : assignments(report)) {
    fmt::format_to(out, "  {:<24} {:>9}", a.codelet, a.tasks);
    for (std::size_t k = 0; k < b.kinds.size(); ++k)
      fmt::format_to(out, " {:>20}", fmt::format("{:.1f} % ({:.1f} %)", 100 * a.share[k], 100 * a.recorded[k]));
    fmt::format_to(out, "\n");
  }

  if (!b.missing.empty()) {
    fmt::format_to(out, "\n  No duration known: the bounds are for schedules that do not run these there.\n");
    std::map<std::pair<std::string, std::string>, MissingOf> grouped;
    for (const Missing& m : b.missing) {
      MissingOf& group = grouped[{m.codelet, m.kind}];
      group.footprints.insert(m.footprint);
      group.tasks += m.tasks;
      if (report.all_missing)
        fmt::format_to(out, "  {}, footprint {:08x}, never ran on {} ({} tasks)\n", m.codelet, m.footprint, m.kind,
                       m.tasks);
    }
    if (!report.all_missing)
      for (const auto& [key, group] : grouped)
        fmt::format_to(out, "  {} never ran on {} ({} footprint{}, {} tasks)\n", key.first, key.second,
                       group.footprints.size(), group.footprints.size() == 1 ? "" : "s", group.tasks);
    fmt::format_to(out,
                   "  Where there is an implementation: record a run of the solver with --calibrate, which measures "
                   "every codelet\n  on every kind of unit, and give it with --durations; or give --models.\n");
  }
  if (!b.without_flops.empty())
    fmt::format_to(out, "\n  LP~ takes the fastest measured duration of codelets without flops: {}\n",
                   fmt::join(b.without_flops, ", "));
  for (const std::string& note : b.notes) fmt::format_to(out, "\n  Note: {}\n", note);
  return text;
}

json summary(const Report& report) {
  const Bounds& b = *report.bounds;
  json record;
  record["recording"] = report.recording->name;
  record["makespan"] = b.makespan;
  record["comparable"] = b.comparable;
  record["units"] = json::object();
  for (const UnitKind& kind : b.kinds) record["units"][kind.name] = kind.units;
  record["classes"] = b.classes.size();
  for (const Row& row : rows(b)) {
    json& entry = record["bounds"][row.key];
    entry["seconds"] = row.seconds;
    if (b.comparable) entry["of_makespan"] = row.seconds / b.makespan;
  }
  if (b.critical_path) record["bounds"]["critical_path"]["tasks"] = b.critical_path->tasks.size();
  if (b.windows) {
    json& entry = record["bounds"]["windows"];
    entry["after"] = b.windows->after;
    entry["before"] = b.windows->before;
    entry["tasks"] = b.windows->tasks;
  }
  if (b.nodes) record["nodes"] = nodes_json(*b.nodes);
  for (std::size_t k = 0; k < b.kinds.size(); ++k) {
    record["limited_by"][b.kinds[k].name] = b.area.solution.share[k];
    record["load_seconds"][b.kinds[k].name] = b.area.solution.load[k];
  }
  record["assignment"] = json::array();
  for (const Assignment& a : assignments(report)) {
    json entry{{"codelet", a.codelet}, {"tasks", a.tasks}};
    for (std::size_t k = 0; k < b.kinds.size(); ++k) {
      entry["lp"][b.kinds[k].name] = a.share[k];
      entry["run"][b.kinds[k].name] = a.recorded[k];
    }
    record["assignment"].push_back(std::move(entry));
  }
  record["missing"] = json::array();
  for (const Missing& m : b.missing)
    record["missing"].push_back({{"codelet", m.codelet},
                                 {"footprint", fmt::format("{:08x}", m.footprint)},
                                 {"kind", m.kind},
                                 {"tasks", m.tasks}});
  record["without_flops"] = b.without_flops;
  record["inconsistencies"] = b.inconsistencies;
  record["notes"] = b.notes;
  return record;
}

void write_csv(const std::filesystem::path& path, const Report& report) {
  const Bounds& b = *report.bounds;
  OutputFile file(path);
  const auto line = [&](const std::string& what, std::string subject, const std::string& kind, const char* quantity,
                        double value, const char* unit) {
    if (subject.find_first_of(",\"") != std::string::npos) {
      for (std::size_t at = 0; (at = subject.find('"', at)) != std::string::npos; at += 2) subject.insert(at, "\"");
      subject = '"' + subject + '"';
    }
    file.stream() << fmt::format("{},{},{},{},{},{}\n", what, subject, kind, quantity, value, unit);
  };
  file.stream() << "table,subject,kind,quantity,value,unit\n";
  line("run", report.recording->name, "", "makespan", b.makespan, "s");
  for (const Row& row : rows(b)) {
    line("bound", row.name, "", "lower bound", row.seconds, "s");
    if (b.comparable) line("bound", row.name, "", "of makespan", row.seconds / b.makespan, "1");
  }
  for (std::size_t k = 0; k < b.kinds.size(); ++k) {
    line("kind", "", b.kinds[k].name, "units", b.kinds[k].units, "1");
    line("kind", "", b.kinds[k].name, "limits LP", b.area.solution.share[k], "1");
    line("kind", "", b.kinds[k].name, "load", b.area.solution.load[k], "s");
  }
  if (b.nodes) {
    line("nodes", "", "", "imbalance", b.nodes->imbalance, "1");
    for (std::size_t rank = 0; rank < b.nodes->rank.size(); ++rank) {
      const NodeBound& node = b.nodes->rank[rank];
      const std::string name = std::to_string(rank);
      line("node", name, "", "LP", node.area, "s");
      line("node", name, "", "LP where tasks fit", node.fitting, "s");
      line("node", name, "", "LP~", node.best_rates, "s");
      line("node", name, "", "sent", node.volume.sent, "B");
      line("node", name, "", "received", node.volume.received, "B");
    }
  }
  for (const Assignment& a : assignments(report))
    for (std::size_t k = 0; k < b.kinds.size(); ++k) {
      line("assignment", a.codelet, b.kinds[k].name, "share in LP", a.share[k], "1");
      line("assignment", a.codelet, b.kinds[k].name, "share in run", a.recorded[k], "1");
    }
  file.commit();
}

}  // namespace asterism::apps::bounds
