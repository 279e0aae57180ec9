// SPDX-License-Identifier: Apache-2.0
#include "runtime/ending/stop_signals.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <vector>

#include "runtime/ending/sudden_end.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism {
namespace {

std::atomic<int> noted{0};
std::atomic<int> stoppable{0};
std::atomic<bool> quiet{false};
std::atomic<bool> handled{false};

const char* name_of(int signal) noexcept {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

[[noreturn]] void end_at_once(int signal) noexcept {
  const char* const line = signal == SIGINT ? "ended by SIGINT" : "ended by SIGTERM";
  end_suddenly(128 + signal, quiet ? nullptr : line);
}

}  // namespace

void on_stop_signal(int signal) noexcept {
  if (noted.exchange(signal) != 0 || stoppable == 0) end_at_once(signal);
}

void handle_stop_signals() {
  handled = true;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = on_stop_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

bool stop_signals_are_handled() noexcept {
  return handled;
}

void end_quietly_at_signals() noexcept {
  quiet = true;
}

StoppableSteps::StoppableSteps() {
  if (!simulated) ++stoppable;
}

StoppableSteps::~StoppableSteps() {
  if (!simulated) --stoppable;
}

bool stop_wanted() {
  if (simulated) return false;
  if (!rank_group().distributed()) return noted != 0;
  for (const int signal : rank_group().all_gather(noted.load()))
    if (signal != 0) {
      noted = signal;
      return true;
    }
  return false;
}

void stop(const std::string& at, const std::string& checkpoint) {
  const int signal = noted;
  throw Stopped(signal, fmt::format("stopped by {} after {}; {}", name_of(signal), at,
                                    checkpoint.empty() ? "no checkpoint was asked for (--checkpoint)"
                                                       : fmt::format("resume with --restart {}", checkpoint)));
}

}  // namespace asterism
