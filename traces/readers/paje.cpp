// paje.trace as starpu_fxt_tool writes it. The format declares its own events (B. de Oliveira Stein, J. Chassin de
// Kergommeaux, "Pajé trace file format", 2003): fields are found by name, so other versions of StarPU are read too.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/line_stream.hpp"
#include "traces/readers/assembling.hpp"
#include "traces/readers/paje_events.hpp"

namespace asterism::traces {

namespace {

using namespace paje;

/// What StarPU's state names mean (src/debug/traces/starpu_paje.c). Codelets' names are not among them.
State state_of(std::string_view value) {
  if (value == "Fi") return State::waiting;
  if (value == "Sc") return State::scheduling;
  if (value == "I" || value == "Sl" || value == "P" || value == "W" || value == "WA" || value == "No")
    return State::idle;
  static constexpr std::string_view at_work[] = {"B", "C",  "Po", "Ps", "In", "D",   "U",  "H",
                                                 "E", "Bu", "Su", "Th", "MD", "MPr", "MPo"};
  for (const auto& known : at_work)
    if (value == known) return State::runtime;
  return State::computing;
}

/// The states a container is in: a stack, of which setting replaces the whole.
struct Stack {
  std::vector<State> states;
  [[nodiscard]] bool known() const { return !states.empty(); }
  [[nodiscard]] State top() const { return states.back(); }
};

struct Container {
  enum class What { other, thread, worker, memory, communication, scheduler } what = What::other;
  std::uint32_t rank = 0;
  std::uint32_t index = none;  ///< unit, or memory node
  std::uint32_t parent = none;
  bool ended = false;
  Stack stack;
  std::vector<std::uint32_t> workers;                                 ///< containers of a thread's workers
  enum class Call { none, sending, receiving } in_call = Call::none;  ///< of MPI
};

class Reader {
 public:
  Reader(Assembling& into, const std::filesystem::path& path, Known known)
      : into_(into), lines_(path), tasks_known_(known.tasks), messages_known_(known.messages) {}

  void read(const Progress& progress) {
    std::string_view line;
    while (lines_.next(line)) {
      if ((lines_.number() & 0xffff) == 0 && progress) progress(lines_.progress());
      if (line.empty() || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      if (line[0] == '%')
        definitions_.read(line, lines_);
      else
        event(line);
    }
    if (definitions_.empty()) bad_input("{}: no %EventDef in it: not a paje.trace", lines_.path().string());
    finish();
  }

 private:
  /// The field `f` of the event in hand; empty when the event has none.
  [[nodiscard]] std::string_view get(const Definition& d, Field f) const {
    return d.at[f] >= 0 && d.at[f] < count_ ? words_[d.at[f]] : std::string_view{};
  }
  std::string_view need(const Definition& d, Field f) const {
    const std::string_view value = get(d, f);
    if (d.at[f] < 0 || d.at[f] >= count_) lines_.fail("an event without {}: cut or not a paje.trace", field_names[f]);
    return value;
  }

  void event(std::string_view line) {
    std::string_view word;
    if (!next_quoted_field(line, word)) return;
    const auto id = lines_.parse<std::size_t>(word, "an event's number");
    if (id >= definitions_.size() || (definitions_[id].fields == 0 && definitions_[id].event == Event::other))
      lines_.fail("event {} was not declared: not a paje.trace, or cut at its beginning", id);
    const Definition& d = definitions_[id];
    if (d.event == Event::other) return;
    count_ = 0;
    while (count_ < static_cast<int>(words_.size()) && next_quoted_field(line, words_[count_])) ++count_;
    const double time = lines_.parse<double>(need(d, time_field), "a time in ms") * 1e-3;
    last_time_ = std::max(last_time_, time);
    switch (d.event) {
      case Event::create:
        create(d);
        break;
      case Event::set_state:
        if (d.at[job_field] >= 0 && d.at[parameters_field] >= 0) {
          details(d, time);
          break;
        }
        change(d, time, [&](Stack& s) { s.states.assign(1, meaning(get(d, value_field))); });
        break;
      case Event::push_state:
        change(d, time, [&](Stack& s) { s.states.push_back(meaning(get(d, value_field))); });
        break;
      case Event::pop_state:
        change(d, time, [&](Stack& s) {
          if (!s.states.empty()) s.states.pop_back();
        });
        break;
      case Event::set_variable:
        variable(d, time, 0);
        break;
      case Event::add_variable:
        variable(d, time, 1);
        break;
      case Event::sub_variable:
        variable(d, time, -1);
        break;
      case Event::start_link:
        start_link(d, time);
        break;
      case Event::end_link:
        end_link(d, time);
        break;
      case Event::new_event:
        if (get(d, type_field) == "prog_event" && into_.recording.markers.size() < 100000)
          into_.recording.markers.push_back(
              {time, std::string(get(d, value_field)), rank_of(get(d, container_field)).value_or(0)});
        break;
      case Event::destroy:
        if (Container* const c = find(get(d, d.at[alias_field] >= 0 ? alias_field : name_field))) c->ended = true;
        break;
      case Event::other:
        break;
    }
  }

  Container* find(std::string_view alias) {
    const auto it = by_alias_.find(alias);
    return it == by_alias_.end() ? nullptr : &containers_[it->second];
  }

  /// The rank in front of a container's name.
  [[nodiscard]] std::optional<std::uint32_t> rank_of(std::string_view alias) const {
    const auto bar = alias.find('_');
    if (bar == std::string_view::npos || bar == 0 ||
        alias.substr(0, bar).find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    return lines_.parse<std::uint32_t>(alias.substr(0, bar), "a rank");
  }

  void create(const Definition& d) {
    const std::string_view alias = need(d, alias_field);
    const std::string_view type = need(d, type_field);
    Container c;
    std::string_view own = alias;
    if (const auto rank = rank_of(alias)) {
      c.rank = *rank;
      own = alias.substr(alias.find('_') + 1);
      several_ranks_ = true;
    }
    const auto number = [&](std::size_t prefix) {
      return lines_.parse<std::uint32_t>(own.substr(std::min(prefix, own.size())), "a container's number");
    };
    const auto parent = by_alias_.find(get(d, container_field));
    if (parent != by_alias_.end()) c.parent = parent->second;
    const auto here = static_cast<std::uint32_t>(containers_.size());
    if (type == "T") {
      c.what = Container::What::thread;
    } else if (type == "Mn" || type == "Mm") {
      c.what = Container::What::memory;
      c.index = into_.node(c.rank, number(2));
    } else if (type == "MPICt") {
      c.what = Container::What::communication;
      c.index = into_.node(c.rank, 0);
      if (into_.calls.size() <= c.rank) into_.calls.resize(c.rank + 1);
    } else if (type == "Sc") {
      c.what = Container::What::scheduler;
    } else if (type == "W") {
      c.what = Container::What::worker;
      c.index = into_.unit(c.rank, number(1));
      Unit& unit = into_.recording.units[c.index];
      std::string_view name = get(d, name_field);
      if (const auto bar = name.find('_');
          several_ranks_ && bar != std::string_view::npos &&
          name.substr(0, bar).find_first_not_of("0123456789") == std::string_view::npos)
        name.remove_prefix(bar + 1);
      unit.name = name;
      if (c.parent != none) {
        containers_[c.parent].workers.push_back(here);
        if (containers_[c.parent].parent != none) unit.node = containers_[containers_[c.parent].parent].index;
      }
      begun_.resize(into_.recording.units.size());
    }
    by_alias_[std::string(alias)] = here;
    containers_.push_back(std::move(c));
  }

  /// StarPU's own tasks (calibration, partitioning) run on units but are not in tasks.rec: they are the runtime's work.
  [[nodiscard]] State meaning(std::string_view value) const {
    const State s = state_of(value);
    return s == State::computing && tasks_known_ && !into_.knows_codelet(value) ? State::runtime : s;
  }

  /// What a unit does by what its worker and its thread say: fetching is the worker's, all else the thread's when it
  /// says anything.
  [[nodiscard]] State combined(const Container& worker) const {
    if (worker.stack.known() && worker.stack.top() == State::waiting) return State::waiting;
    const Stack* const thread = worker.parent != none ? &containers_[worker.parent].stack : nullptr;
    State s = State::idle;
    if (thread && thread->known())
      s = thread->top();
    else if (worker.stack.known())
      s = worker.stack.top();
    return s == State::computing ? State::idle : s;  // tasks are laid over the states later
  }

  template <class Change>
  void change(const Definition& d, double time, Change&& apply) {
    const std::string_view alias = need(d, container_field);
    Container* const c = find(alias);
    if (!c) {
      if (by_alias_.empty()) lines_.fail("container '{}' was not created: not a paje.trace of StarPU", alias);
      return;  // contexts and user threads
    }
    if (c->what == Container::What::worker && !tasks_known_) end_task(*c, time, get(d, value_field));
    const std::string_view type = get(d, type_field);
    if (c->what == Container::What::thread && type == "S") {
      for (const std::uint32_t w : c->workers) until(containers_[w], time);
      apply(c->stack);
    } else if (c->what == Container::What::worker && (type == "WS" || type == "S")) {
      until(*c, time);
      apply(c->stack);
    } else if (c->what == Container::What::communication && d.event == Event::set_state) {
      mpi_call(*c, time, get(d, value_field));
    }
  }

  /// The thread that is_root MPI begins to do something else.
  void mpi_call(Container& c, double time, std::string_view value) {
    MpiCalls& calls = into_.calls[c.rank];
    if (c.in_call == Container::Call::sending) calls.sends.back().second = time;
    if (c.in_call == Container::Call::receiving) calls.receives.back().second = time;
    c.in_call = value == "SdS"   ? Container::Call::sending
                : value == "RvC" ? Container::Call::receiving
                                 : Container::Call::none;
    if (c.in_call == Container::Call::sending) calls.sends.emplace_back(time, time);
    if (c.in_call == Container::Call::receiving) calls.receives.emplace_back(time, time);
  }

  struct Begun {
    double since = 0;
    bool known = false;
    std::uint32_t task = none;  ///< running, when tasks come from this file
    std::string codelet;
  };

  /// Notes what the unit did since its last change.
  void until(const Container& worker, double time) {
    Begun& b = begun_[worker.index];
    if (b.known && time > b.since) {
      const State s = combined(worker);
      auto& spans = into_.states[worker.index];
      if (s != State::idle) {
        if (!spans.empty() && spans.back().state == s && spans.back().end == b.since)
          spans.back().end = time;
        else
          spans.push_back({b.since, time, none, s});
      }
    }
    b.known = true;
    b.since = std::max(b.since, time);
  }

  /// "PajeSetState" with a JobId: the details of a task that has started; printed after its state was set.
  void details(const Definition& d, double time) {
    if (tasks_known_) {
      if (into_.knows_codelet(need(d, value_field))) last_start_ = std::max(last_start_, time);
      return;
    }
    Container* const c = find(need(d, container_field));
    if (!c || c->what != Container::What::worker || get(d, type_field) != "WS") return;
    Task t;
    const std::string_view job = need(d, job_field);
    const auto bar = job.rfind('_');
    t.id = lines_.parse<std::uint64_t>(bar == std::string_view::npos ? job : job.substr(bar + 1), "a job's number");
    t.rank = c->rank;
    t.unit = c->index;
    t.start = time;
    t.codelet = into_.codelet(need(d, value_field), "");
    t.parameters = into_.text(get(d, parameters_field));
    if (const auto v = get(d, footprint_field); !v.empty())
      t.footprint = static_cast<std::uint32_t>(lines_.parse<std::uint64_t>(v, "a footprint", 16));
    if (const auto v = get(d, gflop_field); !v.empty()) t.flops = lines_.parse<double>(v, "a number of GFlop") * 1e9;
    if (const auto v = get(d, iteration_field); !v.empty()) t.iteration = lines_.parse<std::int32_t>(v, "an iteration");
    if (const auto v = get(d, priority_field); !v.empty()) t.priority = lines_.parse<std::int32_t>(v, "a priority");
    if (const auto v = get(d, submit_field); !v.empty() && v.find('_') == std::string_view::npos)
      t.submit_order = lines_.parse<std::uint64_t>(v, "a number");
    Begun& b = begun_[c->index];
    b.task = static_cast<std::uint32_t>(into_.recording.tasks.size());
    b.codelet = get(d, value_field);
    into_.recording.tasks.push_back(t);
    into_.recording.dependencies.close();
    into_.recording.accesses.close();
  }

  void end_task(const Container& worker, double time, std::string_view value) {
    Begun& b = begun_[worker.index];
    if (b.task == none || value == b.codelet) return;
    Task& t = into_.recording.tasks[b.task];
    if (time < t.start) return;
    t.end = time;
    b.task = none;
  }

  void variable(const Definition& d, double time, int sign) {
    const Container* const c = find(get(d, container_field));
    if (!c || c->what != Container::What::scheduler) return;
    const std::string_view type = get(d, type_field);
    const int which = type == "nready" ? 0 : type == "nsubmitted" ? 1 : -1;
    if (which < 0) return;
    const double value = lines_.parse<double>(need(d, value_field), "a value");
    if (counts_.size() <= c->rank) counts_.resize(c->rank + 1, {0, 0});
    if (into_.curves.size() <= c->rank) into_.curves.resize(c->rank + 1);
    double& now = counts_[c->rank][static_cast<std::size_t>(which)];
    now = sign == 0 ? value : now + sign * value;
    into_.curves[c->rank][static_cast<std::size_t>(which)].add(time, now);
  }

  void start_link(const Definition& d, double time) {
    const Container* const from = find(need(d, start_field));
    if (!from || from->index == none || from->what == Container::What::worker) return;
    if (get(d, type_field).starts_with("MPI")) {
      start_message(d, time, from->rank);
      return;
    }
    Transfer t;
    t.start = time;
    t.end = NAN;
    t.from = from->index;
    const double bytes = lines_.parse<double>(need(d, value_field), "a number of bytes");
    t.bytes = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
    if (const auto h = get(d, handle_field); !h.empty())
      t.handle = into_.handle(from->rank, lines_.parse<std::uint64_t>(h, "a handle's address", 16));
    const std::string_view type = get(d, type_field);
    t.type = into_.text(type == "F"    ? "fetch"
                        : type == "TF" ? "task prefetch"
                        : type == "PF" ? "prefetch"
                        : type == "IF" ? "idle prefetch"
                                       : type);
    const std::string_view key = need(d, key_field);
    links_[std::string(key)] = static_cast<std::uint32_t>(into_.recording.transfers.size());
    into_.recording.transfers.push_back(t);
  }

  void start_message(const Definition& d, double time, std::uint32_t rank) {
    ++into_.links_between_ranks;
    if (messages_known_) return;
    Message m;
    m.start = time;
    m.end = NAN;
    m.from = rank;
    m.bytes = lines_.parse<std::uint64_t>(need(d, value_field), "a number of bytes");
    if (const auto h = get(d, handle_field); !h.empty())
      m.handle = into_.handle(rank, lines_.parse<std::uint64_t>(h, "a handle's address", 16));
    if (const auto tag = get(d, tag_field); !tag.empty()) m.tag = lines_.parse<std::int64_t>(tag, "a tag");
    if (const auto v = get(d, priority_field); !v.empty()) m.priority = lines_.parse<std::int32_t>(v, "a priority");
    if (get(d, message_field) == "Collective") m.kind = MessageKind::collective;
    messages_[std::string(need(d, key_field))] = into_.recording.messages.size();
    into_.recording.messages.push_back(m);
    into_.message_jobs.emplace_back();
  }

  void end_message(std::size_t message, const Container* to, double time) {
    if (!to) return;
    into_.recording.messages[message].to = to->rank;
    into_.recording.messages[message].end = time;
  }

  void end_link(const Definition& d, double time) {
    if (const auto sent = messages_.find(need(d, key_field)); sent != messages_.end()) {
      end_message(sent->second, find(need(d, end_field)), time);
      messages_.erase(sent);
      return;
    }
    const auto it = links_.find(need(d, key_field));
    if (it == links_.end()) return;
    Transfer& t = into_.recording.transfers[it->second];
    links_.erase(it);
    const Container* const to = find(need(d, end_field));
    if (!to || to->index == none) return;
    t.to = to->index;
    t.end = std::max(time, t.start);
  }

  void finish() {
    Recording& r = into_.recording;
    if (std::none_of(containers_.begin(), containers_.end(),
                     [](const Container& c) { return c.what == Container::What::worker; }))
      bad_input("{}: no worker in it: not a paje.trace of StarPU, or cut", lines_.path().string());
    // StarPU ends every worker's thread when it shuts down; nothing else says that a recording is whole.
    std::size_t threads = 0;
    std::size_t open = 0;
    for (const Container& c : containers_) {
      threads += !c.workers.empty();
      open += !c.workers.empty() && !c.ended;
    }
    if (open > 0 && !into_.partial)
      bad_input(
          "{}: {} of {} worker threads never end: the recording was cut, or the program ended without starpu_shutdown "
          "(--partial reads it all the same)",
          into_.shown_as.empty() ? lines_.path().string() : into_.shown_as, open, threads);
    // Transfers under way at the end of the recording are not known in full.
    std::erase_if(r.transfers, [](const Transfer& t) { return std::isnan(t.end); });
    if (std::erase_if(r.messages, [](const Message& m) { return std::isnan(m.end); }) > 0)
      into_.message_jobs.assign(r.messages.size(), {});  // paje.trace has none
    std::sort(r.transfers.begin(), r.transfers.end(),
              [](const Transfer& a, const Transfer& b) { return a.start < b.start; });
    if (!tasks_known_) {
      for (Task& t : r.tasks)
        if (t.executed() && std::isnan(t.end)) t.unit = none;
    } else {
      double last = 0;
      for (const Task& t : r.tasks)
        if (t.executed()) last = std::max(last, t.start);
      constexpr double digit = 2e-9;  // tasks.rec has ms with six digits, paje.trace with nine
      if (last > last_time_ + digit)
        bad_input("{}: ends at {:.6f} s, but tasks.rec has tasks until {:.6f} s: it was cut", lines_.path().string(),
                  last_time_, last);
      if (last_start_ > last + digit)
        bad_input("{}: a task starts at {:.6f} s, but tasks.rec ends at {:.6f} s: tasks.rec was cut",
                  lines_.path().string(), last_start_, last);
    }
    r.has_states = true;
    for (auto& spans : into_.states)
      std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
    name_kinds(r);
  }

  Assembling& into_;
  LineStream lines_;
  bool tasks_known_;
  bool messages_known_;
  paje::Declarations definitions_;
  std::array<std::string_view, 32> words_;
  int count_ = 0;
  std::vector<Container> containers_;
  StringMap<std::uint32_t> by_alias_;
  std::vector<Begun> begun_;
  StringMap<std::uint32_t> links_;
  StringMap<std::size_t> messages_;  ///< under way
  std::vector<std::array<double, 2>> counts_;
  bool several_ranks_ = false;
  double last_time_ = 0;
  double last_start_ = 0;
};

}  // namespace

void read_paje(Assembling& into, const std::filesystem::path& path, Known known, const Progress& progress) {
  Reader(into, path, known).read(progress);
}

}  // namespace asterism::traces
