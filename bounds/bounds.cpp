// SPDX-License-Identifier: Apache-2.0
#include "bounds/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/error.hpp"
#include "bounds/critical_path.hpp"
#include "bounds/fitting.hpp"

namespace asterism::bounds {
namespace {

using traces::none;
using traces::Recording;

/// Rounding of sums over many tasks; a bound beyond it is wrong.
constexpr double tolerance = 1e-9;

std::vector<UnitKind> machine(const Recording& r, const Options& options) {
  std::vector<UnitKind> kinds;
  if (options.units.empty()) {
    for (std::uint32_t k = 0; k < r.kinds.size(); ++k)
      if (const std::size_t units = r.units_of(k); units > 0)
        kinds.push_back({r.kinds[k].name, static_cast<double>(units)});
  } else {
    for (const auto& [name, units] : options.units)
      if (units > 0) kinds.push_back({name, units});
  }
  if (kinds.empty()) bad_input("{}: no units to compute bounds for", r.name);
  return kinds;
}

std::string class_name(const RecordedClass& c, const Recording& r) {
  return fmt::format("{}_{:x}{}", c.codelet, c.footprint, r.ranks > 1 ? fmt::format("_rank{}", c.rank) : "");
}

/// How long tasks of a class take: as measured on their own rank, where the recording that is bounded is asked.
class ClassDurations {
 public:
  ClassDurations(const Recording& r, const Durations& all, const DurationOptions& options)
      : all_(all), options_(options) {
    if (r.ranks < 2) return;
    own_.resize(r.ranks);
    for (std::uint32_t rank = 0; rank < r.ranks; ++rank) own_[rank].add(r, Source::recording, rank);
  }
  [[nodiscard]] std::optional<Estimate> find(const RecordedClass& c, const std::string& kind) const {
    const auto estimate = all_.find(c.symbol, c.footprint, kind, options_);
    if (!estimate || estimate->source != Source::recording || own_.empty()) return estimate;
    const auto own = own_[c.rank].find(c.symbol, c.footprint, kind, options_);
    return own ? own : estimate;
  }

 private:
  const Durations& all_;
  const DurationOptions& options_;
  std::vector<Durations> own_;  ///< per rank
};

/// LP's problem, and what is missing.
AreaProblem area_problem(const Recording& r, const Bounds& b, const ClassDurations& durations,
                         std::vector<Missing>& missing, std::vector<std::vector<double>>& fastest) {
  AreaProblem problem{b.kinds, {}};
  // once per performance model, footprint and kind, whatever the rank
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::size_t> missing_at;
  for (const RecordedClass& c : b.classes) {
    TaskClass tasks{class_name(c, r), static_cast<double>(c.tasks), {}, 0};
    std::vector<double>& least = fastest.emplace_back();
    for (const UnitKind& kind : b.kinds) {
      const auto estimate = durations.find(c, kind.name);
      tasks.seconds.push_back(estimate ? estimate->seconds : impossible);
      least.push_back(estimate ? std::min(estimate->minimum, estimate->seconds) : impossible);
      if (estimate) continue;
      const auto [at, fresh] = missing_at.try_emplace({c.symbol, c.footprint, kind.name}, missing.size());
      if (fresh)
        missing.push_back({c.codelet, c.footprint, kind.name, c.tasks});
      else
        missing[at->second].tasks += c.tasks;
    }
    if (std::isinf(*std::min_element(least.begin(), least.end())))
      bad_input("codelet {}, footprint {:x}: has no duration on {}; give recordings or models in which it ran there",
                c.codelet, c.footprint,
                fmt::join(std::vector<std::string>([&] {
                            std::vector<std::string> names;
                            for (const UnitKind& kind : b.kinds) names.push_back(kind.name);
                            return names;
                          }()),
                          ", "));
    problem.classes.push_back(std::move(tasks));
  }
  return problem;
}

std::optional<double> rate_of(const RecordedClass& c, const std::string& kind, const Durations& durations,
                              const Rates& given) {
  for (const std::string& name : {c.codelet, c.symbol})
    if (const auto found = given.find({name, kind}); found != given.end()) return found->second;
  return durations.best_rate(c.symbol, kind);
}

AreaProblem best_rate_problem(const Bounds& b, const Durations& durations, const Options& options,
                              std::vector<std::string>& without_flops) {
  AreaProblem problem = b.area.problem;
  DurationOptions least = options.durations;
  least.aggregate = Aggregate::minimum;
  std::set<std::string> without;
  for (std::size_t i = 0; i < b.classes.size(); ++i) {
    const RecordedClass& c = b.classes[i];
    if (!(c.flops > 0)) without.insert(c.codelet);
    for (std::size_t k = 0; k < b.kinds.size(); ++k) {
      double& seconds = problem.classes[i].seconds[k];
      if (c.flops > 0) {
        const auto rate = rate_of(c, b.kinds[k].name, durations, options.rates);
        if (rate) seconds = c.flops / static_cast<double>(c.tasks) / *rate;
      } else if (const auto estimate = durations.find(c.symbol, c.footprint, b.kinds[k].name, least)) {
        seconds = estimate->seconds;
      }
    }
  }
  without_flops.assign(without.begin(), without.end());
  return problem;
}

/// Beyond so many classes, weights are rounded.
constexpr std::size_t many_classes = 20000;

/// LP's problem with each class divided by what its tasks weigh on the links. When that makes too many classes, weights
/// are rounded down to fewer bits, which can only lower the bound.
AreaProblem link_problem(const Recording& r, const Bounds& b, const Classes& classes, const Communication& c) {
  AreaProblem problem{b.kinds, {}};
  for (UnitKind& kind : problem.kinds)
    for (std::size_t k = 0; k < r.kinds.size(); ++k)
      if (r.kinds[k].name == kind.name && c.memories[k] > 0 && c.bandwidth[k] > 0)
        kind.receives = kind.units * c.memories[k] * c.bandwidth[k];
  std::map<std::pair<std::uint32_t, double>, double> count;
  for (const int bits : {53, 10, 4, 1}) {
    count.clear();
    for (std::size_t t = 0; t < r.tasks.size(); ++t) {
      if (classes.of_task[t] == none) continue;
      int exponent = 0;
      const double mantissa = std::frexp(c.bytes[t], &exponent);
      ++count[{classes.of_task[t], std::ldexp(std::floor(std::ldexp(mantissa, bits)), exponent - bits)}];
    }
    if (count.size() <= std::max(many_classes, b.classes.size())) break;
  }
  for (const auto& [key, tasks] : count) {
    TaskClass part = b.area.problem.classes[key.first];
    part.tasks = tasks;
    part.bytes = key.second;
    problem.classes.push_back(std::move(part));
  }
  return problem;
}

/// Where the table's durations exceed what the recorded tasks took the most: why a bound may be beaten.
std::string blame(const Recording& r, const Bounds& b) {
  struct Excess {
    double seconds;
    std::string text;
  };
  std::vector<Excess> found;
  for (std::size_t i = 0; i < b.classes.size(); ++i)
    for (std::size_t k = 0; k < b.kinds.size(); ++k)
      for (std::size_t j = 0; j < r.kinds.size(); ++j) {
        const RecordedClass& c = b.classes[i];
        const double table = b.area.problem.classes[i].seconds[k];
        if (r.kinds[j].name != b.kinds[k].name || c.ran[j] == 0 || std::isinf(table)) continue;
        const auto count = static_cast<double>(c.ran[j]);
        if (table * count > c.seconds[j] * (1 + tolerance))
          found.push_back(
              {table * count - c.seconds[j],
               fmt::format("{} (footprint {:x}) on {}{}: {:.6g} s in the table, {:.6g} s in this run", c.codelet,
                           c.footprint, b.kinds[k].name, r.ranks > 1 ? fmt::format(" of rank {}", c.rank) : "", table,
                           c.seconds[j] / count)});
      }
  std::sort(found.begin(), found.end(), [](const Excess& x, const Excess& y) { return x.seconds > y.seconds; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i)
    text += (i == 0 ? "; durations too long: " : ", ") + found[i].text;
  return text;
}

/// A unit that ran two tasks at once: then the recorded times are not those of tasks alone on a unit.
void note_overlaps(const Recording& r, std::vector<std::string>& notes) {
  std::vector<std::vector<std::pair<double, double>>> of_unit(r.units.size());
  for (const traces::Task& t : r.tasks)
    if (t.executed()) of_unit[t.unit].emplace_back(t.start, t.end);
  for (std::size_t u = 0; u < of_unit.size(); ++u) {
    auto& tasks = of_unit[u];
    std::sort(tasks.begin(), tasks.end());
    double overlap = 0;
    double until = -INFINITY;
    for (const auto& [start, end] : tasks) {
      overlap += std::max(0.0, std::min(until, end) - start);
      until = std::max(until, end);
    }
    // StarPU writes microseconds with three decimals: neighbours overlap by that much
    if (overlap > 1e-6 * static_cast<double>(tasks.size()))
      notes.push_back(
          fmt::format("{}: tasks overlap during {:.6g} s, so their durations are not those of tasks alone on the unit",
                      r.units[u].name, overlap));
  }
}

void bound_nodes(const Recording& r, const Options& options, Bounds& b) {
  if (!b.comparable) {
    b.notes.emplace_back("another machine than the recorded one: its nodes are not known, so no bounds per node");
    return;
  }
  std::vector<std::uint32_t> rank_of_class;
  for (const RecordedClass& c : b.classes) rank_of_class.push_back(c.rank);
  NodeBounds nodes = solve_nodes(b.area.problem, b.best_rates.problem, rank_of_class, r);
  if (b.area.solution.seconds > 0) nodes.imbalance = nodes.area / b.area.solution.seconds;
  for (const traces::Message& m : r.messages)
    if (m.releases != none && m.sent_after != none) ++nodes.messages_in_graph;
  if (options.network_from == NetworkFrom::user) nodes.network = options.network;
  if (options.network_from == NetworkFrom::recording) {
    nodes.network = network_of(r);
    if (!nodes.network) b.notes.emplace_back("no message was recorded: nothing is known of the network");
  }
  if (nodes.network)
    for (const NodeBound& node : nodes.rank)
      nodes.network_seconds = std::max(nodes.network_seconds, node.volume.larger() / nodes.network->of_rank);
  if (r.has_dependencies && nodes.messages_in_graph < r.messages.size())
    b.notes.push_back(fmt::format(
        "{} of {} messages are no dependencies: the recording does not say which tasks wrote or read what they carry",
        r.messages.size() - nodes.messages_in_graph, r.messages.size()));
  if (r.lost_messages > 0)
    b.notes.push_back(
        fmt::format("{} messages were sent of which no arrival was recorded: they do not count", r.lost_messages));
  b.nodes = std::move(nodes);
}

}  // namespace

Classes classify(const Recording& r) {
  static const std::string unnamed = "(no codelet)";
  Classes result;
  result.of_task.assign(r.tasks.size(), none);
  std::unordered_map<std::string, std::uint32_t> symbols;
  std::vector<std::uint32_t> symbol(r.codelets.size());
  for (std::size_t c = 0; c < r.codelets.size(); ++c)
    symbol[c] = symbols.try_emplace(symbol_of(r.codelets[c]), static_cast<std::uint32_t>(symbols.size())).first->second;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known_of_rank(r.ranks);
  std::vector<bool> all_flops;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const traces::Task& t = r.tasks[i];
    if (!t.executed()) continue;
    const std::uint64_t key =
        (static_cast<std::uint64_t>(t.codelet == none ? none : symbol[t.codelet]) << 32) | t.footprint;
    auto& known = known_of_rank[t.rank];
    const auto [slot, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(result.classes.size()));
    if (fresh) {
      RecordedClass c;
      c.codelet = r.codelet_name(t);
      c.symbol = t.codelet == none ? unnamed : symbol_of(r.codelets[t.codelet]);
      c.footprint = t.footprint;
      c.rank = t.rank;
      c.ran.assign(r.kinds.size(), 0);
      c.seconds.assign(r.kinds.size(), 0);
      result.classes.push_back(std::move(c));
      all_flops.push_back(true);
    }
    RecordedClass& c = result.classes[slot->second];
    const std::uint32_t kind = r.units[t.unit].kind;
    ++c.tasks;
    ++c.ran[kind];
    c.seconds[kind] += t.duration();
    c.flops += t.flops;
    if (!(t.flops > 0)) all_flops[slot->second] = false;
    result.of_task[i] = slot->second;
  }
  for (std::size_t c = 0; c < result.classes.size(); ++c)
    if (!all_flops[c]) result.classes[c].flops = 0;
  return result;
}

Bounds compute(const Recording& r, const Durations& durations, const Options& options) {
  Bounds b;
  b.makespan = r.makespan();
  b.comparable = options.units.empty();
  b.kinds = machine(r, options);
  Classes classes = classify(r);
  b.classes = classes.classes;
  if (b.classes.empty()) bad_input("{}: no task was executed", r.name);

  std::vector<std::vector<double>> fastest;  // [class][kind]
  const ClassDurations of_class(r, durations, options.durations);
  b.area.problem = area_problem(r, b, of_class, b.missing, fastest);
  b.area.solution = solve_area(b.area.problem);
  b.fitting = solve_fitting(b.area.problem, b.area.solution);
  b.best = b.fitting;
  b.best_rates.problem = best_rate_problem(b, durations, options, b.without_flops);
  b.best_rates.solution = solve_area(b.best_rates.problem);

  if (r.ranks > 1) bound_nodes(r, options, b);
  if (options.communication) {
    const Communication c = communication(r, options.links);
    b.notes.insert(b.notes.end(), c.notes.begin(), c.notes.end());
    b.links = AreaBound{link_problem(r, b, classes, c), {}};
    b.links->solution = solve_area(b.links->problem);
    b.best = std::max(b.best, b.links->solution.seconds);
  }
  if (r.has_dependencies) {
    std::vector<double> seconds(r.tasks.size(), 0);
    for (std::size_t t = 0; t < r.tasks.size(); ++t)
      if (const std::uint32_t c = classes.of_task[t]; c != none)
        seconds[t] = *std::min_element(fastest[c].begin(), fastest[c].end());
    b.critical_path = critical_path(r, seconds);
    b.windows = window_bound({&r, &classes.of_task, &b.area.problem, fastest});
    b.best = std::max({b.best, b.critical_path->length, b.windows->seconds});
    if (b.nodes && b.nodes->network) {
      const traces::Path path = critical_path(r, seconds, b.nodes->network);
      b.nodes->path_with_messages = path.length;
      b.nodes->messages_on_path = path.messages;
    }
  } else {
    b.notes.emplace_back("the recording has no dependencies: no critical path");
  }
  if (b.nodes) b.best = std::max({b.best, b.nodes->fitting, b.nodes->network_seconds, b.nodes->path_with_messages});
  if (options.milp) {
    try {
      b.milp = solve_milp(b.area.problem, options.milp_options);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::failed) throw;
      b.notes.emplace_back(error.what());  // the other bounds are worth having
    }
  }

  note_overlaps(r, b.notes);
  if (b.comparable) {
    const auto check = [&](const char* name, double seconds) {
      if (seconds > b.makespan * (1 + tolerance))
        b.inconsistencies.push_back(fmt::format("{} = {:.9g} s exceeds the makespan of the recorded run, {:.9g} s{}",
                                                name, seconds, b.makespan, blame(r, b)));
    };
    check("LP", b.area.solution.seconds);
    check("LP where tasks fit", b.fitting);
    check("LP~", b.best_rates.solution.seconds);
    if (b.links) check("LP with links", b.links->solution.seconds);
    if (b.critical_path) check("critical path", b.critical_path->length);
    if (b.windows) check("windows", b.windows->seconds);
    if (b.nodes) {
      check("LP per node", b.nodes->area);
      check("LP per node where tasks fit", b.nodes->fitting);
      check("LP~ per node", b.nodes->best_rates);
      check("network", b.nodes->network_seconds);
      check("path with messages", b.nodes->path_with_messages);
    }
  }
  return b;
}

}  // namespace asterism::bounds
