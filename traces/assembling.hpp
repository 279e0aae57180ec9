// What the readers of tasks.rec and paje.trace share while a recording is put together: names to numbers.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
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

class Assembling {
 public:
  Recording recording;
  bool partial = false;  ///< a recording that was cut is wanted
  std::string shown_as;  ///< what the user gave, when the files read were made from it
  /// per unit, in the order of the recording's units; sorted by start, idle left out
  std::vector<std::deque<Span>> states;

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
/// Units, their states, transfers, curves and markers from a paje.trace; the tasks too when `tasks_known` is false.
void read_paje(Assembling& into, const std::filesystem::path& path, bool tasks_known, const Progress& progress);

}  // namespace asterism::traces
