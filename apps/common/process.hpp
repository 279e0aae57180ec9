// SPDX-License-Identifier: Apache-2.0
// One run of a program: its own process group, environment and output files; ended on a timeout or an interrupt.
#pragma once

#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asterism::apps {

/// While it lives, SIGINT and SIGTERM are only noted: the child is ended, what was finished stays.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  /// the signal that arrived; 0 when none did
  [[nodiscard]] static int signal() noexcept;

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction termination_before_ = {};
};

struct Process {
  std::vector<std::string> command;
  /// variables to set, or to remove; all others are inherited
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::filesystem::path output;  ///< stdout goes to this file
  std::filesystem::path errors;  ///< stderr goes to this file
  double timeout = 0;            ///< seconds; 0: none
};

struct Outcome {
  enum class End { exited, signalled, timed_out, interrupted };
  End end = End::exited;
  int code = 0;              ///< exit status or signal
  double wall = 0;           ///< seconds from start to end
  double processor = 0;      ///< seconds of user and system time, of the process and the children that it waited for
  std::uint64_t memory = 0;  ///< bytes, largest resident set
  [[nodiscard]] bool good() const noexcept { return end == End::exited && code == 0; }
};

/// Runs it to its end; `tick` is called with the seconds since its start several times a second. The process dies with
/// this one, and with it its group: what it started ends too on a timeout or an interrupt. Throws Error when it cannot
/// be started.
Outcome run_process(const Process& process, const std::function<void(double)>& tick);

/// Where execvp would find it; empty when nowhere.
std::filesystem::path find_program(const std::string& name);

/// The last `count` lines that are not empty, without StarPU's remarks when others are there.
std::string last_lines(const std::filesystem::path& file, std::size_t count);

}  // namespace asterism::apps
