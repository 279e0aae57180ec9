// SPDX-License-Identifier: Apache-2.0
// "hprio" in one scheduling context: what StarPU's tasks and workers are to the buckets.
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <algorithm>

#include "schedulers/hprio/classes.hpp"

namespace asterism::schedulers::hprio {

class Policy {
 public:
  Policy();

  /// Buckets as the table says, or per codelet, for the tasks to come.
  void lay_out(const std::optional<Table>& table);
  void change_units(const int* workers, unsigned count, bool added);
  [[nodiscard]] Unit unit_of(int worker) const {
    return {static_cast<unsigned>(worker), kinds_[static_cast<std::size_t>(worker)].load()};
  }
  /// Who can run the task, how much faster GPUs are, and its bucket. False: nobody can.
  bool enter(starpu_task* task, Entry& entry);
  void starts(starpu_task* task, Unit unit);
  void ended(starpu_task* task, Unit unit);

  const Rules rules;
  Pool pool;

 private:
  struct Units {
    PerKind<std::vector<int>> workers;
    std::vector<unsigned> nodes;  ///< memories of GPUs
    bool mixed = false;           ///< GPUs of several makes
    [[nodiscard]] bool has_gpus() const {
      return std::any_of(gpu_kinds.begin(), gpu_kinds.end(), [&](Kind kind) { return !workers[at(kind)].empty(); });
    }
  };
  /// When a worker started the tasks that it runs, in the order in which they end.
  struct alignas(64) Clock {
    std::deque<double> starts;  ///< NaN: not measured
    double last_end = 0;
    unsigned skipped = 0;
  };
  Kind kind_of(int worker);
  void arrange(std::unique_ptr<Units> units);
  void name_gpus();
  void tell(Layout& layout) const;
  static void look_for(starpu_task* task, const Units& units, Entry& entry, PerKind<int>& one);
  static void find_near(starpu_task* task, const Units& units, Entry& entry);
  /// And the durations on the kinds that have a worker (not -1) that can run it, where known.
  double speedup_of(starpu_task* task, Class& of, const PerKind<int>& workers, PerKind<double>& length);

  const double fixed_speedup_;  ///< 0: none
  Classes classes_;
  std::mutex mutex_;                 ///< of the published lists
  std::vector<std::string> models_;  ///< of GPUs, by their kinds
  std::atomic<bool> named_{true};    ///< all GPUs have names
  std::vector<std::unique_ptr<const Units>> units_published_;
  std::atomic<const Units*> units_{nullptr};
  std::vector<std::unique_ptr<Layout>> layouts_;
  std::atomic<Layout*> layout_{nullptr};
  std::vector<Clock> clocks_{max_units};
  std::vector<std::atomic<Kind>> kinds_{max_units};
};

}  // namespace asterism::schedulers::hprio
