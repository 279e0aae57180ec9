// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun or srun started for one run: who there is, small messages between them outside of tasks,
// and what happens when one of them cannot continue. Started by the launcher as a single process, or not by one at all,
// there is one rank, and nothing of MPI is ever called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

struct starpu_conf;

namespace asterism {

class RankGroup {
 public:
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  [[nodiscard]] int rank() const noexcept { return each_alone_ ? 0 : rank_; }
  [[nodiscard]] int ranks() const noexcept { return each_alone_ ? 1 : ranks_; }
  [[nodiscard]] bool distributed() const noexcept { return ranks() > 1; }
  /// From now on every rank computes everything, without messages: for what is too small to be divided. All ranks have
  /// to call it.
  void leave_each_alone() const noexcept { each_alone_ = true; }
  /// Whether this process is the one that prints and writes what there is once, also where each is alone.
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }

  // All ranks have to call these in the same order; tasks may run meanwhile. With one rank they return what they got.
  void barrier() const;
  /// `mine` of every rank, in their order.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(ranks()), mine);
    if (distributed()) all_gather(&mine, all.data(), sizeof mine);
    return all;
  }
  /// Whether it holds on all ranks.
  [[nodiscard]] bool everywhere(bool here) const {
    for (const int there : all_gather(here ? 1 : 0))
      if (there == 0) return false;
    return true;
  }
  /// The same of any number of values: result[r] is what rank r has.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> all_gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::vector<T>> all;
    for (const std::size_t values : all_gather(mine.size())) all.emplace_back(values);
    for (int rank = 0; rank < ranks(); ++rank) {
      std::vector<T>& part = all[static_cast<std::size_t>(rank)];
      if (rank == this->rank()) part.assign(mine.begin(), mine.end());
      if (distributed()) broadcast(part.data(), part.size() * sizeof(T), rank);
    }
    return all;
  }
  /// `value` as rank 0 has it.
  template <class T>
  void broadcast(T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (distributed()) broadcast(&value, sizeof value, 0);
  }
  /// `to[r]` goes to rank r; returns what came from every rank.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> exchange(std::vector<std::vector<T>> to) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!distributed()) return to;
    std::vector<std::span<const char>> out;
    for (const std::vector<T>& part : to)
      out.emplace_back(reinterpret_cast<const char*>(part.data()), part.size() * sizeof(T));
    std::vector<std::vector<T>> from(to.size());
    exchange(out, [&](int rank, std::size_t bytes) {
      std::vector<T>& part = from[static_cast<std::size_t>(rank)];
      part.resize(bytes / sizeof(T));
      return reinterpret_cast<char*>(part.data());
    });
    return from;
  }
  /// take(rank, part) on rank 0 for every rank in turn, with what that rank calls this with: one part is in memory at a
  /// time. The other ranks' `take` is not called.
  template <class T, class Take>
  void collect(std::span<const T> mine, const Take& take) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (each_alone_) return take(0, mine);
    collect(reinterpret_cast<const char*>(mine.data()), mine.size_bytes(),
            [&](int rank, const char* data, std::size_t bytes) {
              take(rank, std::span<const T>(reinterpret_cast<const T*>(data), bytes / sizeof(T)));
            });
  }
  template <class T>
  [[nodiscard]] std::vector<T> collect(std::span<const T> mine) const {
    std::vector<T> all;
    collect(mine, [&](int /*rank*/, std::span<const T> part) { all.insert(all.end(), part.begin(), part.end()); });
    return all;
  }

  /// Numbers of messages, `count` consecutive ones that nobody else has: the first. The same on all ranks, which have
  /// to ask in the same order.
  [[nodiscard]] std::int64_t allocate_tags(std::int64_t count) const;

  /// For a rank that cannot continue, when it has nothing left to send. True: all ranks came here; they end by
  /// themselves, and the one where is_root() holds prints the reason. False: others would wait for this one, which has
  /// to abort().
  [[nodiscard]] bool all_have_failed() const;
  /// From now on failure reports are suppressed: ranks end because the program shuts down.
  void expect_the_end() const;
  /// Ends all ranks.
  [[noreturn]] void abort(int exit_status) const;
  /// Tells the user how to resume when another rank is killed. Printed by one rank that is left, after the names of
  /// those that are not. Empty: there is nothing to resume from.
  void on_death(const std::string& advice) const;

  // For Session: StarPU with its messages between ranks, as starpu_init and starpu_shutdown.
  int start_starpu(starpu_conf& conf) const;
  void stop_starpu() const;

 private:
  friend const RankGroup& rank_group();
  RankGroup();
  ~RankGroup();
  void all_gather(const void* mine, void* all, std::size_t bytes) const;
  void broadcast(void* values, std::size_t bytes, int from) const;
  void exchange(const std::vector<std::span<const char>>& to,
                const std::function<char*(int rank, std::size_t bytes)>& place) const;
  void collect(const char* mine, std::size_t bytes,
               const std::function<void(int rank, const char* data, std::size_t bytes)>& take) const;
  [[nodiscard]] bool agree_on_failure() const;
  void watch_others() const;

  int rank_ = 0;
  int ranks_ = 1;
  mutable bool each_alone_ = false;
};

/// The processes of this run. The first call starts MPI if there are several and nobody has started it, so all of them
/// have to make it. Throws Error: bad_input when the launcher announces several processes and MPI finds one, or this
/// program has no MPI; failed when MPI was started for fewer threads than send.
const RankGroup& rank_group();

/// How many processes the launcher says there are; nothing is started.
int launched_processes();

}  // namespace asterism
