// SPDX-License-Identifier: Apache-2.0
// The processing units that compute, and StarPU, which gives them tasks. A program makes one session and then as many
// solvers, evaluators and simulations as it likes.
#pragma once

#include <asterism/error.hpp>
#include <asterism/export.hpp>
#include <memory>
#include <optional>
#include <string>

namespace asterism {
ASTERISM_BEGIN_INTERFACE

/// What a session runs on. What is left out is chosen by the first solver, evaluator or simulation, as its program
/// chooses it, and stays for the life of the session; StarPU's own environment variables (STARPU_NCPU, STARPU_SCHED,
/// and others) keep their meaning.
struct SessionOptions {
  std::optional<int> cpus = {};  ///< cores that compute
  std::optional<int> gpus = {};  ///< GPUs that compute
  std::string scheduler = {};  ///< as STARPU_SCHED; conjugate gradient chooses cyclic, the fast multipole method hprio
  /// A folder that gets a recording of all tasks (FxT files) when the session ends, for asterism/traces.hpp and
  /// asterism-trace; empty: none. A recording that is there is replaced.
  std::string trace = {};
};

/// StarPU starts with the first of them and ends with the session, or with the last of them where one lives
/// longer. Between two calls its threads sleep. A program that has started StarPU itself keeps its own units and
/// scheduler.
///
/// One session at a time in a process. Where mpirun or srun has started several processes, they make one session
/// together: all of them make it, call its methods and end it in the same order. MPI is started by the first one, and
/// ended with the process, unless the program has done it (MPI_Init_thread with MPI_THREAD_MULTIPLE). Conjugate
/// gradient alone computes over several.
///
/// Any thread may call; calls of several threads come one after the other.
class ASTERISM_EXPORT Session {
 public:
  /// Throws Error: bad_input for a number below 0, no units at all, a scheduler that does not exist, a second session,
  /// a trace where StarPU runs already or cannot record, and several processes where StarPU runs already; failed where
  /// MPI cannot be used. What is wrong in one of several processes is an error in all.
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts StarPU now, for tasks of one's own (starpu.h), where no solver, evaluator or simulation has started it; its
  /// threads stay awake between calls from then on. Throws Error (failed) when StarPU does not start.
  void start();

  /// Cores and GPUs that run tasks, and the scheduler: 0 and empty until StarPU runs.
  [[nodiscard]] int cpus() const;
  [[nodiscard]] int gpus() const;
  [[nodiscard]] std::string scheduler() const;
  /// The number of this process and how many there are: 0 and 1 where no launcher has started several.
  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  /// For a process that has found out that it cannot make a solver, or a call of one, which the other processes make:
  /// theirs ends with this error, a single line. Throws it here, too (bad_input).
  [[noreturn]] void fail(const std::string& error);

  class ASTERISM_HIDDEN State;
  /// For the library's own parts.
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// The version of the library: "0.2.0".
ASTERISM_EXPORT std::string version();

ASTERISM_END_INTERFACE
}  // namespace asterism
