// SPDX-License-Identifier: Apache-2.0
// The head of a paje.trace: which events there are, and where their fields stand (Paje trace file format, Kergommeaux
// and Stein; StarPU writes its own fields behind).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "io/line_stream.hpp"

namespace asterism::traces::paje {

enum class Event {
  create,
  destroy,
  set_state,
  push_state,
  pop_state,
  new_event,
  set_variable,
  add_variable,
  sub_variable,
  start_link,
  end_link,
  other
};

/// Where the fields of an event stand, from its declaration; -1: not there.
enum Field {
  time_field,
  type_field,
  container_field,
  value_field,
  alias_field,
  name_field,
  start_field,
  end_field,
  key_field,
  handle_field,
  job_field,
  footprint_field,
  gflop_field,
  iteration_field,
  parameters_field,
  priority_field,
  submit_field,
  tag_field,
  message_field,
  field_count
};
inline constexpr std::array<std::string_view, field_count> field_names = {
    "Time",         "Type",     "Container",   "Value",  "Alias",     "Name",  "StartContainer",
    "EndContainer", "Key",      "Handle",      "JobId",  "Footprint", "GFlop", "Iteration",
    "Params",       "Priority", "SubmitOrder", "MPITAG", "MPIType"};

struct Definition {
  Event event = Event::other;
  std::array<int, field_count> at;
  int fields = 0;
  Definition() { at.fill(-1); }
};

/// The declarations, read line by line.
class Declarations {
 public:
  /// `line` begins with '%'. Throws Error (bad_input), naming file and line.
  void read(std::string_view line, const LineStream& lines);
  [[nodiscard]] bool empty() const { return definitions_.empty(); }
  [[nodiscard]] std::size_t size() const { return definitions_.size(); }
  [[nodiscard]] const Definition& operator[](std::size_t number) const { return definitions_[number]; }

 private:
  std::vector<Definition> definitions_;
  std::size_t open_ = none;  ///< the one that is being declared
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

}  // namespace asterism::traces::paje
