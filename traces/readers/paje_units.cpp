// SPDX-License-Identifier: Apache-2.0
// What units do in a paje.trace, and its tasks where no tasks.rec has them.
#include <cmath>

#include "traces/readers/paje_reader.hpp"

namespace asterism::traces::paje {
namespace {

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

}  // namespace

State PajeReader::meaning(std::string_view value) const {
  const State s = state_of(value);
  return s == State::computing && tasks_known_ && !into_.knows_codelet(value) ? State::runtime : s;
}

State PajeReader::combined(const Container& worker) const {
  if (worker.stack.known() && worker.stack.top() == State::waiting) return State::waiting;
  const Stack* const thread = worker.parent != none ? &containers_[worker.parent].stack : nullptr;
  State s = State::idle;
  if (thread && thread->known())
    s = thread->top();
  else if (worker.stack.known())
    s = worker.stack.top();
  return s == State::computing ? State::idle : s;  // tasks are laid over the states later
}

void PajeReader::mpi_call(Container& c, double time, std::string_view value) {
  MpiCalls& calls = into_.calls[c.rank];
  if (c.in_call == Container::Call::sending) calls.sends.back().second = time;
  if (c.in_call == Container::Call::receiving) calls.receives.back().second = time;
  c.in_call = value == "SdS"   ? Container::Call::sending
              : value == "RvC" ? Container::Call::receiving
                               : Container::Call::none;
  if (c.in_call == Container::Call::sending) calls.sends.emplace_back(time, time);
  if (c.in_call == Container::Call::receiving) calls.receives.emplace_back(time, time);
}

void PajeReader::until(const Container& worker, double time) {
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

void PajeReader::details(const Definition& d, double time) {
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

void PajeReader::end_task(const Container& worker, double time, std::string_view value) {
  Begun& b = begun_[worker.index];
  if (b.task == none || value == b.codelet) return;
  Task& t = into_.recording.tasks[b.task];
  if (time < t.start) return;
  t.end = time;
  b.task = none;
}

}  // namespace asterism::traces::paje
