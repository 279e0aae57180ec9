// SPDX-License-Identifier: Apache-2.0
#include "traces/readers/paje_events.hpp"

namespace asterism::traces::paje {
namespace {

Event event_named(std::string_view name) {
  if (name == "PajeCreateContainer") return Event::create;
  if (name == "PajeDestroyContainer") return Event::destroy;
  if (name == "PajeSetState") return Event::set_state;
  if (name == "PajePushState") return Event::push_state;
  if (name == "PajePopState") return Event::pop_state;
  if (name == "PajeNewEvent") return Event::new_event;
  if (name == "PajeSetVariable") return Event::set_variable;
  if (name == "PajeAddVariable") return Event::add_variable;
  if (name == "PajeSubVariable") return Event::sub_variable;
  if (name == "PajeStartLink") return Event::start_link;
  if (name == "PajeEndLink") return Event::end_link;
  return Event::other;
}

}  // namespace

void Declarations::read(std::string_view line, const LineStream& lines) {
  line.remove_prefix(1);
  std::string_view word;
  if (!next_quoted_field(line, word)) return;
  if (word == "EventDef") {
    std::string_view name;
    std::string_view number;
    if (!next_quoted_field(line, name) || !next_quoted_field(line, number))
      lines.fail("%EventDef without name and number");
    const auto id = lines.parse<std::size_t>(number, "an event's number");
    if (id > 4096) lines.fail("event number {}: at most 4096 was expected", id);
    if (definitions_.size() <= id) definitions_.resize(id + 1);
    definitions_[id] = Definition{};
    definitions_[id].event = event_named(name);
    definitions_[id].fields = 0;
    open_ = id;
  } else if (word == "EndEventDef") {
    open_ = none;
  } else if (open_ != none) {
    Definition& d = definitions_[open_];
    for (int f = 0; f < field_count; ++f)
      if (word == field_names[f]) d.at[f] = d.fields;
    ++d.fields;
  }
}

}  // namespace asterism::traces::paje
