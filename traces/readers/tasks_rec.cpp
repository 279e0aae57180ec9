// SPDX-License-Identifier: Apache-2.0
// tasks.rec and data.rec: records of "Key: value" lines separated by empty lines (GNU recutils), as StarPU 1.4 writes
// them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "traces/readers/assembling.hpp"
#include "traces/readers/job.hpp"

namespace asterism::traces {

std::uint32_t Assembling::text(std::string_view s) {
  if (const auto it = texts_.find(s); it != texts_.end()) return it->second;
  const auto number = static_cast<std::uint32_t>(recording.texts.size());
  recording.texts.emplace_back(s);
  texts_.emplace(std::string(s), number);
  return number;
}

std::uint32_t Assembling::codelet(std::string_view name, std::string_view model) {
  if (const auto it = codelets_.find(name); it != codelets_.end()) {
    if (recording.codelets[it->second].model.empty()) recording.codelets[it->second].model = model;
    return it->second;
  }
  const auto number = static_cast<std::uint32_t>(recording.codelets.size());
  recording.codelets.push_back({std::string(name), std::string(model)});
  codelets_.emplace(std::string(name), number);
  return number;
}

std::uint32_t Assembling::handle(std::uint32_t rank, std::uint64_t address) {
  const auto [it, fresh] = handles_.try_emplace({rank, address}, static_cast<std::uint32_t>(recording.handles.size()));
  if (fresh) recording.handles.push_back({fmt::format("{:x}", address), 0});
  return it->second;
}

std::uint32_t Assembling::node(std::uint32_t rank, std::uint32_t index) {
  const auto [it, fresh] = nodes_.try_emplace({rank, index}, static_cast<std::uint32_t>(recording.nodes.size()));
  if (fresh) recording.nodes.push_back({"", rank, index});
  return it->second;
}

std::uint32_t Assembling::unit(std::uint32_t rank, std::uint32_t worker) {
  const auto [it, fresh] = units_.try_emplace({rank, worker}, static_cast<std::uint32_t>(recording.units.size()));
  if (fresh) {
    recording.units.push_back({"", none, rank, worker, none});
    states.emplace_back();
  }
  return it->second;
}

namespace {

Mode mode_of(std::string_view text) {
  const bool reads = text.find('R') != std::string_view::npos;
  const bool writes = text.find('W') != std::string_view::npos;
  if (reads && writes) return Mode::read_write;
  if (reads) return Mode::read;
  return writes ? Mode::write : Mode::other;
}

/// One task while its lines are read.
struct TaskRecord {
  std::string name;
  std::string model;
  Task task;
  bool has_id = false;
  std::int64_t worker = -1;
  std::int64_t node = -1;
  std::vector<Job> depends;
  std::vector<std::uint64_t> handles;
  std::vector<Mode> modes;
  std::vector<std::uint64_t> sizes;
  bool empty = true;
};

template <class Each>
void each_word(std::string_view rest, Each&& each) {
  std::string_view word;
  while (next_quoted_field(rest, word)) each(word);
}

void field(TaskRecord& r, const LineStream& lines, Assembling& into, std::string_view key, std::string_view value) {
  const auto milliseconds = [&] { return lines.parse<double>(value, "a time in ms") * 1e-3; };
  if (key == "Name") {
    r.name = value;
  } else if (key == "Model") {
    r.model = value;
  } else if (key == "JobId") {
    r.task.id = job_of(lines, value).number;
    r.has_id = true;
  } else if (key == "SubmitOrder") {
    r.task.submit_order = lines.parse<std::uint64_t>(value, "a number");
  } else if (key == "Priority") {
    r.task.priority = static_cast<std::int32_t>(lines.parse<std::int64_t>(value, "a priority"));
  } else if (key == "DependsOn") {
    each_word(value, [&](std::string_view w) { r.depends.push_back(job_of(lines, w)); });
  } else if (key == "WorkerId") {
    r.worker = lines.parse<std::int64_t>(value, "a worker's number");
  } else if (key == "MemoryNode") {
    r.node = lines.parse<std::int64_t>(value, "a memory node's number");
  } else if (key == "SubmitTime") {
    r.task.submitted = milliseconds();
  } else if (key == "StartTime") {
    r.task.start = milliseconds();
  } else if (key == "EndTime") {
    r.task.end = milliseconds();
  } else if (key == "Footprint") {
    r.task.footprint = static_cast<std::uint32_t>(lines.parse<std::uint64_t>(value, "a footprint in hexadecimal", 16));
  } else if (key == "GFlop") {
    r.task.flops = lines.parse<double>(value, "a number of GFlop") * 1e9;
  } else if (key == "Iteration") {
    std::string_view word;
    if (next_quoted_field(value, word)) r.task.iteration = lines.parse<std::int32_t>(word, "an iteration's number");
  } else if (key == "Parameters") {
    r.task.parameters = into.text(value);
  } else if (key == "Handles") {
    each_word(value, [&](std::string_view w) {
      r.handles.push_back(lines.parse<std::uint64_t>(w, "a handle's address in hexadecimal", 16));
    });
  } else if (key == "Modes") {
    each_word(value, [&](std::string_view w) { r.modes.push_back(mode_of(w)); });
  } else if (key == "Sizes") {
    each_word(value, [&](std::string_view w) { r.sizes.push_back(lines.parse<std::uint64_t>(w, "a size in bytes")); });
  } else if (key == "MPIRank") {
    const auto rank = lines.parse<std::int64_t>(value, "a rank");
    r.task.rank = rank < 0 ? 0 : static_cast<std::uint32_t>(rank);
  }
}

}  // namespace

void read_tasks_rec(Assembling& into, const std::filesystem::path& path, const Progress& progress) {
  LineStream lines(path);
  Recording& out = into.recording;
  const auto job = [](std::uint32_t rank, std::uint64_t id) { return (static_cast<std::uint64_t>(rank) << 44) ^ id; };
  std::vector<std::uint64_t> depends;  // jobs, list by list as out.dependencies
  std::vector<std::uint64_t> depends_offset{0};
  std::vector<std::int64_t> workers;
  TaskRecord r;

  const auto finish = [&] {
    if (r.empty) return;
    if (!r.has_id) lines.fail("a record without JobId ends here: not a tasks.rec of StarPU");
    Task& t = r.task;
    if (r.worker >= 0 && std::isfinite(t.start) && std::isfinite(t.end)) {
      if (t.end < t.start) lines.fail("job {} ends {} s before it starts", t.id, t.start - t.end);
      t.unit = into.unit(t.rank, static_cast<std::uint32_t>(r.worker));
      if (r.node >= 0 && out.units[t.unit].node == none)
        out.units[t.unit].node = into.node(t.rank, static_cast<std::uint32_t>(r.node));
      if (r.name.empty()) r.name = r.model.empty() ? "unnamed" : r.model;
    }
    if (!r.name.empty()) t.codelet = into.codelet(r.name, r.model);
    out.tasks.push_back(t);
    for (std::size_t i = 0; i < r.handles.size(); ++i) {
      const std::uint32_t h = into.handle(t.rank, r.handles[i]);
      if (i < r.sizes.size()) out.handles[h].bytes = std::max(out.handles[h].bytes, r.sizes[i]);
      out.accesses.item.push_back({h, i < r.modes.size() ? r.modes[i] : Mode::other});
    }
    out.accesses.close();
    const auto first = static_cast<std::ptrdiff_t>(depends.size());
    for (const Job& d : r.depends) depends.push_back(job(d.rank.value_or(t.rank), d.number));
    std::sort(depends.begin() + first, depends.end());
    depends.erase(std::unique(depends.begin() + first, depends.end()), depends.end());
    depends_offset.push_back(depends.size());
    r = TaskRecord{};
  };

  std::string_view line;
  std::string_view key;
  while (lines.next(line)) {
    if ((lines.number() & 0xffff) == 0 && progress) progress(lines.progress());
    if (line.empty()) {
      finish();
      continue;
    }
    if (line[0] == '%' || line[0] == '#') continue;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 40)
      lines.fail("'{}' found where 'Key: value' was expected: not a tasks.rec of StarPU", line.substr(0, 40));
    key = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    r.empty = false;
    field(r, lines, into, key, value);
    // StarPU 1.4 ends EndDependencies without the line end that would separate the records
    if (key == "EndDependencies") finish();
  }
  if (!r.empty) lines.fail("the file ends in the middle of a record: it was cut");
  if (out.tasks.empty()) bad_input("{}: no task in it", path.string());

  // Sorted by submission; dependencies from job numbers to task numbers.
  const std::size_t n = out.tasks.size();
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  const auto submitted = [&](std::uint32_t i) {
    const Task& t = out.tasks[i];
    return std::tuple(t.rank, std::isfinite(t.submitted) ? t.submitted : -1.0, t.id);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return submitted(a) < submitted(b); });

  std::unordered_map<std::uint64_t, std::uint32_t> number;
  number.reserve(n);
  std::vector<Task> tasks(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    tasks[i] = out.tasks[order[i]];
    if (!number.emplace(job(tasks[i].rank, tasks[i].id), i).second)
      bad_input("{}: job {} is there twice", path.string(), tasks[i].id);
  }
  Lists<Access> accesses;
  accesses.item.reserve(out.accesses.item.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto data = out.data(order[i]);
    accesses.item.insert(accesses.item.end(), data.begin(), data.end());
    accesses.close();
    for (std::uint64_t d = depends_offset[order[i]]; d < depends_offset[order[i] + 1]; ++d)
      if (const auto it = number.find(depends[d]); it != number.end() && it->second != i)
        out.dependencies.item.push_back(it->second);
    out.dependencies.close();
  }
  out.tasks = std::move(tasks);
  out.accesses = std::move(accesses);
  out.has_dependencies = true;
}

namespace {
void read_coordinates(const LineStream& lines, std::string_view text, std::vector<int>& coordinates) {
  coordinates.clear();
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    if (blank != 0) coordinates.push_back(lines.parse<int>(text.substr(0, blank), "a coordinate"));
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
}
}  // namespace

void read_data_rec(Assembling& into, const std::filesystem::path& path) {
  LineStream lines(path);
  std::string_view line;
  std::optional<std::uint64_t> address;
  std::uint32_t rank = 0;
  const auto current = [&]() -> Handle& { return into.recording.handles[into.handle(rank, *address)]; };
  while (lines.next(line)) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 2);
    if (key == "Handle") {
      address = lines.parse<std::uint64_t>(value, "a handle's address in hexadecimal", 16);
      rank = 0;
    } else if (key == "MPIRank") {  // before name and size
      rank = lines.parse<std::uint32_t>(value, "a rank");
    } else if (address && key == "Name") {
      current().name = value;
    } else if (address && key == "Size") {
      current().bytes = lines.parse<std::uint64_t>(value, "a size in bytes");
    } else if (address && key == "Coordinates") {
      read_coordinates(lines, value, current().coordinates);
    }
  }
}

}  // namespace asterism::traces
