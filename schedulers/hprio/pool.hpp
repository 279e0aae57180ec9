// SPDX-License-Identifier: Apache-2.0
// The buckets of "hprio", the orders in which the units poll them, and the tasks that GPUs keep for later. Tasks and
// units are addresses and numbers: tests run it on units that do not exist.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "schedulers/hprio/buckets.hpp"

namespace asterism::schedulers::hprio {

/// The places of buckets in the polling order of a kind: by increasing priority number, then as given; buckets that it
/// never polls are left out, except when there is no unit of another kind to take their tasks: then they come last.
/// `present`: the kinds that have units.
[[nodiscard]] std::vector<std::size_t> polling_order(const std::vector<Ranks>& buckets, Kind kind,
                                                     const PerKind<bool>& present);

/// What is known about the tasks of a bucket, for an order that is found and not given.
struct Speed {
  PerKind<bool> runs_on{};
  PerKind<double> time{};  ///< mean duration, in any unit; 0: unknown
};
/// CPUs first take what only they can run, then what is not measured yet, then what GPUs accelerate least; GPUs
/// likewise, and what they accelerate most: each kind by its duration over the geometric mean of the others' durations.
/// All may run everywhere.
[[nodiscard]] std::vector<Ranks> ranks_by_speedup(const std::vector<Speed>& buckets);

class Pool {
 public:
  /// `lookahead`: tasks that a GPU keeps for later, their data being prefetched. `backlog`: the termination rule looks
  /// at all that waits for the faster kind; else, as the paper's, at the tasks of the bucket.
  Pool(bool termination, unsigned lookahead, Waiting waiting, bool backlog = false);

  /// A bucket that lives as long as the pool. It is polled once set_orders names it.
  Bucket& add(std::string name, Bucket::Within within);
  /// Buckets as each kind polls them; a kind without units polls none. Those in neither order, left by an earlier one,
  /// are polled first by all until they are empty. Any thread, at any time.
  void set_orders(PerKind<std::vector<Bucket*>> orders);

  /// The next task of a unit: what it kept, else what it finds polling, else the last of what the busiest unit kept.
  std::optional<Entry> pop(Unit unit);
  /// Fills what a GPU keeps for later, up to lookahead tasks or enough_ahead; `prefetch` is called for each task,
  /// before another unit may take it. Returns the last one kept.
  std::optional<Entry> reserve(Unit unit, const std::function<void(void* task)>& prefetch);
  /// Puts what a unit kept back into the buckets: it leaves.
  void give_back(unsigned unit);
  /// Microseconds of kept tasks beyond which no more are: the data of what follows can be fetched in that time, and a
  /// task that nobody keeps yet can go to any GPU.
  static constexpr double enough_ahead = 5e4;
  [[nodiscard]] std::size_t reserved(unsigned unit) const { return kept_[unit].size.load(); }

  /// The kind that an idle unit is woken as; a CPU before this is called.
  void set_kind(Unit unit) { kind_of_[unit.number] = unit.kind; }
  /// A unit that found nothing says so and then polls once more; after a push, one of those that may take the task is
  /// to be woken. A unit whose kind is faster for it comes first: woken alone, one that the rule withholds the task
  /// from would leave it to nobody.
  void set_idle(unsigned unit, bool idle);
  [[nodiscard]] bool is_idle(unsigned unit) const;
  void started(Unit unit) { ++kept_[unit.number].running; }
  void finished(Unit unit) { --kept_[unit.number].running; }
  [[nodiscard]] bool any_idle() const;
  /// The unit chosen is no longer counted idle. One that still runs something (GPUs ask for more before they are done)
  /// is the second choice.
  ///
  /// For the bucket of a task that came or went: what is first there now; else for what another bucket or a
  /// unit keeps and the rule lets pass now.
  std::optional<unsigned> take_idle_for(const Entry& entry);
  /// For a task that a unit keeps.
  std::optional<unsigned> take_idle_for_kept(const Entry& entry);

 private:
  struct Orders {
    PerKind<std::vector<Bucket*>> polled;
  };
  struct alignas(64) Kept {
    Lock mutex;
    std::deque<Entry> entries;
    std::atomic<std::size_t> size{0};
    std::atomic<int> running{0};
    std::uint64_t declined_at = 0;  ///< stamp() when this unit last found nothing to take from others
  };
  std::optional<Entry> poll(Unit unit, bool far);
  std::optional<unsigned> take_idle(const PerKind<Kind>& order, const std::function<bool(Unit unit)>& takes);
  std::optional<unsigned> take_idle_for_any();
  std::optional<Entry> take_back(Unit unit);
  [[nodiscard]] std::uint64_t stamp() const;

  const bool termination_;
  const unsigned lookahead_;
  const Waiting waiting_;
  const bool by_backlog_;
  Backlog backlog_;
  std::mutex mutex_;         ///< of the three that follow
  std::deque<Ready> ready_;  ///< one for 64 buckets
  std::vector<std::unique_ptr<Bucket>> buckets_;
  std::vector<std::unique_ptr<const Orders>> published_;  ///< all, since someone may still read an old one
  std::atomic<const Orders*> orders_{nullptr};
  std::vector<Kept> kept_{max_units};
  std::atomic<std::size_t> kept_by_all_{0};
  std::atomic<std::uint64_t> changes_{1};  ///< of what is kept
  std::vector<std::atomic<Kind>> kind_of_{max_units};
  alignas(64) std::array<std::atomic<std::uint64_t>, max_units / 64> idle_{};
};

}  // namespace asterism::schedulers::hprio
