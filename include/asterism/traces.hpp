// SPDX-License-Identifier: Apache-2.0
// Recordings of StarPU programs: what each task did, where and when. Any program that StarPU records with FxT
// (STARPU_FXT_TRACE=1), and sessions with SessionOptions::trace.
#pragma once

#include <asterism/error.hpp>
#include <asterism/export.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {
ASTERISM_BEGIN_INTERFACE
namespace traces {

/// Times are seconds from the recording's begin. NaN: not known. Texts live as long as the recording.
struct Task {
  std::uint64_t id = 0;      ///< StarPU's number of it, on its rank
  std::string_view codelet;  ///< empty: not known
  std::int32_t unit = -1;    ///< which of units() ran it; -1: none, a barrier or the like
  std::int32_t rank = 0;
  double submitted = 0;
  double start = 0;
  double end = 0;
  double flops = 0;             ///< 0: not said
  std::uint32_t footprint = 0;  ///< of its data's sizes
  std::int32_t priority = 0;
  std::int32_t iteration = -1;  ///< of starpu_iteration_push; -1: outside
};

/// A processing unit, and where its time went, as shares of the makespan.
struct Unit {
  std::string_view name;  ///< "CPU 3", "CUDA 0"
  std::string_view kind;  ///< "CPU", "CUDA"
  std::int32_t rank = 0;
  double computing = 0;
  double waiting = 0;     ///< for the data of its next task
  double scheduling = 0;  ///< in the scheduler
  double runtime = 0;     ///< other work of StarPU
  double idle = 0;
};

/// A copy of data between two memories.
struct Transfer {
  double start = 0;
  double end = 0;
  std::uint64_t bytes = 0;
  std::string_view from;  ///< "RAM", "CUDA 0"
  std::string_view to;
};

class ASTERISM_EXPORT Recording {
 public:
  /// path: a folder with FxT files (prof_file_*) or with tasks.rec and paje.trace, or one FxT file. window: "auto"
  /// (between the marks of the program, where it has set them), "all", "iterations", or "BEGIN:END" in seconds.
  /// Throws Error (bad_input), whose line names the file.
  explicit Recording(const std::string& path, const std::string& window = "auto");
  /// One FxT file for each MPI process.
  explicit Recording(const std::vector<std::string>& files, const std::string& window = "auto");
  ~Recording();
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] double makespan() const;  ///< from the first start to the last end, seconds
  /// By submission. Tasks that no unit ran are there, since dependencies go through them.
  [[nodiscard]] std::span<const Task> tasks() const;
  /// Which tasks() that task waited for, by index.
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::size_t task) const;
  [[nodiscard]] std::span<const Unit> units() const;
  [[nodiscard]] std::span<const Transfer> transfers() const;  ///< by start

  class ASTERISM_HIDDEN State;
  /// For the library's own parts.
  [[nodiscard]] const State& state() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace traces
ASTERISM_END_INTERFACE
}  // namespace asterism
