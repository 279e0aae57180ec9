// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <utility>

#include "api/agreed.hpp"
#include "api/session_state.hpp"
#include "api/translated.hpp"
#include "base/version.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::v0 {
namespace {

/// Whether a session is open in this process.
std::atomic<bool> open{false};

void require_number(const char* name, const std::optional<int>& units) {
  if (units && *units < 0) bad_input("{} {}: expected 0 or more", name, *units);
}

asterism::SessionOptions checked(const SessionOptions& options) {
  require_number("cpus", options.cpus);
  require_number("gpus", options.gpus);
  asterism::SessionOptions own;
  own.cpus = options.cpus;
  own.gpus = options.gpus;
  if (options.cpus == 0 && !uses_gpus(own)) bad_input("cpus 0: expected a core or a GPU to compute with");
  if (!options.scheduler.empty()) {
    if (!scheduler_library(options.scheduler))
      bad_input("scheduler {}: no such scheduler; expected one of {}", options.scheduler,
                fmt::join(scheduler_names(), ", "));
    own.scheduler = options.scheduler;
  }
  if (!options.trace.empty()) {
    if (starpu_is_initialized() != 0)
      bad_input("trace: StarPU is running already; expected to start it with the session");
#ifndef STARPU_USE_FXT
    bad_input("trace: this StarPU was built without FxT");
#endif
    own.trace = options.trace;
  }
  return own;
}

}  // namespace

Error::Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() = default;

std::string version() {
  return asterism::version();
}

Session::State::State(const SessionOptions& options) : of_caller_(starpu_is_initialized() != 0) {
  // as the launcher says now: MPI may have been asked before
  if (const int processes = launched_processes(); processes > 1 && !rank_group().distributed())
    bad_input("{} processes were launched, but MPI finds one process", processes);
  bool taken = false;
  try {
    agreed([&] {
      wanted_ = checked(options);
      if (of_caller_ && rank_group().distributed())
        bad_input("StarPU is running already, over several processes: expected to start it with the session");
      taken = !open.exchange(true);
      if (!taken) bad_input("a second session: expected one at a time in a process");
    });
  } catch (...) {
    if (taken) open = false;
    throw;
  }
  wanted_.ranks = Ranks::any;
}

Session::State::~State() {
  wake();  // StarPU does not end while its workers sleep
  running_.reset();
  open = false;
}

const asterism::Session& Session::State::start(const asterism::SessionOptions& suited) {
  if (!running_) running_.emplace(suited);
  return *running_;
}

void Session::State::start_for_caller() {
  const Call call(*this);
  start(wanted_);
  wake();
}

void Session::State::sleep() {
  if (--awake_ > 0 || !running_ || of_caller_) return;
  starpu_pause();
  asleep_ = true;
}

void Session::State::wake() {
  ++awake_;
  if (!asleep_) return;
  starpu_resume();
  asleep_ = false;
}

Session::State::Call::Call(State& state) : state_(state) {
  if (state.caller_ == std::this_thread::get_id())
    bad_input("a call in the progress function of another call: expected none on the same session");
  state.turn_.lock();
  state.caller_ = std::this_thread::get_id();
}

Session::State::Call::~Call() {
  state_.caller_ = std::thread::id();
  state_.turn_.unlock();
}

std::shared_ptr<Session::State> state_of_one_process(const Session& session) {
  if (rank_group().distributed())
    bad_input("{} processes: expected one; conjugate gradient alone computes over several in the library",
              rank_group().ranks());
  return state_of(session);
}

std::shared_ptr<Session::State> state_of(const Session& session) {
  if (session.state() == nullptr) bad_input("a session that was moved from: expected an open one");
  return session.state();
}

Session::Session(const SessionOptions& options)
    : state_(translated([&] { return std::make_shared<State>(options); })) {}
Session::~Session() = default;
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;

void Session::start() {
  translated([&] { state_of(*this)->start_for_caller(); });
}

int Session::cpus() const {
  return translated([&] {
    const asterism::Session* const running = state_of(*this)->running();
    return running == nullptr ? 0 : running->cpus();
  });
}

int Session::gpus() const {
  return translated([&] {
    const asterism::Session* const running = state_of(*this)->running();
    return running == nullptr ? 0 : running->devices();
  });
}

int Session::rank() const {
  return translated([&] {
    state_of(*this);
    return rank_group().rank();
  });
}

int Session::ranks() const {
  return translated([&] {
    state_of(*this);
    return rank_group().ranks();
  });
}

void Session::fail(const std::string& error) {
  translated([&] {
    state_of(*this);
    agreed([&] { bad_input("{}", error); });
  });
  std::abort();  // not reached
}

std::string Session::scheduler() const {
  return translated([&] {
    const asterism::Session* const running = state_of(*this)->running();
    return running == nullptr ? std::string{} : running->scheduler();
  });
}

}  // namespace asterism::v0
