// SPDX-License-Identifier: Apache-2.0
// Transfers, messages between ranks and counts of tasks in a paje.trace.
#include <cmath>

#include "traces/readers/paje_reader.hpp"

namespace asterism::traces::paje {

void PajeReader::variable(const Definition& d, double time, int sign) {
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

void PajeReader::start_link(const Definition& d, double time) {
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

void PajeReader::start_message(const Definition& d, double time, std::uint32_t rank) {
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

void PajeReader::end_message(std::size_t message, const Container* to, double time) {
  if (!to) return;
  into_.recording.messages[message].to = to->rank;
  into_.recording.messages[message].end = time;
}

void PajeReader::end_link(const Definition& d, double time) {
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

}  // namespace asterism::traces::paje
