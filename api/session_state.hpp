// SPDX-License-Identifier: Apache-2.0
// A session of the interface: StarPU from the first method on, and whose turn it is.
#pragma once

#include <asterism/session.hpp>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "runtime/session.hpp"

namespace asterism::v0 {

class Session::State {
 public:
  explicit State(const SessionOptions& options);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// What the caller asked for.
  [[nodiscard]] const asterism::SessionOptions& wanted() const noexcept { return wanted_; }
  /// Null until start().
  [[nodiscard]] const asterism::Session* running() const noexcept { return running_ ? &*running_ : nullptr; }
  /// The running session; StarPU starts with `suited` where it does not run yet.
  const asterism::Session& start(const asterism::SessionOptions& suited);
  /// StarPU for tasks of the caller, too: it does not sleep any more.
  void start_for_caller();
  /// Ends what start() began, for another start with other options.
  void stop() { running_.reset(); }

  /// A call of the interface, for as long as this lives: calls of other threads wait.
  class Call {
   public:
    /// Throws Error (bad_input) in a callback of another call.
    explicit Call(State& state);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    State& state_;
  };

  /// StarPU's threads are awake for as long as one lives: for tasks and transfers, and not for what the caller's thread
  /// does with OpenMP, whose threads would share the cores with them.
  class Awake {
   public:
    explicit Awake(State& state) : state_(state) { state_.wake(); }
    ~Awake() { state_.sleep(); }
    Awake(const Awake&) = delete;
    Awake& operator=(const Awake&) = delete;

   private:
    State& state_;
  };

 private:
  void sleep();
  void wake();

  asterism::SessionOptions wanted_;
  bool of_caller_;  ///< StarPU was running before
  bool asleep_ = false;
  int awake_ = 0;  ///< Awake objects
  std::optional<asterism::Session> running_;
  std::mutex turn_;
  std::atomic<std::thread::id> caller_{};
};

/// The state of a session, for a method. Throws Error (bad_input) for one that was moved from.
std::shared_ptr<Session::State> state_of(const Session& session);
/// For a method that does not compute over several processes. Throws Error (bad_input) where there are.
std::shared_ptr<Session::State> state_of_one_process(const Session& session);

}  // namespace asterism::v0
