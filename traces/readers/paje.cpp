// SPDX-License-Identifier: Apache-2.0
// paje.trace as starpu_fxt_tool writes it. The format declares its own events (B. de Oliveira Stein, J. Chassin de
// Kergommeaux, "Pajé trace file format", 2003): fields are found by name, so other versions of StarPU are read too.
#include <algorithm>
#include <cmath>

#include "traces/readers/paje_reader.hpp"

namespace asterism::traces {
namespace paje {

template <class Change>
void PajeReader::change(const Definition& d, double time, Change&& apply) {
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

void PajeReader::read(const Progress& progress) {
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

void PajeReader::event(std::string_view line) {
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

std::optional<std::uint32_t> PajeReader::rank_of(std::string_view alias) const {
  const auto bar = alias.find('_');
  if (bar == std::string_view::npos || bar == 0 ||
      alias.substr(0, bar).find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return lines_.parse<std::uint32_t>(alias.substr(0, bar), "a rank");
}

void PajeReader::create(const Definition& d) {
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
    if (const auto bar = name.find('_'); several_ranks_ && bar != std::string_view::npos &&
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

void PajeReader::finish() {
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

}  // namespace paje

void read_paje(Assembling& into, const std::filesystem::path& path, Known known, const Progress& progress) {
  paje::PajeReader(into, path, known).read(progress);
}

}  // namespace asterism::traces
