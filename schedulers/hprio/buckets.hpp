// SPDX-License-Identifier: Apache-2.0
// Where the ready tasks of "hprio" wait: a bucket is a first-in-first-out queue with a place in the polling order of
// each kind of unit. A task is an address here: nothing knows StarPU.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "schedulers/hprio/entries.hpp"
#include "schedulers/hprio/lock.hpp"

namespace asterism::schedulers::hprio {

/// The paper's termination rule (section 3.2): "a CPU can pop a task only if the relation `#tasks >= s x #GPUs` is
/// satisfied", s being the task's speedup. Whichever kind is slower for the task is the one held back: a GPU slower
/// than a CPU needs `#tasks >= (1/s) x #CPUs`; and where several kinds are faster, what they do together meanwhile
/// counts, the sum of s x # over them. `tasks`: those of the bucket that the faster kinds could run, this one
/// included. A task of unknown speedup passes, to be measured; so does one that no unit of another kind takes.
/// `among`: the kinds that take from the bucket.
[[nodiscard]] bool may_pop(Kind kind, const Entry& entry, std::size_t tasks,
                           const PerKind<bool>& among = {true, true, true, true});

/// The work that waits for each kind, of all buckets that it polls together: nanoseconds that one unit would need for
/// the tasks, waiting or reserved, that it can run. A task of unknown duration adds nothing.
struct Backlog {
  alignas(64) PerKind<std::atomic<std::int64_t>> time{};
};

/// The same rule with all that a faster kind has to do, not only the tasks of this bucket: `#tasks >= s x #GPUs` says
/// that the GPUs need longer for the tasks of the bucket, `#tasks x t_GPU / #GPUs`, than the CPU for this one, t_CPU.
/// But GPUs that still have much else to do will not come to this bucket in that time: a CPU can pop the task if what
/// waits for the GPUs altogether takes them at least t_CPU. Given is the least backlog of `fast` in nanoseconds; none
/// when durations are unknown, which leaves the decision to may_pop. Where several kinds are faster and each has to do
/// w times its least backlog, all that waits is done in t_CPU if the sum of 1 / w exceeds 1.
[[nodiscard]] std::optional<std::int64_t> least_backlog(Kind kind, Kind fast, const Entry& entry);

/// Tells larger from smaller tasks by the running median of the sizes seen so far (to 1.6 %); of two equal to it, one
/// is large and one is small, so that each half is a half.
class Halves {
 public:
  [[nodiscard]] bool is_large(double size);

 private:
  std::mutex mutex_;
  std::map<double, std::size_t> seen_;
  std::map<double, std::size_t>::iterator median_;
  std::size_t below_ = 0;  ///< seen that are smaller than the median
  std::size_t total_ = 0;
  std::size_t large_ = 0;
  std::size_t small_ = 0;
};

/// Which of up to 64 buckets have tasks that each kind can run: written when a bucket gets the first one or loses the
/// last one, so that units that poll empty buckets share one line that hardly ever changes.
struct alignas(64) Ready {
  PerKind<std::atomic<std::uint64_t>> buckets{};
};

class alignas(64) Bucket {
 public:
  /// What task->priority does within the bucket.
  enum class Within {
    fifo,        ///< nothing, as in the paper
    priority,    ///< higher ones first, first in first out among equals
    sub_buckets  ///< a bucket for each value, the highest polled first; the termination rule counts each by itself
  };

  /// `backlog`: of all buckets, to be kept up to date and to decide by; none: the paper's rule. `ready`: of which this
  /// bucket has bit `place`; none: one of its own.
  Bucket(std::string name, Within within, Waiting waiting, Backlog* backlog = nullptr, Ready* ready = nullptr,
         unsigned place = 0)
      : name_(std::move(name)),
        within_(within),
        waiting_(waiting),
        backlog_(backlog),
        own_ready_(ready == nullptr ? std::make_unique<Ready>() : nullptr),
        ready_(ready == nullptr ? own_ready_.get() : ready),
        bit_(std::uint64_t{1} << place % 64) {}

  void push(const Entry& entry);
  /// The first task that the unit can run, unless the termination rule withholds it (termination true). Among the first
  /// `window` a GPU takes one near it, else one that is near nobody, else the last one near another GPU, unless `far`
  /// is false. It takes no lock when there is none, or when nothing came or went since the rule last withheld.
  std::optional<Entry> pop(Unit unit, bool termination, bool far = true);
  static constexpr int window = 64;

  /// Whether pop would find one.
  [[nodiscard]] bool offers(Unit unit, bool termination);

  /// A popped task that some unit keeps for later still counts in the termination rule.
  void reserved(const Entry& entry) { count_reserved(entry, 1); }
  void unreserved(const Entry& entry) { count_reserved(entry, -1); }
  /// Does the rule let a unit of this kind take such a task now?
  [[nodiscard]] bool may_take(Kind kind, const Entry& entry);

  /// Tasks waiting that the kind can run.
  [[nodiscard]] std::size_t tasks(Kind kind) {
    const Held lock(lock_, waiting_);
    return waits_for_[at(kind)];
  }
  /// Whether a kind polls this bucket and has units at all; if not, nothing is withheld for it.
  /// Nor does it count in the kind's backlog.
  void set_polled(Kind kind, bool polled);
  [[nodiscard]] bool polled(Kind kind) const { return polled_[at(kind)].load(); }
  /// The units of a context changed: what was withheld may pass now.
  void look_again() {
    const Held lock(lock_, waiting_);
    changed();
  }
  [[nodiscard]] std::uint64_t changes() const { return changes_.load(); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  /// The tasks of one priority: those that CPUs alone can run, GPUs alone, both, and picky ones. Each is in order of
  /// arrival; numbers order them among each other.
  struct alignas(64) Level {
    PerKind<std::uint32_t> tasks{};  ///< waiting or reserved, that each kind can run
    std::array<Lane, 4> lanes;
    [[nodiscard]] bool empty() const { return tasks == PerKind<std::uint32_t>{}; }
  };
  enum Runs : std::size_t { cpu_only, gpu_only, both, picky };

  [[nodiscard]] static Runs lane_of(const Entry& entry);
  void count_reserved(const Entry& entry, int sign);
  void count_backlog(const Entry& entry, int sign);
  [[nodiscard]] std::size_t counted(const Level& level, Kind fast) const;
  /// What the termination rule says of a task.
  struct Verdict {
    bool passes = true;
    Kind by = Kind::gpu;     ///< withheld for this kind, until its backlog in nanoseconds is `below`: 0: or for another
    std::int64_t below = 0;  ///< reason; never: until something else changes
  };
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] Verdict judge(Kind kind, const Level& level, const Entry& entry) const;
  [[nodiscard]] bool passes(Kind kind, const Level& level, const Entry& entry) const {
    return judge(kind, level, entry).passes;
  }
  /// Where the next task of the unit is.
  struct Found {
    Lane* lane = nullptr;
    std::uint32_t place = 0;
  };
  Found find(Level& level, Unit unit, bool termination, std::optional<Verdict>& withheld);
  /// From `found`, the first for this GPU, on: as pop says.
  [[nodiscard]] Found nearest(const Level& level, const Found& found, Unit unit, bool termination, bool far) const;
  [[nodiscard]] bool nothing_for(Kind kind) const;
  /// Calls `found` with what is first for the unit; false when nothing is.
  template <class Function>
  bool first(Unit unit, bool termination, bool far, const Function& found);

  /// A task came (1) or went (-1).
  void count_waiting(Level& level, const Entry& entry, int sign);
  /// Locked: the rule may decide otherwise now.
  void changed() {
    changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    for (std::atomic<bool>& withheld : withheld_)
      if (withheld.load(std::memory_order_relaxed)) withheld.store(false);
  }

  // Who polls reads the first lines, which hardly ever change; who takes a task writes the lock's, the next and the
  // level's.
  std::string name_;
  Within within_;
  Waiting waiting_;
  Backlog* backlog_;
  std::unique_ptr<Ready> own_ready_;
  Ready* ready_;
  std::uint64_t bit_;
  std::map<int, Level, std::greater<>> levels_;
  PerKind<std::atomic<bool>> polled_{true, true, true, true};
  PerKind<std::atomic<bool>> withheld_{};  ///< the rule withheld all from this kind, and nothing changed since
  PerKind<std::atomic<Kind>> withheld_by_{};
  PerKind<std::atomic<std::int64_t>> withheld_below_{};  ///< backlog of that kind from which one of them would pass
  alignas(64) Lock lock_;
  alignas(64) std::atomic<std::uint64_t> changes_{1};
  std::uint64_t arrived_ = 0;
  PerKind<std::uint32_t> all_{};  ///< waiting or reserved
  PerKind<std::uint32_t> waits_for_{};
  std::uint32_t picky_ = 0;
  PerKind<std::int64_t> time_{};  ///< waiting or reserved, as in Backlog but polled or not
};

}  // namespace asterism::schedulers::hprio
