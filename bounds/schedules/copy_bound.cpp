// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/copy_bound.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace asterism::bounds {
namespace {

/// A task that wrote a datum, one that reads it, and the datum's bytes (the largest, where there are several).
struct Reading {
  std::uint32_t writer = 0;
  double bytes = 0;
};
using Readings = std::vector<std::vector<Reading>>;  ///< per reader

/// The accesses to a datum since its last writer.
struct Version {
  std::uint32_t writer = traces::none;
  std::vector<std::uint32_t> readers;
  bool chain = true;
};

/// Those that `t` waits for directly, or through nodes that nobody executes: at most so many of these.
void mark_waited_for(const Workload& work, std::uint32_t t, std::vector<std::uint32_t>& waits) {
  constexpr std::size_t most_nodes = 64;
  std::vector<std::uint32_t> nodes{t};
  for (std::size_t at = 0; at < nodes.size(); ++at)
    for (const auto* b = work.before.begin(nodes[at]); b != work.before.end(nodes[at]); ++b) {
      if (!work.runs[*b] && waits[*b] != t && nodes.size() < most_nodes) nodes.push_back(*b);
      waits[*b] = t;
    }
}

/// Goes through the accesses of all data in an order that meets the dependencies. `each`: reader, writer, datum.
template <class Each>
std::vector<Version> follow(const Workload& work, Each&& each) {
  std::vector<Version> versions(work.bytes.size());
  std::vector<std::uint32_t> waits(work.tasks(), traces::none);  // the last task that waits for it
  for (const std::uint32_t t : work.order) {
    mark_waited_for(work, t, waits);
    const auto direct = [&](std::uint32_t task) { return waits[task] == t; };
    for (const auto* a = work.accesses.begin(t); a != work.accesses.end(t); ++a) {
      Version& version = versions[a->handle];
      if (a->mode == traces::Mode::other) {
        version.chain = false;
        continue;
      }
      if (a->mode != traces::Mode::write) {
        // a writer that reads waits for the readers, which waited for the writer before
        if (version.writer != traces::none && (a->mode == traces::Mode::read || version.readers.empty()))
          version.chain = version.chain && direct(version.writer);
        each(t, version.writer, a->handle);
      }
      if (a->mode == traces::Mode::read) {
        version.readers.push_back(t);
        continue;
      }
      if (version.readers.empty() && version.writer != traces::none)
        version.chain = version.chain && direct(version.writer);
      for (const std::uint32_t reader : version.readers) version.chain = version.chain && direct(reader);
      version.writer = t;
      version.readers.clear();
    }
  }
  return versions;
}

Readings readings_of(const Workload& work) {
  const std::vector<Version> versions = follow(work, [](auto, auto, auto) {});
  Readings readings(work.tasks());
  follow(work, [&](std::uint32_t reader, std::uint32_t writer, std::uint32_t datum) {
    if (writer == traces::none || !versions[datum].chain || !work.runs[reader] || !work.runs[writer]) return;
    for (Reading& known : readings[reader])
      if (known.writer == writer) {
        known.bytes = std::max(known.bytes, work.bytes[datum]);
        return;
      }
    readings[reader].push_back({writer, work.bytes[datum]});
  });
  return readings;
}

/// Per task: bytes of the largest datum that it reads from before the begin; -1: none.
std::vector<double> read_from_begin(const Workload& work) {
  const std::vector<Version> versions = follow(work, [](auto, auto, auto) {});
  std::vector<double> bytes(work.tasks(), -1);
  follow(work, [&](std::uint32_t reader, std::uint32_t writer, std::uint32_t datum) {
    if (writer == traces::none && versions[datum].chain) bytes[reader] = std::max(bytes[reader], work.bytes[datum]);
  });
  return bytes;
}

Readings reversed(const Readings& readings) {
  Readings other(readings.size());
  for (std::uint32_t t = 0; t < readings.size(); ++t)
    for (const Reading& r : readings[t]) other[r.writer].push_back({t, r.bytes});
  return other;
}

/// The least time of a datum from memory to memory by any route.
class Routes {
 public:
  /// `backwards`: from the second to the first.
  Routes(const Workload& work, bool backwards) : work_(work), backwards_(backwards) {}

  [[nodiscard]] const std::vector<double>& of(double bytes) {
    const auto [found, fresh] = known_.try_emplace(bytes);
    if (!fresh) return found->second;
    const std::size_t n = work_.memories;
    std::vector<double>& time = found->second;
    time.assign(n * n, impossible);
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to) {
        if (from == to) time[from * n + to] = 0;
        const Connection& way = backwards_ ? work_.connection(to, from) : work_.connection(from, to);
        if (from != to && way.exists) time[from * n + to] = way.latency + bytes / way.bandwidth;
      }
    for (std::size_t by = 0; by < n; ++by)  // Floyd, Warshall
      for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
          time[from * n + to] = std::min(time[from * n + to], time[from * n + by] + time[by * n + to]);
    return time;
  }

 private:
  const Workload& work_;
  bool backwards_;
  std::map<double, std::vector<double>> known_;
};

/// Heads per task and memory, in a graph or in its reverse.
class MemoryHeads {
 public:
  /// `least`: [task * memories + memory], `units`: per memory.
  MemoryHeads(const Workload& work, const std::vector<double>& least, const std::vector<double>& units,
              const Readings& readings, bool backwards)
      : work_(work), least_(least), units_(units), readings_(readings), routes_(work, backwards) {}

  /// `first_bytes`: see read_from_begin; empty: none.
  std::vector<double> compute(const std::vector<std::uint32_t>& order, const traces::Lists<std::uint32_t>& before,
                              const std::vector<double>& known, const std::vector<double>& first_bytes) {
    const std::size_t n = work_.memories;
    head_.assign(least_.size(), 0);
    std::vector<double> ended(work_.tasks(), 0);  // the least head + duration
    for (const std::uint32_t t : order) {
      double path = known.empty() ? 0 : known[t];
      for (const auto* b = before.begin(t); b != before.end(t); ++b) path = std::max(path, ended[*b]);
      ended[t] = work_.runs[t] ? impossible : path;
      for (std::size_t m = 0; m < n; ++m) {
        double& head = head_[t * n + m];
        head = path;
        if (!work_.runs[t] || std::isinf(least_[t * n + m])) continue;
        if (!readings_[t].empty()) head = std::max(path, with_copies(t, m));
        if (!first_bytes.empty() && first_bytes[t] >= 0) head = std::max(head, routes_.of(first_bytes[t])[m]);
        ended[t] = std::min(ended[t], head + least_[t * n + m]);
      }
    }
    return std::move(head_);
  }

 private:
  struct Source {
    double arrival = 0;
    double head = 0;  ///< in the reader's memory
    double seconds = 0;
  };

  double with_copies(std::uint32_t t, std::size_t memory) {
    const std::size_t n = work_.memories;
    sources_.clear();
    for (const Reading& r : readings_[t]) {
      const std::vector<double>& copy = routes_.of(r.bytes);
      Source s{impossible, head_[r.writer * n + memory], least_[r.writer * n + memory]};
      for (std::size_t other = 0; other < n; ++other)
        if (other != memory)
          s.arrival = std::min(s.arrival,
                               head_[r.writer * n + other] + least_[r.writer * n + other] + copy[other * n + memory]);
      sources_.push_back(s);
    }
    std::sort(sources_.begin(), sources_.end(), [](const Source& a, const Source& b) { return a.arrival > b.arrival; });
    // what ran here grows with the number of sources here, the largest arrival of the rest falls
    std::size_t few = 0;
    std::size_t many = sources_.size();
    while (few < many) {
      const std::size_t middle = few + (many - few) / 2;
      if (here(middle, units_[memory]) >= sources_[middle].arrival)
        many = middle;
      else
        few = middle + 1;
    }
    double best = std::max(here(few, units_[memory]), few < sources_.size() ? sources_[few].arrival : 0);
    if (few > 0) best = std::min(best, std::max(here(few - 1, units_[memory]), sources_[few - 1].arrival));
    return best;
  }

  /// The first `count` sources all run in the memory of the reader: the earliest end of the last one.
  double here(std::size_t count, double units) {
    here_.assign(sources_.begin(), sources_.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(here_.begin(), here_.end(), [](const Source& a, const Source& b) { return a.head > b.head; });
    double end = 0;
    double work = 0;
    for (const Source& s : here_) {
      work += s.seconds;
      end = std::max({end, s.head + work / units, s.head + s.seconds});
    }
    return end;
  }

  const Workload& work_;
  const std::vector<double>& least_;
  const std::vector<double>& units_;
  const Readings& readings_;
  Routes routes_;
  std::vector<double> head_;
  std::vector<Source> sources_;
  std::vector<Source> here_;
};

std::vector<double> least_of_memories(const Workload& work, const std::vector<double>& least,
                                      const std::vector<double>& value) {
  const std::size_t n = work.memories;
  std::vector<double> of_task(work.tasks(), 0);
  for (std::size_t t = 0; t < of_task.size(); ++t) {
    double smallest = impossible;
    for (std::size_t m = 0; m < n; ++m)
      if (!work.runs[t] || std::isfinite(least[t * n + m])) smallest = std::min(smallest, value[t * n + m]);
    if (std::isfinite(smallest)) of_task[t] = smallest;
  }
  return of_task;
}

/// Bytes/s that the memories of each kind receive together: from main memory, and from the memories of other kinds.
std::vector<double> receiving_rates(const Workload& work) {
  std::vector<std::uint32_t> kind_of(work.memories, traces::none);
  std::vector<bool> in_main_memory(work.kinds, false);
  for (const Workload::Unit& unit : work.units) {
    kind_of[unit.memory] = unit.kind;
    if (unit.memory == 0) in_main_memory[unit.kind] = true;
  }
  std::vector<double> rate(work.kinds, 0);
  for (std::uint32_t k = 0; k < work.kinds; ++k) {
    std::map<std::uint32_t, double> resources;  // connections that exclude each other have the rate of the fastest
    for (std::size_t from = 0; from < work.memories; ++from)
      for (std::size_t to = 1; to < work.memories; ++to) {
        const Connection& way = work.connection(from, to);
        if (!way.exists || kind_of[to] != k || (from != 0 && kind_of[from] == k)) continue;
        double& fastest = resources[way.resource];
        fastest = std::max(fastest, way.bandwidth);
      }
    for (const auto& [resource, fastest] : resources)
      rate[k] += resource == 0 ? std::max(fastest, work.shared_rate) : fastest;
    if (in_main_memory[k]) rate[k] = impossible;
  }
  return rate;
}

/// What the latency of a copy from another kind's memory is worth in bytes, on every connection: while it passes, the
/// connection carries none. 0 where connections share a rate.
double latency_bytes(const Workload& work) {
  if (work.shared_rate > 0) return 0;
  double least = impossible;
  for (std::size_t from = 0; from < work.memories; ++from)
    for (std::size_t to = 1; to < work.memories; ++to)
      if (const Connection& way = work.connection(from, to);
          from != to && way.exists && way.latency * way.bandwidth < least)
        least = way.latency * way.bandwidth;
  return std::isfinite(least) ? least : 0;
}

/// Per task: its part of the data that are in main memory at first and that it and others read before anyone writes
/// them, with latency_bytes for each.
std::vector<double> first_bytes(const Workload& work) {
  const std::vector<Version> versions = follow(work, [](auto, auto, auto) {});
  std::vector<double> readers(work.bytes.size(), 0);
  const auto each_first = [&](auto&& use) {
    follow(work, [&](std::uint32_t reader, std::uint32_t writer, std::uint32_t datum) {
      if (writer == traces::none && versions[datum].chain && work.runs[reader]) use(reader, datum);
    });
  };
  std::vector<double> bytes(work.tasks(), 0);
  const double latency = latency_bytes(work);
  each_first([&](std::uint32_t /*reader*/, std::uint32_t datum) { ++readers[datum]; });
  each_first([&](std::uint32_t reader, std::uint32_t datum) {
    bytes[reader] += (latency + work.bytes[datum]) / readers[datum];
  });
  return bytes;
}

}  // namespace

std::vector<DataVersion> data_versions(const Workload& work) {
  const std::vector<bool> chained = chained_data(work);
  std::vector<DataVersion> found;
  std::vector<std::size_t> last(work.bytes.size(), 0);  // per datum: its version found last, plus one
  follow(work, [&](std::uint32_t reader, std::uint32_t writer, std::uint32_t datum) {
    if (!chained[datum] || !work.runs[reader] || (writer != traces::none && !work.runs[writer])) return;
    if (last[datum] == 0 || found[last[datum] - 1].writer != writer) {
      found.push_back({datum, writer, {}});
      last[datum] = found.size();
    }
    found[last[datum] - 1].readers.push_back(reader);
  });
  return found;
}

std::vector<bool> chained_data(const Workload& work) {
  std::vector<bool> chained;
  for (const Version& version : follow(work, [](auto, auto, auto) {})) chained.push_back(version.chain);
  return chained;
}

double first_copies_bound(const Workload& work, const std::vector<double>& seconds) {
  constexpr std::size_t most_classes = 2000;
  AreaProblem problem;
  std::vector<std::size_t> kinds;
  const std::vector<double> rates = receiving_rates(work);
  for (std::size_t k = 0; k < work.kinds; ++k) {
    const auto units =
        std::count_if(work.units.begin(), work.units.end(), [&](const auto& unit) { return unit.kind == k; });
    if (units == 0) continue;
    kinds.push_back(k);
    problem.kinds.push_back({std::to_string(k), static_cast<double>(units), rates[k]});
  }
  const std::vector<double> bytes = first_bytes(work);
  if (std::all_of(bytes.begin(), bytes.end(), [](double b) { return !(b > 0); })) return 0;
  std::map<std::vector<double>, std::size_t> known;  // durations and bytes
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    std::vector<double> cost;
    cost.reserve(kinds.size() + 1);
    for (const std::size_t k : kinds) cost.push_back(seconds[t * work.kinds + k]);
    if (std::all_of(cost.begin(), cost.end(), [](double c) { return std::isinf(c); })) return 0;
    cost.push_back(bytes[t]);
    const auto [found, fresh] = known.try_emplace(cost, problem.classes.size());
    if (known.size() > most_classes) return 0;
    if (fresh) {
      cost.pop_back();
      problem.classes.push_back({std::to_string(found->second), 0, std::move(cost), bytes[t]});
    }
    ++problem.classes[found->second].tasks;
  }
  return solve_area(problem).seconds;
}

CopyBound copy_bound(const Workload& work, const std::vector<double>& seconds, const std::vector<double>& head,
                     const std::vector<double>& tail) {
  const std::size_t n = work.memories;
  std::vector<double> units(n, 0);
  std::vector<double> least(work.tasks() * n, impossible);
  for (const Workload::Unit& unit : work.units) {
    ++units[unit.memory];
    for (std::size_t t = 0; t < work.tasks(); ++t)
      least[t * n + unit.memory] = std::min(least[t * n + unit.memory], seconds[t * work.kinds + unit.kind]);
  }
  const Readings readings = readings_of(work);
  const Readings read_by = reversed(readings);
  std::vector<double> heads =
      MemoryHeads(work, least, units, readings, false).compute(work.order, work.before, head, read_from_begin(work));
  std::vector<std::uint32_t> order(work.order.rbegin(), work.order.rend());
  std::vector<double> tails = MemoryHeads(work, least, units, read_by, true).compute(order, work.after, tail, {});

  CopyBound bound{least_of_memories(work, least, heads), least_of_memories(work, least, tails), 0, {}, {}};
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    double shortest = impossible;
    for (std::size_t m = 0; m < n; ++m)
      shortest = std::min(shortest, heads[t * n + m] + least[t * n + m] + tails[t * n + m]);
    if (std::isfinite(shortest)) bound.path = std::max(bound.path, shortest);
  }
  bound.heads = std::move(heads);
  bound.tails = std::move(tails);
  return bound;
}

}  // namespace asterism::bounds
