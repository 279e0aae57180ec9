// SPDX-License-Identifier: Apache-2.0
// What the readers of tasks.rec and paje.trace share while a recording is put together: names to numbers.
#pragma once

#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/recording.hpp"

namespace asterism::traces {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
};
template <class Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

/// When a rank's thread for MPI called MPI_Isend, and when it found received data complete: begin and end of each call.
struct MpiCalls {
  std::vector<std::pair<double, double>> sends;
  std::vector<std::pair<double, double>> receives;
};

/// The nodes of the graph at both ends of a message, by StarPU's job numbers.
struct MessageJobs {
  std::optional<std::uint64_t> sent_after;
  std::optional<std::uint64_t> releases;
};

class Assembling {
 public:
  Recording recording;
  bool partial = false;  ///< a recording that was cut is wanted
  std::string shown_as;  ///< what the user gave, when the files read were made from it
  /// per unit, in the order of the recording's units; sorted by start, idle left out
  std::vector<std::deque<Span>> states;
  std::vector<std::array<Curve, 2>> curves;             ///< per rank: tasks ready, and submitted
  std::vector<MpiCalls> calls;                          ///< per rank
  std::vector<MessageJobs> message_jobs;                ///< per message of the recording
  std::uint64_t links_between_ranks = 0;                ///< MPI messages in paje.trace
  std::vector<std::optional<double>> between_barriers;  ///< per rank: seconds by its own clock, from clocks.rec

  std::uint32_t text(std::string_view s);
  std::uint32_t codelet(std::string_view name, std::string_view model);
  [[nodiscard]] bool knows_codelet(std::string_view name) const { return codelets_.find(name) != codelets_.end(); }
  std::uint32_t handle(std::uint32_t rank, std::uint64_t address);
  /// The unit of a StarPU worker; made when it was not seen yet.
  std::uint32_t unit(std::uint32_t rank, std::uint32_t worker);
  std::uint32_t node(std::uint32_t rank, std::uint32_t index);

 private:
  StringMap<std::uint32_t> texts_;
  StringMap<std::uint32_t> codelets_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> handles_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> units_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nodes_;
};

using Progress = std::function<void(double)>;

/// Tasks, dependencies and accesses from a tasks.rec. Throws Error (bad_input).
void read_tasks_rec(Assembling& into, const std::filesystem::path& path, const Progress& progress);
/// Names and sizes of data from a data.rec.
void read_data_rec(Assembling& into, const std::filesystem::path& path);
/// What the other files of the recording have, so that a paje.trace need not.
struct Known {
  bool tasks = false;
  bool messages = false;
};
/// Kinds and readable names of units that have StarPU's ("CUDA1_0" is "CUDA 1" unless a device has several workers).
void name_kinds(Recording& recording);

/// Units, their states, transfers, curves and markers from a paje.trace; tasks and messages where they are not known.
void read_paje(Assembling& into, const std::filesystem::path& path, Known known, const Progress& progress);
/// Messages between ranks from a comms.rec.
void read_comms_rec(Assembling& into, const std::filesystem::path& path);
/// What convert_fxt notes of the ranks' clocks: seconds between the two barriers at which StarPU aligns them.
void read_clocks_rec(Assembling& into, const std::filesystem::path& path);
/// Messages begin before MPI_Isend and end when they were found complete, where paje.trace tells; counts those that
/// were sent and never arrived.
void refine_messages(Assembling& into);
/// Messages become dependencies of the tasks of other ranks, by `jobs`; not those that arrive before they were sent.
void connect_messages(Recording& recording, const std::vector<MessageJobs>& jobs);

}  // namespace asterism::traces
