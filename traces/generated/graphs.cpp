// SPDX-License-Identifier: Apache-2.0
#include "traces/generated/graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace asterism::traces {
namespace {

constexpr std::array<const char*, 5> shape_names{"layered", "fork-join", "wavefront", "tree", "cholesky"};
constexpr std::uint64_t most_tasks = 10000000;
constexpr std::size_t codelet_count = 4;
constexpr double smallest_datum = 2.5e5;  // bytes
constexpr double largest_datum = 4e6;
constexpr double all_data = 4e9;

/// Tasks each wait for: all have smaller numbers.
using Predecessors = std::vector<std::vector<std::uint32_t>>;

/// The standard's distributions differ between libraries; the generator does not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  /// In [0, 1).
  double uniform() { return std::ldexp(static_cast<double>(bits_() >> 11), -53); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  /// From `low` to `high`, both included.
  std::size_t whole(std::size_t low, std::size_t high) {
    return low + static_cast<std::size_t>(uniform() * static_cast<double>(high - low + 1));
  }

 private:
  std::mt19937_64 bits_;
};

Predecessors layered(std::size_t tasks, Random& random) {
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(tasks))));
  constexpr double elsewhere = 0.1;  // an edge that is not from the layer before
  Predecessors before(tasks);
  for (std::size_t t = width; t < tasks; ++t) {
    const std::size_t layer = t / width * width;
    const std::size_t count = random.whole(1, std::min<std::size_t>(4, width));
    for (std::size_t e = 0; e < count; ++e) {
      const bool far = random.uniform() < elsewhere;
      before[t].push_back(static_cast<std::uint32_t>(random.whole(far ? 0 : layer - width, layer - 1)));
    }
    std::sort(before[t].begin(), before[t].end());
    before[t].erase(std::unique(before[t].begin(), before[t].end()), before[t].end());
  }
  return before;
}

Predecessors fork_join(std::size_t tasks, Random& random) {
  Predecessors before(1);
  while (before.size() < tasks) {
    const std::size_t room = tasks - before.size();
    if (room < 2) break;
    const auto fork = static_cast<std::uint32_t>(before.size() - 1);
    const std::size_t wide = std::min(random.whole(8, 48), room - 1);
    std::vector<std::uint32_t> join;
    for (std::size_t i = 0; i < wide; ++i) {
      join.push_back(static_cast<std::uint32_t>(before.size()));
      before.push_back({fork});
    }
    before.push_back(std::move(join));
  }
  return before;
}

Predecessors wavefront(std::size_t tasks) {
  const auto side = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(tasks)));
  Predecessors before;
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j) {
      std::vector<std::uint32_t>& own = before.emplace_back();
      if (i > 0) own.push_back((i - 1) * side + j);
      if (j > 0) own.push_back(i * side + j - 1);
    }
  return before;
}

Predecessors tree(std::size_t tasks) {
  std::size_t inner = 0;  // nodes of the complete tree above its inner + 1 leaves; they are there twice
  while (3 * (2 * inner + 1) + 1 <= tasks) inner = 2 * inner + 1;
  const std::size_t leaves = inner + 1;
  Predecessors before(1);
  for (std::size_t t = 1; t < inner + leaves; ++t) before.push_back({static_cast<std::uint32_t>((t - 1) / 2)});
  // node t of the way down is combined in node last - t of the way back
  const std::size_t last = 2 * inner + leaves - 1;
  for (std::size_t t = inner; t-- > 0;) {
    std::vector<std::uint32_t>& own = before.emplace_back();
    for (const std::size_t child : {2 * t + 1, 2 * t + 2})
      own.push_back(static_cast<std::uint32_t>(child < inner ? last - child : child));
  }
  return before;
}

/// Tasks of the tile Cholesky factorisation in the order of the usual loops.
struct Cholesky {
  Predecessors before;
  std::vector<std::uint32_t> tile;    ///< by task: the one that it updates
  std::vector<std::uint8_t> codelet;  ///< by task
  static constexpr std::uint8_t factor = 0, solve = 1, square = 2, product = 3;

  /// With the most tiles in a row that make no more than `tasks` tasks.
  explicit Cholesky(std::size_t tasks) {
    std::size_t n = 1;
    while ((n + 1) * (n + 2) * (n + 3) / 6 <= tasks) ++n;
    last_.assign(n * (n + 1) / 2, none);
    for (std::size_t k = 0; k < n; ++k) {
      add(factor, {}, number(k, k));
      for (std::size_t i = k + 1; i < n; ++i) add(solve, {number(k, k)}, number(i, k));
      for (std::size_t i = k + 1; i < n; ++i) {
        for (std::size_t j = k + 1; j < i; ++j) add(product, {number(i, k), number(j, k)}, number(i, j));
        add(square, {number(i, k)}, number(i, i));
      }
    }
  }
  [[nodiscard]] std::size_t tiles() const { return last_.size(); }

 private:
  static std::uint32_t number(std::size_t row, std::size_t column) {
    return static_cast<std::uint32_t>(row * (row + 1) / 2 + column);
  }
  void add(std::uint8_t kind, std::initializer_list<std::uint32_t> reads, std::uint32_t own) {
    std::vector<std::uint32_t>& waits = before.emplace_back();
    for (const std::uint32_t read : reads) waits.push_back(last_[read]);
    if (last_[own] != none) waits.push_back(last_[own]);
    last_[own] = static_cast<std::uint32_t>(tile.size());
    tile.push_back(own);
    codelet.push_back(kind);
  }
  std::vector<std::uint32_t> last_;  ///< by tile: the task that updated it last
};

Predecessors shape_of(const GraphRule& rule, Random& random) {
  switch (rule.shape) {
    case Shape::layered:
      return layered(rule.tasks, random);
    case Shape::fork_join:
      return fork_join(rule.tasks, random);
    case Shape::wavefront:
      return wavefront(rule.tasks);
    case Shape::tree:
      return tree(rule.tasks);
    case Shape::cholesky:
      break;
  }
  return {};
}

/// Per task: tasks on the longest path to the end, itself included.
std::vector<std::int32_t> levels(const Predecessors& before) {
  std::vector<std::int32_t> level(before.size(), 1);
  for (std::size_t t = before.size(); t-- > 0;)
    for (const std::uint32_t b : before[t]) level[b] = std::max(level[b], level[t] + 1);
  return level;
}

Timing timing(const std::string& model, const char* unit, std::uint32_t footprint, double seconds) {
  Timing made;
  made.model = model;
  made.architecture = unit;
  made.footprint = footprint;
  made.mean = 1e6 * seconds;
  made.samples = 1;
  return made;
}

/// One core runs the tasks one after the other.
class Builder {
 public:
  explicit Builder(const GraphRule& rule) {
    Recording& r = made_.recording;
    r.name = fmt::format("{}-{}", shape_names[static_cast<std::size_t>(rule.shape)], rule.tasks);
    r.has_dependencies = true;
    r.kinds.push_back({"CPU"});
    r.nodes.push_back({"RAM", 0, 0});
    r.units.push_back({"CPU 0", 0, 0, 0, 0});
    r.timeline.emplace_back();
  }
  void add_codelet(const std::string& name, double on_core, double on_gpu) {
    made_.recording.codelets.push_back({name, name});
    on_core_.push_back(on_core);
    const auto footprint = static_cast<std::uint32_t>(on_core_.size());
    made_.durations.timings.push_back(timing(name, "cpu0", footprint, on_core));
    made_.durations.timings.push_back(timing(name, "cuda0", footprint, on_gpu));
  }
  void add_datum(std::string name, double bytes) {
    made_.recording.handles.push_back({std::move(name), static_cast<std::uint64_t>(bytes)});
  }
  /// Its accesses follow, and end_task().
  void add_task(std::size_t codelet, std::int32_t priority) {
    Recording& r = made_.recording;
    Task task;
    task.id = task.submit_order = r.tasks.size() + 1;
    task.submitted = 0;
    task.start = r.end;
    task.end = r.end += on_core_[codelet];
    task.unit = 0;
    task.codelet = static_cast<std::uint32_t>(codelet);
    task.footprint = static_cast<std::uint32_t>(codelet + 1);
    task.priority = priority;
    r.tasks.push_back(task);
  }
  void waits_for(std::uint32_t task) { made_.recording.dependencies.item.push_back(task); }
  void accesses(std::uint32_t datum, Mode mode) { made_.recording.accesses.item.push_back({datum, mode}); }
  void end_task() {
    made_.recording.dependencies.close();
    made_.recording.accesses.close();
  }
  GeneratedGraph take() { return std::move(made_); }

 private:
  GeneratedGraph made_;
  std::vector<double> on_core_;  ///< by codelet, s
};

GeneratedGraph cholesky(const GraphRule& rule) {
  Builder made(rule);
  constexpr double product = 0.05;  // s
  constexpr double bytes = 960 * 960 * 4;
  made.add_codelet("generated_potrf", product / 6, product / 6 / 2);
  made.add_codelet("generated_trsm", product / 2, product / 2 / 11);
  made.add_codelet("generated_syrk", product / 2, product / 2 / 26);
  made.add_codelet("generated_gemm", product, product / 29);
  const Cholesky graph(rule.tasks);
  for (std::size_t i = 0; i < graph.tiles(); ++i) made.add_datum(fmt::format("t{}", i), bytes);
  const std::vector<std::int32_t> level = levels(graph.before);
  for (std::uint32_t t = 0; t < graph.tile.size(); ++t) {
    made.add_task(graph.codelet[t], level[t]);
    for (const std::uint32_t b : graph.before[t]) {
      made.waits_for(b);
      if (graph.tile[b] != graph.tile[t]) made.accesses(graph.tile[b], Mode::read);
    }
    made.accesses(graph.tile[t], Mode::read_write);
    made.end_task();
  }
  return made.take();
}

}  // namespace

GraphRule GraphRule::parse(const std::string& text) {
  GraphRule rule;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto* const shape = std::find(shape_names.begin(), shape_names.end(), text.substr(0, colon));
  const auto number = [&](std::size_t& at, std::uint64_t& value) {
    const char* const first = text.data() + at;
    const auto read = std::from_chars(first, text.data() + text.size(), value);
    at += static_cast<std::size_t>(read.ptr - first);
    return read.ec == std::errc();
  };
  std::size_t at = colon + 1;
  bool right = shape != shape_names.end() && at < text.size() && number(at, rule.tasks);
  if (right && at < text.size() && text[at] == ':') right = number(++at, rule.seed);
  if (!right || at != text.size() || rule.tasks < 1 || rule.tasks > most_tasks)
    bad_input("--generate {}: expected SHAPE:TASKS or SHAPE:TASKS:SEED, a shape of {}, 1 to {} tasks", text,
              fmt::join(shape_names, ", "), most_tasks);
  rule.shape = static_cast<Shape>(shape - shape_names.begin());
  return rule;
}

GeneratedGraph generate(const GraphRule& rule) {
  if (rule.shape == Shape::cholesky) return cholesky(rule);
  Random random(rule.seed);
  Builder made(rule);
  for (std::size_t c = 0; c < codelet_count; ++c) {
    const double on_core = random.log_uniform(1e-3, 1e-2);
    made.add_codelet(fmt::format("generated_{}", c + 1), on_core, on_core / random.log_uniform(0.5, 32));
  }
  const Predecessors before = shape_of(rule, random);
  const std::vector<std::int32_t> level = levels(before);
  const double mean = (largest_datum - smallest_datum) / std::log(largest_datum / smallest_datum);
  const double scale = std::min(1.0, all_data / (mean * static_cast<double>(before.size())));
  for (std::uint32_t t = 0; t < before.size(); ++t) {
    made.add_task(random.whole(0, codelet_count - 1), level[t]);
    made.add_datum(fmt::format("d{}", t), scale * random.log_uniform(smallest_datum, largest_datum));
    for (const std::uint32_t b : before[t]) {
      made.waits_for(b);
      made.accesses(b, Mode::read);
    }
    made.accesses(t, Mode::write);
    made.end_task();
  }
  return made.take();
}

}  // namespace asterism::traces
