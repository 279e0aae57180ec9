// SPDX-License-Identifier: Apache-2.0
// Reads paje.trace: paje.cpp goes through the events and makes containers, paje_units.cpp follows what units do,
// paje_links.cpp transfers, messages and counts.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/line_stream.hpp"
#include "traces/readers/assembling.hpp"
#include "traces/readers/paje_events.hpp"

namespace asterism::traces::paje {

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

/// Reads the events of one file into a recording that is put together.
class PajeReader {
 public:
  PajeReader(Assembling& into, const std::filesystem::path& path, Known known)
      : into_(into), lines_(path), tasks_known_(known.tasks), messages_known_(known.messages) {}

  void read(const Progress& progress);

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

  void event(std::string_view line);

  Container* find(std::string_view alias) {
    const auto it = by_alias_.find(alias);
    return it == by_alias_.end() ? nullptr : &containers_[it->second];
  }

  /// The rank in front of a container's name.
  [[nodiscard]] std::optional<std::uint32_t> rank_of(std::string_view alias) const;

  void create(const Definition& d);

  /// StarPU's own tasks (calibration, partitioning) run on units but are not in tasks.rec: they are the runtime's work.
  [[nodiscard]] State meaning(std::string_view value) const;

  /// What a unit does by what its worker and its thread say: fetching is the worker's, all else the thread's when it
  /// says anything.
  [[nodiscard]] State combined(const Container& worker) const;

  template <class Change>
  void change(const Definition& d, double time, Change&& apply);

  /// The thread that calls MPI begins to do something else.
  void mpi_call(Container& c, double time, std::string_view value);

  struct Begun {
    double since = 0;
    bool known = false;
    std::uint32_t task = none;  ///< running, when tasks come from this file
    std::string codelet;
  };

  /// Notes what the unit did since its last change.
  void until(const Container& worker, double time);

  /// "PajeSetState" with a JobId: the details of a task that has started; printed after its state was set.
  void details(const Definition& d, double time);

  void end_task(const Container& worker, double time, std::string_view value);

  void variable(const Definition& d, double time, int sign);

  void start_link(const Definition& d, double time);

  void start_message(const Definition& d, double time, std::uint32_t rank);

  void end_message(std::size_t message, const Container* to, double time);

  void end_link(const Definition& d, double time);

  void finish();

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

}  // namespace asterism::traces::paje
