// SPDX-License-Identifier: Apache-2.0
// StarPU, started and stopped; and what it runs on.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/environment.hpp"

namespace asterism {

class OwnCores;

/// Over how many processes of a cluster a program knows to run.
enum class Ranks { one, any };

/// What to start StarPU with. StarPU's own environment variables keep their meaning: a member left empty
/// leaves the choice to them.
struct SessionOptions {
  std::optional<int> cpus;  ///< CPU workers; beside GPUs, one core less than there are unless said otherwise
  std::optional<int> gpus;  ///< CUDA workers
  /// CUDA workers per GPU, as STARPU_NWORKER_PER_CUDA: with two, the end of a task's kernel overlaps the next one
  std::optional<int> streams;
  /// CPU workers without a task rest between two looks for one: where they have little to do, what submits tasks and
  /// drives GPUs needs the cores more.
  bool resting_cores = false;
  /// main memory that StarPU may use for data it allocates, bytes, as STARPU_LIMIT_CPU_MEM in whole MiB
  std::optional<std::uint64_t> memory;
  std::optional<std::string> swap;       ///< folder for data that do not fit into it, as STARPU_DISK_SWAP
  std::optional<std::string> scheduler;  ///< as STARPU_SCHED; Asterism's own are found in its plug-in library
  /// record what happens with FxT, as STARPU_FXT_TRACE; the folder gets prof_file_rank_0 when the session ends
  std::optional<std::string> trace;
  /// called when the scheduler starts, for those that an application has to describe its tasks to
  void (*scheduler_set_up)(unsigned context) = nullptr;
  /// order of tasks for the scheduler hprio (schedulers/hprio/order.hpp), unless ASTERISM_HPRIO_ORDER says another
  std::string hprio_order;
  /// measure every class of tasks on every kind of unit: scheduler "calibrate", durations kept in StarPU's models
  bool calibrate = false;
  Ranks ranks = Ranks::one;
  /// every rank computes everything on cores of its own (RankGroup::leave_each_alone)
  bool each_rank_alone = false;
};

/// Whether a session with these options would have GPUs, as far as options, environment and driver say.
bool uses_gpus(const SessionOptions& options);

/// One processing unit that runs tasks.
struct Unit {
  int worker;  ///< StarPU's number
  bool gpu;
  int device;     ///< number of the GPU, or of the core
  unsigned node;  ///< its memory node
  std::string name;
  /// "NVIDIA H200" of a GPU; empty of a core.
  [[nodiscard]] std::string model() const;
};

/// StarPU is running for as long as a Session lives; at most one at a time.
class Session {
 public:
  /// Throws Error: bad_input for an unknown scheduler and for more processes than `options.ranks`, failed when StarPU
  /// does not start.
  explicit Session(const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::vector<Unit>& units() const noexcept { return units_; }
  [[nodiscard]] int cpus() const noexcept;
  [[nodiscard]] int gpus() const noexcept;     ///< CUDA workers
  [[nodiscard]] int devices() const noexcept;  ///< GPUs: each may have several workers (SessionOptions::streams)
  /// Whether each GPU reads and writes the memory of every other one; so for one GPU, and for none.
  [[nodiscard]] bool gpus_reach_each_other() const;
  [[nodiscard]] std::vector<std::string> gpu_models() const;  ///< of each, by number
  [[nodiscard]] std::string scheduler() const;

 private:
  std::string choose_scheduler(const SessionOptions& options);
  void choose_resources(const SessionOptions& options);
  void prepare_recording(const std::string& folder);
  /// Chooses the units of this rank where several ranks share a machine.
  void take_own_units(const SessionOptions& options);
  void share_cores();
  void rest_when_idle(int microseconds);
  void mark_models() const;

  std::unique_ptr<OwnCores> cores_;
  std::vector<Unit> units_;
  std::filesystem::path trace_;  ///< folder of the recording; empty: none
  int exceptions_ = std::uncaught_exceptions();
  Environment environment_;  ///< what StarPU was told; the next session starts from what the user said
};

/// StarPU's workers sleep for as long as this lives, instead of looking for tasks: for work of the application's own
/// threads between evaluations.
class Pause {
 public:
  Pause() { starpu_pause(); }
  ~Pause() { starpu_resume(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

/// Names the moment in the recording, when there is one. asterism-trace looks at the part between "begin NAME" and
/// "end NAME" unless told otherwise.
void mark(const char* text);

/// GPUs that StarPU would start with now: those of the machine (the simulated one if there is one), at most
/// STARPU_NCUDA. Usable before a Session.
int visible_gpus();

/// Names of the schedulers that may be asked for: StarPU's and those of our plug-in library.
std::vector<std::string> scheduler_names();

/// The library that STARPU_SCHED_LIB has to name for this scheduler: empty for StarPU's own, nothing when there is no
/// such scheduler. A library that the user named there may answer to names that it does not list: those are its own.
std::optional<std::string> scheduler_library(const std::string& scheduler);

}  // namespace asterism
