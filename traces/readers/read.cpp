// SPDX-License-Identifier: Apache-2.0
#include "traces/readers/read.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "traces/clocks.hpp"
#include "traces/readers/assembling.hpp"
#include "traces/timeline.hpp"

namespace asterism::traces {

namespace fs = std::filesystem;

namespace {

/// A folder that lives as long as this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "asterism-trace-XXXXXX").string();
    if (!mkdtemp(name.data())) failed("{}: a temporary folder cannot be made", name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

struct Files {
  std::optional<fs::path> tasks;
  std::optional<fs::path> paje;
  std::optional<fs::path> data;
  std::optional<fs::path> messages;
  std::optional<fs::path> clocks;
};

std::optional<fs::path> in_folder(const fs::path& folder, const std::string& name) {
  for (const char* end : {"", ".gz"})
    if (fs::exists(folder / (name + end))) return folder / (name + end);
  return std::nullopt;
}

Files files_of_folder(const fs::path& folder) {
  return {in_folder(folder, "tasks.rec"), in_folder(folder, "paje.trace"), in_folder(folder, "data.rec"),
          in_folder(folder, "comms.rec"), in_folder(folder, "clocks.rec")};
}

enum class Content { paje, tasks, data, messages, clocks, other };

/// By the first line that says something.
Content content_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.find("paje") != std::string::npos || name.ends_with(".trace") || name.ends_with(".trace.gz"))
    return Content::paje;
  for (const auto& [beginning, content] :
       {std::pair{"data.rec", Content::data}, {"comms.rec", Content::messages}, {"clocks.rec", Content::clocks}})
    if (name.starts_with(beginning)) return content;
  if (name.ends_with(".rec") || name.ends_with(".rec.gz")) return Content::tasks;
  std::ifstream in(path, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.starts_with("%EventDef")) return Content::paje;
  if (head.find("JobId: ") != std::string::npos && head.find('\0') == std::string::npos) return Content::tasks;
  return Content::other;
}

/// Names and kinds that the files did not give.
void name_units(Recording& r) {
  for (Unit& u : r.units) {
    if (u.node == none) {
      r.nodes.push_back({"", u.rank, 0});
      u.node = static_cast<std::uint32_t>(r.nodes.size() - 1);
    }
    if (u.kind != none) continue;
    // Only tasks.rec: main memory is node 0, every other node an accelerator's.
    const bool cpu = r.nodes[u.node].index == 0;
    const std::string kind = cpu ? "CPU" : "GPU";
    const auto known = std::find_if(r.kinds.begin(), r.kinds.end(), [&](const auto& k) { return k.name == kind; });
    u.kind = static_cast<std::uint32_t>(known - r.kinds.begin());
    if (known == r.kinds.end()) r.kinds.push_back({kind});
    u.name = fmt::format("{} {}", kind, cpu ? u.worker : r.nodes[u.node].index - 1);
  }
  std::vector<std::string> node_names(r.nodes.size());
  std::vector<std::size_t> memories(r.ranks, 0);
  for (const Unit& u : r.units)
    if (r.kinds[u.kind].name != "CPU" && node_names[u.node].empty())
      node_names[u.node] = u.name.substr(0, u.name.find('.'));
  for (std::size_t n = 0; n < r.nodes.size(); ++n)
    if (node_names[n].empty()) ++memories[std::min<std::size_t>(r.nodes[n].rank, r.ranks - 1)];
  for (std::size_t n = 0; n < r.nodes.size(); ++n) {
    MemoryNode& node = r.nodes[n];
    if (!node_names[n].empty())
      node.name = node_names[n];
    else
      node.name = memories[node.rank] > 1 ? fmt::format("NUMA {}", node.index) : "RAM";
    if (r.ranks > 1) node.name = fmt::format("{}: {}", node.rank, node.name);
  }
  if (r.ranks > 1)
    for (Unit& u : r.units) u.name = fmt::format("{}: {}", u.rank, u.name);
}

/// Kinds with the CPUs first, then by name, those of GPUs by their numbers; memory nodes by rank and number.
void sort_kinds_and_nodes(Recording& r) {
  const auto renumber = [](auto& list, auto&& before, auto&& each_use) {
    std::vector<std::uint32_t> order(list.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(list[a], list[b]); });
    std::vector<std::uint32_t> number(order.size());
    auto sorted = list;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      number[order[i]] = i;
      sorted[i] = list[order[i]];
    }
    list = std::move(sorted);
    each_use(number);
  };
  renumber(
      r.kinds,
      [](const auto& a, const auto& b) {
        const auto key = [](const Kind& kind) {
          const int first = kind.devices.empty() ? 0 : kind.devices.front();
          return std::tuple(kind.name != "CPU", kind.name.substr(0, kind.name.find(' ')), first, kind.name);
        };
        return key(a) < key(b);
      },
      [&](const auto& number) {
        for (Unit& u : r.units) u.kind = number[u.kind];
      });
  renumber(
      r.nodes, [](const auto& a, const auto& b) { return std::tuple(a.rank, a.index) < std::tuple(b.rank, b.index); },
      [&](const auto& number) {
        for (Unit& u : r.units) u.node = number[u.node];
        for (Transfer& t : r.transfers) {
          t.from = number[t.from];
          t.to = number[t.to];
        }
      });
}

/// Units sorted by rank, kind (accelerators last) and worker.
void sort_units(Assembling& a) {
  Recording& r = a.recording;
  std::vector<std::uint32_t> order(r.units.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::uint32_t i) {
    const Unit& u = r.units[i];
    return std::tuple(u.rank, u.kind, u.worker);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) { return key(x) < key(y); });
  std::vector<Unit> units;
  std::vector<std::deque<Span>> states(order.size());
  std::vector<std::uint32_t> number(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    units.push_back(std::move(r.units[order[i]]));
    states[i] = std::move(a.states[order[i]]);
    number[order[i]] = i;
  }
  for (Task& t : r.tasks)
    if (t.unit != none) t.unit = number[t.unit];
  r.units = std::move(units);
  a.states = std::move(states);
}

/// All times of each rank, by its clock, to the common time.
void onto_common_axis(const std::vector<RankClock>& clocks, Assembling& a) {
  Recording& r = a.recording;
  const auto rank_of_node = [&](std::uint32_t node) { return r.nodes[node].rank; };
  for (Task& t : r.tasks)
    for (double* const time : {&t.submitted, &t.start, &t.end}) *time = clocks[t.rank](*time);
  for (std::size_t u = 0; u < r.units.size(); ++u)
    for (Span& s : a.states[u]) {
      s.start = clocks[r.units[u].rank](s.start);
      s.end = clocks[r.units[u].rank](s.end);
    }
  for (Transfer& t : r.transfers) {
    t.start = clocks[rank_of_node(t.from)](t.start);
    t.end = clocks[rank_of_node(t.to)](t.end);
  }
  for (Message& m : r.messages) {
    m.start = clocks[m.from](m.start);
    m.end = clocks[m.to](m.end);
  }
  for (Marker& m : r.markers) m.time = clocks[m.rank](m.time);
  for (std::size_t rank = 0; rank < a.curves.size(); ++rank)
    for (Curve& curve : a.curves[rank])
      for (Curve::Point& p : curve.points()) p.time = clocks[rank](p.time);
}

/// What is known of messages: when they were under way, the ranks' clocks by them, and what depends on them.
void assemble_messages(Assembling& a, const Files& files) {
  Recording& r = a.recording;
  for (const Message& m : r.messages)
    if (std::max(m.from, m.to) >= r.ranks || m.from == m.to)
      bad_input("{}: a message from rank {} to rank {} of {} ranks",
                (files.messages ? *files.messages : *files.paje).string(), m.from, m.to, r.ranks);
  if (files.messages && files.paje && a.links_between_ranks != r.messages.size())
    bad_input("{}: {} messages, but {} in {}: one of them was cut", files.messages->string(), r.messages.size(),
              a.links_between_ranks, files.paje->string());
  refine_messages(a);
  if (files.clocks) read_clocks_rec(a, *files.clocks);
  Alignment alignment = align(r, a.between_barriers);
  if (alignment.clocks.alignment != Clocks::Alignment::barriers &&
      alignment.clocks.alignment != Clocks::Alignment::contradictory)
    onto_common_axis(alignment.of_rank, a);
  r.clocks = std::move(alignment.clocks);
  const auto forward = [&] {
    for (Message& m : r.messages) m.end = std::max(m.end, m.start);
  };
  if (r.clocks.still_early == 0) forward();  // they are early by rounding only
  connect_messages(r, a.message_jobs);
  forward();
  std::stable_sort(r.transfers.begin(), r.transfers.end(),
                   [](const Transfer& x, const Transfer& y) { return x.start < y.start; });
  std::stable_sort(r.messages.begin(), r.messages.end(),
                   [](const Message& x, const Message& y) { return x.start < y.start; });
  std::stable_sort(r.markers.begin(), r.markers.end(),
                   [](const Marker& x, const Marker& y) { return x.time < y.time; });
}

/// The sum over the ranks of step functions.
Curve sum_of(const std::vector<std::array<Curve, 2>>& curves, std::size_t which) {
  if (curves.empty()) return {};
  if (curves.size() == 1) return curves.front()[which];
  struct Step {
    double time;
    double change;
  };
  std::vector<Step> steps;
  for (const auto& of_rank : curves) {
    double before = 0;
    for (const Curve::Point& p : of_rank[which].points()) {
      steps.push_back({p.time, p.value - before});
      before = p.value;
    }
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) { return x.time < y.time; });
  Curve sum;
  double value = 0;
  for (const Step& s : steps) sum.add(s.time, value += s.change);
  return sum;
}

Recording assemble(const Files& files, const std::string& name, const ReadOptions& options,
                   const std::string& shown_as) {
  const Progress& progress = options.progress;
  Assembling a;
  a.partial = options.partial;
  a.shown_as = shown_as;
  Recording& r = a.recording;
  r.name = name;
  if (files.tasks)
    read_tasks_rec(a, *files.tasks, [&](double f) {
      if (progress) progress(files.paje ? f / 3 : f);
    });
  if (files.data) read_data_rec(a, *files.data);
  if (files.messages) read_comms_rec(a, *files.messages);
  if (files.paje)
    read_paje(a, *files.paje, {files.tasks.has_value(), files.messages.has_value()}, [&](double f) {
      if (progress) progress(files.tasks ? (1 + 2 * f) / 3 : f);
    });
  for (const Unit& u : r.units) r.ranks = std::max(r.ranks, u.rank + 1);
  for (const MemoryNode& n : r.nodes) r.ranks = std::max(r.ranks, n.rank + 1);
  if (r.ranks > 1) assemble_messages(a, files);
  r.ready = sum_of(a.curves, 0);
  r.submitted = sum_of(a.curves, 1);
  name_units(r);
  sort_kinds_and_nodes(r);
  sort_units(a);
  r.begin = INFINITY;
  r.end = -INFINITY;
  for (const Task& t : r.tasks) {
    if (!t.executed()) continue;
    r.begin = std::min(r.begin, t.start);
    r.end = std::max(r.end, t.end);
  }
  const fs::path& first = files.tasks ? *files.tasks : *files.paje;
  if (r.end < r.begin) bad_input("{}: no task was executed in it", first.string());
  for (Marker& m : r.markers) m.time = std::clamp(m.time, r.begin, r.end);
  build_timeline(r, std::move(a.states));
  return std::move(r);
}

}  // namespace

Recording read(const std::vector<fs::path>& paths, const ReadOptions& options) {
  if (paths.empty()) bad_input("no recording given");
  for (const auto& p : paths)
    if (!fs::exists(p)) bad_input("{}: there is no such file or folder", p.string());
  std::string name = options.name;
  if (name.empty()) name = fs::absolute(paths[0]).lexically_normal().filename().string();
  if (name.empty()) name = fs::absolute(paths[0]).lexically_normal().parent_path().filename().string();

  std::optional<TemporaryFolder> temporary;
  Files files;
  if (paths.size() == 1 && fs::is_directory(paths[0])) {
    files = files_of_folder(paths[0]);
    if (!files.tasks && !files.paje) {
      // A folder of FxT files, as STARPU_FXT_PREFIX leaves them.
      std::vector<fs::path> recorded;
      for (const auto& entry : fs::directory_iterator(paths[0]))
        if (entry.path().filename().string().starts_with("prof_file")) recorded.push_back(entry.path());
      if (recorded.empty()) bad_input("{}: neither tasks.rec, paje.trace nor prof_file* in it", paths[0].string());
      std::sort(recorded.begin(), recorded.end());
      temporary.emplace();
      convert_fxt(recorded, temporary->path());
      files = files_of_folder(temporary->path());
    }
  } else {
    std::vector<fs::path> recorded;
    for (const auto& p : paths) {
      if (fs::is_directory(p))
        bad_input("{}: a folder among files; give one folder, or FxT files of one run", p.string());
      switch (content_of(p)) {
        case Content::paje:
          files.paje = p;
          break;
        case Content::tasks:
          files.tasks = p;
          break;
        case Content::data:
          files.data = p;
          break;
        case Content::messages:
          files.messages = p;
          break;
        case Content::clocks:
          files.clocks = p;
          break;
        case Content::other:
          recorded.push_back(p);
          break;
      }
    }
    if (!recorded.empty()) {
      if (files.paje || files.tasks) bad_input("{}: neither tasks.rec nor paje.trace", recorded[0].string());
      temporary.emplace();
      convert_fxt(recorded, temporary->path());
      files = files_of_folder(temporary->path());
    }
  }
  if (temporary && (!files.tasks || fs::file_size(*files.tasks) == 0))
    bad_input("{}: no task in it: not an FxT file of StarPU, or cut", paths[0].string());
  Recording r = assemble(files, name, options, temporary ? paths[0].string() : std::string{});
  return restrict_to(std::move(r), options.window);
}

}  // namespace asterism::traces
