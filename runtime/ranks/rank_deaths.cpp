// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/rank_deaths.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/ending/stop_signals.hpp"

namespace asterism {
namespace {

// A signal's handler may use little more than write() and kill(): what it says is made beforehand.
struct Known {
  int process;
  bool here;         ///< on this machine
  std::string text;  ///< "rank 2 (process 4711 on host)"
};
std::vector<Known>& known() {
  static std::vector<Known> ranks;
  return ranks;
}
constexpr std::size_t longest_advice = 1024;
std::array<std::array<char, longest_advice>, 2> advices{};
std::atomic<int> advice_in_use{0};
std::atomic<bool> telling{false};
int own_rank = 0;

void say(const char* text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

bool is_gone(const Known& rank) {
  return rank.here && kill(rank.process, 0) != 0 && errno == ESRCH;
}

/// Whether this is the first rank that is left, among those of this machine as far as it can be seen: it reports.
bool is_first_survivor() {
  for (int rank = 0; rank < own_rank; ++rank)
    if (!is_gone(known()[static_cast<std::size_t>(rank)])) return false;
  return true;
}

void on_termination(int number) {
  if (std::none_of(known().begin(), known().end(), is_gone)) {  // not the launcher, which ends ranks when one is gone
    on_stop_signal(number);
    return;
  }
  if (telling.exchange(false) && is_first_survivor()) {
    bool any = false;
    for (const Known& rank : known()) {
      if (!is_gone(rank)) continue;
      say(any ? ", " : "asterism: error: killed from outside: ");
      say(rank.text.c_str());
      any = true;
    }
    if (any) {
      say(advices[static_cast<std::size_t>(advice_in_use.load())].data());
      say("\n");
    }
  }
  // the others look whether this one is there
  const timespec moment{0, 300'000'000};
  nanosleep(&moment, nullptr);
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

RankProcess this_rank() {
  RankProcess process;
  process.process = static_cast<int>(getpid());
  gethostname(process.host, sizeof process.host - 1);
  return process;
}

void add_rank(RankProcess process) {
  const bool here = std::strcmp(process.host, this_rank().host) == 0;
  known().push_back({process.process, here,
                     fmt::format("rank {} (process {} on {})", known().size(), process.process, process.host)});
}

void tell_of_deaths(int this_rank) {
  own_rank = this_rank;
  telling = true;
  struct sigaction action {};
  action.sa_handler = on_termination;
  sigaction(SIGTERM, &action, nullptr);
}

void forget_ranks() {
  telling = false;
}

void advise(const std::string& text) {
  const int next = 1 - advice_in_use.load();
  auto& place = advices[static_cast<std::size_t>(next)];
  const std::size_t length = text.copy(place.data(), longest_advice - 1);
  place[length] = '\0';
  advice_in_use = next;
}

}  // namespace asterism
